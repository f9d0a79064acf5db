"""A table as plain data: columns that say what their values are, rows of values, notes below."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

import msgspec

LOPSIDED = 0.2  # of the farther end's distance
DIGITS = 10  # more than any tournament can tell, and few enough to be the same on every machine


class Estimate(NamedTuple):
    """A number with the ends of its 95% interval; None where nothing can be said."""

    mean: float | None
    low: float | None = None
    high: float | None = None

    @property
    def lopsided(self) -> bool:
        """Whether the ends lie so unequally far away that one ± would tell neither."""
        if self.mean is None or self.low is None or self.high is None:
            return False
        near, far = sorted((self.mean - self.low, self.high - self.mean))
        return far - near > LOPSIDED * far


Value: TypeAlias = str | int | float | Estimate | None


class Kind(Enum):
    """What the values of a column are."""

    TEXT = "text"
    NUMBER = "number"
    ESTIMATE = "estimate"


class Column(msgspec.Struct, frozen=True):
    """What a column is called, for programs (`key`) and for people (`heading`), and its values.

    People are shown `decimals`, of a hundred where it is `percent`, and no `optional` column
    without content. Programs get ten significant digits, or `fixed` decimals, and an estimate's
    ends under names made of its `stem`, else of its key. Values of a column with a `middle` may
    be coloured by how far from it they are. A `chance` too small for its decimals is said to be
    smaller, not nothing, and a percentage too near to 100 to be more than 99.9, say.
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

    @property
    def keys(self) -> tuple[str, ...]:
        """The names for programs of the values and, for estimates, of the ends."""
        if self.kind is not Kind.ESTIMATE:
            return (self.key,)
        stem = self.stem or self.key
        return self.key, f"{stem}_low", f"{stem}_high"

    @property
    def align(self) -> str:
        """Text on the left, numbers on the right."""
        return "left" if self.kind is Kind.TEXT else "right"

    def exact(self, number: float) -> float:
        """A number as programs get it."""
        if self.fixed is not None:
            return round(float(number), self.fixed) + 0.0  # no negative nothing
        return number if isinstance(number, int) else significant(number)


class Table(msgspec.Struct, frozen=True):
    """Rows of values, one for each column; `name` is for programs, `title` for people."""

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()


def number(key: str, heading: str = "", decimals: int = 0, **more: Any) -> Column:
    """A column of numbers, whole ones unless told otherwise."""
    return Column(key, heading or key, Kind.NUMBER, decimals, **more)


def estimate(key: str, heading: str, decimals: int, **more: Any) -> Column:
    """A column of estimates."""
    return Column(key, heading, Kind.ESTIMATE, decimals, **more)


def significant(number: float) -> float:
    """A number to ten significant digits."""
    return float(f"{number:z.{DIGITS}g}")


def rounded(number: float | None) -> float | None:
    """A number to ten significant digits, where there is one."""
    return None if number is None else significant(number)
