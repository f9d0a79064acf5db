"""What a child process prints: read from a pipe of its own, and appended to a log."""

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

from cantstop_arena.atomic_files import open_unlinked
from cantstop_arena.errors import BotError
from cantstop_arena.texts import in_a_line

MAX_LOG_BYTES = 1 << 20
_TAIL_BYTES = 1 << 16  # in which the last line is looked for
_HEAD_BYTES = 1000
_MAX_LINE_LENGTH = 500  # characters: what ends a line is the reason
_CHUNK_BYTES = 1 << 16
_CHUNKS_AT_ONCE = 32  # as many as a pipe can hold; a process may print faster than it is read


class ChildOutput:
    """The standard error of a child: the log keeps the first MAX_LOG_BYTES, the rest is dropped.

    The child gets a pipe and not the log itself, in which it could read what an earlier process
    has printed. Raises BotError when the log cannot be written.
    """

    def __init__(self, log: Path | None = None) -> None:
        self._log = _open_log(log)
        self.length = 0
        """Bytes that have been printed."""
        self.head = b""
        """The first of them."""
        self._tail = b""
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._read_end

    def close_write_end(self) -> None:
        """Close the child's end, once the child has it."""
        os.close(self.write_end)

    def drain(self) -> bool:
        """Take what has been printed; False when nobody can print any more."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(_CHUNKS_AT_ONCE):
                chunk = os.read(self._read_end, _CHUNK_BYTES)
                if not chunk:
                    return False
                self.length += len(chunk)
                self.head += chunk[: _HEAD_BYTES - len(self.head)]
                self._tail = (self._tail + chunk)[-_TAIL_BYTES:]
                self._append(chunk)
        return True

    def _append(self, chunk: bytes) -> None:
        """Append to the log as much as it may hold. Other children may write to it, too."""
        if self._log is None:
            return
        with contextlib.suppress(OSError):  # a full disk is no reason to end a game
            space = MAX_LOG_BYTES - os.fstat(self._log.fileno()).st_size
            if space > 0:
                self._log.write(chunk[:space])

    def last_line(self) -> str:
        """The last line that was printed, printable; empty without one."""
        self.drain()
        lines = self._tail.decode("utf-8", "replace").split("\n")
        texts = (in_a_line(line, _MAX_LINE_LENGTH) for line in reversed(lines) if line.strip())
        return next(texts, "")

    def close(self) -> None:
        """Take the rest, and close the log."""
        if self._read_end >= 0:
            self.drain()
            os.close(self._read_end)
            self._read_end = -1
        if self._log:
            self._log.close()
            self._log = None


def _open_log(log: Path | None) -> BinaryIO | None:
    if log is None:
        return None
    try:
        return open(log, "ab", buffering=0, opener=open_unlinked)
    except OSError as error:
        raise BotError(f"{log} cannot be written: {error.strerror}") from error
