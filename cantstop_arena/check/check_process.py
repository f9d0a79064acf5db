"""The process that checks a bot, which may hang, crash or flood it: messages, deadline, end."""

import argparse
import contextlib
import faulthandler
import json
import mmap
import os
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cantstop_arena.bots.bot_files import BotSource, exception_line
from cantstop_arena.bots.file_imports import note_reading
from cantstop_arena.bots.known_bot import LoadedBot
from cantstop_arena.bots.loader import Loader
from cantstop_arena.check.checks import BotChecks, Report
from cantstop_arena.check.findings import WRONG, CheckStage, Finding
from cantstop_arena.check.suite import suite_of
from cantstop_arena.deals.outcomes import Snapshot
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.watched import ARENA, BOT
from cantstop_arena.games.registry import DEFAULT, all_games, game_named
from cantstop_arena.processes import process_tree, shutdown, system
from cantstop_arena.processes.child import take_pipes
from cantstop_arena.processes.json_lines import line_of
from cantstop_arena.processes.system import ending
from cantstop_arena.processes.watchdog import Watchdog, counted_seconds, pulse

Message = Mapping[str, Any]

_START_SECONDS = 60.0  # for loading Python and the engine's modules
_REPORT_SECONDS = 0.5  # for writing the traceback of a process that hangs
_END_SECONDS = 3.0  # for the end of a process, with the descendants that it leaves behind
_CHUNK_BYTES = 1 << 16
_MAX_PRINT_BYTES = 1000  # of a bot's output that are stored
_MAX_MESSAGE_BYTES = 1 << 26
_FOREIGN_TEXT = "somebody else wrote into the pipe of the report"
_NO_SNAPSHOT = Snapshot(0, 0, "", ARENA, (0, 0, 0))
NAME = "--name="  # the argument of the process that names a built-in bot


class CheckProcessFailed(Exception):
    """The process crashed, hung or sent invalid messages. The message is the reason."""


