"""The naive reading of the rules against the facts, the 480 positions and recorded games."""

import json
import random
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import pytest
from helpers.naive import (
    Foul,
    Position,
    Rules,
    after,
    after_stop,
    columns,
    legal_moves,
    may_stop,
    named,
    outcome,
    pairings,
    referee,
    success_count,
    top,
    wins_by_stopping,
    with_runners,
)
from helpers.paths import TESTS

LENGTHS = [3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3]
POSITIONS = TESTS / "data" / "positions.jsonl"

Event = dict[str, Any]
Record = list[Event]


def ruleset(**changes: Any) -> Rules:
    """The classic rules, with some parameters changed."""
    rules: Rules = {
        "name": "classic",
        "sides": 6,
        "column_lengths": LENGTHS,
        "runners": 3,
        "columns_to_win": 3,
        "landing": "share",
        "stop": "any-time",
        "turn_limit": 200,
    }
    return rules | changes


def at(
    *runner_columns: int,
    claimed: tuple[int, ...] = (),
    markers: list[dict[int, int]] | None = None,
    runners: dict[int, int] | None = None,
    **changes: Any,
) -> Position:
    """A position of seat 0 with runners on space 1 of some columns, and whatever else is given."""
    placed = dict.fromkeys(runner_columns, 1) | (runners or {})
    return Position(ruleset(**changes), 0, markers or [{}, {}], set(claimed), placed)


# --- Facts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("column", "share"), [(2, 13.19), (12, 13.19), (7, 64.35)])
def test_a_column_can_be_made_with_the_known_share_of_rolls(column: int, share: float) -> None:
    """Fact (P, F): columns 2 and 12 come in 13.19% of the 1296 rolls, column 7 in 64.35%."""
    rolls = list(product(range(1, 7), repeat=4))
    made = sum(1 for dice in rolls if any(column in pairing for pairing in pairings(dice)))
    assert len(rolls) == 1296
    assert round(100 * made / 1296, 2) == share
    assert success_count(ruleset(), {}, set(range(2, 13)) - {column}) == made


@pytest.mark.slow
def test_six_seven_eight_is_the_best_triple_and_two_three_twelve_the_worst() -> None:
    """Fact: 1192 of 1296 rolls (91.98%) against 568 (43.83%), all columns open."""
    triples = combinations(range(2, 13), 3)
    counts = {
        triple: success_count(ruleset(), dict.fromkeys(triple, 1), set()) for triple in triples
    }
    assert counts[6, 7, 8] == 1192 == max(counts.values())
    assert counts[2, 3, 12] == 568 == min(counts.values())
    assert list(counts.values()).count(1192) == 1
    assert [round(count / 12.96, 2) for count in (1192, 568)] == [91.98, 43.83]


@pytest.mark.parametrize(("column", "advances"), [(2, 2), (12, 2), (7, 12)])
def test_a_runner_just_placed_needs_the_known_number_of_advances(
    column: int, advances: int
) -> None:
    """Board (F): two more to the top of column 2, twelve more in column 7."""
    position = at()
    assert after(position, [column]) == {column: 1}
    assert after(position, [column] * (1 + advances)) == {column: top(position.rules, column)}


FACTS = {
    "F: 2-4-5-6 offers three pairings": (at(), (2, 4, 5, 6), [[6, 11], [7, 10], [8, 9]]),
    "F: 2-3-3-4 offers two, one of them a double": (at(), (2, 3, 3, 4), [[5, 7], [6, 6]]),
    "P: 2-3-5-6 offers 8 twice as well": (at(), (2, 3, 5, 6), [[5, 11], [7, 9], [8, 8]]),
    "P: 3-3-3-4 offers one pairing": (at(), (3, 3, 3, 4), [[6, 7]]),
    "F: two sums for the last runner are a choice": (
        at(8, 9),
        (1, 4, 5, 6),
        [[5], [6], [7, 9], [10], [11]],
    ),
    "F: 9+9 moves the runner on 9 twice": (at(8, 9), (3, 4, 5, 6), [[7], [8, 10], [9, 9], [11]]),
    "F: bust with all runners placed": (at(5, 7, 10), (1, 3, 3, 5), []),
    "F: bust before any runner is placed": (at(claimed=(7, 8, 9)), (3, 4, 4, 5), []),
    "P: 5+11, or 8 twice, or 7, or 9": (at(4, 5), (2, 3, 5, 6), [[5, 11], [7], [8, 8], [9]]),
    "P: 5 alone when 11 is claimed": (
        at(4, 5, claimed=(11,)),
        (2, 3, 5, 6),
        [[5], [7], [8, 8], [9]],
    ),
    "P: bust with runners on 6, 10, 12": (at(6, 10, 12), (2, 3, 5, 6), []),
    "S: the only move is 5 by one": (at(3, 5, 7, claimed=(6, 8)), (1, 4, 4, 5), [[5]]),
    "K: bust with runners on 7, 8, 9": (at(7, 8, 9), (1, 2, 3, 3), []),
    "K: 9 two spaces, or 8 and 10": (at(8, 9), (4, 4, 5, 5), [[8, 10], [9, 9]]),
    "Erratum in P: 5 by one, or 8 twice": (at(4, 5, 8), (2, 3, 5, 6), [[5], [8, 8]]),
    "Erratum in P: 5, or 7 and 9": (at(5, 7, 9), (2, 3, 5, 6), [[5], [7, 9]]),
}


