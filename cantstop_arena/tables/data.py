"""Tables for programs, CSV and JSON: raw numbers, an estimate's interval in columns of its own."""

import csv
import json
import re
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Any, TypeVar

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, Kind, Table, Value

T = TypeVar("T")
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # apostrophes too, so that a reader can take one off


def records(table: Table) -> list[dict[str, Any]]:
    """The rows as dicts, numbers rounded as in all output for programs."""
    return [
        {
            key: number
            for column, value in zip(table.columns, row, strict=True)
            for key, number in zip(column.keys, _exact_values(column, value), strict=True)
        }
        for row in table.rows
    ]


def _exact_values(column: Column, value: Value) -> Iterator[str | float | None]:
    if column.kind is not Kind.ESTIMATE:
        numbers: Iterable[Any] = (value,)
    else:
        numbers = value if isinstance(value, Estimate) else (value, None, None)
    for number in numbers:
        yield column.exact(number) if isinstance(number, int | float) else number


def row_schema(columns: Iterable[Column], **special: Any) -> dict[str, Any]:
    """The JSON Schema of a record with these columns; `special` has the schemas of some keys."""
    properties = {key: _value_schema(column) for column in columns for key in column.keys}
    return {
        "type": "object",
        "properties": properties | special,
        "required": list(properties),
        "additionalProperties": False,
    }


def _value_schema(column: Column) -> dict[str, Any]:
    """The JSON Schema of a column's values; shares are parts of 1."""
    if column.kind is Kind.TEXT:
        return {"type": "string"}
    if column.percent:
        return {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    if column.kind is Kind.NUMBER and not column.decimals:
        return {"type": "integer", "minimum": 0}
    return {"type": ["number", "null"]}


def as_csv(table: Table) -> str:
    """A table as CSV: the keys of the columns, then the rows; unknown values are empty.

    Names that a spreadsheet would calculate are text in it (`csv_cell`).
    """
    keys = [csv_cell(key) for column in table.columns for key in column.keys]
    lines: list[Iterable[Value]] = [keys]
    for row in table.rows:
        cells = zip(table.columns, row, strict=True)
        lines.append(
            _cell_value(column, number)
            for column, cell in cells
            for number in _exact_values(column, cell)
        )
    return "".join(map(_line, lines))


def _line(cells: Iterable[Value]) -> str:
    """A line of CSV that ends with LF.

    It is written with CRLF first: the csv module quotes only those line ends that it writes.
    """
    line = StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def csv_cell(cell: T) -> T | str:
    """The content of a cell of CSV: text gets an apostrophe where a spreadsheet would calculate it.

    Numbers stay as they are, whatever their sign.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def _cell_value(column: Column, number: str | float | None) -> str | float | None:
    if column.fixed is not None and isinstance(number, float):
        return f"{number:.{column.fixed}f}"
    return csv_cell(number)


def all_as_csv(tables: Iterable[Table]) -> str:
    """One table as CSV; several each below a line with its name, with empty lines between them."""
    tables = list(tables)
    if len(tables) == 1:
        return as_csv(tables[0])
    return "\n".join(f"{table.name}\n{as_csv(table)}" for table in tables)


def as_json(content: object) -> str:
    """JSON with a fixed layout: a record, or a row of numbers, is a line."""
    return "".join(_lines_of(content, "\n")) + "\n"


def _lines_of(content: object, margin: str) -> Iterator[str]:
    """The pieces of the text of `content`; its lines begin with `margin`, a line end and spaces."""
    if not isinstance(content, dict | list) or _is_flat(content):
        yield _in_a_line(content)
        return
    is_dict = isinstance(content, dict)
    items = content.items() if isinstance(content, dict) else enumerate(content)
    inner = f"{margin}  "
    yield "{" if is_dict else "["
    for index, (key, value) in enumerate(items):
        yield f"{',' if index else ''}{inner}"
        if is_dict:
            yield f"{_in_a_line(key)}: "
        yield from _lines_of(value, inner)
    yield f"{margin}{'}' if is_dict else ']'}"


def _is_flat(content: dict[str, Any] | list[Any]) -> bool:
    """Whether no value is a dict or a list of dicts or lists."""
    values = content.values() if isinstance(content, dict) else content
    return not any(
        isinstance(value, dict) or (isinstance(value, list) and _is_nested(value))
        for value in values
    )


def _is_nested(values: list[Any]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def _in_a_line(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def as_json_lines(rows: Iterable[object]) -> str:
    """A line of JSON for each row."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def all_as_json(tables: Iterable[Table], headline: str = "") -> str:
    """One object with every table's rows and notes by its name, below the `headline`."""
    first = {"headline": headline} if headline else {}
    named = {table.name: {"rows": records(table), "notes": list(table.notes)} for table in tables}
    return as_json(first | named)