class CheckProcess:
    """The process that checks a bot: its messages, its deadline, and its end."""

    def __init__(self, arguments: Sequence[str], limit: float, hash_seed: str) -> None:
        self.stage = CheckStage("file", "is read", _START_SECONDS)
        self.printed = 0
        self.first_print = b""
        self._limit = limit
        self._unread = b""
        self._files = contextlib.ExitStack()
        self._memory_file, self._trace_file = (
            self._files.enter_context(_scratch_file()) for _ in range(2)
        )
        max_window_bytes = max(game.window.size for game in all_games())
        self._memory_file.truncate(max_window_bytes)
        self._shared = mmap.mmap(self._memory_file.fileno(), max_window_bytes)
        self.game: Game | None = None  # the bot's game; None until the process has reported it
        self._built_in_name = built_in_bot_name(arguments)
        self._read_snapshot: Callable[[], Snapshot] = lambda: _NO_SNAPSHOT
        self._stage_start = self._checked_at = time.monotonic()
        self._process = self._start(arguments, hash_seed)
        self._watchdog = Watchdog(self._process.pid)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe
            self._files.enter_context(pipe)
            self._selector.register(pipe, selectors.EVENT_READ)

    def _start(self, arguments: Sequence[str], hash_seed: str) -> subprocess.Popen[bytes]:
        memory, dump = self._memory_file.fileno(), self._trace_file.fileno()
        module = __name__
        options = (
            "--parent",
            os.getpid(),
            "--memory",
            memory,
            "--dump",
            dump,
            "--limit",
            self._limit,
        )
        return subprocess.Popen(
            [sys.executable, "-P", "-m", module, *map(str, options), *arguments],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            pass_fds=(memory, dump),
            start_new_session=True,
        )

    def __enter__(self) -> "CheckProcess":
        return self

    def __exit__(self, *problem: object) -> None:
        with contextlib.suppress(OSError):  # nobody is left
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        self._files.close()

    def messages(self) -> Iterator[Message]:
        """The messages of the process. Raises CheckProcessFailed when it does not complete."""
        while True:
            shutdown.check()
            ready = [key.fileobj for key, _ in self._selector.select(pulse(self._limit))]
            for pipe in ready:
                if pipe is self._process.stderr:
                    self._read_prints(self._process.stderr)
            if self._process.stdout in ready:
                for message in self._read_messages():
                    if "done" in message:
                        return
                    if "game" in message:
                        self._set_game(game_named(str(message["game"])))
                    if "stage" in message:
                        self._enter(CheckStage(*message["stage"]))
                    yield message
            elif not ready and self._process.poll() is not None and not self._selector.select(0):
                raise self._end_failure()  # no unread message is left
            self._check_time()

    def _set_game(self, game: Game) -> None:
        self.game = game
        self._read_snapshot = game.window.reader(self._shared)

    def _enter(self, stage: CheckStage) -> None:
        self.stage = stage
        self._watchdog.begin()
        self._stage_start = self._checked_at = time.monotonic()

    def _read_messages(self) -> list[Message]:
        assert self._process.stdout
        chunk = self._process.stdout.read(_CHUNK_BYTES)
        if not chunk:
            raise self._end_failure()
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        if len(self._unread) > _MAX_MESSAGE_BYTES:
            raise CheckProcessFailed(_FOREIGN_TEXT)
        try:
            return [dict(json.loads(line)) for line in lines]
        except (ValueError, TypeError):
            raise CheckProcessFailed(_FOREIGN_TEXT) from None

    def _read_prints(self, pipe: Any) -> None:
        chunk = pipe.read(_CHUNK_BYTES)
        if not chunk:
            self._selector.unregister(pipe)
        self.printed += len(chunk)
        self.first_print += chunk[: _MAX_PRINT_BYTES - len(self.first_print)]

    def _snapshot(self) -> Snapshot:
        """The state of the game in the shared memory; blank if the bot has overwritten it."""
        try:
            return self._read_snapshot()
        except IndexError:
            return _NO_SNAPSHOT

    # When something goes wrong

    def _check_time(self) -> None:
        now = time.monotonic()
        seconds, self._checked_at = counted_seconds(now - self._checked_at, pulse(self._limit)), now
        snapshot = self._snapshot()
        self._watchdog.observe(snapshot.step, seconds)
        if (
            self.stage.source_lines
            and snapshot.phase == BOT
            and self._watchdog.overdue(self._limit)
        ):
            is_proven = self._watchdog.proven(self._limit)
            excuse = (
                "" if is_proven else ", perhaps since the machine was busy or the process stopped"
            )
            raise CheckProcessFailed(
                f"too slow: no answer within {self._limit:g} s{excuse}{self._stuck_location()}"
            )
        if now - self._stage_start > self.stage.limit:
            raise CheckProcessFailed(
                f"is not done within {self.stage.limit:g} s{self._stuck_location()}"
            )

    def _stuck_location(self) -> str:
        """The location of a process that hangs, from the traceback that it writes on a signal."""
        with contextlib.suppress(OSError):
            self._process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + _REPORT_SECONDS
        while not _size(self._trace_file) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.02)
        return self._location()

    def _end_failure(self) -> CheckProcessFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        return CheckProcessFailed(f"{ending(self._process.returncode)}{self._location()}")

    def _location(self) -> str:
        """The function, the line and the game in which the process is or ended, as text."""
        snapshot, parts = self._snapshot(), []
        line = _bot_line(
            os.pread(self._trace_file.fileno(), _CHUNK_BYTES, 0).decode("utf-8", "replace")
        )
        if self.stage.source_lines is not None:
            _, seat, turn, *_ = snapshot.step
            if snapshot.phase == BOT:
                task = snapshot.function if turn else "building it"
                location = (
                    line or self.stage.source_lines.get(snapshot.function, "") if turn else line
                )
                parts.append(f"in {task} ({location})" if location else f"in {task}")
            games = (
                suite_of(self.game, self._built_in_name)[max(0, snapshot.cursor) :]
                if self.game
                else ()
            )
            parts += [f"{game}, turn {turn}, seat {seat}" for game in games[:1]]
        elif line:
            parts.append(line)
        return f" ({'; '.join(parts)})" if parts else ""


def _scratch_file() -> Any:
    return tempfile.TemporaryFile()


