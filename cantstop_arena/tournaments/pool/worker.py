"""One worker process: its channel, the shared memory in which it is observed, its start and end."""

import contextlib
import mmap
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from types import ModuleType
from typing import Any, Protocol

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault, SharedWindow
from cantstop_arena.errors import GameError
from cantstop_arena.processes import system
from cantstop_arena.processes.channel import Channel, ChannelClosed, ChildEnd, ProtocolError
from cantstop_arena.table.bot_faults import running_line
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.pool.disturbance import DisturbanceError
from cantstop_arena.tournaments.pool.worker_messages import (
    BlockPlayed,
    Building,
    Disturbed,
    GameFailed,
    GameLocation,
    Message,
    Play,
    Ready,
    worker_broken,
)

_TO_END = 10.0  # seconds for a process that is ending already, on the busiest machine
_TO_LOCATE = 0.5  # seconds for a process that stands still to say where
_MAX_LINE_LENGTH = 300  # characters of the location that it sends
_LOCATE: Any = getattr(signal, "SIGUSR1", None)
_SAFE_PATH = "PYTHONSAFEPATH"
TRIES = 5
"""How often a block or game is played, before processes that die at it are an error."""


class BlockPlayer(Protocol):
    """An object that plays blocks: a table of some game."""

    def play(
        self, block: Block, forfeits: tuple[Fault, ...] = ()
    ) -> BlockResult | Iterator[Message]:
        """Play a block's deals, each in every seating; games in `forfeits` are lost unplayed.

        A table at which games can be in step takes `alone=True`, too: see `GameTable.play`.

        A game that is played for its record yields a message for each event.
        """


PlayerFactory = Callable[[Any], "BlockPlayer | Iterator[Building | BlockPlayer]"]
"""Creates a player in a worker process, with its game in the shared memory passed to it.

When foreign bots are built, it yields a message before each.
"""


def start_methods() -> list[str]:
    """The start methods for processes on this system, the default first."""
    # A forked worker finds everything compiled. On macOS system libraries do not survive a fork.
    return ["spawn", "fork"] if sys.platform == "darwin" else ["fork", "spawn"]


class BotBuilding:
    """The foreign bots that a worker reports to build while it starts."""

    def __init__(self) -> None:
        self.started: list[int] = []
        """All bots whose building has started; the last is suspected when the worker fails."""
        self.goes_on = False
        """Whether the last bot is being built now."""

    def note(self, message: Building, foreign: Collection[int]) -> None:
        """Record a message. Raises ProtocolError for a bot that is not foreign, or built twice."""
        if message.bot is not None:
            if message.bot not in foreign or message.bot in self.started:
                raise ProtocolError
            self.started.append(message.bot)
        self.goes_on = message.bot is not None


class GameStopped(GameError):
    """A game whose code has ended its process, or takes too long."""


class Closable(Protocol):
    """An open file of the parent."""

    def close(self) -> None:
        """Close it."""


