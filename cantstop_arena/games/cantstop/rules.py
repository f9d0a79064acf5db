"""Rule sets: the parameters in which the published rules of Can't Stop differ.

Sources: F franjos (1991), P Parker (1980), S Spielecafé, K the Korean edition.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from cantstop_arena.game_api.rulebook import (
    Named,
    RuleBook,
    Values,
    choice_check,
    integer_check,
    quoted_value,
)

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

# --- Checks ---------------------------------------------------------------------------------------

_check_sides = integer_check(SIDES[0], SIDES[-1])
_check_length = integer_check(1, MAX_LENGTH)


def _column_count(values: Values) -> int:
    """The number of columns for these dice; 15, the maximum, if the dice are invalid."""
    sides = SIDES[-1] if _check_sides(values["sides"], values) else values["sides"]
    return 2 * int(sides) - 1


def _check_column_lengths(lengths: object, values: Values) -> str | None:
    if not isinstance(lengths, list | tuple):
        return f"must be a list of whole numbers, column 2 first, not {quoted_value(lengths)}"
    for column, length in enumerate(lengths, start=2):
        if message := _check_length(length, values):
            return f"column {column} {message}"
    sides, count = values["sides"], _column_count(values)
    if _check_sides(sides, values) or len(lengths) == count:
        return None
    columns = f"{count} columns for dice of {sides} sides (2 to {2 * sides})"
    return f"must name {columns}, not {len(lengths)}"


def _check_columns(value: object, values: Values) -> str | None:
    return integer_check(1, _column_count(values))(value, values)


def _board_of_other_dice(base: RuleSet, changes: Values) -> Values:
    """The standard lengths for other dice, unless lengths are given."""
    sides = changes.get("sides", base.sides)
    if sides == base.sides or "column_lengths" in changes or _check_sides(sides, changes):
        return {}
    return {"column_lengths": standard_lengths(sides)}


# --- The rule sets --------------------------------------------------------------------------------

RULES = RuleBook(
    CLASSIC,
    (
        Named(CLASSIC, "F, P, S"),
        Named(CLASSIC._replace(name="korean", stop="after-all-runners"), "K"),
        Named(CLASSIC._replace(name="jump", landing="jump"), "F variant 1, K variant A"),
        Named(CLASSIC._replace(name="leave", landing="leave"), "F variant 2, K variant B"),
        Named(CLASSIC._replace(name="long4", columns_to_win=4), "K, suggested for 2 or 3 players"),
        Named(CLASSIC._replace(name="long5", columns_to_win=5), "K, suggested for 2 or 3 players"),
    ),
    listed_parameters=("stop", "landing", "columns_to_win"),
    sources={
        "F": "the rules of the franjos edition (German, 1991)",
        "P": "a review of the Parker edition of 1980, with its rules (German)",
        "S": "a hand-out of a games café (German)",
        "K": "the rules of the Korean edition",
    },
    checks={
        "sides": _check_sides,
        "column_lengths": _check_column_lengths,
        "runners": _check_columns,
        "columns_to_win": _check_columns,
        "landing": choice_check(*LANDINGS),
        "stop": choice_check(*STOPS),
        "turn_limit": integer_check(1, MAX_TURNS),
    },
    complete=_board_of_other_dice,
)


class EngineField(NamedTuple):
    """The field of the engine's record that has a parameter, as an integer."""

    name: str
    choices: tuple[str, ...] = ()
    """The words of a parameter that is one of several; the record has the index of one."""
    upper_bound: int | None = None
    """The compiler may assume that the number is below it, and not negative."""

    def number(self, value: str | int) -> int:
        """The number in the record for a value of the parameter."""
        return self.choices.index(value) if isinstance(value, str) else value


ENGINE_FIELDS: Mapping[str, EngineField] = {
    "sides": EngineField("sides", upper_bound=SIDES[-1] + 1),
    "runners": EngineField("runner_count"),  # `runners` are where they stand
    "columns_to_win": EngineField("columns_to_win"),
    "landing": EngineField("landing", LANDINGS),
    "stop": EngineField("stop", STOPS),
    "turn_limit": EngineField("turn_limit"),
}
"""The parameters in the engine's record, which compiled bots read as `turn.rules`. The lengths of
the columns, an array, are not among them."""

NAMED = RULES.named
PARAMETERS = RULES.parameters
derive = RULES.derive


def small_board(name: str, changes: Mapping[str, Any]) -> RuleSet | None:
    """The rules N,K: dice with N sides, and shortest columns of K spaces; with other parameters.

    None if the name is not of this form. Raises UsageError for impossible numbers.
    """
    board = re.fullmatch(r"\(?(\d{1,9}),\s*(\d{1,9})\)?", name)
    if not board:
        return None
    sides, shortest = int(board[1]), int(board[2])
    mountain: dict[str, Any] = {"sides": sides}
    if sides in SIDES:  # else the error is about the sides
        steps = [*range(sides), *reversed(range(sides - 1))]
        mountain["column_lengths"] = [shortest + 2 * step for step in steps]
    return derive(CLASSIC, {**mountain, **changes})
