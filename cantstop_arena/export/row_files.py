"""Files of rows: CSV, JSON Lines or Parquet by the file's name, written atomically."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from cantstop_arena.atomic_files import check_output_file, draft_of
from cantstop_arena.errors import ArenaError, UsageError
from cantstop_arena.export.rows import Columns, Row
from cantstop_arena.tables.formats import csv_cell

_BATCH_ROWS = 8192

Write: TypeAlias = Callable[[list[Row]], object]
Opener: TypeAlias = Callable[[Path, Columns], AbstractContextManager[Write]]


def write_rows(path: Path, columns: Columns, rows: Iterable[Row]) -> int:
    """Write rows to a file, CSV, JSON Lines or Parquet by its name; return the number of rows.

    Raises UsageError for another name, or when the file cannot be written, and ArenaError when
    pyarrow is missing.
    """
    open_writer, count, iterator = opener_of(path), 0, iter(rows)
    with draft_of(path) as draft, open_writer(draft, columns) as write:
        while batch := list(islice(iterator, _BATCH_ROWS)):
            write(batch)
            count += len(batch)
    return count


def opener_of(path: Path) -> Opener:
    """The opener for a file of this name.

    Raises UsageError for another name, or when the file cannot be written, and ArenaError when
    pyarrow is missing.
    """
    if path.suffix not in _OPENERS:
        raise UsageError(f"{path}: its name must end in {' or '.join(_OPENERS)}")
    check_output_file(path)
    if path.suffix == ".parquet":
        _pyarrow()
    return _OPENERS[path.suffix]


@contextmanager
def _csv(path: Path, columns: Columns) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*columns], lineterminator="\n")
        writer.writeheader()
        yield lambda rows: writer.writerows(
            _plain_row(row, columns, _csv_value, {object, list}) for row in rows
        )


@contextmanager
def _json_lines(path: Path, columns: Columns) -> Iterator[Write]:
    with path.open("wb") as file:
        yield lambda rows: file.write(msgspec.json.Encoder().encode_lines(rows))


@contextmanager
def _parquet(path: Path, columns: Columns) -> Iterator[Write]:
    arrow, parquet = _pyarrow()
    arrow_types = {
        int: arrow.int64(),
        str: arrow.string(),
        bool: arrow.bool_(),
        float: arrow.float64(),
        list: arrow.list_(arrow.int64()),
        object: arrow.string(),
    }
    schema = arrow.schema([(key, arrow_types[value_type]) for key, value_type in columns.items()])

    def write(rows: list[Row]) -> None:
        flat = [_plain_row(row, columns, lambda value: value, {object}) for row in rows]
        writer.write_table(arrow.Table.from_pylist(flat, schema=schema))

    with parquet.ParquetWriter(path, schema) as writer:
        yield write


_OPENERS: Mapping[str, Opener] = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}


def _plain_row(
    row: Row, columns: Columns, convert: Callable[[Any], Any], as_text: Collection[type]
) -> dict[str, Any]:
    """A row whose values in columns of the types `as_text` are JSON text."""
    return {
        key: msgspec.json.encode(value).decode() if columns[key] in as_text else convert(value)
        for key, value in row.items()
    }


def _csv_value(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else csv_cell(value)


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        text = "pyarrow is not installed; pip install 'cantstop-arena[data]' brings it along"
        raise ArenaError(text) from None