class Worker:
    """A process that plays one block after another."""

    def __init__(
        self,
        factory: PlayerFactory,
        window: SharedWindow,
        method: str,
        memory: int | None,
        inherited: Iterable[Closable] = (),
    ) -> None:
        """Start it. A forked worker closes the `inherited` files of its parent.

        For one that is spawned, dill has to be able to write the factory.
        """
        self._title = window.title
        import multiprocess  # takes as long as a short command, so not before a process is needed

        parent_end, child_end = socket.socketpair()
        self.channel: Channel[Message] = Channel(parent_end, Message)
        is_fork = method == "fork"
        context = multiprocess.get_context(method)
        shared = mmap.mmap(-1, window.size) if is_fork else context.RawArray("b", window.size)
        self.process = context.Process(
            target=_work,
            args=(
                child_end,
                [*inherited, self.channel] if is_fork else [],
                os.getpid(),
                factory,
                shared,
                memory,
                os.environ.get(_SAFE_PATH),
            ),
            daemon=True,
        )
        with contextlib.nullcontext() if is_fork else _only_installed_modules():
            self.process.start()
        assert self.process.pid is not None
        self.pid: int = self.process.pid
        self.look = window.reader(shared)
        child_end.close()
        self.ready = False
        self.construction = BotBuilding()

    def play(self, block: Block, forfeits: tuple[Fault, ...], alone: bool = False) -> None:
        """Send a block to be played; with `alone` its games one after the other."""
        self.channel.send(Play(block, forfeits, alone))

    def wait(self, seconds: float) -> None:
        """Wait up to `seconds` for a message or the end of the process."""
        from multiprocess.connection import wait

        wait([self.channel.fileno()], seconds)

    def ended(self) -> int | None:
        """The exit code of the process, or minus the signal that ended it; None while it runs.

        Call it when its channel has closed, which happens a moment before the process ends.
        """
        if system.is_ending(self.pid):
            self.process.join(_TO_END)
        code: int | None = self.process.exitcode
        return code

    def game_failure(self, function: str, deal: int, seconds: float | None = None) -> GameStopped:
        """The error for a game's function that ended the process, or took so many seconds."""
        function += "()"
        if seconds is None:
            what = f"ended the process in {function}"
        else:
            location = self._game_location()
            where = f"{function} at {location}" if location else function
            what = f"gave no answer within {seconds:g} s: {where}"
        return GameStopped(f"{self._title} fails in deal {deal}: the game's code {what}")

    def _game_location(self) -> str:
        """The line of the game's code that is running; empty when the process does not say."""
        if _LOCATE is None:
            return ""
        deadline = time.monotonic() + _TO_LOCATE
        with contextlib.suppress(OSError, ChannelClosed, ProtocolError):
            os.kill(self.pid, _LOCATE)
            while (left := deadline - time.monotonic()) > 0:
                self.wait(left)
                for message in self.channel.receive():
                    if isinstance(message, GameLocation):
                        return in_a_line(message.text, _MAX_LINE_LENGTH)
        return ""

    def kill(self) -> None:
        """Kill the process, and the processes that its bots may have started."""
        with contextlib.suppress(OSError):  # there is no such group, or no such thing
            os.killpg(self.pid, signal.SIGKILL)
        self.process.kill()

    def close(self) -> None:
        """Kill the process, and wait for its end."""
        self.kill()
        self.process.join()
        self.channel.close()


@contextlib.contextmanager
def _only_installed_modules() -> Iterator[None]:
    """A context for the start of an interpreter, and of the one that tracks its shared memory.

    They import from the current folder otherwise, where any file may be called `multiprocess.py`.
    Nor do they run the script again that has started this process, which needs no guard then.
    """
    main, before = sys.modules["__main__"], os.environ.get(_SAFE_PATH)
    sys.modules["__main__"] = ModuleType("__main__")
    _set_safe_path("1")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        _set_safe_path(before)


def _set_safe_path(value: str | None) -> None:
    """Set the variable for the interpreters that are started from now on; None deletes it."""
    os.environ.pop(_SAFE_PATH, None)
    if value is not None:
        os.environ[_SAFE_PATH] = value


def _work(
    end: socket.socket,
    inherited: list[Closable],
    parent: int,
    factory: PlayerFactory,
    shared: Any,
    memory: int | None,
    safe_path: str | None,
) -> None:
    """The main function of a worker: play blocks until the parent closes the channel or ends."""
    _set_safe_path(safe_path)  # programs of bots see the environment of the arena
    system.die_with_parent(parent)
    system.remove_hooks()
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)  # so that processes that bots start are killed together with the worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for file in inherited:  # else the channels would stay open when the parent ends
        file.close()
    channel: ChildEnd[Play] = ChildEnd(end, Play)
    if _LOCATE is not None:
        signal.signal(_LOCATE, lambda _, frame: channel.send(GameLocation(running_line(frame))))
    system.restore_gc()
    system.limit_library_threads()
    try:
        player = _build_player(factory(shared), channel)
    except BaseException:
        channel.send(worker_broken(traceback.format_exc()))
        return
    if memory is not None:
        system.limit_memory(memory)
    channel.send(Ready())
    while True:
        try:
            for message in _messages_for(player, channel.receive()):
                channel.send(message)
        except (EOFError, OSError):
            return


def _build_player(
    build: BlockPlayer | Iterator[Building | BlockPlayer], channel: ChildEnd[Play]
) -> BlockPlayer:
    """The player that a factory creates; the messages that it yields before are sent."""
    while isinstance(build, Iterator):
        step = next(build)
        if not isinstance(step, Building):
            return step
        channel.send(step)
    return build


def _messages_for(player: BlockPlayer, play: Play) -> Iterator[Message]:
    """The messages for a block: its result, the events of a recorded game, or an error."""
    try:
        keywords: dict[str, Any] = {"alone": True} if play.alone else {}
        answer = player.play(play.block, play.forfeits, **keywords)
        yield from answer if isinstance(answer, Iterator) else [BlockPlayed(answer)]
    except GameError as error:
        yield GameFailed(str(error))
    except DisturbanceError as error:
        yield Disturbed(error.what, error.bot, error.accused)
    except Exception:
        yield worker_broken(traceback.format_exc())
