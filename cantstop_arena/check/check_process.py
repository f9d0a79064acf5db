"""A process that looks at a bot, which may hang, crash or flood it: messages, deadline, end."""

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
from cantstop_arena.games.registry import DEFAULT, all_games, game_named
from cantstop_arena.processes import process_tree, shutdown, system
from cantstop_arena.processes.channel import line_of
from cantstop_arena.processes.child import take_pipes
from cantstop_arena.processes.system import ending
from cantstop_arena.processes.watchdog import Watchdog, counted_seconds, pulse

Message = Mapping[str, Any]

_START = 60.0  # seconds that Python and the engine's modules may take to load
_REPORT_SECONDS = 0.5  # seconds in which a process says where it is stuck
_TO_END = 3.0  # seconds in which whoever looks after it ends what it has left behind
_AT_ONCE = 1 << 16
_STORED_LINES = 1000  # bytes of what a bot prints
_MAX_LENGTH = 1 << 26  # bytes of a message
_FOREIGN_TEXT = "somebody else wrote into the pipe of the report"
_BLANK = Snapshot(0, 0, "", False, (0, 0, 0))
NAME = "--name="  # of a built-in bot, for the process that looks at it


class CheckProcessFailed(Exception):
    """The process has come to no good end. The message says how."""


class CheckProcess:
    """The process that looks at a bot: its messages, its deadline, and its end."""

    def __init__(self, arguments: Sequence[str], limit: float, hash_seed: str) -> None:
        self.stage = CheckStage("file", "is read", _START)
        self.printed = 0
        self.first_print = b""
        self._limit = limit
        self._unread = b""
        self._files = contextlib.ExitStack()
        self._memory, self._dump = (self._files.enter_context(_scratch()) for _ in range(2))
        size = max(game.window.size for game in all_games())
        self._memory.truncate(size)
        self._shared = mmap.mmap(self._memory.fileno(), size)
        self.game: Game | None = None  # that the bot plays, when it has been told
        self._own = own_bot(arguments)
        self._sight: Callable[[], Snapshot] = lambda: _BLANK
        self._since = self._checked_at = time.monotonic()
        self._process = self._started(arguments, hash_seed)
        self._watchdog = Watchdog(self._process.pid)
        self._selector = selectors.DefaultSelector()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe
            self._files.enter_context(pipe)
            self._selector.register(pipe, selectors.EVENT_READ)

    def _started(self, arguments: Sequence[str], hash_seed: str) -> subprocess.Popen[bytes]:
        memory, dump = self._memory.fileno(), self._dump.fileno()
        module = __name__
        parts = (
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
            [sys.executable, "-P", "-m", module, *map(str, parts), *arguments],
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
        """What it tells, to the end. Raises Grief where it does not get there."""
        while True:
            shutdown.check()
            ready = [key.fileobj for key, _ in self._selector.select(pulse(self._limit))]
            for pipe in ready:
                if pipe is self._process.stderr:
                    self._hear_prints(self._process.stderr)
            if self._process.stdout in ready:
                for message in self._read():
                    if "done" in message:
                        return
                    if "game" in message:
                        self._play(game_named(str(message["game"])))
                    if "stage" in message:
                        self._enter(CheckStage(*message["stage"]))
                    yield message
            elif not ready and self._process.poll() is not None and not self._selector.select(0):
                raise self._fate()  # what it told before its end would be there
            self._keep_time()

    def _play(self, game: Game) -> None:
        self.game = game
        self._sight = game.window.looking_at(self._shared)

    def _enter(self, stage: CheckStage) -> None:
        self.stage = stage
        self._watchdog.begin()
        self._since = self._checked_at = time.monotonic()

    def _read(self) -> list[Message]:
        assert self._process.stdout
        chunk = self._process.stdout.read(_AT_ONCE)
        if not chunk:
            raise self._fate()
        *lines, self._unread = (self._unread + chunk).split(b"\n")
        if len(self._unread) > _MAX_LENGTH:
            raise CheckProcessFailed(_FOREIGN_TEXT)
        try:
            return [dict(json.loads(line)) for line in lines]
        except (ValueError, TypeError):
            raise CheckProcessFailed(_FOREIGN_TEXT) from None

    def _hear_prints(self, pipe: Any) -> None:
        chunk = pipe.read(_AT_ONCE)
        if not chunk:
            self._selector.unregister(pipe)
        self.printed += len(chunk)
        self.first_print += chunk[: _STORED_LINES - len(self.first_print)]

    def _look(self) -> Snapshot:
        """What can be seen of the game, where nobody has written over it."""
        try:
            return self._sight()
        except IndexError:
            return _BLANK

    # When something goes wrong

    def _keep_time(self) -> None:
        now = time.monotonic()
        passed, self._checked_at = counted_seconds(now - self._checked_at, pulse(self._limit)), now
        snapshot = self._look()
        self._watchdog.observe(snapshot.step, passed)
        if self.stage.source_lines and snapshot.deciding and self._watchdog.overdue(self._limit):
            proven = self._watchdog.proven(self._limit)
            excuse = "" if proven else ", perhaps since the machine was busy or the process stopped"
            raise CheckProcessFailed(
                f"too slow: no answer within {self._limit:g} s{excuse}{self._stuck()}"
            )
        if now - self._since > self.stage.limit:
            raise CheckProcessFailed(f"is not done within {self.stage.limit:g} s{self._stuck()}")

    def _stuck(self) -> str:
        """Where it is, asked by a signal that Python answers even in an endless loop."""
        with contextlib.suppress(OSError):
            self._process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + _REPORT_SECONDS
        while not _size(self._dump) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.02)
        return self._location()

    def _fate(self) -> CheckProcessFailed:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END)
        return CheckProcessFailed(f"{ending(self._process.returncode)}{self._location()}")

    def _location(self) -> str:
        """The function and the line that were at work, and in which game."""
        snapshot, data = self._look(), []
        line = _own_line(os.pread(self._dump.fileno(), _AT_ONCE, 0).decode("utf-8", "replace"))
        if self.stage.source_lines is not None:
            _, seat, turn, *_ = snapshot.step
            if snapshot.deciding:
                question = snapshot.decision if turn else "making it anew"
                location = (
                    line or self.stage.source_lines.get(snapshot.decision, "") if turn else line
                )
                data.append(f"in {question} ({location})" if location else f"in {question}")
            games = suite_of(self.game, self._own)[max(0, snapshot.cursor) :] if self.game else ()
            data += [f"{game}, turn {turn}, seat {seat}" for game in games[:1]]
        elif line:
            data.append(line)
        return f" ({'; '.join(data)})" if data else ""