@pytest.mark.parametrize(("position", "dice", "moves"), FACTS.values(), ids=FACTS.keys())
def test_the_moves_are_those_of_the_sources(
    position: Position, dice: tuple[int, ...], moves: list[list[int]]
) -> None:
    """Facts: the examples of the four sources, the order of the dice being of no account."""
    assert legal_moves(position, dice) == moves
    assert legal_moves(position, dice[::-1]) == moves


def test_the_third_runner_stays_free_when_its_column_is_claimed() -> None:
    """Fact (P): with 11 claimed, 5+11 moves the runner on 5 alone."""
    assert after(at(4, 5, claimed=(11,)), [5]) == {4: 1, 5: 2}


def test_the_double_of_the_korean_example_advances_two_spaces() -> None:
    """Fact (K): 9+9 moves the runner on 9 two spaces."""
    assert after(at(8, 9), [9, 9]) == {8: 1, 9: 3}


# --- Single rules ---------------------------------------------------------------------------------


def test_a_double_with_one_space_left_advances_one() -> None:
    """Rule 4: on the space below the top, a double is the column once."""
    position = at(runners={8: 10})
    assert legal_moves(position, (4, 4, 4, 4)) == [[8]]
    assert after(position, [8]) == {8: 11}


def test_a_runner_on_the_top_gives_no_further_move_and_stays_placed() -> None:
    """Rule 10: it still counts as one of the three."""
    assert legal_moves(at(7, runners={2: 3, 12: 3}), (1, 1, 6, 6)) == [[7, 7]]
    assert legal_moves(at(4, runners={2: 3, 12: 3}), (1, 1, 6, 6)) == []


def test_a_runner_enters_just_above_the_own_marker() -> None:
    """Rule 5: with a marker on 3 on space 4, without one on space 1."""
    assert after(at(markers=[{6: 3}, {6: 9, 8: 9}]), [6, 8]) == {6: 4, 8: 1}


def test_a_jumping_double_jumps_at_each_advance_and_on_entering() -> None:
    """Landing `jump`: two rivals on 1 and 3 send a double that enters from 0 to 4."""
    position = at(markers=[{}, {6: 1}, {6: 3}], landing="jump")
    assert after(position, [6, 6]) == {6: 4}


def test_a_jump_passes_several_markers_and_may_reach_the_top() -> None:
    """Landing `jump`: with rivals on 9 and 10 of column 8, a double from 8 is one advance."""
    position = at(markers=[{8: 8}, {8: 9}, {8: 10}], landing="jump")
    assert legal_moves(position, (4, 4, 4, 4)) == [[8]]
    assert after(position, [8]) == {8: 11}


@pytest.mark.parametrize(
    ("landing", "allowed"), [("share", True), ("jump", True), ("leave", False)]
)
def test_only_leave_forbids_to_stop_on_a_rivals_marker(landing: str, allowed: bool) -> None:
    """Landing: one runner on a rival's marker is enough, even where stopping would win."""
    runners = {2: 3, 3: 5, 7: 4}
    position = at(markers=[{12: 3}, {7: 4}], runners=runners, landing=landing)
    assert wins_by_stopping(position)
    assert may_stop(position) is allowed


def test_after_all_runners_allows_to_stop_once_they_are_placed() -> None:
    """Rule 7 (K): two runners are not enough, three are."""
    assert not may_stop(at(6, 7, stop="after-all-runners"))
    assert may_stop(at(6, 7, 8, stop="after-all-runners"))


