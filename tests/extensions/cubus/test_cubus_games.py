"""Whole games: the rules of turns, knocking and endings; compiled games; records."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from helpers.cubus.games import (
    answering,
    begun,
    keys,
    played,
    played_by,
    ruled,
    seen,
)
from helpers.cubus.naive.referee import referee
from helpers.cubus.seats import contestant, play_all
from helpers.parameters import slow_but

from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.cubus.bots.strategies import BOTS, Strategy
from cantstop_arena.extensions.cubus.builds.build import Build
from cantstop_arena.extensions.cubus.chance import unshuffled
from cantstop_arena.extensions.cubus.compiled_games import plays
from cantstop_arena.extensions.cubus.game import GAME
from cantstop_arena.extensions.cubus.kernel_table import KernelTable
from cantstop_arena.extensions.cubus.records import (
    Built,
    Knocked,
    Passed,
    PoolBuilt,
    Took,
    as_dict,
    event_of,
)
from cantstop_arena.extensions.cubus.rules import LEAFLET, NAMED, RULES, RuleSet
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.table.recording import record
from cantstop_arena.views.default_view import view_of

MIXES: list[Mapping[str, Any]] = [
    {},
    {"swap": "free", "more_crates": True},
    {"duty": "free", "ending": "last", "wrong_knock": 10},
    {"duty": "strict", "ending": "best", "take_down": True},
    {"take_down": True, "ending": "last", "box": [3, 3, 3]},
    {"left": 5, "right": 7, "lids": 3, "open": 12, "take_down": True},
    {"lids": 2, "open": 0, "left": 2, "right": 2, "take_down": True},
    {"box": [2, 3, 2], "take_down": True, "open": 2, "swap": "free"},
    {"box": [1, 1, 1], "take_down": True, "wrong_knock": 0, "ending": "best"},
]
TABLES = [
    ["greedy", "hasty"],
    ["eager", "random", "deny"],
    ["frugal", "greedy", "champion", "deny", "random", "eager"],
    ["champion", "deny"],
]


@pytest.mark.parametrize("changes", MIXES, ids=str)
@pytest.mark.parametrize("names", slow_but([1, 3], TABLES), ids=len)
@pytest.mark.slow
def test_games_of_every_kind_come_to_an_end_and_back_from_their_record(
    changes: Mapping[str, Any], names: list[str]
) -> None:
    lines = lines_of(ruled(**changes), names)
    assert referee(lines) == []
    opening, *later = view_of(GAME).read_record(lines, "here")
    assert RULES.from_dict(opening["rules"]) == ruled(**changes)
    assert [as_dict(event_of(event)) for event in later] == later
    assert later[-1]["reason"] in ("done", "fault")  # a bot that searches little passes by R17


def lines_of(rules: RuleSet, names: list[str]) -> list[str]:
    """The record of a game of built-in bots, as a file has it."""
    bots = [contestant(name) for name in names]
    table = KernelTable(GAME, rules, bots, len(bots), 1987)
    return [json.dumps(event) for event in record(table, tuple(range(len(bots))), 0)]


FAST = [
    LEAFLET,
    NAMED["reviews"][0],
    NAMED["exchange"][0],
    NAMED["closed"][0],
    ruled(duty="free", open=8, lids=5),
    ruled(box=[3, 2, 4]),
]


@pytest.mark.parametrize("rules", FAST, ids=lambda rules: rules.name)
@pytest.mark.parametrize(
    "names", slow_but([0, 4], [*TABLES, ["hasty", "frugal", "hasty"]]), ids=str
)
def test_compiled_games_are_the_plain_ones(rules: RuleSet, names: list[str]) -> None:
    deals = 2
    assert plays(rules)
    compiled = play_all(rules, names, keys(deals, len(names)))
    for deal in range(deals):
        seats, game = played(rules, names, deal).state.counts()
        assert compiled.seats[deal].tolist() == [list(seat) for seat in seats]
        assert compiled.games[deal].tolist() == list(game)


def test_the_same_cards_are_drawn_whoever_plays() -> None:
    draws = []
    for names in (["greedy", "hasty"], ["random", "deny"]):
        happened = played(LEAFLET, names).events
        turns = [e for e in happened if isinstance(e, Built | Passed)]
        draws.append("".join(event.card or "" for event in turns))
    assert draws[0] == draws[1]
    assert sorted(draws[0]) == sorted(unshuffled(LEAFLET))


PASSER = answering({})
greedy = BOTS["greedy"].build
WRONG = answering({"knock": Build("1@0,0")})  # which brings nothing


def test_a_wrong_knock_pays_all_others() -> None:
    state = begun(ruled(wrong_knock=3), 3)
    assert state.answer({0: None}) == []
    question = state.question()
    assert question and question.decision == "knock" and [*question.listed_seats] == [1, 2]
    passed, knocked = state.answer({1: Build("11@0,0", ((0, 0),)), 2: None})
    assert passed["event"] == "pass" and knocked["right"] is False
    assert state.scores == [3, 0, 3]
    assert state.turn == 2 and state.passes == 1


def test_games_of_nothing_but_passes_and_wrong_knocks_end() -> None:
    game = played_by(LEAFLET, [PASSER, WRONG])
    assert game.result.reason == "done"
    assert game.result.points == [2 * 23, 0]
    passes = sum(isinstance(event, Passed) for event in game.events)
    assert passes == sum(game.result.counts["turns"]) == 45


def test_a_right_knock_scores_for_the_knocker_and_spends_the_passers_cards() -> None:
    knocker = Strategy("knocker", lambda view: None, greedy)
    state, happened, _, _ = played_by(LEAFLET, [PASSER, knocker])
    knocks = [event for event in happened if isinstance(event, Knocked)]
    assert knocks and all(event.right and event.seat == 1 for event in knocks)
    assert state.scores[0] == 0 and state.scores[1] == sum(event.points for event in knocks)


def test_nobody_is_asked_to_knock_where_a_pass_is_believed() -> None:
    happened = played_by(ruled(duty="free"), [PASSER, WRONG]).events
    assert not any(isinstance(event, Knocked) for event in happened)


def test_a_pass_is_a_fault_by_strict_duty_while_there_is_a_build() -> None:
    game = played_by(ruled(duty="strict"), [PASSER, BOTS["greedy"], BOTS["greedy"]])
    assert game.fault is not None and game.fault.startswith("R17")
    assert game.state.on_turn == 0
    turns = [event.turn for event in game.events if isinstance(event, Built | Passed)]
    assert sum(game.result.counts["turns"]) == max(turns)


NONSENSE = [
    5,
    "22@0,0",
    ("22@0,0", ()),
    Build(5),  # type: ignore[arg-type]
    Build("1@0,0", 5),  # type: ignore[arg-type]
    Build("1@0,0", ((0.0, 0),)),  # type: ignore[arg-type]
    Build("1@0,0", ((True, 0),)),
    Build("1@0,0", ((0, 0, 0),)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("answer", NONSENSE, ids=repr)
@pytest.mark.parametrize("hook", ["build", "knock"])
def test_what_is_no_build_is_a_fault_whenever_it_is_answered(hook: str, answer: object) -> None:
    with pytest.raises(IllegalAnswer, match=f"{hook} must return Build or None"):
        GAME.decisions[hook].checked(answer)


def test_who_leaves_ends_the_game_without_a_winner() -> None:
    state = begun(LEAFLET, 2)
    state.answer({0: None})
    result = state.result()
    assert (result.winners, result.points, result.reason) == ((), [0, 0], "left")
    assert state.ending(result) == {"points": [0, 0], "cards": None}


def test_the_poorest_builds_with_the_pool_until_it_passes() -> None:
    game = played_by(ruled(ending="last"), [BOTS["greedy"], PASSER])
    endings = [event for event in game.events if isinstance(event, PoolBuilt)]
    assert all(event.seat == 1 for event in endings)
    assert game.result.reason == "done"


def test_of_equal_builds_with_the_pool_only_one_is_made() -> None:
    lazy = Strategy("lazy", lambda view: greedy(view) if view.asked == "ending" else None)
    state, happened, _, _ = played_by(ruled(ending="best"), [lazy, lazy, lazy])
    endings = [event for event in happened if isinstance(event, PoolBuilt)]
    assert len(endings) == 1
    assert state.scores[endings[0].seat] == endings[0].points == sum(state.scores)


def test_all_cards_on_the_table_are_won_in_the_take_down() -> None:
    state, happened, result, _ = played(NAMED["takedown"][0], ["greedy", "eager", "hasty"], 3)
    taken = [event for event in happened if isinstance(event, Took)]
    before = [event for event in happened if isinstance(event, Built | Knocked)][-1]
    shape = seen(before.pile, "").pile
    assert len(taken) == shape.crates
    assert sum(state.won) == sum(len(event.cards) for event in taken)
    assert sum(state.won) == seen(before.pile, "").table.pile.shape.cards
    most = max(state.won)
    assert result.winners == tuple(s for s in range(3) if state.won[s] == most)
    assert (taken[-1].pile, taken[-1].open) == ("", ())


BROKEN = [
    (lambda lines: [], "is empty"),
    (lambda lines: ["[]", *lines[1:]], "1:1: "),
    (lambda lines: ["{" * 5000, *lines[1:]], "1:1: "),
    (lambda lines: [*lines[:4], lines[4].replace('"seat"', '"sat"'), *lines[5:]], "here:5:.*`sat`"),
    (lambda lines: [*lines[:-1], lines[-1].replace('"turns": ', '"turns": "no", "u": ')], "turns"),
    (lambda lines: [*lines[:3], '{"event": "draw"}', *lines[4:]], "here:4:.*Invalid value 'draw'"),
    (lambda lines: [lines[0].replace('"place"', '"plaice"'), *lines[1:]], "swap: must be"),
    (lambda lines: [lines[0].replace('"seed": ', '"seed": [], "old": '), *lines[1:]], "seed"),
    (lambda lines: [lines[0].replace('"hasty"', "1"), *lines[1:]], "seats"),
    (lambda lines: [lines[0].replace(', "hasty"', ""), *lines[1:]], "1 seats; Cubus has 2 to 6"),
]


@pytest.mark.parametrize(("broken", "complaint"), BROKEN, ids=[text for _, text in BROKEN])
def test_a_record_that_is_wrong_is_refused_with_a_sentence(broken: Any, complaint: str) -> None:
    lines = lines_of(LEAFLET, ["greedy", "hasty"])
    with pytest.raises(UsageError, match=complaint):
        list(view_of(GAME).read_record(broken(lines), "here"))


def test_a_copy_with_other_chance_is_refused_where_its_future_is_drawn() -> None:
    with pytest.raises(UsageError, match="Cubus draws from"):
        GAME.position(LEAFLET, 2, seed=1).with_chance_of(2)
