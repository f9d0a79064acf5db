"""The referee of Cubus finds a whole game right, and wrong once anything in it is changed."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from helpers.cubus.by_hand import complaints, end, whole_game
from helpers.cubus.naive.builds import DEFAULTS
from helpers.cubus.naive.referee import referee
from helpers.cubus.random_games import Record, header


def test_a_whole_game_is_right() -> None:
    """Every kind of event, with R19's points, R22, R23 and C1."""
    assert complaints(whole_game()) == []


# --- Single fields changed ------------------------------------------------------------------------

CHANGES: list[tuple[int, str, Any, str]] = [
    (1, "game", "cantstop", "game"),
    (1, "seats", ["greedy"], "seats"),
    (1, "seats", ["greedy"] * 7, "seats"),
    (1, "seats", ["greedy", ""], "seats"),
    (1, "seed", 1.5, "seed"),
    (1, "deal", None, "deal"),
    (1, "rules", ["name"], "rules: an object is needed"),
    (2, "turn", 2, "turn: 2 instead of 1"),
    (2, "turn", True, "turn: True instead of 1"),
    (2, "seat", 1, "seat: 1 instead of 0"),
    (2, "card", None, "card: None is not in the deck"),
    (2, "card", "X", "card: 'X' is not in the deck"),
    (2, "card", "LR", "card: 'LR' is not in the deck"),
    (2, "card", "T", "the build breaks R13"),
    (3, "card", "L", "card: 'L' is not in the deck"),
    (4, "pile", "3@0,0", "the build breaks R13"),
    (4, "pile", "1@0,0", "the build breaks R16"),
    (4, "pile", "12@0,0", "the build breaks R6"),
    (4, "pile", "2@1,0", "pile: '2@1,0' instead of '2@0,0'"),
    (4, "pile", "02@0,0", "the build breaks R3"),
    (4, "pile", "2@-0,0", "the build breaks R3"),
    (4, "pile", 2, "pile: a text is needed"),
    (4, "open", [[0, 0]], "the build breaks R13"),
    (4, "open", [[5, 5]], "the build breaks R11"),
    (4, "open", None, "open: a list is needed"),
    (4, "open", [[0, 0.0]], "open: pairs of integers are needed"),
    (4, "points", 2, "points: 2 instead of 1"),
    (4, "hand", "T", "hand: 'T' instead of ''"),
    (4, "card", "T", "the build breaks R13"),
    (6, "turn", 3, "turn: 3 instead of 4"),
    (6, "seat", 1, "seat: 1"),
    (6, "seat", 2, "seat: 2"),
    (6, "right", True, "the build breaks R13"),
    (6, "right", 0, "right: true or false is needed"),
    (6, "pile", "3@0,0", "right: the build named is legal"),
    (6, "points", 1, "points: 1 instead of 0"),
    (6, "hand", "RL", "hand: 'RL' instead of 'LR'"),
    (9, "right", False, "right: the build named is legal"),
    (9, "open", [], "the build breaks R13"),
    (9, "open", [[1, 0], [1, 0]], "the build breaks R11"),
    (9, "points", 3, "points: 3 instead of 1"),
    (9, "hand", "", "hand: '' instead of 'L'"),
    (10, "card", "L", "card: 'L' instead of None"),
    (12, "seat", 1, "seat: 1 instead of 0"),
    (12, "seat", 2, "seat: 2"),
    (12, "pile", "21/10@1,1", "the build breaks R11"),
    (12, "open", [[0, 1]], "the build breaks R12"),
    (12, "points", 2, "points: 2 instead of 1"),
    (12, "hand", "T", "hand: 'T' instead of ''"),
    (13, "seat", 1, "seat: 1 instead of 0"),
    (13, "turn", 8, "turn: 8 instead of 9"),
    (13, "pile", "2@0,0", "the build breaks R11"),
    (13, "pile", "11@0,0", "the build breaks R23"),
    (13, "open", [[0, 0]], "the build breaks R24"),
    (13, "open", [], "the build breaks R24"),
    (13, "open", [[0, 0], [1, 0]], "the build breaks R23"),
    (13, "cards", "LT", "cards: 'LT' instead of 'TL'"),
    (13, "cards", "", "cards: '' instead of 'TL'"),
    (16, "pile", "1@1,0", "nothing is left after the last crate"),
    (16, "open", [[1, 0]], "nothing is left after the last crate"),
    (16, "cards", "TLR", "cards: 'TLR' instead of 'OLR'"),
    (17, "turns", 8, "turns: 8 instead of 12"),
    (17, "points", [3, 0], "C1: points without R19's: 1 instead of 3"),
    (17, "points", [2, 3], "points: [2, 3] instead of [3, 2]"),
    (17, "points", None, "points: a list of integers is needed"),
    (17, "cards", None, "cards: None instead of [4, 5]"),
    (17, "cards", [5, 4], "cards: [5, 4] instead of [4, 5]"),
    (17, "winners", [0], "winners: [0] instead of [1]"),
    (17, "winners", [0, 1], "winners: [0, 1] instead of [1]"),
    (17, "winners", [True], "winners: [True] instead of [1]"),
    (17, "reason", "fault", "after a fault"),
    (17, "reason", "left", "nobody can leave"),
    (17, "reason", "turn-limit", "reason: 'turn-limit' instead of 'fault'"),
]


