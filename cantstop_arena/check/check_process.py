"""The process that checks a bot, which may hang, crash or flood it: messages, deadline, end."""

import contextlib
import faulthandler
import fcntl
import mmap
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotSource, exception_line
from cantstop_arena.bots.file_imports import note_reading
from cantstop_arena.bots.known_bot import LoadedBot
from cantstop_arena.bots.loader import Loader
from cantstop_arena.check.checks import BotChecks
from cantstop_arena.check.findings import (
    WRONG,
    BotsLoaded,
    CheckEnded,
    CheckRequest,
    CheckStage,
    Finding,
    Report,
    Request,
    TracebackRequest,
)
from cantstop_arena.check.net_setting import checked_setting
from cantstop_arena.check.suite import suite_of
from cantstop_arena.deals.outcomes import Snapshot
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.watched import ARENA, BOT
from cantstop_arena.games.registry import all_games, game_named
from cantstop_arena.processes import process_tree, shutdown, system
from cantstop_arena.processes.channel import ChildEnd, ProtocolError
from cantstop_arena.processes.child import Child, ChildFailed
from cantstop_arena.processes.child_output import ChildOutput
from cantstop_arena.processes.child_start import Policy, start_entry
from cantstop_arena.processes.watchdog import Watchdog, counted_seconds, pulse
from cantstop_arena.texts import in_a_line

_START_SECONDS = 60.0  # for loading Python and the engine's modules
PLAIN = Policy("fresh")
"""How the process starts for a bot that is not isolated."""
_REPORT_SECONDS = 0.5  # for writing the traceback of a process that hangs
_MAX_TRACE_BYTES = 1 << 16
_MAX_LINE_LENGTH = 300  # characters of a path with its line
_FOREIGN_TEXT = "somebody else wrote into the pipe of the report"
_NO_SNAPSHOT = Snapshot(0, 0, "", ARENA, (0, 0, 0))


class CheckProcessFailed(Exception):
    """The process crashed, hung or sent invalid messages. The message is the reason."""


class CheckProcess:
    """The process that checks a bot: its messages, its deadline, and its end."""

    def __init__(self, request: CheckRequest, hash_seed: str, policy: Policy) -> None:
        self._is_in_sandbox = policy.view is not None
        self.stage = CheckStage("file", "is read", _START_SECONDS)
        self.output = ChildOutput()
        self._limit = request.limit
        self._files = contextlib.ExitStack()
        max_window_bytes = max(game.window.size for game in all_games())
        memory_file = self._files.enter_context(_memory_file(max_window_bytes))
        self._trace_file = self._files.enter_context(_scratch_file())
        self._shared = mmap.mmap(memory_file.fileno(), max_window_bytes)
        self.game: Game | None = None  # the bot's game; None until the process has reported it
        self._request = request
        self._rules = request.rules
        self._read_snapshot: Callable[[], Snapshot] = lambda: _NO_SNAPSHOT
        self._stage_start = self._checked_at = time.monotonic()
        self._child: Child[Report] = start_entry(
            replace(policy, variables={"PYTHONHASHSEED": hash_seed}),
            f"{__name__}:serve",
            Report,
            self.output,
            [memory_file.fileno(), self._trace_file.fileno()],
        )
        self._watchdog = Watchdog(self._child.pid)
        self._child.send(request, _START_SECONDS)

    def __enter__(self) -> "CheckProcess":
        return self

    def __exit__(self, *problem: object) -> None:
        self._child.kill()
        self._files.close()

    def messages(self) -> Iterator[Report]:
        """The messages of the process. Raises CheckProcessFailed when it does not complete."""
        while True:
            shutdown.check()
            message = self._next_message()
            if isinstance(message, CheckEnded):
                return
            if isinstance(message, BotsLoaded):
                self._set_game(game_named(message.game))
                self._rules = message.rules
            elif isinstance(message, CheckStage):
                self._enter(message)
            if message:
                yield message
            self._check_time()

    def _next_message(self) -> Report | None:
        try:
            return self._child.next_message(pulse(self._limit))
        except ChildFailed as error:
            is_invalid = error.failure.kind == "invalid"
            text = _FOREIGN_TEXT if is_invalid else f"{error}{self._location()}"
            raise CheckProcessFailed(text) from error

    def _set_game(self, game: Game) -> None:
        self.game = game
        self._read_snapshot = game.window.reader(self._shared)

    def _enter(self, stage: CheckStage) -> None:
        self.stage = stage
        self._watchdog.begin()
        self._stage_start = self._checked_at = time.monotonic()

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
        if self._is_in_sandbox:  # the signal would end bubblewrap
            with contextlib.suppress(ProtocolError):
                self._child.channel.send(TracebackRequest())
        else:
            self._child.ask_location()
        deadline = time.monotonic() + _REPORT_SECONDS
        while not _size(self._trace_file) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.02)
        return self._location()

    def _location(self) -> str:
        """The function, the line and the game in which the process is or ended, as text."""
        snapshot, parts = self._snapshot(), []
        line = _bot_line(
            os.pread(self._trace_file.fileno(), _MAX_TRACE_BYTES, 0).decode("utf-8", "replace")
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
                suite_of(self.game, self._request.name, self._rules)[max(0, snapshot.cursor) :]
                if self.game
                else ()
            )
            parts += [f"{game}, turn {turn}, seat {seat}" for game in games[:1]]
        elif line:
            parts.append(line)
        return f" ({'; '.join(parts)})" if parts else ""


