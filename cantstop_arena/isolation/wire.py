"""The words on the pipe: what the arena asks in JSON Lines, and how answers are read.

docs/protocol.md is normative. Both ends use this module.
"""

import json
from collections.abc import Mapping
from typing import Any

from cantstop_arena.isolation.failures import Nonsense
from cantstop_arena.texts import in_a_line

PROTOCOL = 1
LONGEST_LINE = 1 << 16
FOREIGN = "not"  # the key under which a served bot's answer is told that JSON has no word for
_LONGEST_EXCERPT = 60

_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Foreign:
    """An answer that JSON has no word for. It looks like what the bot returned."""

    def __init__(self, text: str) -> None:
        self._text = in_a_line(text, _LONGEST_EXCERPT)

    def __repr__(self) -> str:
        return self._text


# --- Lines ----------------------------------------------------------------------------------------


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as a line: ASCII, without spaces, keys in the order given."""
    return f"{_ENCODER.encode(message)}\n".encode("ascii")


def object_in(line: bytes) -> dict[str, Any]:
    """The JSON object that a line holds. Raises Nonsense where it holds none."""
    try:
        found = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Nonsense(f"this is not JSON: {excerpt(line)}") from None
    if not isinstance(found, dict):
        raise Nonsense(f"this is no JSON object: {excerpt(line)}")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity, which Python takes for JSON


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def excerpt(line: bytes) -> str:
    """The beginning of what came, as a text in quotes."""
    text = line[: _LONGEST_EXCERPT * 4].decode("utf-8", "replace").strip()
    return repr(text if len(text) <= _LONGEST_EXCERPT else f"{text[: _LONGEST_EXCERPT - 3]}...")
