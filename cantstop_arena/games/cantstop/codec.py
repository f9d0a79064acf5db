"""Views of Can't Stop as JSON, for bots in other processes, as in docs/reference/protocol.md."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import repeat
from typing import Any

from cantstop_arena.game_api.codec import Codec
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Columns, Move, Spaces, Turn


class CantStopCodec(Codec):
    """Converts turns and moves. Spaces by column become objects without the columns of space 0."""

    def view_as_json(self, view: Turn) -> dict[str, Any]:
        return turn_as_json(view)

    def view_from_json(
        self, kind: Any, data: Mapping[str, Any], rules: RuleSet, random: Callable[[], float]
    ) -> Turn:
        return turn_in(data, rules, random)

    def moves_as_json(self, moves: Sequence[Move]) -> Sequence[Move]:
        return moves

    def moves_from_json(self, data: Sequence[Sequence[int]]) -> tuple[Move, ...]:
        return tuple(map(tuple, data))


def turn_as_json(turn: Turn) -> dict[str, Any]:
    """A turn as values for JSON, without rules and random key, which are sent once per game."""
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


def turn_in(data: Mapping[str, Any], rules: RuleSet, random: Callable[[], float]) -> Turn:
    """The turn that `turn_as_json` has converted to `data`."""
    columns = _column_names(len(rules.lengths))
    return Turn(
        data["seat"],
        data["players"],
        data["number"],
        data["rolls"],
        tuple(data["dice"]),
        _spaces(data["runners"], columns),
        data["free"],
        tuple(data["placed"]),
        tuple(data["usable"]),
        tuple(data["claimed"]),
        _spaces(data["markers"], columns),
        tuple(_spaces(rival, columns) for rival in data["rivals"]),
        data["claims"],
        tuple(data["rival_claims"]),
        rules,
        random,
    )


@lru_cache(maxsize=1 << 12)
def _by_column(spaces: Spaces) -> Mapping[str, int]:
    return {str(column): space for column, space in enumerate(spaces) if space}


def _spaces(data: Mapping[str, int], columns: Sequence[str]) -> Spaces:
    return tuple(map(data.get, columns, repeat(0)))


@cache
def _column_names(width: int) -> tuple[str, ...]:
    return tuple(map(str, range(width)))


def _bust_chance(turn: Turn) -> float:
    key = turn.rules.sides, turn.usable
    if key not in _BUST_CHANCES:
        _BUST_CHANCES[key] = turn.bust_chance()
    return _BUST_CHANCES[key]


_BUST_CHANCES: dict[tuple[int, Columns], float] = {}
