"""One worker process: its pipe, the memory in which it can be watched, and its life."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault, SharedWindow
from cantstop_arena.errors import GameError
from cantstop_arena.processes import system
from cantstop_arena.processes.channel import ProtocolError, frame
from cantstop_arena.tournaments.pool.worker_messages import (
    BlockPlayed,
    Building,
    GameFailed,
    Inbox,
    Message,
    Ready,
    worker_broken,
)

_PRELOADED = ("cantstop_arena.tournaments.table_spec",)
_TO_END = 10.0  # seconds for a process that is ending already, on the busiest machine
TRIES = 5
"""How often a thing is played before processes that die at it are more than bad luck."""


class BlockPlayer(Protocol):
    """Whoever plays blocks: a table of some game."""

    def play(
        self, block: Block, forfeits: tuple[Fault, ...] = ()
    ) -> BlockResult | Iterator[Message]:
        """Play a block's deals, each in every seating; the condemned games are lost unplayed.

        A game that is played to be watched is told message by message.
        """


PlayerFactory = Callable[[Any], "BlockPlayer | Iterator[Building | BlockPlayer]"]
"""Makes a player in a worker process; its game has to lie in the memory that is handed over.

Where foreign bots are built for that, each is told of before.
"""


def worker_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_methods() -> list[str]:
    """The ways to start a process that this system has, the default first."""
    methods = multiprocessing.get_all_start_methods()
    # A forked worker finds everything compiled. On macOS system libraries do not survive a fork.
    default = "fork" if "fork" in methods and sys.platform != "darwin" else "spawn"
    return sorted(methods, key=lambda method: method != default)


class BotBuilding:
    """The foreign bots that a worker says it builds while it starts."""

    def __init__(self) -> None:
        self.started: list[int] = []
        """All that were begun; of these, the last may be the one to blame for what happens."""
        self.goes_on = False
        """Whether the last one is being built now."""

    def note(self, message: Building, foreign: Collection[int]) -> None:
        """Another one is begun. Raises Nonsense where that cannot be: each is built once."""
        if message.bot is not None:
            if message.bot not in foreign or message.bot in self.started:
                raise ProtocolError
            self.started.append(message.bot)
        self.goes_on = message.bot is not None


class Worker:
    """A process that plays one block after another."""

    def __init__(
        self,
        factory: PlayerFactory,
        window: SharedWindow,
        method: str,
        memory: int | None,
        others: list["Worker"],
    ) -> None:
        context = _context(method)
        if method == "forkserver":
            context.set_forkserver_preload(list(_PRELOADED))
        shared = context.RawArray("b", window.size)
        self.look = window.looking_at(shared)
        self.pipe, rival = context.Pipe()
        inherited = [worker.pipe for worker in [*others, self]] if method == "fork" else []
        parent = os.getpid() if method != "forkserver" else 0
        self.process = context.Process(
            target=_work, args=(rival, inherited, parent, factory, shared, memory), daemon=True
        )
        self.process.start()
        rival.close()
        self.ready = False
        self.construction = BotBuilding()
        self._inbox = Inbox()

    def send_block(self, block: Block, forfeits: tuple[Fault, ...]) -> None:
        """Have a block played."""
        with contextlib.suppress(OSError):  # it is dead; its sentinel will say so
            self.pipe.send_bytes(pickle.dumps((block, forfeits)))  # `send` knows more, and is slow

    def wait(self, seconds: float) -> None:
        """Wait until it says something or ends, but no longer than this."""
        wait([self.pipe, self.process.sentinel], seconds)

    def messages(self) -> list[Message]:
        """The messages that have come in whole.

        Raises EOFError where no more can come, and Nonsense for what is no message. A worker can
        be stopped in the middle of a message, and must not stop us with it.
        """
        return self._inbox.receive(self.pipe.fileno())

    def ended(self) -> int | None:
        """How the process has ended: its exit code, or minus a signal; None while it runs.

        To be asked when its pipe has closed, which it does a moment before the process is gone.
        """
        if system.is_ending(self.process.pid):
            self.process.join(_TO_END)
        code: int | None = self.process.exitcode
        return code

    def kill(self) -> None:
        """Have the process end, if it has not ended, and what its bots may have started."""
        with contextlib.suppress(OSError):  # there is no such group, or no such thing
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()

    def close(self) -> None:
        """Kill it, and wait until it is gone."""
        self.kill()
        self.process.join()
        self.pipe.close()


def _context(method: str) -> Any:
    """What starts processes. Where it takes a factory along as bytes, that can be any function."""
    if method == "fork":
        return multiprocessing.get_context(method)
    import multiprocess

    return multiprocess.get_context(method)


def _work(
    pipe: Connection,
    inherited: list[Connection],
    parent: int,
    factory: PlayerFactory,
    shared: Any,
    memory: int | None,
) -> None:
    """What a worker does: play block after block until the parent closes the pipe or dies."""
    system.die_with_parent(parent or os.getppid())
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)  # what bots start can be ended together with the worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for connection in inherited:  # else the pipe of a dead parent would never look closed
        connection.close()
    system.restore_gc()
    try:
        player = _made(factory(shared), pipe)
    except BaseException:
        _send(pipe, worker_broken(traceback.format_exc()))
        return
    if memory is not None:
        system.limit_memory(memory)
    _send(pipe, Ready())
    while True:
        try:
            block, forfeits = pickle.loads(pipe.recv_bytes())
            for message in _answers(player, block, forfeits):
                _send(pipe, message)
        except (EOFError, OSError):
            return


def _made(making: BlockPlayer | Iterator[Building | BlockPlayer], pipe: Connection) -> BlockPlayer:
    """The player that a factory comes to; what it has to say on the way is sent."""
    while isinstance(making, Iterator):
        step = next(making)
        if not isinstance(step, Building):
            return step
        _send(pipe, step)
    return making


def _answers(player: BlockPlayer, block: Block, forfeits: tuple[Fault, ...]) -> Iterator[Message]:
    """The result of a block, or what comes instead: a player can have several things to say."""
    try:
        answer = player.play(block, forfeits)
        yield from answer if isinstance(answer, Iterator) else [BlockPlayed(answer)]
    except GameError as error:
        yield GameFailed(str(error))
    except Exception:
        yield worker_broken(traceback.format_exc())


def _send(pipe: Connection, message: Message) -> None:
    left = memoryview(frame(message))
    while left:
        left = left[os.write(pipe.fileno(), left) :]
