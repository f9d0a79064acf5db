"""Messages in a stream of bytes, each behind a mark and its length, and held against its types.

What comes may have been written by anybody: nothing of it is trusted.
"""

import json
import os
import struct
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from cantstop_arena.processes.failures import Nonsense
from cantstop_arena.texts import in_a_line

_HEAD = struct.Struct("!8sQ")  # before every message: a mark and its length
_MARK = b"canstop\n"
_AT_ONCE = 1 << 20
MAX_MESSAGE_BYTES = 1 << 26
"""Bytes of a message; the result of the largest block has about a million."""

_M = TypeVar("_M")
_ENCODER = msgspec.msgpack.Encoder(enc_hook=int)  # NumPy's whole numbers


class ProtocolError(Exception):
    """What came is no message of whoever was to send one."""


def frame(message: object) -> bytes:
    """A message as it goes into the stream."""
    content = _ENCODER.encode(message)
    return _HEAD.pack(_MARK, len(content)) + content


class Frames(Generic[_M]):
    """Takes a stream of bytes apart into messages that `decode` makes of them."""

    def __init__(self, decode: Callable[[bytes], _M], longest: int = MAX_MESSAGE_BYTES) -> None:
        self._decode = decode
        self._longest = longest
        self._unread = bytearray()

    def taken(self, chunk: bytes) -> list[_M]:
        """The messages that are whole by this chunk. Raises Nonsense when none comes before it."""
        self._unread += chunk
        return self._whole_ones()

    def receive(self, pipe: int) -> list[_M]:
        """The messages that have come in whole, without waiting for more.

        Raises EOFError where no more can come, and Nonsense; what came before is returned first.
        """
        ended = self._fill(pipe)
        messages = self._whole_ones()
        if ended and not messages:
            raise EOFError
        return messages

    def _fill(self, pipe: int) -> bool:
        """Read what there is, but no more than a message; whether the pipe has ended."""
        os.set_blocking(pipe, False)
        try:
            while len(self._unread) <= self._longest:
                chunk = os.read(pipe, _AT_ONCE)
                if not chunk:
                    return True
                self._unread += chunk
        except BlockingIOError:
            pass
        except OSError:
            return True
        finally:
            os.set_blocking(pipe, True)
        return False

    def _whole_ones(self) -> list[_M]:
        messages: list[_M] = []
        try:
            while (content := self._next()) is not None:
                messages.append(self._read(content))
        except ProtocolError:
            if not messages:
                raise
        return messages

    def _next(self) -> bytes | None:
        """What the next message consists of, if it is there. Raises Nonsense, each time again."""
        if len(self._unread) < _HEAD.size:
            return None
        mark, length = _HEAD.unpack_from(self._unread)
        if mark != _MARK or length > self._longest:
            raise ProtocolError
        end = _HEAD.size + length
        return bytes(self._unread[_HEAD.size : end]) if len(self._unread) >= end else None

    def _read(self, content: bytes) -> _M:
        try:
            message = self._decode(content)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise ProtocolError from error
        del self._unread[: _HEAD.size + len(content)]
        return message


PROTOCOL = 1
MAX_LINE_BYTES = 1 << 16
FOREIGN = "not"  # the key under which a served bot's answer is told that JSON has no word for
_MAX_EXCERPT_LENGTH = 60

_JSON_ENCODER = json.JSONEncoder(separators=(",", ":"))


class ForeignValue:
    """An answer that JSON has no word for. It looks like what the bot returned."""

    def __init__(self, text: str) -> None:
        self._text = in_a_line(text, _MAX_EXCERPT_LENGTH)

    def __repr__(self) -> str:
        return self._text


# --- Lines ----------------------------------------------------------------------------------------


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as a line: ASCII, without spaces, keys in the order given."""
    return f"{_JSON_ENCODER.encode(message)}\n".encode("ascii")


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
    text = line[: _MAX_EXCERPT_LENGTH * 4].decode("utf-8", "replace").strip()
    return repr(
        text if len(text) <= _MAX_EXCERPT_LENGTH else f"{text[: _MAX_EXCERPT_LENGTH - 3]}..."
    )
