"""Worker processes that play blocks, and a parent that hands out work and replaces failed workers.

The parent waits for messages, and some 20 times a second observes the games. A worker that dies or
stalls is replaced. Its block is split, so that the deal in question is played again on its own; a
bot that stops the same game three times, or that has provably stopped it, forfeits it.
"""

import selectors
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult, SharedWindow
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import GameError, WorkerPoolError
from cantstop_arena.game_api.watched import BOT
from cantstop_arena.hookspecs import BATCH_HOOK
from cantstop_arena.processes import shutdown, watchdog
from cantstop_arena.tournaments.file.keys import default_of
from cantstop_arena.tournaments.pool.blame import (
    Bots,
    Retrial,
    Retrials,
    Suspect,
    Suspicions,
    WorkerFailure,
)
from cantstop_arena.tournaments.pool.block_pool import BotNotBuilt, PartResult
from cantstop_arena.tournaments.pool.remote_pools import CLUSTER_WAIT, PoolAddress
from cantstop_arena.tournaments.pool.worker import (
    TRIES,
    Closable,
    PlayerFactory,
    Worker,
    start_methods,
)
from cantstop_arena.tournaments.pool.worker_messages import BlockPlayed, Disturbed, is_result_of
from cantstop_arena.tournaments.pool.worker_slot import (
    BlockPart,
    WorkerFailed,
    WorkerSlot,
    unexpected_message,
)

_TRIM_INTERVAL, _TRIM_INTERVAL_IDLE = (
    1.0,
    0.1,
)  # seconds between two times; soon where a worker stands still
_PULSE_WITHOUT_SUSPECTS = (
    0.2  # seconds between two looks, where no bot can be the reason that nothing moves
)
_GAME_TRIES = 3  # of a block in which the game fails, before that is an error
_GRACE = 5.0  # seconds without progress, beyond ten times the time of a block


class PoolOptions(msgspec.Struct, frozen=True):
    """Options of workers: their number, start method, and additional bytes of memory for each.

    `start_limit` is the time in seconds that each may take to get ready, `foreign` the bots that
    are built in them meanwhile. With a `cluster`, `workers` is the number on each of its machines;
    0 means as many as Dask has threads there; `cluster_wait` is the time in seconds to wait for a
    machine that can play.
    """

    workers: int
    method: str = start_methods()[0]
    memory: int | None = None
    start_limit: float = default_of("start_limit")
    foreign: Collection[int] = ()
    cluster: PoolAddress | None = None
    cluster_wait: float = CLUSTER_WAIT


