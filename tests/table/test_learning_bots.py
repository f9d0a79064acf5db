"""Bots that learn: 256 games in a row, told how each ended, in every lane."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but
from helpers.paths import ROOT

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.decisions import GameOver
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.table_spec import bot_start

HEAD = "from cantstop_arena import compiled, hookimpl\n"
CHOOSE = "def choose_move(turn, moves):\n    return 0\n"
ROLL = "def roll_again(turn):\n    return turn.rolls < 3\n"
BODY = CHOOSE + ROLL
HEARER = BODY + (
    "learns = True\nheard = []\n"
    "def game_over(turn, result):\n    heard.append(result.share)\n"
    "    mine = turn is None or turn.seat == result.seat\n"
    "    print(len(heard), result.share, mine)\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    return tmp_path


def run_with(arena: Arena, source: str, head: str, entrant: str = "mine") -> dict[str, Any]:
    """The summary of a tournament of a bot with random."""
    found: dict[str, Any] = arena(
        "run",
        "cup.yaml",
        "--quiet",
        yaml=f"{head}seed: 1\nbots: [{entrant}, random]\n",
        bots={"mine": source},
    ).json
    return found


@pytest.mark.slow
@pytest.mark.parametrize("entrant", slow_but((0,), ["mine", "{bot: mine, isolate: processes}"]))
def test_256_games_in_a_row_are_told_to_the_one_that_learns(
    arena: Arena, here: Path, entrant: str
) -> None:
    summary = run_with(arena, HEARER, "games: 600\ndecision_limit: 30\n", entrant)
    assert "faults" not in summary
    log = Path("results/cup/logs/001-mine.log").read_text()
    told = [line.split() for line in log.splitlines()]
    assert [int(number) for number, _, _ in told] == [*range(1, 257), *range(1, 257), *range(1, 89)]
    assert {mine for _, _, mine in told} == {"True"}
    score = float(re.findall(r'"bot": "mine".*?"score": ([\d.]+)', json.dumps(summary))[0])
    assert sum(float(share) for _, share, _ in told) == pytest.approx(600 * score)


@pytest.mark.slow
def test_what_it_raises_when_it_hears_of_the_end_is_a_fault_of_that_game(
    arena: Arena, here: Path
) -> None:
    raising = "def game_over(turn, result):\n    1 / result.seat\n"
    (fault,) = run_with(arena, BODY + raising, "games: 20\n")["faults"]
    assert (fault["bot"], fault["count"]) == ("mine", 10)
    assert "ZeroDivisionError" in fault["message"]


@pytest.mark.slow
def test_one_that_hangs_when_it_hears_of_the_end_is_too_slow(arena: Arena, here: Path) -> None:
    hanging = "def game_over(turn, result):\n    while result.seat == 1: pass\n"
    (fault,) = run_with(arena, BODY + hanging, "games: 2\ndecision_limit: 0.2\n")["faults"]
    assert (fault["bot"], fault["kind"]) == ("mine", "too slow")
    assert "game_over gave no answer" in fault["message"]


def test_compiled_bots_hear_nothing_and_are_told_so(here: Path) -> None:
    listener = "def game_over(turn, result):\n    pass\n"
    source = f"{HEAD}@compiled\n{CHOOSE}@compiled\n{ROLL}{listener}"
    Path("bots/mine.py").write_text(source)
    with pytest.raises(BotError, match="game_over is for plain bots"):
        Catalogue(Path("bots")).find("mine")


def test_a_listener_with_other_arguments_is_refused(here: Path) -> None:
    source = f"{HEAD}{BODY}@hookimpl\ndef game_over(turn, outcome):\n    pass\n"
    Path("bots/mine.py").write_text(source)
    with pytest.raises(BotError, match=re.escape("game_over must take (turn, result)")):
        Catalogue(Path("bots")).find("mine")


@pytest.mark.parametrize(
    ("ending", "share"),
    [
        (GameOver(1, 3, (1,)), 1.0),
        (GameOver(1, 3, (0, 1)), 0.5),
        (GameOver(1, 3, (0,)), 0.0),
        (GameOver(1, 4, ()), 0.25),
    ],
)
def test_the_share_of_a_win(ending: GameOver, share: float) -> None:
    assert ending.share == share


# --- The example ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_example_learns_and_gets_better() -> None:
    """Its last games of each lesson against its first ones, over several lessons."""
    folder = ROOT / "bots"
    catalogue, loader = Catalogue(folder), Loader(folder)
    bots = [catalogue.find(name) for name in ("learner", "rule28")]
    starts = [bot_start(bot.name, bot, bot.defaults) for bot in bots]
    table = GAME.table(CLASSIC, [seat_bot(start, loader) for start in starts], 2, 7)
    table.warm_up()
    early = late = 0.0
    for lesson in range(4):
        result = table.play(Block((0, 1), 128 * lesson, 128))
        won = result.masks() == np.array([1, 2])
        early, late = early + won[:16].mean() / 4, late + won[-64:].mean() / 4
    assert late > early + 0.1
    assert late > 0.55, "it is better than its rival by then"


# --- Logs -----------------------------------------------------------------------------------------

_PRINTING = """
import sys
from pathlib import Path
from typing import Any
from cantstop_arena.tournaments.pool.bot_logs import Redirection

redirection = Redirection([Path("log")], lambda: 0)
for _ in range(3000):
    print("worker", sys.argv[1], "says", "this")
print("and", sys.argv[1], end="")
redirection.end_lines()
"""


@pytest.mark.slow
def test_lines_are_written_whole_whoever_else_prints(here: Path) -> None:
    import subprocess
    import sys

    words = [[sys.executable, "-c", _PRINTING, str(worker)] for worker in range(2)]
    for worker in [subprocess.Popen(command) for command in words]:
        assert worker.wait() == 0
    lines = Path("log").read_text().splitlines()
    assert sorted(set(lines)) == ["and 0", "and 1", "worker 0 says this", "worker 1 says this"]
    assert len(lines) == 6002
