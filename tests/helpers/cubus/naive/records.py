"""A recorded game: what its lines look like, and which rules a game can have."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from helpers.cubus.naive.builds import DEFAULTS, Build, Rules
from helpers.cubus.naive.piles import TYPES

Event = dict[str, Any]

KEYS = {
    "game": {"event", "game", "rules", "seats", "seed", "deal"},
    "pass": {"event", "turn", "seat", "card"},
    "build": {"event", "turn", "seat", "card", "pile", "open", "points", "hand"},
    "knock": {"event", "turn", "seat", "right", "pile", "open", "points", "hand"},
    "ending": {"event", "seat", "pile", "open", "points", "hand"},
    "take": {"event", "turn", "seat", "pile", "open", "cards"},
    "end": {"event", "turns", "points", "cards", "winners", "reason"},
}


class Breach(Exception):
    """Something wrong in the line at hand, after which the record cannot be followed further."""


def insist(right: bool, message: str) -> None:
    """Let what is right pass and raise a breach for the rest."""
    if not right:
        raise Breach(message)


def is_whole(value: Any, low: int, high: int) -> bool:
    """Whether a JSON value is an integer (no bool, no float) from `low` to `high`."""
    return type(value) is int and low <= value <= high


def is_flag(value: Any) -> bool:
    """Whether a JSON value is true or false."""
    return isinstance(value, bool)


def same(found: Any, expected: Any) -> bool:
    """Equal as JSON: 1, 1.0 and true differ, the order of an object's keys does not count."""
    return json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused when it gives a key twice."""
    insist(len(dict(pairs)) == len(pairs), "a key is given twice")
    return dict(pairs)


def parse(line: str) -> Event:
    """A recorded game: one JSON object a line, of a known kind, with exactly its keys."""
    try:
        event = json.loads(line, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        raise Breach("not JSON") from None
    insist(isinstance(event, dict), "not a JSON object")
    kind = event.get("event")
    insist(isinstance(kind, str) and kind in KEYS, f"unknown event {kind!r}")
    insist_keys(event, KEYS[kind], kind)
    return dict(event)


def insist_keys(found: dict[str, Any], expected: set[str], what: str) -> None:
    """No key missing, none too many."""
    missing, extra = sorted(expected - set(found)), sorted(set(found) - expected)
    insist(not missing, f"{what} lacks {missing}")
    insist(not extra, f"{what} has unknown {extra}")


def as_build(event: Event) -> Build:
    """The build of an event, whether it is legal or not."""
    pile, cells = event["pile"], event["open"]
    insist(isinstance(pile, str), "pile: a text is needed")
    insist(isinstance(cells, list), "open: a list is needed")
    insist(all(is_pair(cell) for cell in cells), "open: pairs of integers are needed")
    return Build(pile, [(x, y) for x, y in cells])


def is_pair(cell: Any) -> bool:
    """Whether a JSON value is a cell, [x, y]."""
    return isinstance(cell, list) and [type(number) for number in cell] == [int, int]


# --- The header -----------------------------------------------------------------------------------


def check_header(event: Event) -> None:
    """The first line names game, rules, seats (2 to 6), seed and deal."""
    insist(event["game"] == "cubus", "game: cubus is needed")
    check_rules(event["rules"])
    seats = event["seats"]
    insist(isinstance(seats, list) and 2 <= len(seats) <= 6, "seats: 2 to 6 are needed")
    insist(all(isinstance(name, str) and name for name in seats), "seats: names are texts")
    insist(type(event["seed"]) is int, "seed: an integer is needed")
    insist(type(event["deal"]) is int, "deal: an integer is needed")


def one_of(*values: str) -> Callable[[Any], bool]:
    """Whether a JSON value is one of these texts."""
    return lambda value: isinstance(value, str) and value in values


def from_to(low: int, high: int) -> Callable[[Any], bool]:
    """Whether a JSON value is an integer in a range."""
    return lambda value: is_whole(value, low, high)


def is_box(value: Any) -> bool:
    """Whether a JSON value is a box: [x, y, z], each 1 to 4."""
    sizes: Sequence[Any] = value if isinstance(value, list) else []
    return len(sizes) == 3 and all(is_whole(size, 1, 4) for size in sizes)


PARAMETERS: dict[str, Callable[[Any], bool]] = {
    "left": from_to(2, 16),
    "right": from_to(2, 16),
    "lids": from_to(2, 16),
    "open": from_to(0, 12),
    "swap": one_of("place", "free"),
    "more_crates": is_flag,
    "duty": one_of("knock", "strict", "free"),
    "wrong_knock": from_to(0, 10),
    "ending": one_of("none", "last", "best"),
    "take_down": is_flag,
    "box": is_box,
}


def check_rules(rules: Any) -> None:
    """Parameters: all of them, each in its range, `name` first."""
    insist(isinstance(rules, dict), "rules: an object is needed")
    insist_keys(rules, {"name", *DEFAULTS}, "rules")
    insist(next(iter(rules)) == "name", "rules: the name comes first")
    insist(isinstance(rules["name"], str) and bool(rules["name"]), "name: a text is needed")
    for name, is_right in PARAMETERS.items():
        insist(is_right(rules[name]), f"{name}: {rules[name]!r} is out of range")
    insist(rules["lids"] + rules["open"] <= 16, "lids and open: more than 16")


def deck_of(rules: Rules) -> dict[str, int]:
    """R1 and R2: all cards but those of the closed crate on the table."""
    numbers = (rules["lids"] - 1, rules["open"], rules["left"] - 1, rules["right"] - 1)
    return dict(zip(TYPES, numbers, strict=True))