def test_after_all_runners_allows_to_stop_when_no_further_one_can_be_placed() -> None:
    """Rule 7: with two open columns two runners are enough, one is not."""
    closed = tuple(range(2, 11))
    assert may_stop(at(11, 12, claimed=closed, stop="after-all-runners"))
    assert not may_stop(at(11, claimed=closed, stop="after-all-runners"))


def test_nobody_may_stop_before_the_first_move() -> None:
    """Rule 7: the choice comes after a move."""
    assert not may_stop(at())


def test_claiming_a_column_removes_all_other_markers_in_it() -> None:
    """Rule 8: rivals lose their markers there and keep those elsewhere."""
    stopped = after_stop(at(7, markers=[{3: 1}, {2: 2, 7: 1}], runners={2: 3}))
    assert stopped.markers == [{2: 3, 3: 1, 7: 1}, {7: 1}]
    assert (stopped.claimed, stopped.runners) == ({2}, {})


def test_the_last_open_column_wins_only_for_one_of_those_with_most_columns() -> None:
    """End and rule 11: on a board of three columns, by the rival's number of columns."""
    small: dict[str, Any] = {"sides": 2, "column_lengths": [1, 1, 1], "columns_to_win": 3}
    shared = at(2, 3, markers=[{}, {4: 1}], claimed=(4,), **small)
    behind = at(3, markers=[{}, {2: 1, 4: 1}], claimed=(2, 4), **small)
    assert outcome(after_stop(shared)) == ([0], "all-claimed")
    assert outcome(after_stop(behind)) == ([1], "all-claimed")
    assert [wins_by_stopping(shared), wins_by_stopping(behind)] == [True, False]


# --- The positions --------------------------------------------------------------------------------


def numbered(spaces: dict[str, int]) -> dict[int, int]:
    """Columns as numbers again."""
    return {int(column): space for column, space in spaces.items()}


def load(line: str) -> tuple[Position, list[int], list[Any]]:
    """A stored position, its roll, and what is to be found there."""
    case = json.loads(line)
    markers = [numbered(own) for own in case["markers"]]
    runners, claimed = numbered(case["runners"]), set(case["claimed"])
    position = Position(case["rules"], case["seat"], markers, claimed, runners)
    return position, case["dice"], case["moves"]


def found(position: Position, dice: list[int]) -> list[Any]:
    """Moves, runners after them and whether the player may stop then, in the stored form."""
    answers = []
    for move in legal_moves(position, dice):
        runners = after(position, move)
        stop = may_stop(with_runners(position, runners))
        answers.append({"move": move, "runners": named(runners), "may_stop": stop})
    return answers


def test_all_stored_positions_have_the_stored_moves_runners_and_stops() -> None:
    """The 480 positions agree in moves, their order, the runners after them and `may_stop`."""
    cases = [load(line) for line in POSITIONS.read_text(encoding="utf-8").splitlines()]
    assert len(cases) == 480
    wrong = [
        n for n, (position, dice, moves) in enumerate(cases, 1) if found(position, dice) != moves
    ]
    assert wrong == []


# --- Recorded games, by hand ----------------------------------------------------------------------


def header(players: int = 2, **changes: Any) -> Event:
    """The first line of a recorded game."""
    seats = ["rule28", "cautious", "rule28", "cautious"][:players]
    rules = ruleset(**changes)
    return {
        "event": "game",
        "game": "cantstop",
        "rules": rules,
        "seats": seats,
        "seed": 1980,
        "deal": 17,
    }


def roll(
    turn: int,
    seat: int,
    dice: list[int],
    moves: list[list[int]],
    chosen: list[int] | None,
    runners: dict[str, int],
) -> Event:
    """A roll event."""
    return {
        "event": "roll",
        "turn": turn,
        "seat": seat,
        "dice": dice,
        "moves": moves,
        "chosen": chosen,
        "runners": runners,
    }


def stop(turn: int, seat: int, markers: dict[str, int]) -> Event:
    """A stop event."""
    return {"event": "stop", "turn": turn, "seat": seat, "markers": markers}


def bust(turn: int, seat: int) -> Event:
    """A bust event."""
    return {"event": "bust", "turn": turn, "seat": seat}


def end(turns: int, winners: list[int], reason: str) -> Event:
    """An end event."""
    return {"event": "end", "turns": turns, "winners": winners, "reason": reason}


def written(record: Record) -> list[str]:
    """The lines of a record."""
    return [json.dumps(event) for event in record]


