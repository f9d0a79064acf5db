"""JSON Schemas of records, and of the rows of exported tables."""

import json
from pathlib import Path
from typing import Any

NAMES = ("decisions", "game", "games", "rolls")


def stored_schema(name: str) -> dict[str, Any]:
    """The JSON Schema with one of the NAMES."""
    path = Path(__file__).with_name(f"{name}.schema.json")
    entries: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return entries