def _bot_line(trace: str) -> str:
    """The innermost line of the bot's own code in a traceback of faulthandler; empty if none."""
    arena_prefixes = (str(Path(__file__).parents[1]), sys.prefix, sys.base_prefix, "<")
    for file, line in re.findall(r'File "([^"\n]*)", line (\d+)', trace):
        if not file.startswith(arena_prefixes):
            return f"{file}:{line}"
    return ""


def _size(file: Any) -> int:
    return os.fstat(file.fileno()).st_size


def built_in_bot_name(arguments: Sequence[str]) -> str:
    """The name of the built-in bot that is checked; empty for any other bot."""
    return next((word.removeprefix(NAME) for word in arguments if word.startswith(NAME)), "")


@contextlib.contextmanager
def supervised_process(
    arguments: Sequence[str], limit: float, hash_seed: str
) -> Iterator[CheckProcess]:
    """A context with a process that checks a bot; on exit its descendants are ended, too."""
    with (
        shutdown.defer_until_safe(),
        process_tree.end_orphans_after(),
        CheckProcess(arguments, limit, hash_seed) as process,
    ):
        yield process


def _parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cantstop_arena.check.check_process")
    parser.add_argument("--parent", type=int, required=True, help="process ID of the parent")
    parser.add_argument("--bots", type=Path, required=True, help="the folder of bots")
    parser.add_argument("--memory", type=int, required=True, help="file descriptor of the game")
    parser.add_argument("--dump", type=int, required=True, help="file descriptor for tracebacks")
    parser.add_argument("--limit", type=float, required=True, help="seconds for a decision")
    parser.add_argument("--bot", help="the bot of the file (default: the first)")
    parser.add_argument(
        "--only-play", action="store_true", help="report only the traces of the games"
    )
    target = parser.add_mutually_exclusive_group(required=True)
    target.add_argument("--path", type=Path)
    target.add_argument("--name", help="a built-in bot")
    parser.add_argument("--game", default=DEFAULT, help="the game of that bot")
    target.add_argument("--package", help="an entry point")
    return parser.parse_args()


def _bots(loader: Loader, request: argparse.Namespace) -> list[LoadedBot]:
    if request.path:
        note_reading()
        bots = loader.bots_of(BotSource.at(request.path))
    elif request.package:
        bots = loader.bots_of_package(request.package)
    else:
        bots = [
            bot for bot in loader.built_in(game_named(request.game)) if bot.name == request.name
        ]
    if not bots:
        raise BotError("holds no bot")
    return bots


def _checks(request: argparse.Namespace, report: Report) -> BotChecks:
    loader = Loader(request.bots)
    bots = _bots(loader, request)
    bot = next((bot for bot in bots if bot.name == request.bot), bots[0])
    report({"bots": [bot.name for bot in bots], "this": bot.name, "game": bot.game})
    return BotChecks(loader, bot, mmap.mmap(request.memory, 0), request.limit, report)


def _check(request: argparse.Namespace, report: Report) -> None:
    report(CheckStage("file", "is read", max(2.0, 10 * request.limit)).message())
    try:
        checks = _checks(request, report)
    except BotError as error:
        report(Finding(WRONG, "file", str(error)).message())
    else:
        _run_checks(checks, request.only_play)


def _run_checks(checks: BotChecks, only_play: bool) -> None:
    try:
        for finding in checks.play() if only_play else checks.everything():
            checks.report(finding.message())
    except GameError as error:
        checks.report(Finding(WRONG, "game", str(error)).message())
    except Exception as error:  # from the bot's own code, when a fresh instance is made
        checks.report(Finding(WRONG, checks.subject, exception_line(error)).message())


def main() -> None:
    """Check a bot, and write the findings as messages."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    request = _parsed_arguments()
    system.die_with_parent(request.parent)
    system.refuse_cores()
    process_tree.supervise_descendants(signal.SIGUSR1)
    _, pipe = take_pipes()
    faulthandler.enable(request.dump, all_threads=False)
    faulthandler.register(signal.SIGUSR1, request.dump, all_threads=False)

    def report(message: Mapping[str, Any]) -> None:
        unsent = memoryview(line_of(message))
        while unsent:
            unsent = unsent[pipe.write(unsent) :]

    _check(request, report)
    report({"done": True})
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # without waiting for threads that a bot has left running


if __name__ == "__main__":
    main()
