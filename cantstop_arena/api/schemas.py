"""JSON Schemas of what the arena writes: records, summaries, and the rows of exported tables."""

from collections.abc import Callable
from typing import Any

from cantstop_arena.errors import UsageError
from cantstop_arena.reports import comparison_fields, summary_fields
from cantstop_arena.schemas import NAMES, stored_schema

_GENERATED: dict[str, Callable[[], dict[str, Any]]] = {
    "comparison": comparison_fields.schema,
    "summary": summary_fields.schema,
}


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of comparison.json or summary.json, of the lines of a recorded game ("game"),
    or of the rows of an exported table ("games", "rolls", "decisions").

    Raises UsageError for any other name.
    """
    if name in _GENERATED:
        return _GENERATED[name]()
    if name not in NAMES:
        names = ", ".join(sorted([*NAMES, *_GENERATED]))
        raise UsageError(f"there is no schema {name!r}, only {names}")
    return stored_schema(name)
