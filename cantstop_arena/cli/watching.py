"""`arena run FILE --watch`: the run starts again whenever a file that it has read changes.

A small parent starts `arena run FILE` as a child process, which reports over a pipe which files it
has read. The parent polls their stat, and compares digests before it starts the run again: a bot
that writes beside itself must not keep it running for ever.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click
import msgspec

from cantstop_arena.bots.bot_paths import own_files_called
from cantstop_arena.bounded_files import digest_of_path, files_below, paths_matching
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.system import ArenaProcess, short_path, start_arena
from cantstop_arena.texts import how_many, listed

if TYPE_CHECKING:
    from cantstop_arena.tournaments.tournament import Tournament

REPORT = "CANTSTOP_ARENA_REPORT"
"""The environment variable with the descriptor to which a watched run writes its report."""
_TICK = 0.1  # seconds between two looks at the child and at requests to end
_POLL = 1.0  # seconds between two looks at the files
_QUIET = 0.4  # seconds without a change before a file counts as written
_MAX_NAMED = 3  # files that a message names
_INDENT = " " * 10  # as wide as the time before a message
_LIMITS = {signal.SIGINT: 10.0, signal.SIGTERM: 5.0, signal.SIGKILL: inf}
"""The signals that end a child, one after the other, and the seconds to wait after each."""

_Stamp = tuple[object, ...] | None


class FilesRead(msgspec.Struct, frozen=True):
    """What a run has read: the digests of `files` by absolute path, empty for missing ones.

    It would also read new files that match the `globs`, but those that are `ignored` or in ignored
    folders.
    """

    files: dict[str, str] = {}
    globs: list[str] = []
    ignored: list[str] = []

    def stamps(self) -> dict[str, _Stamp]:
        """What tells cheaply whether a file may have changed, of all files."""
        return {path: _stamp(Path(path)) for path in (*self.files, *self._new_files())}

    def changes(self) -> list[str]:
        """A phrase for each file that is not as it was read."""
        phrases = []
        for path, digest in self.files.items():
            now = digest_of_path(Path(path))
            if now != digest:
                change = "has changed" if now and digest else "is new" if now else "is gone"
                phrases.append(f"{short_path(path)} {change}")
        return phrases + [f"{short_path(path)} is new" for path in self._new_files()]

    def joined_to(self, earlier: "FilesRead") -> "FilesRead":
        """This report of a run that has failed, and what an earlier one has read, as it is now."""
        files = {path: digest_of_path(Path(path)) for path in earlier.files}
        return FilesRead(files | self.files, [*earlier.globs, *self.globs], self.ignored)

    def _new_files(self) -> Iterator[str]:
        observed_paths = {*self.files, *self.ignored}
        for path in _matching(self.globs):
            if observed_paths.isdisjoint([path, *map(str, Path(path).parents)]):
                yield path


def _matching(globs: Iterable[str]) -> Iterator[str]:
    """The files that match any of these globs."""
    matches = map(paths_matching, dict.fromkeys(globs))
    yield from dict.fromkeys(path for paths in matches for path in paths)


def _stamp(path: Path) -> _Stamp:
    try:
        if path.is_dir():
            return tuple(map(_stamp, sorted(files_below(path))))
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


# The child ----------------------------------------------------------------------------------------


class FileReport:
    """Collects what a run reads of a tournament file, and of the bots in it.

    Where the tournament is not complete, any bot beside those that were read may be the reason.
    """

    def __init__(self, file: Path, bots_folder: Path, results: Path) -> None:
        self._files = {str(file.absolute()): digest_of_path(file)}
        self._bots_folder = bots_folder
        self._results = str(results.absolute())
        self._folders: list[str] = []  # globs
        self._is_complete = False

    def add(self, tournament: "Tournament") -> None:
        """Add the files that the entrants name beside their bots."""
        for entrant in tournament.entrants:
            for path in (*entrant.named_files, *entrant.needs, *map(Path, entrant.command)):
                if path.is_absolute():
                    self._files[str(path)] = digest_of_path(path)
        self._is_complete = not tournament.left_out

    def add_folder(self, folder: Path) -> None:
        """Add all files in a folder, and in those below it."""
        self._folders.append(str(folder.absolute() / "**" / "*.*"))
        for path in _matching(self._folders):
            self._files[path] = digest_of_path(Path(path))
        self._is_complete = True

    def files_read(self) -> FilesRead:
        """What has been read so far."""
        from cantstop_arena.bots.bot_files import identified_files
        from cantstop_arena.tournaments.file.pattern_entrants import searched_globs

        files, globs = self._files | identified_files(), [*searched_globs, *self._folders]
        if self._is_complete:
            return FilesRead(files, globs, [self._results, *_matching(globs)])
        folders = dict.fromkeys([self._bots_folder.absolute(), *(Path(p).parent for p in files)])
        globs += [str(folder / name) for folder in folders for name in own_files_called("*")]
        suspects = {path: digest_of_path(Path(path)) for path in _matching(globs)}
        return FilesRead(suspects | files, globs, [self._results])


@contextmanager
def reporting_files(file: Path, bots_folder: Path, results: Path) -> Iterator[FileReport]:
    """A context in a watched run in which a file is read; its end reports which files were read."""
    descriptor = os.environ.pop(REPORT)
    report = FileReport(file, bots_folder, results)
    os.set_inheritable(int(descriptor), False)
    try:
        yield report
    finally:
        with suppress(OSError), os.fdopen(int(descriptor), "wb") as pipe:
            pipe.write(msgspec.json.encode(report.files_read()) + b"\n")


@contextmanager
def echo_changed_bots(folder: Path, echo: Callable[[str], None]) -> Iterator[None]:
    """A context of a run in a folder, at the end of which bots that it has changed are echoed."""
    from cantstop_arena.reports.changed_bots import changed_bot_lines, last_query

    before = last_query(folder)
    yield
    for line in changed_bot_lines(before, folder):
        echo(f"{_INDENT}{line}")


# The parent ---------------------------------------------------------------------------------------


def rerun_on_changes(file: Path, arguments: Sequence[str], quiet: bool) -> NoReturn:
    """Run `arena` with these words again and again, until the user ends it (Interrupted).

    The `file` of the tournament is watched even if no run gets as far as to report it.
    """
    shutdown.announce_resume()
    files = FilesRead({str(file.absolute()): ""})
    with shutdown.defer_until_safe():
        while True:
            with _running(arguments) as run:
                files, changes = _wait_for_changes(run, files, quiet)
            _echo(_summary(changes), quiet)


class _Run:
    """A run in a child process, and the pipe from which its report is read."""

    def __init__(self, process: ArenaProcess, pipe: int) -> None:
        self._process = process
        self._pipe = pipe
        self._text = b""

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while it runs."""
        return self._process.poll()

    def report(self) -> FilesRead | None:
        """The report, once it has arrived; an empty one if there will be none."""
        has_ended = self.exit_code is not None
        with suppress(BlockingIOError):
            while text := os.read(self._pipe, 1 << 16):
                self._text += text
        line, newline, _ = self._text.partition(b"\n")
        if not newline:
            return FilesRead() if has_ended else None
        try:
            return msgspec.json.decode(line, type=FilesRead)
        except msgspec.DecodeError:  # a bot has written into the pipe
            return FilesRead()

    def end(self, grace: float) -> None:
        """End the process, which has so many seconds to end by itself."""
        if self._waits(grace):
            return
        for number, seconds in _LIMITS.items():
            self._process.send_signal(number)
            if self._waits(seconds):
                return

    def _waits(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self.exit_code is None and time.monotonic() < end:
            time.sleep(_TICK)
        return self.exit_code is not None


@contextmanager
def _running(arguments: Sequence[str]) -> Iterator[_Run]:
    """A run that ends with this context; Ctrl-C on a terminal reaches it without our help."""
    reading, writing = os.pipe()
    try:
        os.set_blocking(reading, False)
        try:
            variables = {REPORT: str(writing), shutdown.MESSAGE_FROM_PARENT: "1"}
            run = _Run(start_arena(arguments, variables, [writing]), reading)
        finally:
            os.close(writing)
        grace = 0.0
        try:
            yield run
        except BaseException:
            grace = 1.0
            raise
        finally:
            run.end(grace)
    finally:
        os.close(reading)


def _wait_for_changes(run: _Run, earlier: FilesRead, quiet: bool) -> tuple[FilesRead, list[str]]:
    """The files that a run has read, and what has changed in them since."""
    while (files := run.report()) is None:
        _pause(_TICK)
    is_over, stamps = False, None
    polled = 0.0
    while True:
        if not is_over and run.exit_code is not None:
            is_over = True
            _echo(_ended(run.exit_code), quiet)
            if run.exit_code not in (ExitCode.DONE, ExitCode.DISQUALIFIED):
                files, stamps = files.joined_to(earlier), None
        if time.monotonic() - polled >= _POLL:
            now = files.stamps()
            if now != stamps:
                stamps = _stable(files, now) if stamps else now
                if changes := files.changes():
                    return files, changes
            polled = time.monotonic()
        _pause(_TICK)


def _stable(files: FilesRead, stamps: dict[str, _Stamp]) -> dict[str, _Stamp]:
    """The stamps of files once they have not changed for a moment."""
    while True:
        _pause(_QUIET)
        now = files.stamps()
        if now == stamps:
            return now
        stamps = now


def _pause(seconds: float) -> None:
    """Sleep. Raises Interrupted at the user's request."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        shutdown.check()
        time.sleep(min(left, _TICK))
    shutdown.check()


def _ended(code: int) -> str:
    failed = code not in (ExitCode.DONE, ExitCode.DISQUALIFIED)
    what = f"This run has ended with exit code {code}; waiting" if failed else "Waiting"
    return f"{what} for changes (Ctrl-C ends)."


def _summary(changes: Sequence[str]) -> str:
    more = len(changes) - _MAX_NAMED
    names = [*changes[:_MAX_NAMED], *([how_many(more, "more file")] if more > 0 else ())]
    return f"{listed(names)}."


def _echo(text: str, quiet: bool) -> None:
    if not quiet:
        click.echo(f"{time.strftime('%H:%M:%S')}  {text}", err=True)


def child_arguments(prints_standings: bool) -> list[str]:
    """The command line of the child; it prints the standings alone where no tables are named."""
    command, *arguments = (word for word in sys.argv[1:] if word != "--watch")
    return [command, *(("--table", "standings") if prints_standings else ()), *arguments]