class WorkerPool:
    """Plays a stream of blocks on several processes. Use it as a context manager."""

    def __init__(
        self, factory: PlayerFactory, window: SharedWindow, bots: Bots, options: PoolOptions
    ) -> None:
        self._factory = factory
        self._window = window
        self._bots = bots
        self._options = options
        self._slots: list[WorkerSlot] = []
        self._again: deque[BlockPart] = deque()
        self._suspicions = Suspicions(bots)
        self._retrials = Retrials(bots)
        self._blocks, self._seconds = 0, 0.0
        self._selector = selectors.DefaultSelector()  # forked workers close it
        self._pulse = 0.0  # seconds between two checks
        self._checked_at = self._trimmed_at = time.monotonic()

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *problem: object) -> None:
        for slot in self._slots:  # kill all first: each takes a while to free its memory
            slot.worker.kill()
        for slot in self._slots:
            slot.worker.close()
        self._slots.clear()
        self._selector.close()

    def play(
        self, blocks: Iterator[Block], meanwhile: Callable[[], None] = lambda: None
    ) -> Iterator[PartResult]:
        """Yield the results of the blocks, or of their parts, in the order in which they finish.

        `meanwhile` is called after each check of the workers, some 5 to 20 times a second.

        Raises WorkerPoolError when workers keep dying before they play, BotNotBuilt when a bot is
        the reason, InterpreterDisturbed when a bot harms others, GameError when the game itself
        fails, and Interrupted.
        """
        self._hand_out(blocks)
        while any(slot.part for slot in self._slots):
            shutdown.check()
            for slot in self._signalling():
                result = self._collect(slot)
                self._hand_out(blocks)
                if result is not None:
                    yield result
            if time.monotonic() >= self._checked_at + self._pulse:
                self._check_workers()
                meanwhile()
            self._hand_out(blocks)

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Drop the blocks of void groups, whether they are being played or queued."""
        self._again = deque(part for part in self._again if not void(part.block.group))
        for slot in list(self._slots):
            if slot.part and void(slot.part.block.group):
                self._remove(slot)

    # Handing out and collecting

    def _hand_out(self, blocks: Iterator[Block]) -> None:
        """Send every idle worker a part, and start workers while there are more parts."""
        while True:
            idle = next((slot for slot in self._slots if slot.part is None), None)
            if idle is None and len(self._slots) >= self._options.workers:
                return
            part = self._next(blocks)
            if part is None:
                return
            if idle and part.retrial:
                self._remove(idle)
                idle = None
            slot = idle or self._start_worker(part.retrial)
            slot.give(part, self._suspicions.forfeits(part.block))

    def _next(self, blocks: Iterator[Block]) -> BlockPart | None:
        if self._again:
            return self._again.popleft()
        block = next(blocks, None)
        return BlockPart(block, block) if block else None

    def _start_worker(self, retrial: Retrial | None) -> WorkerSlot:
        options, factory, bots = self._options, self._factory, self._bots
        if retrial:
            factory, bots = retrial.factory(factory), bots.with_own_processes(retrial.separate)
        channels = [slot.worker.channel for slot in self._slots]
        inherited: list[Closable] = [self._selector, *channels]
        worker = Worker(factory, self._window, options.method, options.memory, inherited)
        slot = WorkerSlot(worker, bots, options.start_limit, options.foreign)
        self._slots.append(slot)
        self._selector.register(worker.channel, selectors.EVENT_READ, slot)
        return slot

    def _signalling(self) -> list[WorkerSlot]:
        """The workers that have sent messages or ended, after waiting until the next check."""
        left = self._checked_at + self._pulse - time.monotonic()
        return [key.data for key, _ in self._selector.select(max(0.0, left))]

    def _collect(self, slot: WorkerSlot) -> PartResult | None:
        """A worker's result; None when there is none yet, or its part is queued again."""
        if slot not in self._slots:
            return None  # removed in the meantime
        if slot.part is None:
            self._remove(slot)  # it has ended, or sends what nobody has asked for
            return None
        part = slot.part
        with self._replacing_failed(slot, part):
            for report in slot.reports():
                if isinstance(report, Disturbed):
                    self._try_again(slot, part, report)
                    return None
                if not isinstance(report, BlockPlayed) or not self._is_result(report, part):
                    raise unexpected_message()
                if part.retrial and not part.retrial.counts:
                    self._end_retrial(slot, part, part.retrial, report.result)
                    return None
                return self._finish_block(slot, part, report.result)
        return None

    def _is_result(self, report: BlockPlayed, part: BlockPart) -> bool:
        return is_result_of(report.result, part.block, len(self._bots.orders))

    def _finish_block(self, slot: WorkerSlot, part: BlockPart, result: BlockResult) -> PartResult:
        """The result of a part. A worker that has sent more is replaced."""
        slot.part = None
        self._blocks += 1
        self._seconds += time.monotonic() - slot.since
        if part.retrial or not slot.is_quiet:
            self._remove(slot)
        return PartResult(result, part.full_block)

    # Observing games

    def _check_workers(self) -> None:
        """Observe every game, and replace the workers that have made no progress for too long."""
        now = time.monotonic()
        passed = watchdog.counted_seconds(now - self._checked_at, self._pulse)
        self._checked_at = now
        busy = [slot for slot in self._slots if slot.part]
        grace = self._grace()
        for slot in busy:
            if slot.part:
                with self._replacing_failed(slot, slot.part):
                    slot.check(passed, grace)
        self._pulse = self._next_pulse(busy)
        self._trim_logs(any(slot.idle_seconds for slot in busy))

    def _next_pulse(self, busy: Sequence[WorkerSlot]) -> float:
        """The seconds until the next check."""
        groups = {slot.part.block.group for slot in busy if slot.part}
        if not any(map(self._bots.suspects, groups)):
            return _PULSE_WITHOUT_SUSPECTS
        limits = [self._bots.decision_limit(bot) for group in groups for bot in group]
        return watchdog.pulse(min(limits, default=self._options.start_limit))

    def _trim_logs(self, soon: bool) -> None:
        """Trim logs at intervals: a bot can print without end in a single decision."""
        if self._checked_at - self._trimmed_at > (_TRIM_INTERVAL_IDLE if soon else _TRIM_INTERVAL):
            self._trimmed_at = self._checked_at
            self._bots.trim_logs()

    def _grace(self) -> float:
        """The seconds that a worker may make no progress while no bot is deciding."""
        return _GRACE + 10 * (self._seconds / self._blocks if self._blocks else 0.0)

    # When a worker has failed

    @contextmanager
    def _replacing_failed(self, slot: WorkerSlot, part: BlockPart) -> Iterator[None]:
        """Replace the worker if it fails in this section."""
        try:
            yield
        except GameError as error:
            self._retry_game(slot, part, error)
        except WorkerFailed as failed:
            self._fail(slot, part, failed.failure)

    def _retry_game(self, slot: WorkerSlot, part: BlockPart, error: GameError) -> None:
        """Queue the part again without charging a bot: something may have harmed the worker."""
        self._remove(slot)
        part.failures += 1
        if part.failures >= _GAME_TRIES:
            raise error
        if part.failures == _GAME_TRIES - 1:
            part.retrial = self._retrials.of_game(error)
        self._again.append(part)

    def _fail(self, slot: WorkerSlot, part: BlockPart, failure: WorkerFailure) -> None:
        """Replace a worker, and queue its part again; forfeited games are left out."""
        ready, snapshot = slot.worker.ready, slot.worker.look()
        self._remove(slot)
        if slot.worker.construction.goes_on:
            self._check_build(part, slot.worker.construction.started, failure)
        if ready and snapshot.phase == BOT and snapshot.function == BATCH_HOOK:
            part.alone = True  # nobody is charged: it is not known in which of the games it fails
            self._again.appendleft(part)
            return
        suspect = self._suspicions.suspect(part.block, snapshot) if ready else None
        if suspect is None or (part.retrial and not part.retrial.may_fail(suspect.bot)):
            self._retry_unexplained(part, failure.text)
            return
        if part.retrial and not part.retrial.counts:
            self._retrials.convict(part.retrial)
            part.retrial = None
        divisible = self._bots.divisible(part.block.group)
        pieces = part.split(suspect.deal) if divisible else [part]
        if self._is_doubted(suspect, failure):
            (piece,) = (p for p in pieces if p.block.first <= suspect.deal < p.block.end)
            group = part.block.group
            piece.retrial = self._retrials.of_bot(suspect.bot, group, part.retrial, failure)
        else:
            self._suspicions.count(suspect, failure)
        self._again.extendleft(reversed(pieces))

    def _is_doubted(self, suspect: Suspect, failure: WorkerFailure) -> bool:
        """Whether the suspect would forfeit the game, and another may have harmed its process."""
        is_decisive = self._suspicions.is_decisive(suspect, failure)
        return is_decisive and self._retrials.is_doubted(suspect.bot)

    def _try_again(self, slot: WorkerSlot, part: BlockPart, message: Disturbed) -> None:
        """Discard a block, and find out whether the accused fail by themselves, too."""
        self._remove(slot)
        part.retrial = self._retrials.of_disturbed(message, part.block.group, part.retrial)
        self._again.appendleft(part)

    def _end_retrial(
        self, slot: WorkerSlot, part: BlockPart, retrial: Retrial, result: BlockResult
    ) -> None:
        """Queue a part again whose bots played apart, so that its result does not count."""
        self._remove(slot)
        part.retrial = self._retrials.verdict(retrial, part.block.group, result.faults)
        self._again.appendleft(part)

    def _check_build(
        self, piece: BlockPart, started: Sequence[int], failure: WorkerFailure
    ) -> None:
        """Raise BotNotBuilt when that is proven, or after several tries with any cause."""
        if failure.proven or piece.failures + 1 >= TRIES:
            *others, bot = started
            raise BotNotBuilt(bot, others, failure.text)

    def _retry_unexplained(self, piece: BlockPart, text: str) -> None:
        piece.failures += 1
        if piece.failures == TRIES:
            raise WorkerPoolError(
                f"{TRIES} workers in turn failed at {_deals_text(piece.block)}: {text}"
            )
        self._again.append(piece)

    def _remove(self, slot: WorkerSlot) -> None:
        self._slots.remove(slot)
        self._selector.unregister(slot.worker.channel)
        slot.worker.close()


def _deals_text(block: Block) -> str:
    return f"deals {block.first} to {block.end - 1}" if block.deals > 1 else f"deal {block.first}"
