"""One worker process: its pipe, the memory in which it can be watched, and its life."""

import contextlib
import os
import pickle
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

import multiprocess

from cantstop_arena import system
from cantstop_arena.outcomes import Block, BlockResult, Fault, Glimpse

READY = "ready"
_LENGTH = struct.Struct("!Q")
_AT_ONCE = 1 << 20


class Player(Protocol):
    """Whoever plays blocks: a table of some game."""

    def play(self, block: Block, condemned: Iterable[Fault] = ()) -> BlockResult:
        """Play a block's deals, each in every seating; the condemned games are lost unplayed."""


Recipe = Callable[[Any], Player]
"""Makes a player in a worker process; its game has to lie in the memory that is handed over."""


@dataclass(frozen=True)
class Window:
    """How a game is watched from outside: the bytes it needs, and how they are read."""

    size: int
    sight_of: Callable[[Any], Callable[[], Glimpse]]


def worker_count() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_methods() -> list[str]:
    """The ways to start a process that this system has, the default first."""
    methods: list[str] = multiprocess.get_all_start_methods()
    # A forked worker finds everything compiled. On macOS system libraries do not survive a fork.
    default = "fork" if "fork" in methods and sys.platform != "darwin" else "spawn"
    return sorted(methods, key=lambda method: method != default)


class Worker:
    """A process that plays one block after another."""

    def __init__(
        self,
        recipe: Recipe,
        window: Window,
        method: str,
        memory: int | None,
        others: list["Worker"],
    ) -> None:
        context = multiprocess.get_context(method)
        shared = context.RawArray("b", window.size)
        self.look = window.sight_of(shared)
        self.pipe, theirs = context.Pipe()
        inherited = [worker.pipe for worker in [*others, self]] if method == "fork" else []
        parent = os.getpid() if method != "forkserver" else 0
        self.process = context.Process(
            target=_work, args=(theirs, inherited, parent, recipe, shared, memory), daemon=True
        )
        self.process.start()
        theirs.close()
        self.ready = False
        self._inbox = b""

    def give(self, block: Block, condemned: tuple[Fault, ...]) -> None:
        """Have a block played."""
        with contextlib.suppress(OSError):  # it is dead; its sentinel will say so
            self.pipe.send((block, condemned))

    def post(self) -> list[Any]:
        """The messages that have come in whole. Raises EOFError where no more can come.

        A worker can be stopped in the middle of a message, and must not stop us with it.
        """
        if os.name != "posix":
            return [self.pipe.recv()] if self.pipe.poll() else []
        os.set_blocking(self.pipe.fileno(), False)
        try:
            while chunk := os.read(self.pipe.fileno(), _AT_ONCE):
                self._inbox += chunk
        except BlockingIOError:
            return self._opened()
        except OSError as error:
            raise EOFError from error
        finally:
            os.set_blocking(self.pipe.fileno(), True)
        if messages := self._opened():
            return messages
        raise EOFError

    def _opened(self) -> list[Any]:
        messages = []
        while len(self._inbox) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._inbox)[0]
            if len(self._inbox) < end:
                break
            try:
                messages.append(pickle.loads(self._inbox[_LENGTH.size : end]))
            except Exception as error:  # whoever wrote this, it was not the worker
                raise EOFError from error
            self._inbox = self._inbox[end:]
        return messages

    def ended(self) -> int | None:
        """How the process has ended: its exit code, or minus a signal; None while it runs."""
        self.process.join(0.5)
        code: int | None = self.process.exitcode
        return code

    def dismiss(self) -> None:
        """End the process, if it has not ended."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _work(
    pipe: Connection,
    inherited: list[Connection],
    parent: int,
    recipe: Recipe,
    shared: Any,
    memory: int | None,
) -> None:
    """What a worker does: play block after block until the parent closes the pipe or dies."""
    system.die_with_parent(parent or os.getppid())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for connection in inherited:  # else the pipe of a dead parent would never look closed
        connection.close()
    try:
        player = recipe(shared)
    except BaseException:
        _send(pipe, traceback.format_exc())
        return
    if memory is not None:
        system.limit_memory(memory)
    _send(pipe, READY)
    while True:
        try:
            block, condemned = pipe.recv()
            _send(pipe, _answer(player, block, condemned))
        except (EOFError, OSError):
            return


def _answer(player: Player, block: Block, condemned: tuple[Fault, ...]) -> Any:
    try:
        return player.play(block, condemned)
    except Exception:
        return traceback.format_exc()


def _send(pipe: Connection, message: Any) -> None:
    content = pickle.dumps(message)
    if os.name != "posix":
        pipe.send(message)
        return
    left = memoryview(_LENGTH.pack(len(content)) + content)
    while left:
        left = left[os.write(pipe.fileno(), left) :]
