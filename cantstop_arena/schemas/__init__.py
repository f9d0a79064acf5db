"""JSON Schemas of what the arena writes: records, summaries, and the rows of exported tables."""

import json
from pathlib import Path
from typing import Any

from cantstop_arena.errors import UsageError

NAMES = ("comparison", "decisions", "game", "games", "rolls", "summary")


def schema(name: str) -> dict[str, Any]:
    """The JSON Schema of comparison.json or summary.json, of the lines of a recorded game ("game"),
    or of the rows of an exported table ("games", "rolls", "decisions").

    Raises UsageError for any other name.
    """
    if name not in NAMES:
        raise UsageError(f"there is no schema {name!r}, only {', '.join(NAMES)}")
    path = Path(__file__).with_name(f"{name}.schema.json")
    entries: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return entries
