"""The arena's process on a machine of a cluster: it plays blocks with a worker pool, as a run does.

Its standard input is a socket to the arena; its workers and other child processes do not have it.
"""

import contextlib
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import ArenaError, GameError
from cantstop_arena.extensions.cluster.cluster_messages import (
    MAX_ORDER_BYTES,
    BotBuildFailed,
    BotsDisturb,
    BundlePlayed,
    DropGroups,
    LogText,
    PlayBlocks,
    SetTable,
    TableRefused,
    ToMachine,
)
from cantstop_arena.extensions.cluster.job import JobFolder, install_job, unpack_job
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.channel import Channel, ChannelClosed, take_standard_input
from cantstop_arena.tournaments.pool.block_pool import BotNotBuilt, InterpreterDisturbed, PartResult
from cantstop_arena.tournaments.pool.bot_logs import MAX_LOG_BYTES
from cantstop_arena.tournaments.pool.worker_messages import GameFailed, Ready, worker_broken
from cantstop_arena.tournaments.pool.worker_pool import WorkerPool

_PAUSE = 1.0  # seconds between two messages while there are results and more work


class MachineOrders:
    """What the arena wants to be played: an iterator over blocks that may be continued."""

    def __init__(self, channel: Channel[ToMachine]) -> None:
        self._channel = channel
        self._tables: deque[SetTable] = deque()
        self._blocks: deque[Block] = deque()

    def __iter__(self) -> "MachineOrders":
        return self

    def __next__(self) -> Block:
        """The next block; there may be more after StopIteration."""
        if not self._blocks:
            raise StopIteration
        return self._blocks.popleft()

    def __bool__(self) -> bool:
        return bool(self._blocks)

    @property
    def has_table(self) -> bool:
        """Whether there is another table to play at."""
        return bool(self._tables)

    def next_table(self) -> SetTable:
        """The next table, after waiting for it. Raises ChannelClosed."""
        while not self._tables:
            self.receive(None)
        return self._tables.popleft()

    def receive(self, seconds: float | None, pool: WorkerPool | None = None) -> None:
        """Take in the arena's messages, after waiting up to `seconds`. Raises ChannelClosed.

        Blocks that are no longer wanted are dropped, also from the `pool` that plays.
        """
        self._channel.wait(seconds)
        for message in self._channel.receive():
            if isinstance(message, PlayBlocks):
                self._blocks.extend(message.blocks)
            elif isinstance(message, DropGroups):
                self._drop(frozenset(message.groups).__contains__, pool)
            else:
                self._tables.append(message)
                self._drop(lambda group: True, pool)

    def _drop(self, void: Callable[[Group], bool], pool: WorkerPool | None) -> None:
        self._blocks = deque(block for block in self._blocks if not void(block.group))
        if pool:
            pool.drop(void)


class MachineReports:
    """Sends what has been played and printed at a table, in bundles."""

    def __init__(self, channel: Channel[ToMachine], logs: Sequence[Path]) -> None:
        self._channel = channel
        self._logs = logs
        self._parts: list[tuple[Block, BlockResult]] = []
        self._sent_at = time.monotonic()
        self._printed = dict.fromkeys(logs, 0)

    def are_due(self, is_last: bool) -> bool:
        """Whether to send now: after a while, or results at once if they are the last."""
        return (is_last and bool(self._parts)) or time.monotonic() - self._sent_at > _PAUSE

    def add(self, part: PartResult) -> None:
        """Add a result; faults are sent to the arena at once."""
        self._parts.append((part.full_block, part.result))
        if part.result.faults:
            self.send()

    def send(self) -> None:
        """Send what bots have printed, and the results; without any, a sign of life."""
        self._sent_at = time.monotonic()
        for bot, path in enumerate(self._logs):
            if text := self._new_text(path):
                self._channel.send(LogText(bot, text))
        self._channel.send(BundlePlayed(tuple(self._parts)))
        self._parts.clear()

    def _new_text(self, path: Path) -> bytes:
        """What was added to a log, which may have been cut at its maximum length."""
        begin = self._printed[path]
        with contextlib.suppress(OSError):
            if path.stat().st_size > begin:
                log = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a bot may have put a pipe there
                with os.fdopen(log, "rb") as file:
                    file.seek(begin)
                    text = file.read(max(0, MAX_LOG_BYTES - begin)) or b""
                self._printed[path] = begin + len(text)
                return text
        return b""


class Machine:
    """Plays at one table after the other, with so many worker processes."""

    def __init__(self, channel: Channel[ToMachine], processes: int) -> None:
        self._channel = channel
        self._orders = MachineOrders(channel)
        self._processes = processes

    def work(self) -> None:
        """Play until the arena closes the channel, which raises ChannelClosed."""
        while True:
            table = self._orders.next_table()
            with TemporaryDirectory(prefix="cantstop-arena-") as folder:
                if job := self._installed(table, Path(folder)):
                    self._channel.send(Ready())
                    self._play_or_report(job)

    def _installed(self, table: SetTable, folder: Path) -> JobFolder | None:
        """A table's job on this machine; None if it is refused."""
        try:
            return install_job(unpack_job(table), self._processes, folder)
        except (ArenaError, ImportError) as error:
            self._channel.send(TableRefused(str(error)))
            return None

    def _play_or_report(self, job: JobFolder) -> None:
        """Play at a table until there is another one, or until that fails."""
        try:
            self._play(job)
        except BotNotBuilt as error:
            self._channel.send(BotBuildFailed(error.bot, tuple(error.others), str(error)))
        except InterpreterDisturbed as error:
            self._channel.send(BotsDisturb(error.bots, error.what))
        except GameError as error:
            self._channel.send(GameFailed(str(error)))
        except ArenaError as error:
            self._channel.send(worker_broken(str(error)))
        except ChannelClosed:
            raise
        except Exception:
            self._channel.send(worker_broken(traceback.format_exc()))

    def _play(self, job: JobFolder) -> None:
        """Play the requested blocks until there is another table."""
        orders, reports = self._orders, MachineReports(self._channel, job.bots.logs.paths)
        factory = partial(job.spec.at_work, job.bots.logs)
        window = game_named(job.spec.game).window
        with WorkerPool(factory, window, job.bots, job.options) as pool:

            def exchange() -> None:
                orders.receive(0.0, pool)
                if reports.are_due(is_last=not orders):
                    reports.send()

            while not orders.has_table:
                for part in pool.play(orders, exchange):
                    reports.add(part)
                if reports.are_due(is_last=True):
                    reports.send()
                orders.receive(None, pool)


def main() -> None:
    """Play for the arena at the other end of the standard input."""
    channel: Channel[ToMachine] = Channel(take_standard_input(), ToMachine, MAX_ORDER_BYTES)
    os.register_at_fork(after_in_child=channel.close)
    with contextlib.suppress(ChannelClosed):
        Machine(channel, int(sys.argv[1])).work()


if __name__ == "__main__":
    main()