def won_by_columns() -> Record:
    """Two columns to win: seat 0 claims 2, where seat 1 has a marker; seat 1 busts; 0 claims 12."""
    return [
        header(columns_to_win=2),
        roll(1, 0, [2, 3, 5, 6], [[5, 11], [7, 9], [8, 8]], [7, 9], {"7": 1, "9": 1}),
        stop(1, 0, {"7": 1, "9": 1}),
        roll(2, 1, [1, 1, 1, 1], [[2, 2]], [2, 2], {"2": 2}),
        roll(2, 1, [1, 1, 6, 6], [[2, 12], [7, 7]], [7, 7], {"2": 2, "7": 2}),
        stop(2, 1, {"2": 2, "7": 2}),
        roll(3, 0, [1, 1, 1, 1], [[2, 2]], [2, 2], {"2": 2}),
        roll(3, 0, [1, 1, 1, 1], [[2]], [2], {"2": 3}),
        stop(3, 0, {"2": 3, "7": 1, "9": 1}),
        roll(4, 1, [1, 1, 1, 1], [], None, {}),
        bust(4, 1),
        roll(5, 0, [6, 6, 6, 6], [[12, 12]], [12, 12], {"12": 2}),
        roll(5, 0, [6, 6, 3, 4], [[7, 12], [9, 10]], [7, 12], {"7": 2, "12": 3}),
        stop(5, 0, {"2": 3, "7": 2, "9": 1, "12": 3}),
        end(5, [0], "columns"),
    ]


def all_claimed() -> Record:
    """Three players, three columns of one space: each claims one, so they share the win."""
    return [
        header(3, sides=2, column_lengths=[1, 1, 1]),
        roll(1, 0, [1, 1, 1, 1], [[2]], [2], {"2": 1}),
        stop(1, 0, {"2": 1}),
        roll(2, 1, [2, 2, 2, 2], [[4]], [4], {"4": 1}),
        stop(2, 1, {"4": 1}),
        roll(3, 2, [1, 2, 1, 2], [[3]], [3], {"3": 1}),
        stop(3, 2, {"3": 1}),
        end(3, [0, 1, 2], "all-claimed"),
    ]


def claimed_for_a_rival() -> Record:
    """Seat 0 has two columns; seat 1 need not stop on the last one, and does so all the same."""
    return [
        header(sides=2, column_lengths=[1, 1, 1]),
        roll(1, 0, [1, 1, 1, 1], [[2]], [2], {"2": 1}),
        roll(1, 0, [2, 2, 2, 2], [[4]], [4], {"2": 1, "4": 1}),
        stop(1, 0, {"2": 1, "4": 1}),
        roll(2, 1, [1, 2, 1, 2], [[3]], [3], {"3": 1}),
        stop(2, 1, {"3": 1}),
        end(2, [0], "all-claimed"),
    ]


def turn_limit() -> Record:
    """Two turns, and nobody has won."""
    return [
        header(turn_limit=2),
        roll(1, 0, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 1}),
        stop(1, 0, {"6": 1, "7": 1}),
        roll(2, 1, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 1}),
        stop(2, 1, {"6": 1, "7": 1}),
        end(2, [], "turn-limit"),
    ]


def solitaire_korean() -> Record:
    """One player alone who may not stop on a top before all three runners are on the board."""
    return [
        header(1, columns_to_win=1, stop="after-all-runners", name="korean"),
        roll(1, 0, [1, 1, 1, 1], [[2, 2]], [2, 2], {"2": 2}),
        roll(1, 0, [1, 1, 1, 1], [[2]], [2], {"2": 3}),
        roll(1, 0, [1, 1, 1, 1], [], None, {"2": 3}),
        bust(1, 0),
        roll(2, 0, [1, 1, 1, 1], [[2, 2]], [2, 2], {"2": 2}),
        roll(2, 0, [1, 1, 1, 1], [[2]], [2], {"2": 3}),
        roll(2, 0, [3, 3, 3, 4], [[6, 7]], [6, 7], {"2": 3, "6": 1, "7": 1}),
        stop(2, 0, {"2": 3, "6": 1, "7": 1}),
        end(2, [0], "columns"),
    ]


