"""The tables of docs/explanation/strength.md: `make strength` writes them into the page.

The ladders of the built-in bots of both games, the bots with nets under other rules, and what
trained nets lose to perfect play on small boards. `--only` makes one table; speed is in processor
time of this machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tabulate import tabulate

from cantstop_arena.games.registry import game_named

ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
REFERENCE = "glenn-aloi"
LEFT_OUT = ("optimal",)  # the board is not solved
NOT_ALONE = ("policy-net",)  # not trained for one seat
CUBUS_REFERENCE = "deny"
VARIANTS = ("korean", "long4", "long5")  # rules with nets for two players, besides classic
BOARDS = (("3,1", 2), ("3,2", 2), ("4,2", 1))
ROUNDS = 40  # of exact games, in the trainings for small boards
SEED = 2009


class Sizes(NamedTuple):
    """The numbers of games of the tables."""

    games: int
    alone: int
    cubus_games: int
    deals: int
    seconds: float


def arena(folder: Path, *arguments: str) -> str:
    """The output of a command of `arena`."""
    command = [*ARENA, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def tables(folder: Path, name: str, **keys: Any) -> Any:
    """The tables of a tournament with these keys."""
    text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items())
    (folder / f"{name}.yaml").write_text(f"seed: {SEED}\n{text}")
    arguments = ("run", f"{name}.yaml", "--no-page", "--quiet", "--format", "json")
    return json.loads(arena(folder, *arguments))


def ladder(folder: Path, sizes: Sizes) -> str:
    """Can't Stop: wins against the reference, Elo, solo games and speed, best bots first."""
    bots = [bot for bot in game_named("cantstop").bots if bot not in LEFT_OUT]
    pairs = tables(folder, "met", players=2, games=sizes.games, bots=bots)
    able = [bot for bot in bots if bot not in NOT_ALONE]
    alone = tables(folder, "alone", players=1, games=sizes.alone, bots=able)
    turns = _by_bot(alone["standings"]["rows"])
    against = _against(pairs, REFERENCE)
    rows = [
        [
            bot,
            _rate(against.get(bot)),
            _elo(row),
            _turns(turns.get(bot)),
            _speed("cantstop", bot, seconds=sizes.seconds),
        ]
        for bot, row in _by_bot(pairs["standings"]["rows"]).items()
    ]
    return _table(rows, "bot", f"wins against {REFERENCE} %", "Elo", "turns alone", "games/CPU s")


def rule_variants(folder: Path, sizes: Sizes) -> str:
    """Can't Stop: wins of the bots with nets under other rules than the classic ones."""
    rows = []
    for rules in VARIANTS:
        bots = ("grandmaster", "champion", "tuned", REFERENCE)
        pairs = tables(folder, rules, rules=rules, players=2, games=sizes.games, bots=bots)
        against = [_against(pairs, rival) for rival in (REFERENCE, "tuned")]
        rows += [[rules, bot, *(_rate(games.get(bot)) for games in against)] for bot in bots[:-1]]
    return _table(rows, "rules", "bot", f"wins against {REFERENCE} %", "wins against tuned %")


def cubus_ladder(folder: Path, sizes: Sizes) -> str:
    """Cubus: wins against the reference, Elo and speed, best bots first."""
    bots = [*game_named("cubus").bots]
    pairs = tables(folder, "cubus", game="cubus", players=2, games=sizes.cubus_games, bots=bots)
    against = _against(pairs, CUBUS_REFERENCE)
    rows = [
        [bot, _rate(against.get(bot)), _elo(row), _speed("cubus", bot, seconds=sizes.seconds)]
        for bot, row in _by_bot(pairs["standings"]["rows"]).items()
    ]
    return _table(rows, "bot", f"wins against {CUBUS_REFERENCE} %", "Elo", "games/CPU s")


