"""Messages in a stream of bytes: a mark, the length and the content, validated by its types.

The process at the other end can write anything, so every message is validated before it is used.
"""

import contextlib
import os
import select
import socket
import struct
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Generic, Protocol, TypeVar

import msgspec

_HEADER = struct.Struct("!8sQ")  # before every message: a mark and its length
_MAGIC = b"canstop\n"
_CHUNK_BYTES = 1 << 16  # more is mapped and unmapped by the allocator at each call
_CHUNKS_AT_ONCE = 16
MAX_MESSAGE_BYTES = 1 << 26
"""Bytes of a message; the result of the largest block has about a million."""
MAX_SANDBOX_BYTES = 1 << 20
"""Bytes of a message from the sandbox; a check sends some 90,000. Decoded it takes more memory:
empty lists 64 times as much."""

_INVALID = "sent an invalid message"

_Message = TypeVar("_Message")


class _File(Protocol):
    def fileno(self) -> int: ...
    def close(self) -> None: ...


def _plain(value: Any) -> Any:
    """A value as one that MessagePack has: paths as bytes, NumPy's numbers as Python's.

    Raises TypeError for others.
    """
    if isinstance(value, PurePath):
        return os.fsencode(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be sent")


def _as_path(kind: type, value: Any) -> Any:
    if issubclass(kind, PurePath):
        return kind(os.fsdecode(value))
    raise NotImplementedError(kind)


encoded = msgspec.msgpack.Encoder(enc_hook=_plain).encode
"""The function that encodes a message, or a part of one."""


def decoder(received: Any) -> Callable[[bytes], Any]:
    """The function that decodes a message of these types."""
    return msgspec.msgpack.Decoder(received, dec_hook=_as_path).decode


class ProtocolError(Exception):
    """The stream holds no valid message."""


class ChannelClosed(Exception):
    """The process at the other end has closed the channel; all its messages were received."""


def frame(message: object) -> bytes:
    """The bytes of a message in the stream: mark, length and content."""
    content = encoded(message)
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
                raise ProtocolError(_INVALID) from error
        finally:
            del self._unread[:start]
        return messages

    def bytes_of(self, message: object) -> bytes:
        """A message to the other end of the stream."""
        return frame(message)

    def unexpected(self, chunk: bytes) -> str:
        """What is wrong where something came unasked; empty if nothing did."""
        self._unread += chunk
        return "unexpected message" if self._unread else ""

    def _end_of_message(self, start: int) -> int:
        """Where the message that begins at `start` ends; 0 while it is incomplete."""
        if len(self._unread) - start < _HEADER.size:
            return 0
        magic, length = _HEADER.unpack_from(self._unread, start)
        if magic != _MAGIC or length > self._max_bytes:
            raise ProtocolError(_INVALID)
        end = start + _HEADER.size + int(length)
        return end if len(self._unread) >= end else 0


class MessageCodec(Protocol[_Message]):
    """How messages are written as bytes."""

    def bytes_of(self, message: Any) -> bytes:
        """A message to the other end."""

    def messages_in(self, chunk: bytes) -> list[_Message]:
        """The messages that the next bytes complete. Raises ProtocolError for invalid ones."""

    def unexpected(self, chunk: bytes) -> str:
        """What is wrong where something came unasked; empty if nothing did."""


class Channel(Generic[_Message]):
    """The arena's end of a connection to a child process: it never waits.

    What the child does not read is kept here and sent later; `received` is the type of the
    messages that the child may send, a union of tagged structs.
    """

    def __init__(
        self, end: socket.socket, received: Any, max_length: int = MAX_MESSAGE_BYTES
    ) -> None:
        self._connect(end, end, Frames(decoder(received), max_length))

    def _connect(self, reader: _File, writer: _File, codec: MessageCodec[_Message]) -> None:
        self._reader, self._writer = reader, writer
        self._codec = codec
        self._unsent = bytearray()
        for file in (reader, writer):
            os.set_blocking(file.fileno(), False)

    def fileno(self) -> int:
        """The descriptor to wait for, for selectors."""
        return self._reader.fileno()

    def send(self, message: object) -> None:
        """Send a message. That the child has gone is noticed by `receive`."""
        self._unsent += self._codec.bytes_of(message)
        self.flush()

    def flush(self) -> None:
        """Send what the child has not taken yet, as much as it takes now."""
        try:
            while self._unsent:
                del self._unsent[: os.write(self._writer.fileno(), self._unsent)]
        except BlockingIOError:
            pass
        except OSError:  # the child has gone
            self._unsent.clear()

    def wait(self, seconds: float | None) -> None:
        """Wait up to `seconds` until something arrives; send meanwhile what the child takes."""
        polled = {self._writer.fileno(): select.POLLOUT} if self._unsent else {}
        polled[self.fileno()] = polled.get(self.fileno(), 0) | select.POLLIN
        poller = select.poll()
        for number, events in polled.items():
            poller.register(number, events)
        poller.poll(None if seconds is None else seconds * 1000)
        self.flush()

    def receive(self) -> list[_Message]:
        """The messages that have arrived completely.

        Raises ChannelClosed or ProtocolError when there are none, and the child has closed the
        channel or has sent something else.
        """
        chunk, is_closed = self._read()
        messages = self._codec.messages_in(chunk)
        if is_closed and not messages:
            raise ChannelClosed
        return messages

    def refuse_unexpected(self) -> None:
        """Raise ProtocolError when the child has sent something unasked."""
        chunk, is_closed = self._read()
        if text := self._codec.unexpected(chunk):
            raise ProtocolError(text)
        if is_closed:
            raise ChannelClosed

    def _read(self) -> tuple[bytes, bool]:
        """Up to 1 MiB of what has arrived; whether the channel is closed.

        The codec decodes it before more is read, as a child may write without an end.
        """
        chunks: list[bytes] = []
        is_closed = False
        try:
            while len(chunks) < _CHUNKS_AT_ONCE:
                chunk = os.read(self._reader.fileno(), _CHUNK_BYTES)
                chunks.append(chunk)
                if len(chunk) < _CHUNK_BYTES:
                    is_closed = not chunk
                    break
        except BlockingIOError:
            pass
        except OSError:
            is_closed = True
        return b"".join(chunks), is_closed

    def close(self) -> None:
        """Close the connection: the child reads the end of its input."""
        for file in (self._writer, self._reader):
            with contextlib.suppress(OSError):
                file.close()


class Connection(Generic[_Message]):
    """A channel to a command, over its standard files; a context that closes the command's ends.

    A command of the arena has a socket as standard input; what it prints goes to its output. A
    program in any language has pipes, with messages in its own codec.
    """

    def __init__(
        self,
        received: Any = None,
        codec: MessageCodec[_Message] | None = None,
        max_length: int = MAX_MESSAGE_BYTES,
    ) -> None:
        self._codec = codec
        if codec:
            self._standard_input, questions = os.pipe()
            answers, self._standard_output = os.pipe()
            self.channel: Channel[_Message] = _PipeChannel(answers, questions, codec)
        else:
            arena_end, child_end = socket.socketpair()
            self._standard_input, self._standard_output = child_end.detach(), -1
            self.channel = Channel(arena_end, received, max_length)

    def standard_files(self, output: int) -> dict[str, int]:
        """The arguments for `subprocess.Popen`."""
        is_socket = self._codec is None
        return {
            "stdin": self._standard_input,
            "stdout": output if is_socket else self._standard_output,
        }

    def __enter__(self) -> "Connection[_Message]":
        return self

    def __exit__(self, *problem: object) -> None:
        for number in (self._standard_input, self._standard_output):
            if number >= 0:
                os.close(number)


class _PipeChannel(Channel[_Message]):
    def __init__(self, answers: int, questions: int, codec: MessageCodec[_Message]) -> None:
        self._connect(os.fdopen(answers, "rb", 0), os.fdopen(questions, "wb", 0), codec)


class ChildEnd(Generic[_Message]):
    """A child process's end, which may wait for the arena.

    Foreign code in the process may get hold of it, so the arena believes nothing that it sends.
    """

    def __init__(self, end: socket.socket, received: Any) -> None:
        self._end = end
        self._decode = decoder(received)
        self._unread = b""

    def fileno(self) -> int:
        """The descriptor of the connection."""
        return self._end.fileno()

    def send(self, message: object) -> None:
        """Send a message. Raises OSError when the arena has gone."""
        self._end.sendall(frame(message))

    def receive(self) -> _Message:
        """The next message. Raises EOFError when the arena has closed the channel."""
        _, length = _HEADER.unpack_from(self._at_least(_HEADER.size))
        end = _HEADER.size + length
        data = self._at_least(end)
        self._unread = data[end:]
        message: _Message = self._decode(data[_HEADER.size : end])
        return message

    def _at_least(self, size: int) -> bytes:
        """What has arrived and was not returned as a message yet, at least `size` bytes."""
        while len(self._unread) < size:
            missing = size - len(self._unread)
            part = b""
            with contextlib.suppress(OSError):
                part = self._end.recv(max(missing, _CHUNK_BYTES))
            if not part:
                raise EOFError
            self._unread += part
        return self._unread


def take_standard_input() -> socket.socket:
    """The socket that is this process's standard input, which is empty from then on."""
    end = socket.socket(fileno=os.dup(0))
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.close(null_device)
    return end