def leave() -> Record:
    """Seat 1 stands on a rival's marker, rolls on, and busts."""
    return [
        header(landing="leave", turn_limit=2),
        roll(1, 0, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 1}),
        stop(1, 0, {"6": 1, "7": 1}),
        roll(2, 1, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 1}),
        roll(2, 1, [1, 1, 1, 1], [[2, 2]], [2, 2], {"2": 2, "6": 1, "7": 1}),
        roll(2, 1, [6, 6, 6, 6], [], None, {"2": 2, "6": 1, "7": 1}),
        bust(2, 1),
        end(2, [], "turn-limit"),
    ]


def jump() -> Record:
    """Seat 1 jumps over seat 0 on entering columns 6 and 7."""
    return [
        header(landing="jump", turn_limit=2),
        roll(1, 0, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 1}),
        stop(1, 0, {"6": 1, "7": 1}),
        roll(2, 1, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 2, "7": 2}),
        stop(2, 1, {"6": 2, "7": 2}),
        end(2, [], "turn-limit"),
    ]


def fault_within_a_turn() -> Record:
    """The bot of seat 0 fails when asked after its move: the other two win."""
    return [
        header(3),
        roll(1, 0, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 1}),
        end(1, [1, 2], "fault"),
    ]


def fault_at_a_first_choice() -> Record:
    """The bot of seat 1 fails at the first choice of its turn, which counts as a turn."""
    return [
        header(2),
        roll(1, 0, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 1}),
        stop(1, 0, {"6": 1, "7": 1}),
        end(2, [0], "fault"),
    ]


# Record, then turns, rolls, busts, winners and reason of its verdict.
RIGHT: dict[str, tuple[Record, tuple[int, int, int, list[int], str]]] = {
    "columns": (won_by_columns(), (5, 8, 1, [0], "columns")),
    "all claimed": (all_claimed(), (3, 3, 0, [0, 1, 2], "all-claimed")),
    "all claimed for a rival": (claimed_for_a_rival(), (2, 3, 0, [0], "all-claimed")),
    "turn limit": (turn_limit(), (2, 2, 0, [], "turn-limit")),
    "solitaire after all runners": (solitaire_korean(), (2, 6, 1, [0], "columns")),
    "leave": (leave(), (2, 4, 1, [], "turn-limit")),
    "jump": (jump(), (2, 2, 0, [], "turn-limit")),
    "fault within a turn": (fault_within_a_turn(), (1, 1, 0, [1, 2], "fault")),
    "fault at a first choice": (fault_at_a_first_choice(), (2, 1, 0, [0], "fault")),
}


@pytest.mark.parametrize(("record", "expected"), RIGHT.values(), ids=RIGHT.keys())
def test_a_right_record_is_accepted(
    record: Record, expected: tuple[int, int, int, list[int], str]
) -> None:
    """The verdict repeats the header and counts turns, rolls and busts."""
    verdict = referee(written(record))
    counted = (verdict.turns, verdict.rolls, verdict.busts, verdict.winners, verdict.reason)
    assert counted == expected
    assert verdict.rules == record[0]["rules"]
    assert verdict.seats == record[0]["seats"]


def test_the_order_of_keys_and_line_ends_do_not_matter() -> None:
    """JSON objects have no order, and a file's lines come with their ends."""
    lines = [json.dumps(event, sort_keys=True) + "\n" for event in won_by_columns()]
    assert referee(lines).winners == [0]


# --- Recorded games, corrupted --------------------------------------------------------------------


def put(line: int, key: str, value: Any) -> Callable[[Record], None]:
    """Write another value into a line of a record."""

    def corrupt(record: Record) -> None:
        record[line - 1][key] = value

    return corrupt


def rule(key: str, value: Any) -> Callable[[Record], None]:
    """Write another value into the rules of the header."""

    def corrupt(record: Record) -> None:
        record[0]["rules"][key] = value

    return corrupt


def cut(first: int, last: int) -> Callable[[Record], None]:
    """Leave lines out."""

    def corrupt(record: Record) -> None:
        del record[first - 1 : last]

    return corrupt


def insert(line: int, event: Event) -> Callable[[Record], None]:
    """Put an event in, which then is the line of that number."""

    def corrupt(record: Record) -> None:
        record.insert(line - 1, event)

    return corrupt


