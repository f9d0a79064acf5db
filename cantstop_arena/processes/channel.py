"""Messages in a stream of bytes: a mark, the length and the content, validated by its types.

The process at the other end can write anything, so every message is validated before it is used.
"""

import json
import os
import struct
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from cantstop_arena.processes.failures import InvalidAnswer
from cantstop_arena.texts import in_a_line

_HEADER = struct.Struct("!8sQ")  # before every message: a mark and its length
_MAGIC = b"canstop\n"
_CHUNK_BYTES = 1 << 20
MAX_MESSAGE_BYTES = 1 << 26
"""Bytes of a message; the result of the largest block has about a million."""

_Message = TypeVar("_Message")
_ENCODER = msgspec.msgpack.Encoder(enc_hook=int)  # NumPy's integers


class ProtocolError(Exception):
    """The stream holds no valid message."""


def frame(message: object) -> bytes:
    """The bytes of a message in the stream: mark, length and content."""
    content = _ENCODER.encode(message)
    return _HEADER.pack(_MAGIC, len(content)) + content


class Frames(Generic[_Message]):
    """Splits a stream of bytes into messages, each decoded by `decode`."""

    def __init__(
        self, decode: Callable[[bytes], _Message], max_length: int = MAX_MESSAGE_BYTES
    ) -> None:
        self._decode = decode
        self._max_bytes = max_length
        self._unread = bytearray()

    def messages_in(self, chunk: bytes) -> list[_Message]:
        """The messages that this chunk completes.

        Raises ProtocolError when the first of them is invalid.
        """
        self._unread += chunk
        return self._complete_messages()

    def receive(self, pipe: int) -> list[_Message]:
        """The messages that have arrived completely, without waiting for more.

        Raises EOFError when the pipe has ended, and ProtocolError when a message is invalid; the
        messages before either are returned first.
        """
        has_ended = self._fill(pipe)
        messages = self._complete_messages()
        if has_ended and not messages:
            raise EOFError
        return messages

    def _fill(self, pipe: int) -> bool:
        """Read what is available, up to one message; return whether the pipe has ended."""
        os.set_blocking(pipe, False)
        try:
            while len(self._unread) <= self._max_bytes:
                chunk = os.read(pipe, _CHUNK_BYTES)
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

    def _complete_messages(self) -> list[_Message]:
        messages: list[_Message] = []
        try:
            while (content := self._next_content()) is not None:
                messages.append(self._consume(content))
        except ProtocolError:
            if not messages:
                raise
        return messages

    def _next_content(self) -> bytes | None:
        """The content of the next message, or None while it is incomplete.

        Raises ProtocolError when it is invalid, at every further call, too.
        """
        if len(self._unread) < _HEADER.size:
            return None
        magic, length = _HEADER.unpack_from(self._unread)
        if magic != _MAGIC or length > self._max_bytes:
            raise ProtocolError
        end = _HEADER.size + length
        return bytes(self._unread[_HEADER.size : end]) if len(self._unread) >= end else None

    def _consume(self, content: bytes) -> _Message:
        try:
            message = self._decode(content)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise ProtocolError from error
        del self._unread[: _HEADER.size + len(content)]
        return message


PROTOCOL = 1
MAX_LINE_BYTES = 1 << 16
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
    """The JSON object that a line holds. Raises InvalidAnswer when it holds none."""
    try:
        result = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise InvalidAnswer(f"this is not JSON: {excerpt(line)}") from None
    if not isinstance(result, dict):
        raise InvalidAnswer(f"this is no JSON object: {excerpt(line)}")
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
