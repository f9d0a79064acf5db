"""The ladder of the built-in bots of Can't Stop.

`make strength` writes it into docs/explanation/strength.md: win rates against the reference, Elo,
turns of solo games, and speed (on this machine). `--games` are those of each pair, `--alone` the
solo games of each bot.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

from cantstop_arena.games.cantstop.game import GAME

ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
REFERENCE = "glenn-aloi"
LEFT_OUT = ("optimal", "policy-net")
"""They do not play alone on the classic board: it is not solved, and the net has two seats."""
MARKS = "<!-- ladder -->", "<!-- end of ladder -->"
HEADERS = ("bot", f"wins against {REFERENCE} %", "Elo", "turns alone", "games/s")
SEED = 2009


def arena(folder: Path, *arguments: str) -> str:
    """The output of a command of `arena`."""
    command = [*ARENA, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def tables(folder: Path, name: str, players: int, games: int, bots: Sequence[str]) -> Any:
    """The tables of a tournament of all bots."""
    lines = {"players": players, "games": games, "seed": SEED, "bots": [*bots]}
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in lines.items())
    (folder / f"{name}.yaml").write_text(text)
    arguments = ("run", f"{name}.yaml", "--no-page", "--quiet", "--format", "json")
    return json.loads(arena(folder, *arguments))


def ladder(games: int, alone: int, seconds: float) -> str:
    """The table in Markdown, best bots first."""
    bots = [bot for bot in GAME.bots if bot not in LEFT_OUT]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = tables(folder, "met", 2, games, bots)
        turns = _by_bot(tables(folder, "alone", 1, alone, bots)["standings"]["rows"])
        speeds = {bot: _speed(folder, bot, seconds) for bot in bots}
    rows_by_bot = {
        row["bot"]: row for row in pairs["crosstable"]["rows"] if row["against"] == REFERENCE
    }
    rows = [
        [bot, _win_rate(rows_by_bot.get(bot)), _elo(row), _turns(turns[bot]), speeds[bot]]
        for bot, row in _by_bot(pairs["standings"]["rows"]).items()
    ]
    return tabulate(rows, headers=HEADERS, tablefmt="github", disable_numparse=True)


def _by_bot(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    return {row["bot"]: row for row in rows}


def _win_rate(row: Mapping[str, Any] | None) -> str:
    return f"{100 * row['score']:.1f} ± {50 * _width(row, 'score'):.1f}" if row else ""


def _width(row: Mapping[str, Any], stem: str) -> float:
    return float(row[f"{stem}_high"] - row[f"{stem}_low"])


def _elo(row: Mapping[str, Any]) -> str:
    return f"{row['elo']:.0f} ± {_width(row, 'elo') / 2:.0f}"


def _turns(row: Mapping[str, Any]) -> str:
    return f"{row['turns_per_game']:.2f} ± {_width(row, 'turns') / 2:.2f}"


def _speed(folder: Path, bot: str, seconds: float) -> str:
    """Games a second, to two digits."""
    last_line = arena(folder, "bench", bot, "--seconds", str(seconds)).splitlines()[-1]
    games = float(last_line.split()[2].replace(",", ""))
    return f"{float(f'{games:.2g}'):,.0f}"


def main() -> None:
    """Print the ladder, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2_000)
    parser.add_argument("--alone", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    text = ladder(options.games, options.alone, options.seconds)
    if options.write is None:
        print(text)
        return
    before, _, remainder = options.write.read_text("utf-8").partition(MARKS[0])
    after = remainder.partition(MARKS[1])[2]
    options.write.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", "utf-8")


if __name__ == "__main__":
    main()
