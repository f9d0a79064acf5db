"""A table as plain data: columns with the type of their values, rows of values, and notes."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, TypeAlias

import msgspec

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.rounding import EVEN_PERCENT

DIGITS = 10  # significant: beyond any tournament's precision, yet equal on every machine


Value: TypeAlias = str | int | float | Estimate | None


class Kind(Enum):
    """The type of the values of a column."""

    TEXT = "text"
    NUMBER = "number"
    ESTIMATE = "estimate"


class Column(msgspec.Struct, frozen=True):
    """The name of a column for programs (`key`) and for people (`heading`), and its format.

    Tables for people have `decimals`, values times 100 if `percent`, and no `optional` column
    without content. Programs get ten significant digits, or `fixed` decimals, and an estimate's
    ends under names made of its `stem`, else of its key. Values of a column with a `middle` may
    be coloured by their distance from it. A `chance` too small for its decimals is written as
    smaller than the least of them, and a percentage too near to 100 as more than 99.9, say.
    Columns with a `leave_out` are the first that a narrow terminal is without, by that number.
    """

    key: str
    heading: str
    kind: Kind = Kind.TEXT
    decimals: int = 0
    percent: bool = False
    optional: bool = False
    fixed: int | None = None
    stem: str = ""
    middle: float | None = None
    chance: bool = False
    leave_out: int = 0

    @property
    def keys(self) -> tuple[str, ...]:
        """The names for programs of the values and, for estimates, of the ends."""
        if self.kind is not Kind.ESTIMATE:
            return (self.key,)
        stem = self.stem or self.key
        return self.key, f"{stem}_low", f"{stem}_high"

    @property
    def origin(self) -> float:
        """The printed value from which halves are rounded away."""
        return EVEN_PERCENT if self.percent else 0.0

    @property
    def align(self) -> str:
        """The alignment: text on the left, numbers on the right."""
        return "left" if self.kind is Kind.TEXT else "right"

    def exact(self, number: float) -> float:
        """A number rounded as in output for programs."""
        if self.fixed is not None:
            return round(float(number), self.fixed) + 0.0  # no negative zero
        return number if isinstance(number, int) else significant(number)


class Table(msgspec.Struct, frozen=True):
    """Rows of values, one for each column; `name` is for programs, `title` for people."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()


def number(key: str, heading: str = "", decimals: int = 0, **options: Any) -> Column:
    """A column of numbers with this many decimals."""
    return Column(key, heading or key, Kind.NUMBER, decimals, **options)


def estimate(key: str, heading: str, decimals: int, **options: Any) -> Column:
    """A column of estimates with this many decimals."""
    return Column(key, heading, Kind.ESTIMATE, decimals, **options)


def significant(number: float) -> float:
    """A number rounded to ten significant digits."""
    return float(f"{number:z.{DIGITS}g}")


def rounded(number: float | None) -> float | None:
    """A number rounded to ten significant digits; None stays None."""
    return None if number is None else significant(number)
