"""What decisions lose: nothing for perfect play, and in sum what results say."""

import json
import re
import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import Tables
from helpers.arena import Arena
from helpers.parameters import slow_but

from cantstop_arena.errors import BotError
from cantstop_arena.extensions.strength.exact.regret import KINDS, Judgement, RegretMean, judge
from cantstop_arena.extensions.strength.exact.situations import (
    KINDS_OF_SITUATION,
    joined_situations,
    situations_of_deal,
)
from cantstop_arena.extensions.strength.exact.solved_tables import adviser_for
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.rules import CLASSIC, derive
from cantstop_arena.table.seated_bot import SeatedBot

SMALL = derive(CLASSIC, {"sides": 2, "column_lengths": [2, 4, 2]})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of tables for these tests alone."""
    monkeypatch.setenv("CANTSTOP_ARENA_TABLES", str(tmp_path))
    yield tmp_path


def judged(tables: Tables, folder: Path, name: str, deals: int, players: int = 2) -> Judgement:
    """What a built-in bot loses on the small board."""
    adviser = adviser_for(SMALL, players, folder)
    bot = SeatedBot(name, tables.player(name), name)
    return judge(adviser, bot, perfect(tables), range(deals), 5)


def perfect(tables: Tables) -> SeatedBot:
    """The rival."""
    return SeatedBot("rival", tables.player("optimal"), "rival")


@pytest.mark.parametrize("players", [1, 2])
def test_perfect_play_loses_exactly_nothing(tables: Tables, folder: Path, players: int) -> None:
    judgement = judged(tables, folder, "optimal", 100, players)
    assert judgement.lost() == RegretMean(0.0, 0.0, 100, 0.0)
    assert judgement.mistakes(0) == 0 and judgement.worst == []


@pytest.mark.slow
@pytest.mark.parametrize("players", slow_but((1,), [1, 2]))
def test_the_sum_of_losses_is_what_results_say(tables: Tables, folder: Path, players: int) -> None:
    judgement = judged(tables, folder, "random", 1500, players)
    lost, measured = judgement.lost(), judgement.measured()
    assert lost.mean > 0.05
    assert abs(lost.mean - measured.mean) < 2.5 * (measured.error + lost.error)
    assert lost.mean == pytest.approx(sum(judgement.lost(kind).mean for kind in KINDS))


def test_the_worst_decisions_come_first(tables: Tables, folder: Path) -> None:
    judgement = judged(tables, folder, "random", 50)
    worst, losses = judgement.worst, [one.loss for one in judgement.worst]
    assert len(losses) == 10 and losses == sorted(losses, reverse=True)
    assert all(one.taken != one.best for one in worst)


def test_who_never_stops_rolls_too_long_and_who_always_does_stops_too_soon(
    folder: Path, tables: Tables
) -> None:
    adviser, rival = adviser_for(SMALL, 2, folder), perfect(tables)
    for rolls, kind in ((True, "rolling too long"), (False, "stopping too soon")):
        bot = Player(lambda turn, moves: 0, partial(lambda rolls, turn: rolls, rolls))
        judgement = judge(adviser, SeatedBot("bot", bot, str(rolls)), rival, range(50), 5)
        assert {one.kind for one in judgement.worst} <= {"choosing", kind}
        assert judgement.lost(kind).mean > 0


def test_a_fault_is_said(folder: Path, tables: Tables) -> None:
    bot = SeatedBot("bot", Player(lambda turn, moves: 9, lambda turn: False), "bot")
    with pytest.raises(BotError, match=r"bot cannot be judged: it misbehaves in deal .*: choose"):
        judge(adviser_for(SMALL, 2, folder), bot, perfect(tables), range(20), 5)


def run(arena: Arena, *words: str) -> tuple[int, str]:
    """`arena judge` with these words: the exit code, and what it prints, or why it does not."""
    result = arena("judge", *words, code=None)
    return result.code, result.text or result.error


@pytest.mark.slow
def test_the_command_tells_losses_and_the_worst_decisions(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--rules", "2,1", "--deals", "40")
    code, text = run(arena, "optimal", "random", *words, "--html", "judged.html")
    assert code == 0
    page = Path("judged.html").read_text("utf-8")
    assert "The worst decision of random loses" in page and "$ arena replay results/judged/" in page
    heading = "What decisions lose, in percentage points of winning probability\nrules classic"
    assert text.startswith("random loses ") and f"\n\n{heading}" in text
    assert "; 2 players; 40 deals; judged by optimal\n" in text
    assert "optimal makes no mistake." in text and "The worst decisions of random (3 of 10" in text
    assert len(re.findall(r"^\d+\. Loses \d+\.\d\d percentage points: ", text, re.M)) == 3
    assert text.count("* are runners, ( ) are tops; | is a claimed column.") == 1
    assert re.search(r"^bot +loss per .*\n +game", text, re.M)
    every = run(arena, "random", *words, "--worst", "10")[1]
    assert "\nThe worst decisions of random:" in every and "\n10. Loses " in every
    assert "Loses" not in run(arena, "random", *words, "--worst", "0")[1]
    told: dict[str, Any] = json.loads(run(arena, "optimal", *words, "--json")[1])["bots"]
    assert told["optimal"]["lost"] == [0, 0] and told["optimal"]["worst"] == []


@pytest.mark.slow
def test_the_game_of_a_bad_decision_is_replayed_by_the_command_that_is_told(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("random", "--rules", "2,2", "--deals", "30")
    worst = json.loads(run(arena, *words, "--json")[1])["bots"]["random"]["worst"][0]
    line = next(line for line in run(arena, *words)[1].splitlines() if line.startswith("  $ arena"))
    result = arena(*shlex.split(line)[2:], "--json", code=None)
    events = [json.loads(line) for line in result.output.splitlines()]
    rolls = [
        one
        for one in events
        if one["event"] == "roll" and (one["seat"], one["turn"]) == (worst["seat"], worst["turn"])
    ]
    assert rolls[worst["roll"] - 1]["dice"] == worst["dice"]
    if worst["kind"] == "choosing":
        assert "+".join(map(str, rolls[worst["roll"] - 1]["chosen"])) == worst["taken"]
    else:
        assert (len(rolls) > worst["roll"]) == (worst["taken"] == "roll")


@pytest.mark.slow
def test_a_bot_from_a_file_is_judged_where_its_code_may_run(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    source = "import os\ndef choose_move(turn, moves):\n    return 0\n"
    Path("lazy.py").write_text(f"{source}def roll_again(turn):\n    return False\n")
    Path("gone.py").write_text(f"{source}def roll_again(turn):\n    os._exit(3)\n")
    code, text = run(arena, "./lazy.py", "--rules", "2,1", "--deals", "20")
    assert (code, "The worst decisions of lazy" in text) == (0, True)
    code, text = run(arena, "./gone.py", "--rules", "2,1", "--deals", "20")
    assert (code, "gone cannot be judged: its process ended" in text) == (2, True)


@pytest.mark.slow
def test_a_board_that_is_not_solved_is_refused(arena: Arena) -> None:
    code, text = run(arena, "rule28", "--rules", "jump")
    assert (code, "has not been solved for 2 players (see `arena solve`)" in text) == (2, True)


def test_the_situations_of_a_kind_have_all_decisions_and_all_losses(
    tables: Tables, folder: Path
) -> None:
    judgement = judged(tables, folder, "random", 60)
    for kind in KINDS_OF_SITUATION:
        of_kind = [each for each in judgement.situations if each.kind == kind]
        assert sum(each.decisions for each in of_kind) == judgement.decisions
        lost = sum(each.lost for each in of_kind) / judgement.games
        assert lost == pytest.approx(judgement.lost().mean)
    numbers = [each.number for each in judgement.situations if each.kind == "lead in columns"]
    assert min(numbers) < 0 < max(numbers)


def test_the_error_of_a_situation_is_that_of_a_ratio_over_deals() -> None:
    deals = [[0.0, 0.4], [0.1], [0.0, 0.0, 0.3], [0.2, 0.2]]
    key = ("columns won", 1)
    (joined,) = joined_situations(
        each for losses in deals for each in situations_of_deal([([key], x) for x in losses])
    )
    mean = 1.2 / 8
    squares = sum((sum(losses) - mean * len(losses)) ** 2 for losses in deals)
    assert joined.mean == pytest.approx(mean)
    assert joined.error == pytest.approx((4 / 3 * squares) ** 0.5 / 8)