def _scratch_file() -> Any:
    return tempfile.TemporaryFile()


def _memory_file(size: int) -> Any:
    """An open file to share as memory; on Linux its size is fixed.

    Were it made shorter by the bot, to read it would end this process.
    """
    if not hasattr(os, "memfd_create"):
        file = _scratch_file()
        file.truncate(size)
        return file
    file = os.fdopen(os.memfd_create("window", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING), "w+b")
    file.truncate(size)
    seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
    return file


def _bot_line(trace: str) -> str:
    """The innermost line of the bot's own code in a traceback of faulthandler; empty if none."""
    arena_prefixes = (str(Path(__file__).parents[1]), sys.prefix, sys.base_prefix, "<")
    for file, line in re.findall(r'File "([^"\n]*)", line (\d+)', trace):
        if not file.startswith(arena_prefixes):
            location = f"{system.short_path(file)}:{line}"
            return in_a_line(location, _MAX_LINE_LENGTH)  # the bot can write into it
    return ""


def _size(file: Any) -> int:
    return os.fstat(file.fileno()).st_size


@contextlib.contextmanager
def supervised_process(
    request: CheckRequest, hash_seed: str, policy: Policy
) -> Iterator[CheckProcess]:
    """A context with a process that checks a bot; on exit its descendants are ended, too."""
    with (
        shutdown.defer_until_safe(),
        process_tree.end_orphans_after(),
        CheckProcess(request, hash_seed, policy) as process,
    ):
        yield process


# --- In the process -------------------------------------------------------------------------------


def _bots(loader: Loader, request: CheckRequest) -> list[LoadedBot]:
    if request.path:
        note_reading()
        bots = loader.bots_of(BotSource.at(request.path), game_named(request.game))
    elif request.package:
        bots = loader.bots_of_package(request.package)
    else:
        built_in = loader.built_in(game_named(request.game))
        bots = [bot for bot in built_in if bot.name == request.name]
    if not bots:
        raise BotError("holds no bot")
    return bots


def _checks(request: CheckRequest, report: Callable[[Report], None], memory: int) -> BotChecks:
    loader = Loader(request.folder)
    bots = _bots(loader, request)
    bot = next((bot for bot in bots if bot.name == request.bot), bots[0])
    setting = checked_setting(bot, game_named(bot.game), request.rules)
    report(BotsLoaded([bot.name for bot in bots], bot.name, bot.game, setting.rules))
    return BotChecks(loader, bot, mmap.mmap(memory, 0), request, setting, report)


def _check(request: CheckRequest, report: Callable[[Report], None], memory: int) -> None:
    report(CheckStage("file", "is read", max(2.0, 10 * request.limit)))
    try:
        checks = _checks(request, report, memory)
    except BotError as error:
        report(Finding(WRONG, "file", str(error)))
    else:
        _run_checks(checks, request.only_play)


def _run_checks(checks: BotChecks, only_play: bool) -> None:
    try:
        for finding in checks.play() if only_play else checks.everything():
            checks.report(finding)
    except GameError as error:
        checks.report(Finding(WRONG, "game", str(error)))
    except Exception as error:  # from the bot's own code, when a fresh instance is made
        checks.report(Finding(WRONG, checks.subject, exception_line(error)))


def _write_tracebacks(channel: ChildEnd[Request]) -> None:
    """Send the main thread a signal for each further message, which can only ask for that."""
    with contextlib.suppress(EOFError, OSError):
        while channel.receive():
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)


def serve(end: socket.socket, memory: int, trace_file: int) -> None:
    """Check the bot that the arena names, and send the findings."""
    faulthandler.enable(trace_file, all_threads=False)
    faulthandler.register(signal.SIGUSR1, trace_file, all_threads=False)
    channel: ChildEnd[Request] = ChildEnd(end, Request)
    request = channel.receive()
    assert isinstance(request, CheckRequest)
    if request.display_folder:
        system.display_paths_in(request.folder, request.display_folder)
        threading.Thread(target=_write_tracebacks, args=[channel], daemon=True).start()
    _check(request, channel.send, memory)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    channel.send(CheckEnded())
