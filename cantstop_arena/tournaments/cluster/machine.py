"""The arena's process on a machine of a cluster: it plays blocks with a worker pool, as a run does.

It receives blocks on its standard input, and sends results on its standard output. Its workers and
other child processes have neither.
"""

import contextlib
import os
import sys
import time
import traceback
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.errors import ArenaError, GameError
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.channel import Frames, frame
from cantstop_arena.tournaments.cluster.cluster_messages import (
    MAX_ORDER_BYTES,
    BotBuildFailed,
    BotsDisturb,
    BundlePlayed,
    DropGroups,
    FromMachine,
    JobRefused,
    LogText,
    MachineReady,
    PlayBlocks,
    StartJob,
    ToMachine,
    to_machine,
)
from cantstop_arena.tournaments.cluster.job import JobFolder, install_job, unpack_job
from cantstop_arena.tournaments.pool.block_pool import BotNotBuilt, InterpreterDisturbed, PartResult
from cantstop_arena.tournaments.pool.bot_logs import MAX_LOG_BYTES
from cantstop_arena.tournaments.pool.worker_messages import GameFailed, worker_broken
from cantstop_arena.tournaments.pool.worker_pool import WorkerPool

_PAUSE = 1.0  # seconds between two messages while there are results and more work
_PIPES = 3  # the first file descriptor that is not a standard one


class JobEnded(Exception):
    """The arena has closed the connection."""


class MachinePipes:
    """The standard files that a machine's process was started with, closed to its children."""

    def __init__(self) -> None:
        self._inbox, self._outbox = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nowhere, 0)
        os.dup2(2, 1)
        os.close(nowhere)
        self._frames = Frames(to_machine, MAX_ORDER_BYTES)
        os.register_at_fork(after_in_child=self._close_in_child)

    def send(self, message: FromMachine) -> None:
        """Send a message to the arena. Raises JobEnded."""
        left = memoryview(frame(message))
        try:
            while left:
                left = left[os.write(self._outbox, left) :]
        except BrokenPipeError as error:
            raise JobEnded from error

    def receive(self, seconds: float | None = None) -> list[ToMachine]:
        """The messages of the arena, after waiting up to `seconds`. Raises JobEnded."""
        if not wait([self._inbox], seconds):
            return []
        try:
            return self._frames.receive(self._inbox)
        except EOFError:
            raise JobEnded from None

    def _close_in_child(self) -> None:
        """Close the pipes in a child, once: its children may reuse these file descriptors."""
        for pipe in (self._inbox, self._outbox):
            if pipe >= _PIPES:
                os.close(pipe)
        self._inbox = self._outbox = -1


@dataclass
class Machine:
    """The blocks to be played, and the results that have not been sent yet."""

    pipes: MachinePipes
    job: JobFolder
    _waiting: deque[Block] = field(default_factory=deque)
    _parts: list[tuple[Block, BlockResult]] = field(default_factory=list)
    _sent_at: float = field(default_factory=time.monotonic)
    _printed: dict[Path, int] = field(default_factory=dict)

    def work(self) -> None:
        """Play the requested blocks. Raises JobEnded, and what a pool raises."""
        job = self.job
        factory = partial(job.spec.at_work, job.bots.logs)
        window = game_named(job.spec.game).window
        with WorkerPool(factory, window, job.bots, job.options) as pool:
            while True:
                for part in pool.play(self, partial(self._on_tick, pool)):
                    self._add_result(part)
                self._send_results()
                self._listen(pool, _PAUSE)

    def __iter__(self) -> "Machine":
        return self

    def __next__(self) -> Block:
        """The next block; the pool asks again when there are none."""
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()

    def _on_tick(self, pool: WorkerPool) -> None:
        """Receive messages and send results, while the pool plays."""
        self._listen(pool)
        if (self._parts and not self._waiting) or time.monotonic() - self._sent_at > _PAUSE:
            self._send_results()

    def _listen(self, pool: WorkerPool, seconds: float = 0.0) -> None:
        for message in self.pipes.receive(seconds):
            if isinstance(message, PlayBlocks):
                self._waiting.extend(message.blocks)
            elif isinstance(message, DropGroups):
                void = frozenset(message.groups)
                self._waiting = deque(block for block in self._waiting if block.group not in void)
                pool.drop(void.__contains__)

    def _add_result(self, part: PartResult) -> None:
        """Add a result; faults are sent to the arena at once."""
        self._parts.append((part.full_block, part.result))
        if part.result.faults:
            self._send_results()

    def _send_results(self) -> None:
        """Send what bots have printed, and the results."""
        self._sent_at = time.monotonic()
        for bot, path in enumerate(self.job.bots.logs.paths):
            if text := self._new_text(path):
                self.pipes.send(LogText(bot, text))
        if self._parts:
            self.pipes.send(BundlePlayed(tuple(self._parts)))
            self._parts.clear()

    def _new_text(self, path: Path) -> bytes:
        """What was added to a log, which may have been cut at its maximum length."""
        begin = self._printed.get(path, 0)
        with contextlib.suppress(OSError):
            if path.stat().st_size > begin:
                log = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a bot may have put a pipe there
                with os.fdopen(log, "rb") as file:
                    file.seek(begin)
                    text = file.read(max(0, MAX_LOG_BYTES - begin)) or b""
                self._printed[path] = begin + len(text)
                return text
        return b""


def _play(pipes: MachinePipes, processes: int, folder: Path) -> None:
    """Play a job, or refuse it. Raises JobEnded at the end."""
    try:
        job_folder = _install(_first_message(pipes), processes, folder)
    except ArenaError as error:
        pipes.send(JobRefused(str(error)))
    else:
        pipes.send(MachineReady())
        _work(Machine(pipes, job_folder))
    while True:
        pipes.receive()


def _first_message(pipes: MachinePipes) -> StartJob:
    """The first message of the arena."""
    while not (messages := pipes.receive()):
        pass  # it is incomplete
    (message,) = messages
    assert isinstance(message, StartJob)
    return message


def _install(message: StartJob, processes: int, folder: Path) -> JobFolder:
    """Install the job of a message. Raises ArenaError when it cannot be played here."""
    try:
        job = unpack_job(message)
    except ImportError as error:
        raise ArenaError(str(error)) from error
    return install_job(job, processes, folder)


def _work(machine: Machine) -> None:
    try:
        machine.work()
    except BotNotBuilt as error:
        machine.pipes.send(BotBuildFailed(error.bot, tuple(error.others), str(error)))
    except InterpreterDisturbed as error:
        machine.pipes.send(BotsDisturb(error.bots, error.what))
    except GameError as error:
        machine.pipes.send(GameFailed(str(error)))
    except ArenaError as error:
        machine.pipes.send(worker_broken(str(error)))
    except JobEnded:
        raise
    except Exception:
        machine.pipes.send(worker_broken(traceback.format_exc()))


def main() -> None:
    """Play for the arena at the other end of the standard files."""
    pipes = MachinePipes()
    with TemporaryDirectory(prefix="cantstop-arena-") as folder, contextlib.suppress(JobEnded):
        _play(pipes, int(sys.argv[1]), Path(folder))


if __name__ == "__main__":
    main()
