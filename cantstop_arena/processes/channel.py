"""Messages in a stream of bytes: a mark, the length and the content, validated by its types.

The process at the other end can write anything, so every message is validated before it is used.
"""

import contextlib
import os
import socket
import struct
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

_HEADER = struct.Struct("!8sQ")  # before every message: a mark and its length
_MAGIC = b"canstop\n"
_CHUNK_BYTES = 1 << 16  # more is mapped and unmapped by the allocator at each call
MAX_MESSAGE_BYTES = 1 << 26
"""Bytes of a message; the result of the largest block has about a million."""

_Message = TypeVar("_Message")
_ENCODER = msgspec.msgpack.Encoder(enc_hook=int)  # NumPy's integers


class ProtocolError(Exception):
    """The stream holds no valid message."""


class ChannelClosed(Exception):
    """The process at the other end has closed the channel; all its messages were received."""


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

    @property
    def is_empty(self) -> bool:
        """Whether no bytes have been received after the last message."""
        return not self._unread

    def messages_in(self, chunk: bytes) -> list[_Message]:
        """The messages that this chunk completes.

        Raises ProtocolError when the first of them is invalid; messages before an invalid one
        are returned first.
        """
        self._unread += chunk
        messages: list[_Message] = []
        start = 0
        try:
            while end := self._end_of_message(start):
                messages.append(self._decode(bytes(self._unread[start + _HEADER.size : end])))
                start = end
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError, ProtocolError) as error:
            if not messages:
                raise ProtocolError(str(error)) from error
        finally:
            del self._unread[:start]
        return messages

    def receive(self, pipe: int) -> list[_Message]:
        """The messages that have arrived completely, without waiting for more.

        Raises EOFError when the pipe has ended, and ProtocolError when a message is invalid; the
        messages before either are returned first.
        """
        chunk, has_ended = _available(pipe)
        messages = self.messages_in(chunk)
        if has_ended and not messages:
            raise EOFError
        return messages

    def _end_of_message(self, start: int) -> int:
        """Where the message that begins at `start` ends; 0 while it is incomplete."""
        if len(self._unread) - start < _HEADER.size:
            return 0
        magic, length = _HEADER.unpack_from(self._unread, start)
        if magic != _MAGIC or length > self._max_bytes:
            raise ProtocolError("no message begins here")
        end = start + _HEADER.size + int(length)
        return end if len(self._unread) >= end else 0


def _available(pipe: int) -> tuple[bytes, bool]:
    """The bytes in a pipe, about one message at most; whether it has ended."""
    data = bytearray()
    os.set_blocking(pipe, False)
    try:
        while len(data) <= MAX_MESSAGE_BYTES:
            chunk = os.read(pipe, _CHUNK_BYTES)
            data += chunk
            if not chunk:
                return bytes(data), True
    except BlockingIOError:
        pass
    except OSError:
        return bytes(data), True
    finally:
        os.set_blocking(pipe, True)
    return bytes(data), False


class Channel(Generic[_Message]):
    """The arena's end of a connection to a child process: it never waits.

    What the child does not read is kept here and sent later; `received` is the type of the
    messages that the child may send, a union of tagged structs.
    """

    def __init__(
        self, end: socket.socket, received: Any, max_length: int = MAX_MESSAGE_BYTES
    ) -> None:
        self._end = end
        self._frames: Frames[_Message] = Frames(
            msgspec.msgpack.Decoder(received).decode, max_length
        )
        self._unsent = bytearray()

    def fileno(self) -> int:
        """The descriptor of the connection, for selectors."""
        return self._end.fileno()

    def send(self, message: object) -> None:
        """Send a message. That the child has gone is noticed by `receive`."""
        self._unsent += frame(message)
        self.flush()

    def flush(self) -> None:
        """Send what the child has not taken yet, as much as it takes now."""
        try:
            while self._unsent:
                flags = socket.MSG_DONTWAIT | _NO_SIGNAL
                del self._unsent[: self._end.send(self._unsent, flags)]
        except BlockingIOError:
            pass
        except OSError:  # the child has gone
            self._unsent.clear()

    def receive(self) -> list[_Message]:
        """The messages that have arrived completely.

        Raises ChannelClosed or ProtocolError when there are none, and the child has closed the
        channel or has sent something else.
        """
        chunk, is_closed = self._read()
        messages = self._frames.messages_in(chunk)
        if is_closed and not messages:
            raise ChannelClosed
        return messages

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has been received after the last message."""
        return self._frames.is_empty

    def _read(self) -> tuple[bytes, bool]:
        """The bytes that have arrived, about one message at most; whether it is closed."""
        data = bytearray()
        try:
            while len(data) <= MAX_MESSAGE_BYTES:
                chunk = self._end.recv(_CHUNK_BYTES, socket.MSG_DONTWAIT)
                data += chunk
                if len(chunk) < _CHUNK_BYTES:
                    return bytes(data), not chunk
        except BlockingIOError:
            pass
        except OSError:
            return bytes(data), True
        return bytes(data), False

    def close(self) -> None:
        """Close the connection: the child reads the end of its input."""
        self._end.close()


class ChildEnd(Generic[_Message]):
    """A child process's end, which may wait for the arena.

    Foreign code in the process may get hold of it, so the arena believes nothing that it sends.
    """

    def __init__(self, end: socket.socket, received: Any) -> None:
        self._end = end
        self._decode = msgspec.msgpack.Decoder(received).decode

    def fileno(self) -> int:
        """The descriptor of the connection."""
        return self._end.fileno()

    def send(self, message: object) -> None:
        """Send a message. Raises OSError when the arena has gone."""
        self._end.sendall(frame(message))

    def receive(self) -> _Message:
        """The next message. Raises EOFError when the arena has closed the channel."""
        _, length = _HEADER.unpack(self._exactly(_HEADER.size))
        message: _Message = self._decode(self._exactly(length))
        return message

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = b""
            with contextlib.suppress(OSError):
                part = self._end.recv(size - len(data), socket.MSG_WAITALL)
            if not part:
                raise EOFError
            data += part
        return data


_NO_SIGNAL: int = getattr(socket, "MSG_NOSIGNAL", 0)  # macOS has none; Python ignores SIGPIPE