@pytest.mark.parametrize(("line", "key", "value", "said"), CHANGES)
def test_a_changed_field_is_complained_of(line: int, key: str, value: Any, said: str) -> None:
    """One field of the whole game changed, and what is said of it."""
    record = whole_game()
    record[line - 1][key] = value
    found = complaints(record)
    assert any(said in complaint for complaint in found), found


BAD_RULES: dict[str, list[Any]] = {
    "name": ["", None],
    "left": [1, 17, 3.0],
    "right": [1, 17, "3"],
    "lids": [1, 16, None],
    "open": [-1, 13, True],
    "swap": ["never", None],
    "more_crates": [0, "no"],
    "duty": ["none", ["knock"]],
    "wrong_knock": [-1, 11],
    "ending": ["", "first"],
    "take_down": [None, 1],
    "box": [[2, 2], [2, 2, 5], [0, 2, 2], "222", None],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD_RULES.items() for value in values]
)
def test_a_parameter_out_of_range_is_refused(name: str, value: Any) -> None:
    """Parameters: types and ranges, lids and open cards together at most 16."""
    record = whole_game()
    record[0]["rules"][name] = value
    assert complaints(record)[0].startswith("line 1: ")


@pytest.mark.parametrize("changes", [{}, {"lids": 16, "open": 0}, {"lids": 4, "open": 12}])
def test_up_to_sixteen_tops_are_in_range(changes: dict[str, Any]) -> None:
    """Parameters: those of `leaflet`, `closed`, and as many open cards as there may be."""
    record = [header({"name": "leaflet", **DEFAULTS, **changes}, 2)]
    assert complaints([*record, end(0, [0, 0], [1], reason="fault")]) == []


@pytest.mark.parametrize("name", [*DEFAULTS, "name"])
def test_every_parameter_is_recorded(name: str) -> None:
    """A recorded game: all parameters, and no others."""
    record = whole_game()
    del record[0]["rules"][name]
    assert complaints(record) == [f"line 1: rules lacks ['{name}']"]
    record[0]["rules"] = {**whole_game()[0]["rules"], "columns": 3}
    assert complaints(record) == ["line 1: rules has unknown ['columns']"]


def test_the_name_of_the_rules_comes_first() -> None:
    """A recorded game: all parameters, "name" first."""
    record = whole_game()
    record[0]["rules"]["name"] = record[0]["rules"].pop("name")
    assert complaints(record) == ["line 1: rules: the name comes first"]


OTHER_RULES: list[tuple[dict[str, Any], int]] = [
    ({"duty": "free"}, 6),
    ({"duty": "strict"}, 6),
    ({"wrong_knock": 1}, 12),
    ({"wrong_knock": 3}, 17),
    ({"ending": "none"}, 12),
    ({"take_down": False}, 13),
    ({"left": 4}, 10),
    ({"right": 4}, 10),
    ({"lids": 3}, 10),
    ({"open": 2}, 10),
    ({"open": 0}, 8),
    ({"left": 2}, 5),
]


@pytest.mark.parametrize(("changes", "line"), OTHER_RULES)
def test_a_game_is_wrong_under_other_rules(changes: dict[str, Any], line: int) -> None:
    """The same game, its first wrong line under rules that it was not played by."""
    record = whole_game()
    record[0]["rules"].update(changes)
    assert complaints(record)[0].startswith(f"line {line}: ")


# --- Lines and keys -------------------------------------------------------------------------------


def dropped(record: Record, number: int) -> Record:
    """Without a line."""
    return record[:number] + record[number + 1 :]


def doubled(record: Record, number: int) -> Record:
    """With a line given twice."""
    return record[: number + 1] + record[number:]


def swapped(record: Record, number: int) -> Record:
    """With a line after the one that followed it."""
    return record[:number] + record[number : number + 2][::-1] + record[number + 2 :]


def without_a_key(record: Record, number: int) -> Record:
    """With the last key of a line missing."""
    changed = deepcopy(record)
    changed[number].popitem()
    return changed


def with_a_key(record: Record, number: int) -> Record:
    """With a key too many."""
    changed = deepcopy(record)
    changed[number]["note"] = ""
    return changed


EDITS = [dropped, doubled, swapped, without_a_key, with_a_key]


@pytest.mark.parametrize("edit", EDITS)
def test_no_line_can_be_missing_twice_or_out_of_order(edit: Callable[..., Record]) -> None:
    """Every line of the whole game, the last one having none to be swapped with."""
    record = whole_game()
    for number in range(len(record) - (edit is swapped)):
        assert complaints(edit(record, number)) != [], number


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"event": "roll"}', "unknown event 'roll'"),
        ('{"event": "pass", "turn": 1, "turn": 1, "seat": 0, "card": "L"}', "a key is given twice"),
    ],
)
def test_what_is_no_event_is_refused(line: str, said: str) -> None:
    """Instead of the second line."""
    lines = [json.dumps(event) for event in whole_game()]
    lines[1] = line
    assert referee(lines) == [f"line 2: {said}"]


def test_a_record_without_its_end_is_wrong_in_the_line_that_is_missing() -> None:
    """The first line after the last."""
    assert complaints(whole_game()[:-1]) == ["line 17: the end event is missing"]


def test_several_wrong_fields_are_all_told() -> None:
    """The referee reads on as long as it can follow."""
    record = whole_game()
    record[3].update(points=7, hand="T")
    record[16].update(turns=13)
    assert [complaint.split(":")[0] for complaint in complaints(record)] == [
        "line 4",
        "line 4",
        "line 17",
    ]