# Kind of corruption: the record, what is done to it, the line of the foul, part of its message.
WRONG: dict[str, tuple[Record, Callable[[Record], None], int, str]] = {
    "another game": (won_by_columns(), put(1, "game", "chess"), 1, "game"),
    "no header": (won_by_columns(), cut(1, 1), 1, "begins with its game event"),
    "two headers": (won_by_columns(), insert(2, header()), 2, "begins with a roll"),
    "unknown event": (won_by_columns(), put(4, "event", "pass"), 4, "unknown event"),
    "unknown field": (won_by_columns(), put(4, "comment", "lucky"), 4, "unknown ['comment']"),
    "unknown rule": (won_by_columns(), rule("colour", 1), 1, "unknown ['colour']"),
    "rules by name only": (won_by_columns(), put(1, "rules", "classic"), 1, "rules: an object"),
    "no player": (won_by_columns(), put(1, "seats", []), 1, "seats"),
    "five players": (won_by_columns(), put(1, "seats", ["a"] * 5), 1, "seats"),
    "a player without a name": (won_by_columns(), put(1, "seats", ["a", None]), 1, "seats"),
    "a seed neither number nor text": (won_by_columns(), put(1, "seed", 19.8), 1, "seed"),
    "a deal that is no number": (won_by_columns(), put(1, "deal", None), 1, "deal"),
    "no name": (won_by_columns(), rule("name", None), 1, "name"),
    "no sides": (won_by_columns(), rule("sides", 0), 1, "sides"),
    "too few columns": (won_by_columns(), rule("column_lengths", [3] * 10), 1, "column_lengths"),
    "a column of length 0": (
        won_by_columns(),
        rule("column_lengths", [0, *LENGTHS[1:]]),
        1,
        "column_lengths",
    ),
    "more runners than columns": (won_by_columns(), rule("runners", 12), 1, "runners"),
    "more columns to win than there are": (
        won_by_columns(),
        rule("columns_to_win", 12),
        1,
        "columns_to_win",
    ),
    "unknown landing": (won_by_columns(), rule("landing", "push"), 1, "landing"),
    "unknown stop": (won_by_columns(), rule("stop", "never"), 1, "stop"),
    "no turn limit": (won_by_columns(), rule("turn_limit", None), 1, "turn_limit"),
    "first turn is 0": (won_by_columns(), put(2, "turn", 0), 2, "turn"),
    "turn as text": (won_by_columns(), put(2, "turn", "1"), 2, "turn"),
    "turn not counted on": (won_by_columns(), put(4, "turn", 1), 4, "turn"),
    "turn left out": (won_by_columns(), put(4, "turn", 3), 4, "turn"),
    "seat out of order": (won_by_columns(), put(4, "seat", 0), 4, "seat"),
    "seat as truth value": (won_by_columns(), put(4, "seat", True), 4, "seat"),
    "stop of another turn": (won_by_columns(), put(6, "turn", 3), 6, "turn"),
    "stop of another seat": (won_by_columns(), put(6, "seat", 0), 6, "seat"),
    "bust of another seat": (won_by_columns(), put(11, "seat", 0), 11, "seat"),
    "three dice": (won_by_columns(), put(2, "dice", [2, 3, 5]), 2, "dice"),
    "a die of 7": (won_by_columns(), put(2, "dice", [2, 3, 5, 7]), 2, "dice"),
    "a die of 0": (won_by_columns(), put(2, "dice", [0, 3, 5, 6]), 2, "dice"),
    "a die of 2.0": (won_by_columns(), put(2, "dice", [2.0, 3, 5, 6]), 2, "dice"),
    "a die that is a truth value": (all_claimed(), put(2, "dice", [True, 1, 1, 1]), 2, "dice"),
    "other dice": (won_by_columns(), put(2, "dice", [2, 3, 5, 5]), 2, "moves"),
    "a move missing": (won_by_columns(), put(2, "moves", [[5, 11], [7, 9]]), 2, "moves"),
    "a move too many": (won_by_columns(), put(4, "moves", [[2], [2, 2]]), 4, "moves"),
    "moves out of order": (
        won_by_columns(),
        put(2, "moves", [[7, 9], [5, 11], [8, 8]]),
        2,
        "moves",
    ),
    "a move not ascending": (
        won_by_columns(),
        put(2, "moves", [[5, 11], [9, 7], [8, 8]]),
        2,
        "moves",
    ),
    "half of a pairing chosen": (won_by_columns(), put(2, "chosen", [7]), 2, "chosen"),
    "chosen out of order": (won_by_columns(), put(2, "chosen", [9, 7]), 2, "chosen"),
    "nothing chosen": (won_by_columns(), put(2, "chosen", None), 2, "chosen"),
    "chosen in a bust": (won_by_columns(), put(10, "chosen", []), 10, "chosen"),
    "a runner too far": (won_by_columns(), put(2, "runners", {"7": 2, "9": 1}), 2, "runners"),
    "a runner missing": (won_by_columns(), put(2, "runners", {"7": 1}), 2, "runners"),
    "runners gone too early": (
        leave(),
        put(6, "runners", {}),
        6,
        "runners",
    ),
    "a bust with moves": (won_by_columns(), insert(5, bust(2, 1)), 5, "bust is out of place"),
    "no bust without moves": (won_by_columns(), cut(11, 11), 11, "is a bust"),
    "stop instead of bust": (
        won_by_columns(),
        insert(11, stop(4, 1, {"7": 2})),
        11,
        "is a bust",
    ),
    "stop before the first roll": (won_by_columns(), cut(2, 2), 2, "begins with a roll"),
    "two stops": (won_by_columns(), insert(4, stop(2, 1, {})), 4, "begins with a roll"),
    "stop on a rival's marker": (
        leave(),
        insert(5, stop(2, 1, {"6": 1, "7": 1})),
        5,
        "may not stop",
    ),
    "stop before all runners are placed": (
        solitaire_korean(),
        insert(4, stop(1, 0, {"2": 3})),
        4,
        "may not stop",
    ),
    "roll instead of a winning stop": (
        won_by_columns(),
        insert(14, roll(5, 0, [3, 3, 3, 4], [[6, 7]], [6, 7], {"6": 1, "7": 3, "12": 3})),
        14,
        "winning stop",
    ),
    "roll instead of a shared winning stop": (
        all_claimed(),
        insert(7, roll(3, 2, [1, 2, 1, 2], [], None, {"3": 1})),
        7,
        "winning stop",
    ),
    "end without the winning stop": (won_by_columns(), cut(14, 14), 14, "winning stop"),
    "markers without those kept": (won_by_columns(), put(9, "markers", {"2": 3}), 9, "markers"),
    "markers without tops": (won_by_columns(), put(9, "markers", {"7": 1, "9": 1}), 9, "markers"),
    "jump not made": (jump(), put(4, "runners", {"6": 1, "7": 1}), 4, "runners"),
    "jump made without the rule": (turn_limit(), rule("landing", "jump"), 4, "runners"),
    "game goes on": (won_by_columns(), rule("columns_to_win", 1), 10, "game is over"),
    "game ends too early": (won_by_columns(), rule("columns_to_win", 3), 15, "reason"),
    "turn limit not kept": (won_by_columns(), rule("turn_limit", 2), 7, "game is over"),
    "turn limit not reached": (turn_limit(), rule("turn_limit", 3), 6, "reason"),
    "another winner": (won_by_columns(), put(15, "winners", [1]), 15, "winners"),
    "winner of a turn limit": (turn_limit(), put(6, "winners", [0]), 6, "winners"),
    "a winner missing": (all_claimed(), put(8, "winners", [0, 1]), 8, "winners"),
    "another reason": (won_by_columns(), put(15, "reason", "all-claimed"), 15, "reason"),
    "a fault after the game": (won_by_columns(), put(15, "reason", "fault"), 15, "reason"),
    "turns miscounted": (won_by_columns(), put(15, "turns", 4), 15, "turns"),
    "a faulty winner": (fault_within_a_turn(), put(3, "winners", [0, 1, 2]), 3, "winners"),
    "a fault while a bust is due": (
        won_by_columns(),
        insert(11, end(4, [0], "fault")),
        11,
        "is a bust",
    ),
    "a fault while a winning stop is due": (
        won_by_columns(),
        insert(14, end(5, [1], "fault")),
        14,
        "winning stop",
    ),
    "no end": (won_by_columns(), cut(15, 15), 15, "end event is missing"),
    "two ends": (won_by_columns(), insert(16, end(5, [0], "columns")), 16, "nothing follows"),
    "nothing at all": (won_by_columns(), cut(1, 15), 1, "end event is missing"),
}


