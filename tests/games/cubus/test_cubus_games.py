"""Whole games: the rules of turns, knocking and endings; compiled games; records."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from helpers.cubus.games import answering, keys, played, played_by, recorded, ruled, seen

from cantstop_arena.games.cubus import events
from cantstop_arena.games.cubus.bots.strategies import BOTS, Strategy, greedy
from cantstop_arena.games.cubus.builds.build import Build
from cantstop_arena.games.cubus.chance import decks_of_deal, unshuffled
from cantstop_arena.games.cubus.counts import count
from cantstop_arena.games.cubus.engine.kernel import fast, play_all
from cantstop_arena.games.cubus.records import RecordError, read, record_text, replay_record
from cantstop_arena.games.cubus.rules import LEAFLET, NAMED, RuleSet
from cantstop_arena.games.cubus.state import CubusState

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
    ["frugal", "greedy", "eager", "deny", "random", "eager"],
]


@pytest.mark.parametrize("changes", MIXES, ids=str)
@pytest.mark.parametrize("names", TABLES, ids=len)
def test_games_of_every_kind_come_to_an_end_and_back_from_their_record(
    changes: Mapping[str, Any], names: list[str]
) -> None:
    record = recorded(ruled(**changes), names)
    text = record_text(record)
    assert read(text) == record
    assert replay_record(read(text)).result().end == record.events[-1]
    assert all(json.loads(line) for line in text.splitlines())


FAST = [
    LEAFLET,
    NAMED["reviews"][0],
    NAMED["exchange"][0],
    NAMED["closed"][0],
    ruled(duty="free", open=8, lids=5),
    ruled(box=[3, 2, 4]),
]


@pytest.mark.parametrize("rules", FAST, ids=lambda rules: rules.name)
@pytest.mark.parametrize("names", [*TABLES, ["hasty", "frugal", "hasty"]], ids=str)
def test_compiled_games_are_the_plain_ones(rules: RuleSet, names: list[str]) -> None:
    deals = 2
    assert fast(rules, names)
    compiled = play_all(rules, names, keys(deals, len(names)))
    for deal in range(deals):
        seats, game = count(rules, len(names), played(rules, names, deal)[1])
        assert compiled.seats[deal].tolist() == [list(seat) for seat in seats]
        assert compiled.games[deal].tolist() == list(game)


def test_the_same_cards_are_drawn_whoever_plays() -> None:
    draws = []
    for names in (["greedy", "hasty"], ["random", "deny"]):
        _, happened = played(LEAFLET, names)
        turns = [e for e in happened if isinstance(e, events.Built | events.Passed)]
        draws.append("".join(event.card or "" for event in turns))
    assert draws[0] == draws[1]
    assert sorted(draws[0]) == sorted(unshuffled(LEAFLET))


PASSER = answering({})
WRONG = answering({"knock": Build("1@0,0")})  # which brings nothing


def test_a_wrong_knock_pays_all_others() -> None:
    state = CubusState(ruled(wrong_knock=3), 3, decks_of_deal(1, 1, 3))
    state.answer({0: None})
    assert state.question() == ("knock", (1, 2))
    heard = state.answer({1: Build("11@0,0", ((0, 0),)), 2: None})
    assert isinstance(heard[1], events.Knocked)
    assert not heard[1].right
    assert state.scores == [3, 0, 3]
    assert state.turn == 2 and state.passes == 1


def test_games_of_nothing_but_passes_and_wrong_knocks_end() -> None:
    state, happened = played_by(LEAFLET, [PASSER, WRONG])
    assert state.result().end.reason == "done"
    assert state.result().end.points == (2 * 23, 0)
    passes = sum(isinstance(event, events.Passed) for event in happened)
    assert passes == state.result().end.turns == 45


def test_a_right_knock_scores_for_the_knocker_and_spends_the_passers_cards() -> None:
    knocker = Strategy("knocker", lambda view: None, greedy)
    state, happened = played_by(LEAFLET, [PASSER, knocker])
    knocks = [event for event in happened if isinstance(event, events.Knocked)]
    assert knocks and all(event.right and event.seat == 1 for event in knocks)
    assert state.scores[0] == 0 and state.scores[1] == sum(event.points for event in knocks)


def test_nobody_is_asked_to_knock_where_a_pass_is_believed() -> None:
    _, happened = played_by(ruled(duty="free"), [PASSER, WRONG])
    assert not any(isinstance(event, events.Knocked) for event in happened)


def test_a_pass_is_a_fault_by_strict_duty_while_there_is_a_build() -> None:
    state, happened = played_by(ruled(duty="strict"), [PASSER, BOTS["greedy"], BOTS["greedy"]])
    end = state.result().end
    assert (end.reason, end.winners) == ("fault", (1, 2))
    turns = [event.turn for event in happened if isinstance(event, events.Built | events.Passed)]
    assert end.turns == max(turns)


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
@pytest.mark.parametrize("asked", ["build", "knock"])
def test_what_is_no_build_is_a_fault_whenever_it_is_answered(asked: str, answer: object) -> None:
    state, happened = played_by(LEAFLET, [answering({asked: answer}), PASSER])
    result = state.result()
    assert result.end.reason == "fault" and result.end.winners == (1,)
    assert result.fault is not None and result.fault.seat == 0
    assert result.end.turns == len(happened) - 1 == (0 if asked == "build" else 1)


def test_who_leaves_ends_the_game_without_a_winner() -> None:
    state = CubusState(LEAFLET, 2, decks_of_deal(1, 1, 2))
    state.answer({0: None})
    (end,) = state.leave()
    assert end == events.Ended(0, (0, 0), None, (), "left")
    assert state.question() is None


def test_the_poorest_builds_with_the_pool_until_it_passes() -> None:
    state, happened = played_by(ruled(ending="last"), [BOTS["greedy"], PASSER])
    endings = [event for event in happened if isinstance(event, events.Ending)]
    assert all(event.seat == 1 for event in endings)
    assert state.result().end.reason == "done"


def test_of_equal_builds_with_the_pool_only_one_is_made() -> None:
    lazy = Strategy("lazy", lambda view: greedy(view) if view.asked == "ending" else None)
    state, happened = played_by(ruled(ending="best"), [lazy, lazy, lazy])
    endings = [event for event in happened if isinstance(event, events.Ending)]
    assert len(endings) == 1
    assert state.scores[endings[0].seat] == endings[0].points == sum(state.scores)


def test_all_cards_on_the_table_are_won_in_the_take_down() -> None:
    state, happened = played(NAMED["takedown"][0], ["greedy", "eager", "hasty"], 3)
    taken = [event for event in happened if isinstance(event, events.Took)]
    before = [event for event in happened if isinstance(event, events.Built | events.Knocked)][-1]
    shape = seen(before.pile, "").pile
    assert len(taken) == shape.crates
    assert sum(state.won) == sum(len(event.cards) for event in taken)
    assert sum(state.won) == seen(before.pile, "").table.pile.shape.cards
    most = max(state.won)
    assert state.result().end.winners == tuple(s for s in range(3) if state.won[s] == most)
    assert (taken[-1].pile, taken[-1].open) == ("", ())


BROKEN = [
    (lambda lines: [], "empty"),
    (lambda lines: ["[]", *lines[1:]], "line 1 must be a JSON object"),
    (lambda lines: ["{" * 5000, *lines[1:]], "line 1 is not valid JSON"),
    (lambda lines: lines[:-1], "is incomplete"),
    (lambda lines: [*lines, lines[-1]], "after the end"),
    (lambda lines: [lines[0], *lines[2:]], "line 2"),
    (lambda lines: [*lines[:4], lines[4].replace('"seat"', '"sat"'), *lines[5:]], "line 5"),
    (lambda lines: [*lines[:-1], lines[-1].replace('"turns": ', '"turns": 1')], "by the rules"),
    (lambda lines: [lines[0].replace('"place"', '"plaice"'), *lines[1:]], "swap: must be"),
    (lambda lines: [lines[0].replace('"seed": ', '"seed": [], "old": '), *lines[1:]], "seed"),
]


@pytest.mark.parametrize(("broken", "complaint"), BROKEN, ids=[text for _, text in BROKEN])
def test_a_record_that_is_wrong_is_refused_with_a_sentence(broken: Any, complaint: str) -> None:
    lines = record_text(recorded(LEAFLET, ["greedy", "hasty"])).splitlines()
    with pytest.raises(RecordError, match=complaint):
        replay_record(read("\n".join(broken(lines))))
