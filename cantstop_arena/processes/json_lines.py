"""Lines of JSON: the messages between the arena and a program (docs/reference/protocol.md)."""

import json
from collections.abc import Mapping
from typing import Any

from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.texts import in_a_line

PROTOCOL = 1
MAX_LINE_BYTES = 1 << 16
ERROR = "error"  # key of the reason in an answer of a bot that has failed
FOREIGN_KEY = "not"  # key of an answer of a served bot that JSON cannot represent
_MAX_EXCERPT_LENGTH = 60

_JSON_ENCODER = json.JSONEncoder(separators=(",", ":"))


class ForeignValue:
    """An answer that JSON cannot represent; its repr is that of what the bot returned."""

    def __init__(self, text: str) -> None:
        self._text = in_a_line(text, _MAX_EXCERPT_LENGTH)

    def __repr__(self) -> str:
        return self._text


# --- Lines ----------------------------------------------------------------------------------------


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as one line of JSON: ASCII, without spaces, keys in the order of the mapping."""
    return f"{_JSON_ENCODER.encode(message)}\n".encode("ascii")


def object_in(line: bytes) -> dict[str, Any]:
    """The JSON object that a line holds. Raises ProtocolError when it holds none."""
    try:
        result = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ProtocolError(f"this is not JSON: {excerpt(line)}") from None
    if not isinstance(result, dict):
        raise ProtocolError(f"this is no JSON object: {excerpt(line)}")
    return result


def _refuse(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity, which Python accepts though JSON has neither


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def excerpt(line: bytes) -> str:
    """The beginning of a line, at most 60 characters, in quotes."""
    text = line[: _MAX_EXCERPT_LENGTH * 4].decode("utf-8", "replace").strip()
    return repr(
        text if len(text) <= _MAX_EXCERPT_LENGTH else f"{text[: _MAX_EXCERPT_LENGTH - 3]}..."
    )
