"""What bots print: a file for each bot, never longer than LONGEST bytes.

A worker points its standard output and standard error at the file of the bot on turn, so that
whatever a bot uses to print, C code and programs it starts included, lands there.
"""

import contextlib
import fcntl
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

MAX_LOG_BYTES = 1 << 20
_MAX_LINE_LENGTH = 1 << 16  # signs that wait for the end of their line
_STANDARD = (1, 2)  # file descriptors of standard output and standard error


class BotLogs:
    """The log files of a run's bots, in one folder."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder = folder
        self.paths = [folder / _file_name(number, name) for number, name in enumerate(names)]

    def begin(self) -> None:
        """Make room for what a new run prints."""
        self.folder.mkdir(exist_ok=True)
        for path in self.folder.glob("*.log"):
            path.unlink()

    def add(self, bot: int, text: bytes) -> None:
        """Add what a bot has printed on another machine, as far as there is room for it."""
        if not 0 <= bot < len(self.paths):
            return
        with contextlib.suppress(OSError), self.paths[bot].open("ab") as log:
            log.write(text[: max(0, MAX_LOG_BYTES - log.tell())])

    def trim(self) -> None:
        """Cut files that have grown too long, while bots may be writing to them."""
        for path in self.folder.glob("*.log"):
            with contextlib.suppress(OSError):
                if path.stat().st_size > MAX_LOG_BYTES:
                    os.truncate(path, MAX_LOG_BYTES)

    def end(self) -> None:
        """Leave only the files of bots that have printed something."""
        self.trim()
        for path in self.folder.glob("*.log"):
            if not path.stat().st_size:
                path.unlink()
        with contextlib.suppress(OSError):  # not empty
            self.folder.rmdir()


def _file_name(number: int, name: str) -> str:
    """A name that every file system takes, and in which people recognise the bot."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip(".")[:40]
    return f"{number + 1:03d}-{plain}.log"


class Redirection:
    """In a worker: sends what is printed to the log of the bot on turn."""

    def __init__(self, paths: Sequence[Path], speaker: Callable[[], int]) -> None:
        self._paths = paths
        self._speaker = speaker
        self._files: dict[int, int] = {}
        self._first_lines: dict[int, str] = {}  # by bot, a line that has no end yet
        self._nowhere = _above(os.open(os.devnull, os.O_RDWR))
        os.dup2(self._nowhere, 0)
        self._point_at(self._nowhere)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = sys.stderr = _Printer(self)
        old = sys.__stdout__, sys.__stderr__
        self._old = [item for item in old if isinstance(item, io.TextIOWrapper)]

    def turn_to(self, bot: int) -> None:
        """From now on it is this bot that prints."""
        self._flush()
        # Always, since a bot can have closed or redirected what is standard output for all.
        try:
            self._point_at(self._file_of(bot))
        except OSError:  # even the files of others
            self._files.clear()
            self._nowhere = _above(os.open(os.devnull, os.O_RDWR))
            self._point_at(self._file_of(bot))

    def print(self, text: str) -> None:
        """Print on behalf of the bot on turn; a compiled one comes this way only.

        Whole lines, each in one go, as other workers print to the same file.
        """
        bot = self._speaker()
        lines, newline, remaining = (self._first_lines.pop(bot, "") + text).rpartition("\n")
        if len(remaining) > _MAX_LINE_LENGTH:
            lines, newline, remaining = lines + newline + remaining, "\n", ""
        if remaining:
            self._first_lines[bot] = remaining
        self._write(bot, lines + newline)

    def end_lines(self) -> None:
        """Print what was begun and has no end."""
        self._flush()
        while self._first_lines:
            bot, remaining = self._first_lines.popitem()
            self._write(bot, f"{remaining}\n")

    def _flush(self) -> None:
        """What a bot wrote past this, to the interpreter's own standard files, is its own, too."""
        for item in self._old:
            with contextlib.suppress(OSError, ValueError):
                io.TextIOWrapper.flush(item)  # whatever a bot made of the file's own

    def _write(self, bot: int, text: str) -> None:
        self.turn_to(bot)
        data = memoryview(text.encode("utf-8", "backslashreplace"))[:MAX_LOG_BYTES]
        with contextlib.suppress(OSError):
            os.write(1, data)

    def _file_of(self, bot: int) -> int:
        if bot not in self._files:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            try:
                self._files[bot] = _above(os.open(self._paths[bot], flags, 0o644))
            except OSError:  # what bots print is not worth a tournament
                return self._nowhere
        return self._files[bot]

    def _point_at(self, file: int) -> None:
        if file != self._nowhere and os.fstat(file).st_size > MAX_LOG_BYTES:
            os.ftruncate(file, MAX_LOG_BYTES)
            file = self._nowhere
        for standard in _STANDARD:
            os.dup2(file, standard)


def _above(file: int) -> int:
    """The same file under a number that nobody takes for standard input or output."""
    higher = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _STANDARD[-1] + 1)
    os.close(file)
    return higher


class _Printer(io.TextIOBase):
    """What `print` writes to in a worker."""

    encoding = "utf-8"

    def __init__(self, redirection: Redirection) -> None:
        self._redirection = redirection

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._redirection.print(text)
        return len(text)

    def fileno(self) -> int:
        return 1

    def close(self) -> None:
        """Others print here too."""
