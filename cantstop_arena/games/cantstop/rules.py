"""Rule sets: the parameters in which the published rules of Can't Stop differ.

Sources: F franjos (1991), P Parker (1980), S Spielecafé, K the Korean edition.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cantstop_arena.errors import RulesError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH

LANDINGS = ("share", "jump", "leave")
STOPS = ("any-time", "after-all-runners")
SIDES = range(2, 9)
PLAYERS = range(1, 5)
MAX_LENGTH = 100
MAX_TURNS = 1_000_000


class RuleSet(NamedTuple):
    """One way to play Can't Stop.

    `column_lengths` begins with column 2; lengths count spaces, the top included. It is a
    tuple, since all bots at a table get the same one, and none may be able to write to it.
    """

    name: str
    sides: int
    column_lengths: tuple[int, ...]
    runners: int
    columns_to_win: int
    landing: str
    stop: str
    turn_limit: int

    @property
    def columns(self) -> range:
        """The columns of the board: 2 to twice the sides of a die."""
        return range(2, 2 * self.sides + 1)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The columns' lengths, indexed by column number: `rules.lengths[7]`."""
        return (0, 0, *self.column_lengths)

    def as_dict(self) -> dict[str, Any]:
        """Every parameter, in the order and with the types of a recorded game."""
        return {**self._asdict(), "column_lengths": list(self.column_lengths)}


PARAMETERS = tuple(field for field in RuleSet._fields if field != "name")


def standard_lengths(sides: int) -> tuple[int, ...]:
    """The standard lengths for dice with so many sides: 3, 5, … up to the middle and down."""
    middle = sides + 1
    return tuple(2 * (sides - abs(column - middle)) + 1 for column in range(2, 2 * sides + 1))


CLASSIC = RuleSet(
    name="classic",
    sides=6,
    column_lengths=standard_lengths(6),
    runners=3,
    columns_to_win=3,
    landing="share",
    stop="any-time",
    turn_limit=1000,
)

SOURCES: Mapping[str, str] = {
    "F": "the rules of the franjos edition (German, 1991)",
    "P": "a review of the Parker edition of 1980, with its rules (German)",
    "S": "a hand-out of a games café (German)",
    "K": "the rules of the Korean edition",
}
NAMED: Mapping[str, tuple[RuleSet, str]] = {
    "classic": (CLASSIC, "F, P, S"),
    "korean": (CLASSIC._replace(name="korean", stop="after-all-runners"), "K"),
    "jump": (CLASSIC._replace(name="jump", landing="jump"), "F variant 1, K variant A"),
    "leave": (CLASSIC._replace(name="leave", landing="leave"), "F variant 2, K variant B"),
    "long4": (CLASSIC._replace(name="long4", columns_to_win=4), "K, suggested for 2 or 3 players"),
    "long5": (CLASSIC._replace(name="long5", columns_to_win=5), "K, suggested for 2 or 3 players"),
}


def derive(base: RuleSet, changes: Mapping[str, Any], name: str | None = None) -> RuleSet:
    """A rule set that differs from `base` in the given parameters.

    A board with other dice has the standard lengths unless others are given.

    Raises RulesError naming every field that is unknown or invalid.
    """
    values = {**base.as_dict(), **changes}
    if (
        values["sides"] != base.sides
        and "column_lengths" not in changes
        and _sides_problem(values) is None
    ):
        values["column_lengths"] = standard_lengths(values["sides"])
    if faults := find_faults(values):
        raise RulesError(faults)
    values["column_lengths"] = tuple(values["column_lengths"])
    values["name"] = name or _derived_name(base, changes)
    return RuleSet(**values)


def _derived_name(base: RuleSet, changes: Mapping[str, Any]) -> str:
    text = ", ".join(f"{key} {changes[key]}" for key in PARAMETERS if key in changes)
    return f"{base.name}, {text}" if text else base.name


def find_faults(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with the parameters of a rule set, as (field, message) pairs."""
    unknown = [(key, "is no parameter of the rules") for key in values if key not in _CHECKS]
    invalid = [
        (field, message)
        for field, check in _CHECKS.items()
        if (message := check(values)) is not None
    ]
    return unknown + invalid


def _integer_problem(value: object, low: int, high: int) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        return f"must be a whole number from {low} to {high}, not {value!r:.{MAX_QUOTE_LENGTH}}"
    return None


def _sides_problem(values: Mapping[str, Any]) -> str | None:
    return _integer_problem(values["sides"], SIDES[0], SIDES[-1])


def _column_count(values: Mapping[str, Any]) -> int:
    """The number of columns for these dice; 15, the maximum, if the dice are invalid."""
    return 2 * values["sides"] - 1 if _sides_problem(values) is None else 2 * SIDES[-1] - 1


def _column_lengths_problem(values: Mapping[str, Any]) -> str | None:
    lengths = values["column_lengths"]
    if not isinstance(lengths, list | tuple):
        return (
            f"must be a list of whole numbers, column 2 first, not {lengths!r:.{MAX_QUOTE_LENGTH}}"
        )
    for column, length in enumerate(lengths, start=2):
        if message := _integer_problem(length, 1, MAX_LENGTH):
            return f"column {column} {message}"
    if _sides_problem(values) is None and len(lengths) != _column_count(values):
        sides, count = values["sides"], _column_count(values)
        columns = f"{count} columns for dice of {sides} sides (2 to {2 * sides})"
        return f"must name {columns}, not {len(lengths)}"
    return None


def _runners_problem(values: Mapping[str, Any]) -> str | None:
    return _integer_problem(values["runners"], 1, _column_count(values))


def _columns_to_win_problem(values: Mapping[str, Any]) -> str | None:
    return _integer_problem(values["columns_to_win"], 1, _column_count(values))


def _choice_check(field: str, choices: tuple[str, ...]) -> "Check":
    def check(values: Mapping[str, Any]) -> str | None:
        value = values[field]
        text = f"must be {' or '.join(choices)}, not {value!r:.{MAX_QUOTE_LENGTH}}"
        return None if value in choices else text

    return check


def _turn_limit_problem(values: Mapping[str, Any]) -> str | None:
    return _integer_problem(values["turn_limit"], 1, MAX_TURNS)


Check = Callable[[Mapping[str, Any]], str | None]

_CHECKS: Mapping[str, Check] = {
    "name": lambda values: None,
    "sides": _sides_problem,
    "column_lengths": _column_lengths_problem,
    "runners": _runners_problem,
    "columns_to_win": _columns_to_win_problem,
    "landing": _choice_check("landing", LANDINGS),
    "stop": _choice_check("stop", STOPS),
    "turn_limit": _turn_limit_problem,
}
