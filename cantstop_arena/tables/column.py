"""A table as plain data: columns with the type of their values, rows of values, and notes.

Numbers are rounded here, in all tables, on pages and in sentences alike (`half_away`).
"""

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from cantstop_arena.ratings.estimate import Estimate

DIGITS = 10  # significant: beyond any tournament's precision, yet equal on every machine


Value: TypeAlias = str | int | float | Estimate | None


class Kind(Enum):
    """The type of the values of a column."""

    TEXT = "text"
    NUMBER = "number"
    ESTIMATE = "estimate"


class OnPage(msgspec.Struct, frozen=True):
    """How a column looks in a page's table that has drawings, too (`pages.html_table`).

    `order` is its place among that table's columns. By default its heading is the column's with a
    capital letter, and its decimals are the column's. `kind` is its CSS class, `about` a tooltip;
    `labelled` cells have their heading on narrow screens. `mark` is printed before the value of a
    record, `sort` is the number by which rows are sorted: by default the value.
    """

    order: int
    heading: str = ""
    decimals: int | None = None
    kind: str = "num"
    about: str | None = None
    labelled: bool = True
    mark: Callable[[Any], str] | None = None
    sort: Callable[[Any], float | None] | None = None


class Column(msgspec.Struct, frozen=True):
    """The name of a column for programs (`key`) and for people (`heading`), and its format.

    Tables for people have `decimals`, values times 100 if `percent`, and no `optional` column
    without content. Programs get ten significant digits, or `fixed` decimals, and an estimate's
    ends under names made of its `stem`, else of its key. Values of a column with a `middle` may
    be coloured by their distance from it. A `chance` too small for its decimals is written as
    smaller than the least of them, and a percentage too near to 100 as more than 99.9, say.
    Columns with a `leave_out` are the first that a narrow terminal is without, by that number.
    The value of a record is what `of` returns, by default its attribute `key`.
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
    of: Callable[[Any], Value] | None = None
    page: OnPage | None = None

    def value(self, record: Any) -> Value:
        """The value of a record."""
        value: Value = self.of(record) if self.of else getattr(record, self.key)
        return value

    @property
    def keys(self) -> tuple[str, ...]:
        """The names for programs of the values and, for estimates, of the ends."""
        if self.kind is not Kind.ESTIMATE:
            return (self.key,)
        stem = self.stem or self.key
        return self.key, f"{stem}_low", f"{stem}_high"

    @property
    def scale(self) -> int:
        """By which values are multiplied for people."""
        return 100 if self.percent else 1

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
    """Rows of values, one for each column; `name` is for programs, `title` for people.

    `records` are what the rows were made of, where the columns know how: pages draw them.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()
    records: Sequence[Any] = ()


def table_of(
    name: str,
    title: str,
    columns: Sequence[Column],
    records: Sequence[Any],
    notes: Sequence[str] = (),
) -> Table:
    """A table with a row for each record, of the values that its columns have for it."""
    rows = [[column.value(record) for column in columns] for record in records]
    return Table(name, title, columns, rows, notes, records)


def without_functions(table: Table) -> Table:
    """A copy of a table that pickle can store: its columns make no further values."""
    columns = [replace(column, of=None, page=None) for column in table.columns]
    return replace(table, columns=columns, records=())


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


EVEN_PERCENT = 50.0
_EXACT_DIGITS = 13  # significant digits of a number: those beyond are errors of its computation
_MAX_ROUNDED = 1e13  # larger numbers have no decimals worth rounding


def half_away(number: float, decimals: int, origin: float = 0.0) -> float:
    """A number rounded to so many decimals, once; halves go away from `origin`.

    Shares in percent have the origin 50, so that 65.05 and 34.95 become 65.1 and 34.9, which add up
    to 100, too.
    """
    if not abs(number) < _MAX_ROUNDED:
        return number
    exact, middle = Decimal(f"{number:.{_EXACT_DIGITS}g}"), Decimal(origin)
    step = Decimal(1).scaleb(-decimals)
    return float(middle + (exact - middle).quantize(step, ROUND_HALF_UP)) + 0.0


NumberText: TypeAlias = Callable[[float, int, float], str]
"""The text of a number with so many decimals, halves rounded away from the last argument."""


def decimal_text(number: float, decimals: int, origin: float = 0.0) -> str:
    """A number as terminals print it: with so many decimals, or with thousands separators."""
    value = half_away(number, decimals, origin)
    return f"{value:.{decimals}f}" if decimals else f"{value:,.0f}"


def signed_text(number: float, decimals: int, origin: float = 0.0) -> str:
    """A number with its sign, for terminals."""
    return f"{half_away(number, decimals, origin):+.{decimals}f}"


def mean_text(mean: float, decimals: int, scale: float, number_text: NumberText) -> str:
    """A number times `scale`; what is scaled by 100 is a share."""
    return number_text(scale * mean, decimals, EVEN_PERCENT if scale == 100 else 0.0)


def interval_texts(
    estimate: Estimate, decimals: int, scale: float = 1, number_text: NumberText = decimal_text
) -> tuple[str, str]:
    """Half the width of an interval, or, where ± would not be true, its ends; else empty texts."""
    half = estimate.half_width
    if half is not None:
        return number_text(scale * half, decimals, 0.0).removeprefix("+") if half else "", ""
    low, high = (
        None if end is None else mean_text(end, decimals, scale, number_text)
        for end in estimate[1:]
    )
    if low is None:
        return "", "" if high is None else f"up to {high}"
    return "", f"from {low}" if high is None else f"{low} to {high}"


def estimate_text(
    estimate: Estimate,
    decimals: int,
    scale: float = 1,
    number_text: NumberText = decimal_text,
    unit: str = "",
) -> str:
    """A number with its interval: "52.3 ± 0.4 Elo", or "52.3 Elo (40.1 to 55.0)"."""
    if estimate.mean is None:
        return "unknown"
    mean = mean_text(estimate.mean, decimals, scale, number_text)
    half, ends = interval_texts(estimate, decimals, scale, number_text)
    if half:
        return f"{mean} ± {half}{unit}"
    return f"{mean}{unit} ({ends})" if ends else f"{mean}{unit}"


def percent_text(share: float, decimals: int) -> str:
    """A share in percent, without the sign: 0.6505 is "65.1" with one decimal."""
    return mean_text(share, decimals, 100, decimal_text)