def _scratch() -> Any:
    return tempfile.TemporaryFile()


def _own_line(dump: str) -> str:
    """The line of the bot's own code that was at work, from a traceback of faulthandler's."""
    ours = (str(Path(__file__).parents[1]), sys.prefix, sys.base_prefix, "<")
    for file, line in re.findall(r'File "([^"\n]*)", line (\d+)', dump):
        if not file.startswith(ours):
            return f"{file}:{line}"
    return ""


def _size(file: Any) -> int:
    return os.fstat(file.fileno()).st_size


def own_bot(arguments: Sequence[str]) -> str:
    """The bot of a game's own that is looked at; empty where it is none."""
    return next((word.removeprefix(NAME) for word in arguments if word.startswith(NAME)), "")


@contextlib.contextmanager
def examination_of(
    arguments: Sequence[str], limit: float, hash_seed: str
) -> Iterator[CheckProcess]:
    """An examination of which nothing is left in the end, whatever has become of its process."""
    with (
        shutdown.defer_until_safe(),
        process_tree.none_left(),
        CheckProcess(arguments, limit, hash_seed) as examination,
    ):
        yield examination


def _parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cantstop_arena.check.check_process")
    parser.add_argument("--parent", type=int, required=True, help="the process that listens")
    parser.add_argument("--bots", type=Path, required=True, help="the folder of bots")
    parser.add_argument("--memory", type=int, required=True, help="file descriptor of the game")
    parser.add_argument("--dump", type=int, required=True, help="file descriptor for tracebacks")
    parser.add_argument("--limit", type=float, required=True, help="seconds for a decision")
    parser.add_argument("--bot", help="which bot of the file; the first is the default")
    parser.add_argument("--only-play", action="store_true", help="tell what happens in the games")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--path", type=Path)
    what.add_argument("--name", help="a built-in bot")
    parser.add_argument("--game", default=DEFAULT, help="the game of that bot")
    what.add_argument("--package", help="an entry point")
    return parser.parse_args()


def _specs(loader: Loader, request: argparse.Namespace) -> list[LoadedBot]:
    if request.path:
        note_reading()
        specs = loader.bots_of(BotSource(request.path))
    elif request.package:
        specs = loader.bots_of_package(request.package)
    else:
        specs = [
            spec for spec in loader.built_in(game_named(request.game)) if spec.name == request.name
        ]
    if not specs:
        raise BotError("holds no bot")
    return specs


def _examiner(request: argparse.Namespace, data: Report) -> BotChecks:
    loader = Loader(request.bots)
    specs = _specs(loader, request)
    spec = next((spec for spec in specs if spec.name == request.bot), specs[0])
    data({"bots": [spec.name for spec in specs], "this": spec.name, "game": spec.game})
    return BotChecks(loader, spec, mmap.mmap(request.memory, 0), request.limit, data)


def _examine(request: argparse.Namespace, data: Report) -> None:
    data(CheckStage("file", "is read", max(2.0, 10 * request.limit)).message())
    try:
        examiner = _examiner(request, data)
    except BotError as error:
        data(Finding(WRONG, "file", str(error)).message())
    else:
        _let_work(examiner, request.only_play)


def _let_work(examiner: BotChecks, only_play: bool) -> None:
    try:
        for finding in examiner.play() if only_play else examiner.everything():
            examiner.report(finding.message())
    except GameError as error:
        examiner.report(Finding(WRONG, "game", str(error)).message())
    except Exception as error:  # out of the bot's own code, where it is made anew
        examiner.report(Finding(WRONG, examiner.subject, exception_line(error)).message())


def main() -> None:
    """Examine a bot, and tell what is found."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever listens
    request = _parsed_arguments()
    system.die_with_parent(request.parent)
    system.refuse_cores()
    process_tree.supervise_descendants(signal.SIGUSR1)
    _, report = take_pipes()
    faulthandler.enable(request.dump, all_threads=False)
    faulthandler.register(signal.SIGUSR1, request.dump, all_threads=False)

    def tell(message: Mapping[str, Any]) -> None:
        left = memoryview(line_of(message))
        while left:
            left = left[report.write(left) :]

    _examine(request, tell)
    tell({"done": True})
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # whatever a bot has left running


if __name__ == "__main__":
    main()
