"""The words on the pipe: what the arena asks in JSON Lines, and how answers are read.

docs/protocol.md is normative. Both ends use this module.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import repeat
from typing import Any

from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Columns, Move, Spaces, Turn
from cantstop_arena.isolation.failures import Nonsense
from cantstop_arena.texts import in_a_line

PROTOCOL = 1
LONGEST_LINE = 1 << 16
LONGEST_REPORT = 500
ERROR = "error"  # the key under which a bot tells that it failed
FOREIGN = "not"  # the key under which a served bot's answer is told that JSON has no word for
_LONGEST_EXCERPT = 60

_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Foreign:
    """An answer that JSON has no word for. It looks like what the bot returned."""

    def __init__(self, text: str) -> None:
        self._text = in_a_line(text, _LONGEST_EXCERPT)

    def __repr__(self) -> str:
        return self._text


# --- Lines ----------------------------------------------------------------------------------------


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as a line: ASCII, without spaces, keys in the order given."""
    return f"{_ENCODER.encode(message)}\n".encode("ascii")


def object_in(line: bytes) -> dict[str, Any]:
    """The JSON object that a line holds. Raises Nonsense where it holds none."""
    try:
        found = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Nonsense(f"this is not JSON: {excerpt(line)}") from None
    if not isinstance(found, dict):
        raise Nonsense(f"this is no JSON object: {excerpt(line)}")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity, which Python takes for JSON


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def excerpt(line: bytes) -> str:
    """The beginning of what came, as a text in quotes."""
    text = line[: _LONGEST_EXCERPT * 4].decode("utf-8", "replace").strip()
    return repr(text if len(text) <= _LONGEST_EXCERPT else f"{text[: _LONGEST_EXCERPT - 3]}...")


# --- The table ------------------------------------------------------------------------------------


def shown(turn: Turn) -> dict[str, Any]:
    """A turn as JSON has it; the rules and the random key are told once a game."""
    return {
        "seat": turn.seat,
        "players": turn.players,
        "number": turn.number,
        "rolls": turn.rolls,
        "dice": turn.dice,
        "runners": _by_column(turn.runners),
        "free": turn.free,
        "placed": turn.placed,
        "usable": turn.usable,
        "claimed": turn.claimed,
        "markers": _by_column(turn.markers),
        "rivals": [_by_column(rival) for rival in turn.rivals],
        "claims": turn.claims,
        "rival_claims": turn.rival_claims,
        "bust_chance": _bust_chance(turn),
    }


def turn_in(told: Mapping[str, Any], rules: RuleSet, random: Callable[[], float]) -> Turn:
    """The turn that was told."""
    columns = _column_names(len(rules.lengths))
    return Turn(
        told["seat"],
        told["players"],
        told["number"],
        told["rolls"],
        tuple(told["dice"]),
        _spaces(told["runners"], columns),
        told["free"],
        tuple(told["placed"]),
        tuple(told["usable"]),
        tuple(told["claimed"]),
        _spaces(told["markers"], columns),
        tuple(_spaces(rival, columns) for rival in told["rivals"]),
        told["claims"],
        tuple(told["rival_claims"]),
        rules,
        random,
    )


def moves_in(told: Sequence[Sequence[int]]) -> tuple[Move, ...]:
    """The moves that were told."""
    return tuple(map(tuple, told))


def rules_in(told: Mapping[str, Any]) -> RuleSet:
    """The rule set that was told."""
    return RuleSet(**{**told, "column_lengths": tuple(told["column_lengths"])})


@lru_cache(maxsize=1 << 12)
def _by_column(spaces: Spaces) -> Mapping[str, int]:
    return {str(column): space for column, space in enumerate(spaces) if space}


def _spaces(told: Mapping[str, int], columns: Sequence[str]) -> Spaces:
    return tuple(map(told.get, columns, repeat(0)))


@cache
def _column_names(width: int) -> tuple[str, ...]:
    return tuple(map(str, range(width)))


def _bust_chance(turn: Turn) -> float:
    key = turn.rules.sides, turn.usable
    if key not in _BUST_CHANCES:
        _BUST_CHANCES[key] = turn.bust_chance()
    return _BUST_CHANCES[key]


_BUST_CHANCES: dict[tuple[int, Columns], float] = {}
