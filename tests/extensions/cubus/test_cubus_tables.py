"""Cubus behind the seam: played by the arena's tables, recorded, shown, told to programs."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from helpers.cubus.games import seen
from helpers.cubus.naive.referee import referee
from helpers.cubus.seats import contestant
from helpers.parameters import slow_but

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.extensions.cubus.builds.build import Build
from cantstop_arena.extensions.cubus.builds.piles import parse
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.game import GAME
from cantstop_arena.extensions.cubus.kernel_table import KernelTable
from cantstop_arena.extensions.cubus.rules import LEAFLET, NAMED, RuleSet, derive
from cantstop_arena.extensions.cubus.view.scenes import scenes
from cantstop_arena.game_api.state import Event
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.plain_table import PlainTable
from cantstop_arena.table.recording import record
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.views.default_view import view_of


def answering(**answers: Any) -> SeatedBot:
    """A bot that always answers the same to each thing asked."""
    given = {hook: lambda view, answer=answer: answer for hook, answer in answers.items()}
    return SeatedBot("answering", BotFunctions(**given), "answering")


def told(rules: RuleSet, bots: Sequence[SeatedBot], deal: int = 0) -> list[Event]:
    """The record of a game, as a file has it."""
    table = KernelTable(GAME, rules, bots, len(bots), 1987)
    lines = [json.dumps(event) for event in record(table, tuple(range(len(bots))), deal)]
    assert referee(lines) == []
    return [json.loads(line) for line in lines]


MIXES = [
    ({"duty": "strict", "swap": "free", "box": [3, 3, 3]}, ["greedy", "frugal"]),
    ({"ending": "last", "take_down": True, "box": [3, 3, 3]}, ["greedy", "hasty", "eager"]),
    ({"ending": "best", "duty": "free", "more_crates": True}, ["deny", "eager", "hasty", "greedy"]),
    ({"lids": 4, "open": 8, "wrong_knock": 7, "take_down": True}, ["hasty", "greedy"] * 3),
]


@pytest.mark.parametrize(("changes", "names"), slow_but((0, 1), MIXES))
def test_the_referee_has_nothing_to_say(changes: dict[str, Any], names: list[str]) -> None:
    """Records of the arena's tables obey the rules, and C1: see `worth`."""
    rules = derive(LEAFLET, changes)
    events = told(rules, [contestant(name) for name in names])
    assert events[-1]["reason"] == "done"
    assert sum(events[-1]["points"]) == worth(events)


def worth(events: Sequence[Event]) -> int:
    """C1: F of the last pile before the take-down, and what wrong knocks paid."""
    builds = [e for e in events if e["event"] in ("build", "ending") or e.get("right")]
    wrong = sum(event.get("right") is False for event in events)
    paid = wrong * (len(events[0]["seats"]) - 1) * events[0]["rules"]["wrong_knock"]
    return int(parse(builds[-1]["pile"]).shape.value + paid)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules", slow_but([0], [(LEAFLET,), (derive(LEAFLET, {"duty": "free", "swap": "free"}),)])
)
def test_the_kernel_s_results_are_those_of_plain_games(rules: RuleSet) -> None:
    """Tallies, winners and counts deal by deal."""
    bots = [contestant(name) for name in ("greedy", "hasty", "deny")]
    fast, slow = (kind(GAME, rules, bots, 3, 7) for kind in (KernelTable, PlainTable))
    assert fast.is_compiled(range(3))
    fast.keeps_counts = slow.keeps_counts = True
    assert fast.play(Block((0, 1, 2), 4, 2)) == slow.play(Block((0, 1, 2), 4, 2))


def test_only_baseline_bots_play_compiled() -> None:
    """Neither others nor rules that the kernel does not know."""
    bots = [contestant("greedy"), answering(build=None)]
    assert not KernelTable(GAME, LEAFLET, bots, 2, 7).is_compiled((0, 1))
    assert not KernelTable(GAME, NAMED["last"][0], bots, 2, 7).is_compiled((0, 0))


FAULTS = [
    (LEAFLET, {"build": Build("3@0,0")}, "R13"),
    (LEAFLET, {"build": 5}, "must return Build or None"),
    (LEAFLET, {"build": {"pile": "1@0,0", "open": [["a", 0]]}}, "must return Build or None"),
    (NAMED["strict"][0], {"build": None}, "R17"),
    (LEAFLET, {"build": None, "knock": "11@0,0"}, "must return Build or None"),
]


@pytest.mark.parametrize(("rules", "answers", "complaint"), FAULTS)
def test_faults_are_charged(rules: RuleSet, answers: dict[str, Any], complaint: str) -> None:
    """All others win; the faulty turn leaves no line."""
    bots = [answering(**answers), contestant("greedy")]
    table = KernelTable(GAME, rules, bots, 2, 1987)
    complaints: list[str] = []
    *_, end = events = list(record(table, (0, 1), 3, lambda one: complaints.append(str(one))))
    assert complaint in complaints[0]
    assert (end["reason"], end["winners"]) == ("fault", [1])
    assert end["turns"] == max((event.get("turn", 0) for event in events), default=0)


def test_a_wrong_knock_is_no_fault() -> None:
    """R19: whoever else is there gets points."""
    bots = [contestant("random"), answering(build=None, knock=Build("1@0,0"))]
    events = told(LEAFLET, bots)
    assert events[-1]["reason"] == "done"
    assert events[-1]["points"][0] > 2


def test_a_program_sees_the_same() -> None:
    """A view comes back from JSON with helpers that find the same."""
    view = seen("22/21@0,0", "TLRO", [(1, 1)])
    line = json.dumps(GAME.codec.view_as_json(view))
    back = GAME.codec.view_from_json(CubusBotView, json.loads(line), view.rules, view.random)
    assert back == view
    assert back.targets() == view.targets() != []


def test_scenes_come_to_the_end_that_the_record_tells() -> None:
    """Points, hands and cards won are followed event by event."""
    rules = derive(LEAFLET, {"take_down": True, "box": [3, 3, 3]})
    events = told(rules, [contestant("greedy"), contestant("hasty")])
    *_, last, end = scenes(events)
    assert list(last.scores) == events[-1]["points"]
    assert list(last.won) == events[-1]["cards"]
    assert end.table is None


def test_a_view_tells_draws_and_remembers_a_game() -> None:
    """What the table notes of a game, the view reads from its record."""
    bots = [contestant("greedy"), contestant("hasty")]
    table, view = KernelTable(GAME, LEAFLET, bots, 2, 1987), view_of(GAME)
    events = list(record(table, (0, 1), 0))
    assert view.highlight_scores(events) == table.result().highlights
    shown = view.scenes(events)
    assert "crates" in view.draw(shown[-1])
    assert view.picture(shown[-1]).startswith("<svg")
    page = view.page_game("g", "A game", [], events)
    assert "The game in words" in page.html