@pytest.mark.parametrize(("record", "corrupt", "line", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_corrupted_record_is_refused(
    record: Record, corrupt: Callable[[Record], None], line: int, message: str
) -> None:
    """The foul names the line and what is wrong with it."""
    corrupted: Record = json.loads(json.dumps(record))
    corrupt(corrupted)
    with pytest.raises(Foul) as foul:
        referee(written(corrupted))
    assert foul.value.line_number == line
    assert message in foul.value.message


BROKEN = {
    "not JSON": ("{", "not JSON"),
    "blank": ("", "not JSON"),
    "no object": ("[]", "not a JSON object"),
    "no event": ("{}", "unknown event"),
    "event is a list": ('{"event": []}', "unknown event"),
    "a key twice": ('{"event": "bust", "turn": 1, "turn": 2, "seat": 1}', "twice"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_a_line_that_is_no_event_is_refused(text: str, message: str) -> None:
    """Each line is one JSON object that gives its event and every key once."""
    lines = written(won_by_columns())
    lines[3] = text
    with pytest.raises(Foul, match=f"line 4: .*{message}"):
        referee(lines)


def test_every_field_of_every_event_is_needed() -> None:
    """Whichever key is left out, the foul is in its line."""
    for number, event in enumerate(won_by_columns(), 1):
        for key in event:
            record = won_by_columns()
            del record[number - 1][key]
            with pytest.raises(Foul) as foul:
                referee(written(record))
            assert foul.value.line_number == number


def test_every_parameter_of_the_rules_is_needed() -> None:
    """Whichever parameter the header leaves out, it is named."""
    for key in ruleset():
        record = won_by_columns()
        del record[0]["rules"][key]
        with pytest.raises(Foul, match=f"line 1: rules lacks .*{key}"):
            referee(written(record))


def test_no_line_can_be_left_out_or_doubled() -> None:
    """Each right record is refused without any one of its lines, and with any one of them twice."""
    for record, _ in RIGHT.values():
        if record[-1]["reason"] == "fault":
            continue
        for number in range(len(record)):
            for changed in (
                record[:number] + record[number + 1 :],
                record[: number + 1] + record[number:],
            ):
                with pytest.raises(Foul):
                    referee(written(changed))


# --- Recorded games, at random --------------------------------------------------------------------


def played(rules: Rules, players: int, rng: random.Random) -> Record:
    """A game of players who choose at random and stop about every third time they may."""
    record = [header(players, **rules)]
    position = Position(rules, 0, [{} for _ in range(players)])
    for turn in range(1, int(rules["turn_limit"]) + 1):
        position.seat = (turn - 1) % players
        position = play_turn(record, position, turn, rng)
        assert no_two_share_a_space(position) or rules["landing"] != "jump"
        result = outcome(position)
        if result is not None:
            return [*record, end(turn, *result)]
    return [*record, end(int(rules["turn_limit"]), [], "turn-limit")]


def play_turn(record: Record, position: Position, turn: int, rng: random.Random) -> Position:
    """Play one turn into the record and return the board after it."""
    while True:
        dice = [rng.randint(1, position.rules["sides"]) for _ in range(4)]
        moves = legal_moves(position, dice)
        chosen = rng.choice(moves) if moves else None
        position = with_runners(position, after(position, chosen or []))
        record.append(roll(turn, position.seat, dice, moves, chosen, named(position.runners)))
        if chosen is None:
            record.append(bust(turn, position.seat))
            return with_runners(position, {})
        if may_stop(position) and (wins_by_stopping(position) or rng.random() < 0.35):
            position = after_stop(position)
            record.append(stop(turn, position.seat, named(position.markers[position.seat])))
            return position


def no_two_share_a_space(position: Position) -> bool:
    """Landing `jump`: no two markers share a space."""
    spaces = [space for own in position.markers for space in own.items()]
    return len(spaces) == len(set(spaces))


@pytest.mark.parametrize("landing", ["share", "jump", "leave"])
@pytest.mark.parametrize("when", ["any-time", "after-all-runners"])
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_games_played_at_random_are_accepted(players: int, when: str, landing: str) -> None:
    """Every landing with every stop and number of players, on a small board to reach all ends."""
    rng = random.Random(f"{players} {when} {landing}")
    changes = {"sides": 3, "column_lengths": [2, 3, 4, 3, 2], "landing": landing, "stop": when}
    for target in (1, 2, 3, 4, 5) * 2:
        rules = ruleset(**changes, columns_to_win=target, turn_limit=60)
        record = played(rules, players, rng)
        verdict = referee(written(record))
        assert verdict.rolls == sum(1 for event in record if event["event"] == "roll")
        assert verdict.busts == sum(1 for event in record if event["event"] == "bust")
        assert verdict.reason == record[-1]["reason"]


def test_a_board_of_n_sides_has_the_columns_two_to_twice_n() -> None:
    """Named rule sets: three sides give the columns 2 to 6, six give 2 to 12."""
    assert columns(ruleset(sides=3)) == [2, 3, 4, 5, 6]
    assert columns(ruleset()) == list(range(2, 13))