def small_boards(folder: Path, sizes: Sizes) -> str:
    """What nets trained for a small board lose per game to perfect play there."""
    rows = []
    for board, players in BOARDS:
        seats, nets = ("--players", str(players)), f"{board.replace(',', 'x')}.nets"
        arena(folder, "solve", board, *seats, "--tables", "solved")
        arena(folder, "train", board, *seats, "--rounds", str(ROUNDS), "--out", nets)
        bots = [f"{bot}:nets={nets}" for bot in ("grandmaster", "champion")]
        how = ("--rules", board, *seats, "--deals", str(sizes.deals), "--tables", "solved")
        judgements = json.loads(arena(folder, "judge", *bots, *how, "--json"))
        unit = "turns" if players == 1 else "points"
        for bot, judged in judgements["bots"].items():
            loss, error = judged["lost"]
            rows.append([board, players, bot.partition(":")[0], f"{loss:.2f} ± {error:.2f} {unit}"])
    return _table(rows, "board", "players", "bot", "loss per game")


MAKERS: Mapping[str, Callable[[Path, Sizes], str]] = {
    "ladder": ladder,
    "rule variants": rule_variants,
    "small boards": small_boards,
    "cubus ladder": cubus_ladder,
}
"""The tables by the name of their marks in the page."""


def _table(rows: Sequence[Sequence[Any]], *headers: str) -> str:
    return tabulate(rows, headers=headers, tablefmt="github", disable_numparse=True)


def _by_bot(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Mapping[str, Any]]:
    return {row["bot"]: row for row in rows}


def _against(pairs: Mapping[str, Any], reference: str) -> Mapping[str, Mapping[str, Any]]:
    """The rows of the crosstable against a bot, by the other bot."""
    rows = pairs["crosstable"]["rows"]
    return {row["bot"]: row for row in rows if row["against"] == reference}


def _rate(row: Mapping[str, Any] | None) -> str:
    return f"{100 * row['score']:.1f} ± {50 * _width(row, 'score'):.1f}" if row else ""


def _width(row: Mapping[str, Any], stem: str) -> float:
    return float(row[f"{stem}_high"] - row[f"{stem}_low"])


def _elo(row: Mapping[str, Any]) -> str:
    return f"{row['elo']:.0f} ± {_width(row, 'elo') / 2:.0f}"


def _turns(row: Mapping[str, Any] | None) -> str:
    return f"{row['turns_per_game']:.2f} ± {_width(row, 'turns') / 2:.2f}" if row else ""


def _speed(game_name: str, name: str, *, seconds: float) -> str:
    """Games of a bot against itself in a second of processor time, to two digits."""
    from cantstop_arena.bots.bot_start import code_digest
    from cantstop_arena.bots.loader import Loader
    from cantstop_arena.deals.outcomes import Block
    from cantstop_arena.table.block_loop import play_block
    from cantstop_arena.table.seated_bot import SeatedBot

    game = game_named(game_name)
    bot = Loader(Path("bots")).find(name, game)
    seated = SeatedBot(name, bot.build({}), code_digest(name, bot.digest))
    table = game.table(game.rules.default, [seated, seated], 2, SEED)
    table.warm_up()
    play_block(table, Block((0, 1), 0, 4), ())  # what is compiled by the first games
    games, deals, start = 0, 4, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        play_block(table, Block((0, 1), games, deals), ())
        games, deals = games + 2 * deals, min(2 * deals, 1000)
    return f"{float(f'{games / spent:.2g}'):,.0f}"


def main() -> None:
    """Print the tables, or write them into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2_000, help="of each pair")
    parser.add_argument("--alone", type=int, default=1_000, help="solo games of each bot")
    parser.add_argument("--cubus-games", type=int, default=600, help="of each pair")
    parser.add_argument("--deals", type=int, default=2_000, help="judged on each small board")
    parser.add_argument("--seconds", type=float, default=1.0, help="for the speed of each bot")
    parser.add_argument("--only", choices=MAKERS, action="append")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # NumPy reads it; workers have one thread, too
    sizes = Sizes(*(getattr(options, name) for name in Sizes._fields))
    for name in options.only or MAKERS:
        with tempfile.TemporaryDirectory() as folder:
            text = MAKERS[name](Path(folder), sizes)
        if options.write is None:
            print(f"{name}\n\n{text}\n")
        else:
            _write(options.write, name, text)


def _write(page: Path, name: str, text: str) -> None:
    """Write a table between its marks."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, remainder = page.read_text("utf-8").partition(begin)
    after = remainder.partition(end)[2]
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", "utf-8")


if __name__ == "__main__":
    main()
