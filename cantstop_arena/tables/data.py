"""Tables for programs, CSV and JSON: raw numbers, an estimate's interval in columns of its own."""

import csv
import json
from collections.abc import Iterable, Iterator
from io import StringIO
from typing import Any

from cantstop_arena.tables.column import Column, Estimate, Kind, Table, Value


def records(table: Table) -> list[dict[str, Any]]:
    """The rows, each number as it is written everywhere."""
    return [
        {
            key: part
            for column, value in zip(table.columns, row, strict=True)
            for key, part in zip(column.keys, _parts(column, value), strict=True)
        }
        for row in table.rows
    ]


def _parts(column: Column, value: Value) -> Iterator[str | float | None]:
    if column.kind is not Kind.ESTIMATE:
        parts: Iterable[Any] = (value,)
    else:
        parts = value if isinstance(value, Estimate) else (value, None, None)
    for part in parts:
        yield column.exact(part) if isinstance(part, int | float) else part


def as_csv(table: Table) -> str:
    """A heading and the rows; empty where there is nothing."""
    lines: list[Iterable[Value]] = [[key for column in table.columns for key in column.keys]]
    for row in table.rows:
        cells = zip(table.columns, row, strict=True)
        lines.append(
            _cell_value(column, part) for column, cell in cells for part in _parts(column, cell)
        )
    return "".join(map(_line, lines))


def _line(cells: Iterable[Value]) -> str:
    """A line that ends with LF; the csv module only quotes signs of line ends that it writes."""
    line = StringIO(newline="")
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().removesuffix("\r\n") + "\n"


def _cell_value(column: Column, part: str | float | None) -> str | float | None:
    if column.fixed is not None and isinstance(part, float):
        return f"{part:.{column.fixed}f}"
    return part


def all_as_csv(tables: Iterable[Table]) -> str:
    """One table as it is; several each below a line with its name, empty lines between them."""
    tables = list(tables)
    if len(tables) == 1:
        return as_csv(tables[0])
    return "\n".join(f"{table.name}\n{as_csv(table)}" for table in tables)


def as_json(content: object) -> str:
    """JSON, in the same order and words every time; a record, or a row of numbers, is a line."""
    return "".join(_lines_of(content, "\n")) + "\n"


def _lines_of(content: object, margin: str) -> Iterator[str]:
    """The parts of a text, in lines that begin with the margin."""
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
    """Whether nothing in it has parts of its own, but for lists of numbers and words."""
    values = content.values() if isinstance(content, dict) else content
    return not any(
        isinstance(value, dict) or (isinstance(value, list) and _has_parts(value))
        for value in values
    )


def _has_parts(values: list[Any]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def _in_a_line(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def as_json_lines(rows: Iterable[object]) -> str:
    """A line of JSON for each."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def all_as_json(tables: Iterable[Table]) -> str:
    """One object with every table's rows and notes by its name."""
    return as_json(
        {table.name: {"rows": records(table), "notes": list(table.notes)} for table in tables}
    )
