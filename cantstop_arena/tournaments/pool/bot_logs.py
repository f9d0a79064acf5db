"""What bots print: a log file for each bot, of at most MAX_LOG_BYTES bytes.

A worker points its standard output and standard error at the file of the bot on turn, so that
everything that it prints, by C code and child processes too, is written there.
"""

import contextlib
import fcntl
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cantstop_arena.atomic_files import create_below, open_unlinked

MAX_LOG_BYTES = 1 << 20
_MAX_LINE_LENGTH = 1 << 16  # characters that are held back until their line ends
_STANDARD = (1, 2)  # file descriptors of standard output and standard error


_FIRST_FAULTS = "first-faults.log"


def first_faults(folder: Path) -> list[str]:
    """The lines about the first fault of each bot, while a run writes logs to a folder.

    They come in the order in which workers report; the results name each bot's first one.
    """
    try:
        return (folder / _FIRST_FAULTS).read_text("utf-8", "replace").splitlines()
    except OSError:
        return []


class BotLogs:
    """The log files of a run's bots, in one folder."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder = folder
        self.paths = [folder / _file_name(number, name) for number, name in enumerate(names)]
        self._faults = folder / _FIRST_FAULTS

    def begin(self) -> None:
        """Create the folder, and delete the logs of earlier runs."""
        create_below(self.folder.parent, self.folder)
        for path in self.folder.glob("*.log"):
            path.unlink()

    def note_fault(self, text: str) -> None:
        """Add a line about the first fault of a bot, for `first_faults`."""
        with contextlib.suppress(OSError), open(self._faults, "ab", opener=open_unlinked) as log:
            log.write(f"{text}\n".encode())

    @property
    def written(self) -> list[Path]:
        """The logs of the bots that have printed something."""
        return [path for path in self.paths if path.is_file() and path.lstat().st_size]

    def add(self, bot: int, text: bytes) -> None:
        """Append what a bot has printed on another machine, up to the maximum length."""
        if not 0 <= bot < len(self.paths):
            return
        with (
            contextlib.suppress(OSError),
            open(self.paths[bot], "ab", opener=open_unlinked) as log,
        ):
            log.write(text[: max(0, MAX_LOG_BYTES - log.tell())])

    def trim(self) -> None:
        """Truncate files that have grown too long, while bots may be writing to them."""
        for path in self.folder.glob("*.log"):
            with contextlib.suppress(OSError):
                if path.lstat().st_size > MAX_LOG_BYTES:
                    os.truncate(path, MAX_LOG_BYTES)

    def end(self) -> None:
        """Delete the files of bots that have printed nothing, and the lines of `first_faults`."""
        self.trim()
        self._faults.unlink(missing_ok=True)
        for path in self.folder.glob("*.log"):
            if not path.lstat().st_size:
                path.unlink()
        with contextlib.suppress(OSError):  # not empty
            self.folder.rmdir()


def _file_name(number: int, name: str) -> str:
    """A file name that every file system accepts, and from which people recognise the bot."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip(".")[:40]
    return f"{number + 1:03d}-{plain}.log"


class Redirection:
    """In a worker: redirects all output to the log of the bot on turn."""

    def __init__(self, paths: Sequence[Path], speaker: Callable[[], int]) -> None:
        self._paths = paths
        self._speaker = speaker
        self._files: dict[int, int] = {}
        self._open_lines: dict[int, str] = {}  # by bot, a line that has no end yet
        self._nowhere = _above(os.open(os.devnull, os.O_RDWR))
        os.dup2(self._nowhere, 0)
        self._point_at(self._nowhere)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = sys.stderr = _Printer(self)
        old = sys.__stdout__, sys.__stderr__
        self._old = [file for file in old if isinstance(file, io.TextIOWrapper)]

    def turn_to(self, bot: int) -> None:
        """Redirect output to the log of this bot."""
        self._flush()
        # Each time, since a bot can have closed or redirected the standard output of all bots.
        try:
            self._point_at(self._file_of(bot))
        except OSError:  # a bot has closed the files of others, too
            self._files.clear()
            self._nowhere = _above(os.open(os.devnull, os.O_RDWR))
            self._point_at(self._file_of(bot))

    def print(self, text: str) -> None:
        """Print for the bot on turn; compiled bots print this way only.

        Writes complete lines, each by one call, as other workers write to the same file.
        """
        bot = self._speaker()
        lines, newline, tail = (self._open_lines.pop(bot, "") + text).rpartition("\n")
        if len(tail) > _MAX_LINE_LENGTH:
            lines, newline, tail = lines + newline + tail, "\n", ""
        if tail:
            self._open_lines[bot] = tail
        self._write(bot, lines + newline)

    def end_lines(self) -> None:
        """Print the lines that have no end."""
        self._flush()
        while self._open_lines:
            bot, line = self._open_lines.popitem()
            self._write(bot, f"{line}\n")

    def _flush(self) -> None:
        """Write what the bot has put into the interpreter's own standard files to its log, too."""
        for file in self._old:
            with contextlib.suppress(OSError, ValueError):
                io.TextIOWrapper.flush(file)  # whatever a bot made of the file's own

    def _write(self, bot: int, text: str) -> None:
        self.turn_to(bot)
        data = memoryview(text.encode("utf-8", "backslashreplace"))[:MAX_LOG_BYTES]
        with contextlib.suppress(OSError):
            os.write(1, data)

    def _file_of(self, bot: int) -> int:
        if bot not in self._files:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            try:
                self._files[bot] = _above(open_unlinked(self._paths[bot], flags))
            except OSError:  # a log that cannot be opened does not end a tournament
                return self._nowhere
        return self._files[bot]

    def _point_at(self, file: int) -> None:
        if file != self._nowhere and os.fstat(file).st_size > MAX_LOG_BYTES:
            os.ftruncate(file, MAX_LOG_BYTES)
            file = self._nowhere
        for standard in _STANDARD:
            os.dup2(file, standard)


def _above(file: int) -> int:
    """The same file under a descriptor above those of standard input and output."""
    higher = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _STANDARD[-1] + 1)
    os.close(file)
    return higher


class _Printer(io.TextIOBase):
    """The file that `print` writes to in a worker."""

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
        """Do nothing: other bots print here, too."""
