"""Where two descriptions of tournaments or bots differ, as text for messages."""

import re
from collections.abc import Iterator
from typing import Any

from cantstop_arena.bots.versions import DIGEST_LENGTH
from cantstop_arena.texts import shortened
from cantstop_arena.tournaments.ledger.row_codec import text

_DIGEST = re.compile(rf"\b([0-9a-f]{{{DIGEST_LENGTH}}})[0-9a-f]{{{64 - DIGEST_LENGTH}}}\b")
_MAX_WIDTH = 100  # columns of a value in a message
_NOTHING = "nothing"


def differences(first: Any, second: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two values differ: the path of the key, and both values, as short JSON.

    Of lists of unequal lengths only what one of them lacks is named.
    """
    if isinstance(first, dict) and isinstance(second, dict):
        for key in [*first, *(key for key in second if key not in first)]:
            inner = f"{path}.{key}" if path else str(key)
            yield from differences(first.get(key), second.get(key), inner)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, (this, that) in enumerate(zip(first, second, strict=True), start=1):
            yield from differences(this, that, f"{path}[{number}]")
    elif isinstance(first, list) and isinstance(second, list):
        yield from _unequal_lists(first, second, path)
    elif first != second:
        yield path, _short(first), _short(second)


def _unequal_lists(
    first: list[Any], second: list[Any], path: str
) -> Iterator[tuple[str, str, str]]:
    """Where lists differ: the entries that one of them lacks, and those of equal names."""
    named_first, named_second = _by_name(first), _by_name(second)
    if named_first is None or named_second is None:
        yield path, f"a list of {len(first)}", f"a list of {len(second)}"
        return
    for name in dict.fromkeys([*named_first, *named_second]):
        this, that = named_first.get(name), named_second.get(name)
        if this is None:
            yield path, _NOTHING, text(name)
        elif that is None:
            yield path, text(name), _NOTHING
        else:
            yield from differences(this, that, f"{path}[{text(name)}]")


def _by_name(entries: list[Any]) -> dict[str, Any] | None:
    """Entries by their names; None where they have none, or not one each."""
    if not all(isinstance(entry, dict) and isinstance(entry.get("name"), str) for entry in entries):
        return None
    named = {entry["name"]: entry for entry in entries}
    return named if len(named) == len(entries) else None


def _short(value: object) -> str:
    """A value as JSON on part of a line, digests by their first digits."""
    return shortened(_DIGEST.sub(r"\1", text(value)), _MAX_WIDTH)
