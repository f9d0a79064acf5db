"""Tables of results for programs and notebooks: rows, columns, and data frames."""

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from cantstop_arena.errors import ArenaError, UsageError
from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.tables.column import Column, Kind, Table, without_functions
from cantstop_arena.tables.formats import TEXT, Style, draw, records
from cantstop_arena.texts import printable

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_HTML = Style("html", printable, str, str)  # `draw` escapes markup


class UnknownColumn(UsageError, KeyError):
    """A column that a table does not have."""

    __str__ = Exception.__str__  # KeyError's would quote the message


@dataclass(frozen=True)
class ResultTable(Sequence[Mapping[str, Any]]):
    """Rows of plain values by column, with the ends of 95% intervals in separate columns.

    `table` has the values; `display` is the formatted table with its notes.
    """

    table: Table
    display: Table

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts; None stands for a value that cannot be estimated."""
        return records(self.table)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [key for column in self.table.columns for key in column.keys]

    @property
    def notes(self) -> Sequence[str]:
        """The notes below the table."""
        return self.display.notes

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, key: Any) -> Any:
        """A row by its index, or a column by its name. Raises UnknownColumn."""
        if not isinstance(key, str):
            return self.rows[key]
        if key not in self.columns:
            hint, names = did_you_mean(key, self.columns), ", ".join(self.columns)
            raise UnknownColumn(f"unknown column {key!r:.60}{hint}; columns: {names}")
        return [row[key] for row in self.rows]

    def to_pandas(self) -> "pandas.DataFrame":
        """As a pandas DataFrame. Raises ArenaError when pandas is not installed."""
        names = {str: "object", int: "int64", float: "float64"}
        kinds = {key: names[kind] for key, kind in self._kinds().items()}
        frame: pandas.DataFrame = import_library("pandas").DataFrame(self._values()).astype(kinds)
        return frame

    def to_polars(self) -> "polars.DataFrame":
        """As a polars DataFrame. Raises ArenaError when polars is not installed."""
        library = import_library("polars")
        names = {str: library.String, int: library.Int64, float: library.Float64}
        schema = {key: names[kind] for key, kind in self._kinds().items()}
        frame: polars.DataFrame = library.DataFrame(self._values(), schema=schema)
        return frame

    def to_arrow(self) -> "pyarrow.Table":
        """As an Arrow table. Raises ArenaError when pyarrow is not installed."""
        library = import_library("pyarrow")
        names = {str: library.string(), int: library.int64(), float: library.float64()}
        schema = library.schema([(key, names[kind]) for key, kind in self._kinds().items()])
        return library.table(self._values(), schema=schema)

    def _values(self) -> dict[str, list[Any]]:
        kinds = self._kinds()
        return {
            key: [None if value is None else kinds[key](value) for value in self[key]]
            for key in self.columns
        }

    def _kinds(self) -> dict[str, type]:
        return {
            key: _kind(column, self[key]) for column in self.table.columns for key in column.keys
        }

    def __reduce__(self) -> tuple[Any, ...]:
        return ResultTable, (without_functions(self.table), without_functions(self.display))

    def __str__(self) -> str:
        return draw(self.display, TEXT)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = draw(replace(self.display, notes=()), _HTML)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<h4>{html.escape(self.display.title)}</h4>{table}{notes}"


def _kind(column: Column, values: Sequence[Any]) -> type:
    """The type of a column: str, int when all values are integers, else float."""
    if column.kind is Kind.TEXT:
        return str
    return int if values and all(type(value) is int for value in values) else float


def import_library(name: str) -> Any:
    """A library of data frames. Raises ArenaError when it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        message = f"{name} is not installed: pip install 'cantstop-arena[data]'"
        raise ArenaError(message) from None
