"""Worker processes that play blocks, and a parent that hands out work and replaces failed workers.

The parent waits on pipes and process sentinels, and observes the games meanwhile. A worker that
dies or stalls is replaced. Its block is split, so that the deal in question is played again on its
own; a bot that stops the same game three times, or that has provably stopped it, forfeits it.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from multiprocessing.connection import wait
from typing import Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots import bot_files
from cantstop_arena.deals.outcomes import (
    DIED,
    TOO_SLOW,
    Block,
    BlockResult,
    Fault,
    SharedWindow,
    Snapshot,
)
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import GameError, WorkerPoolError
from cantstop_arena.game_api.watched import BOT, GAME
from cantstop_arena.processes import shutdown, system, watchdog
from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.processes.watchdog import Watchdog
from cantstop_arena.texts import in_a_line, last_line
from cantstop_arena.tournaments.cluster.address import ClusterAddress
from cantstop_arena.tournaments.pool.block_pool import BotNotBuilt, PartResult
from cantstop_arena.tournaments.pool.disturbance import InterpreterDisturbed, Retrial
from cantstop_arena.tournaments.pool.suspicions import (
    Bots,
    Suspect,
    Suspicions,
    WorkerFailure,
    bot_at,
    deal_at,
)
from cantstop_arena.tournaments.pool.worker import TRIES, PlayerFactory, Worker, start_methods
from cantstop_arena.tournaments.pool.worker_messages import (
    BlockPlayed,
    Building,
    Disturbed,
    GameFailed,
    Message,
    Ready,
    WorkerBroken,
    is_result_of,
)
from cantstop_arena.tournaments.tournament import START_LIMIT


class BlockPart(msgspec.Struct):
    """A block or a part of it that has to be played, and how often it has failed.

    With `retrial` it is played in a new worker, as faults in it may be due to a bot that disturbs
    the process.
    """

    block: Block
    full_block: Block
    failures: int = 0
    retrial: Retrial | None = None

    def split(self, deal: int) -> list["BlockPart"]:
        """This part in three: the deals before a deal, the deal, and the deals after it."""
        first, end = self.block.first, self.block.end
        cuts = [(first, deal), (deal, deal + 1), (deal + 1, end)]
        parts = [self.block.part(*cut) for cut in cuts if cut[0] < cut[1]]
        return [BlockPart(part, self.full_block, self.failures, self.retrial) for part in parts]


class WorkerSlot:
    """A worker, the part that it plays, and the watchdog that observes it."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.part: BlockPart | None = None
        self.since = 0.0
        self.watchdog = Watchdog(worker.process.pid)

    def give(self, part: BlockPart, forfeits: tuple[Fault, ...]) -> None:
        """Send a part to the worker, with the games in it that are forfeited already."""
        self.part = part
        self._begin()
        self.worker.send_block(part.block, forfeits)

    def is_in_game(self, snapshot: Snapshot) -> bool:
        """Whether the game's own code runs."""
        return self.worker.ready and snapshot.phase == GAME

    def builds(self, message: Building, foreign: Collection[int]) -> None:
        """The worker builds the next bot; restart the clock. Raises ProtocolError."""
        self.worker.construction.note(message, foreign)
        self._begin()

    def gets_ready(self) -> None:
        """The worker has started; restart the clock, so that bots are not charged for the start."""
        self.worker.ready = True
        self._begin()

    def _begin(self) -> None:
        self.since = time.monotonic()
        self.watchdog.begin()


_TRIM_INTERVAL, _TRIM_INTERVAL_IDLE = (
    1.0,
    0.1,
)  # seconds between two times; soon where a worker stands still
_PULSE_WITHOUT_SUSPECTS = (
    0.2  # seconds between two looks, where no bot can be the reason that nothing moves
)
_MAX_ACQUITTALS = 3  # of bots that fail in one part of a block, and only beside others
_MAX_DISTURBANCE_LENGTH = 500  # characters
_GAME_TRIES = 3  # of a block in which the game fails, before that is an error
_TO_STOP = 2.0  # seconds beyond the limit that a worker sets for building a bot
_GRACE = 5.0  # seconds without progress, beyond ten times the time of a block


class PoolOptions(msgspec.Struct, frozen=True):
    """Options of workers: their number, start method, and additional bytes of memory for each.

    `start_limit` is the time in seconds that each may take to get ready, `foreign` the bots that
    are built in them meanwhile. With a `cluster`, `workers` is the number on each of its machines;
    0 means as many as Dask has threads there.
    """

    workers: int
    method: str = start_methods()[0]
    memory: int | None = None
    start_limit: float = START_LIMIT
    foreign: Collection[int] = ()
    cluster: ClusterAddress | None = None


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
        self._convicted: set[int] = set()  # bots that have failed with no others in their process
        self._blocks, self._seconds = 0, 0.0
        self._checked_at = self._trimmed_at = time.monotonic()

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *problem: object) -> None:
        for slot in self._slots:  # kill all first: each takes a while to free its memory
            slot.worker.kill()
        for slot in self._slots:
            slot.worker.close()
        self._slots.clear()

    def play(
        self, blocks: Iterator[Block], meanwhile: Callable[[], None] = lambda: None
    ) -> Iterator[PartResult]:
        """Yield the results of the blocks, or of their parts, in the order in which they finish.

        `meanwhile` is called in each pass of the loop, while workers play.

        Raises WorkerPoolError when workers keep dying before they play, BotNotBuilt when a bot is
        the reason, GameError when the game itself fails, and Interrupted.
        """
        self._hand_out(blocks)
        while any(slot.part for slot in self._slots):
            shutdown.check()
            for slot in self._signalling():
                result = self._collect(slot)
                self._hand_out(blocks)
                if result is not None:
                    yield result
            self._check_workers()
            self._hand_out(blocks)
            meanwhile()

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
            slot = idle or self._start_worker(part)
            slot.give(part, self._suspicions.forfeits(part.block))

    def _next(self, blocks: Iterator[Block]) -> BlockPart | None:
        if self._again:
            return self._again.popleft()
        block = next(blocks, None)
        return BlockPart(block, block) if block else None

    def _start_worker(self, part: BlockPart) -> WorkerSlot:
        others = [slot.worker for slot in self._slots]
        options = self._options
        factory = part.retrial.factory(self._factory) if part.retrial else self._factory
        worker = Worker(factory, self._window, options.method, options.memory, others)
        self._slots.append(WorkerSlot(worker))
        return self._slots[-1]

    def _signalling(self) -> list[WorkerSlot]:
        """Wait a moment for workers that have sent messages or ended, and return them."""
        busy = self._busy()
        signs: dict[Any, WorkerSlot] = {slot.worker.pipe: slot for slot in busy}
        signs |= {slot.worker.process.sentinel: slot for slot in busy}
        ready = wait(list(signs), self._pulse(busy))
        return list({id(signs[sign]): signs[sign] for sign in ready}.values())

    def _busy(self) -> list[WorkerSlot]:
        return [slot for slot in self._slots if slot.part]

    def _pulse(self, busy: list[WorkerSlot]) -> float:
        """The time between two checks, in seconds."""
        groups = {slot.part.block.group for slot in busy if slot.part}
        if not any(map(self._bots.suspects, groups)):
            return _PULSE_WITHOUT_SUSPECTS
        limits = [self._bots.decision_limit(bot) for group in groups for bot in group]
        return watchdog.pulse(min(limits, default=self._options.start_limit))

    def _collect(self, slot: WorkerSlot) -> PartResult | None:
        """A worker's result; None when there is none yet, or its part is queued again."""
        if slot not in self._slots or slot.part is None:
            return None  # removed in the meantime
        try:
            return self._handle_messages(slot, slot.part, slot.worker.messages())
        except EOFError:
            self._end(slot, slot.part)
        except ProtocolError:
            self._fail(slot, slot.part, WorkerFailure(DIED, "wrote into the pipe of its process"))
        return None

    def _end(self, slot: WorkerSlot, part: BlockPart) -> None:
        """Replace a worker that has ended."""
        snapshot = slot.worker.look()
        if slot.is_in_game(snapshot) and slot.worker.ended() is not None:
            self._game_fails(slot, part, self._game_failure(slot, part, snapshot))
        else:
            self._fail(slot, part, _exit_failure(slot.worker))

    def _handle_messages(
        self, slot: WorkerSlot, part: BlockPart, messages: list[Message]
    ) -> PartResult | None:
        """Handle messages; the result among them, if any. Raises ProtocolError."""
        for number, message in enumerate(messages, 1):
            if isinstance(message, Ready) and not slot.worker.ready:
                slot.gets_ready()
            elif isinstance(message, Building) and not slot.worker.ready:
                slot.builds(message, self._options.foreign)
            elif isinstance(message, BlockPlayed) and self._is_result(message, part):
                if part.retrial and not part.retrial.counts:
                    self._end_retrial(slot, part, part.retrial, message.result.faults)
                    return None
                return self._finish_block(slot, part, message.result, number == len(messages))
            elif isinstance(message, Disturbed):
                self._disturbed(slot, part, message)
                return None
            elif isinstance(message, WorkerBroken):
                self._fail(slot, part, self._breakage(slot, part, message.report))
                return None
            elif isinstance(message, GameFailed):
                self._game_fails(slot, part, GameError(message.text))
                return None
            else:
                raise ProtocolError
        return None

    def _breakage(self, slot: WorkerSlot, part: BlockPart, report: str) -> WorkerFailure:
        """The failure of a worker whose code raised. Raises if no bot can have caused it."""
        if slot.worker.construction.goes_on:
            return WorkerFailure(DIED, last_line(report).partition(": ")[2], proven=True)
        if not self._bots.suspects(part.block.group):
            raise WorkerPoolError(f"a worker failed at {part.block}:\n{report}")
        return WorkerFailure(DIED, f"broke its process: {last_line(report)}")

    def _game_fails(self, slot: WorkerSlot, part: BlockPart, error: GameError) -> None:
        """Queue the part again without charging a bot: something may have harmed the worker."""
        self._remove(slot)
        part.failures += 1
        if part.failures >= _GAME_TRIES:
            raise error
        if part.failures == _GAME_TRIES - 1 and self._bots.sharing:
            failure = f"makes the game fail: {error}"
            part.retrial = Retrial(apart=self._bots.sharing, failure=failure)
        self._again.append(part)

    def _game_failure(
        self, slot: WorkerSlot, part: BlockPart, snapshot: Snapshot, seconds: float | None = None
    ) -> GameError:
        """The error for a game's code that ended its process, or took so many seconds."""
        deal, _ = deal_at(part.block, snapshot.cursor, len(self._bots.orders))
        return slot.worker.game_failure(snapshot.function, deal, seconds)

    def _is_result(self, message: BlockPlayed, part: BlockPart) -> bool:
        return is_result_of(message.result, part.block, len(self._bots.orders))

    def _finish_block(
        self, slot: WorkerSlot, piece: BlockPart, result: BlockResult, quiet: bool
    ) -> PartResult:
        """The result of a part. A worker that has sent more (not `quiet`) is replaced."""
        slot.part = None
        self._blocks += 1
        self._seconds += time.monotonic() - slot.since
        if not quiet or piece.retrial:
            self._remove(slot)
        return PartResult(result, piece.full_block)

    # Observing games

    def _check_workers(self) -> None:
        """Observe every game, and replace the workers that have made no progress for too long."""
        now, busy = time.monotonic(), self._busy()
        passed = watchdog.counted_seconds(now - self._checked_at, self._pulse(busy))
        self._checked_at = now
        for slot in busy:
            snapshot = slot.worker.look()
            slot.watchdog.observe(snapshot.step, passed)
            if slot.part is None:
                continue
            if slot.is_in_game(snapshot):
                self._check_game(slot, slot.part, snapshot)
            elif failure := self._overdue(slot, slot.part, snapshot):
                self._fail(slot, slot.part, failure)
        self._trim_logs(any(slot.watchdog.idle_seconds for slot in busy))

    def _trim_logs(self, soon: bool) -> None:
        """Trim logs at intervals: a bot can print without end in a single decision."""
        if self._checked_at - self._trimmed_at > (_TRIM_INTERVAL_IDLE if soon else _TRIM_INTERVAL):
            self._trimmed_at = self._checked_at
            self._bots.trim_logs()

    def _check_game(self, slot: WorkerSlot, part: BlockPart, snapshot: Snapshot) -> None:
        """Replace a worker in which the game's code takes too long."""
        limit = self._bots.game_limit
        if slot.watchdog.overdue(limit):
            self._game_fails(slot, part, self._game_failure(slot, part, snapshot, limit))

    def _overdue(
        self, slot: WorkerSlot, part: BlockPart, snapshot: Snapshot
    ) -> WorkerFailure | None:
        """The failure of a worker that has made no progress for too long, else None."""
        if slot.worker.construction.goes_on:
            limit, text = building_limit(), "it is not built within {:g} s"
        elif not slot.worker.ready:
            limit, text = self._options.start_limit, "did not get ready within {:g} s (start_limit)"
        elif snapshot.phase == BOT:
            limit = self._decision_limit(part, bot_at(part.block.group, snapshot.position))
            text = f"{snapshot.function} gave no answer within {{:g}} s"
        else:
            limit, text = self._grace(), "stalled between two decisions"
        stopped = slot.watchdog.stopped  # perhaps for ever: do not wait for a long limit
        if not slot.watchdog.overdue(min(limit, self._grace()) if stopped else limit):
            return None
        proven = slot.watchdog.proven(limit) and not stopped
        return WorkerFailure(TOO_SLOW, text.format(limit), proven)

    def _decision_limit(self, part: BlockPart, bot: int) -> float:
        if part.retrial and bot in part.retrial.apart:
            return self._bots.isolated_limit
        return self._bots.decision_limit(bot)

    def _grace(self) -> float:
        """The seconds that a worker may make no progress while no bot is deciding."""
        return _GRACE + 10 * (self._seconds / self._blocks if self._blocks else 0.0)

    # When a worker has failed

    def _fail(self, slot: WorkerSlot, part: BlockPart, failure: WorkerFailure) -> None:
        """Replace a worker, and queue its part again; forfeited games are left out."""
        ready, snapshot = slot.worker.ready, slot.worker.look()
        self._remove(slot)
        if slot.worker.construction.goes_on:
            self._check_build(part, slot.worker.construction.started, failure)
        suspect = self._suspicions.suspect(part.block, snapshot) if ready else None
        if suspect is None or not _may_fail(part.retrial, suspect.bot):
            self._retry_unexplained(part, failure.text)
            return
        divisible = self._bots.divisible(part.block.group)
        pieces = part.split(suspect.deal) if divisible else [part]
        if part.retrial and not part.retrial.counts:
            self._convicted.update(part.retrial.accused)
            for piece in pieces:
                piece.retrial = None
        if self._is_doubted(suspect, failure):
            for piece in pieces:
                if piece.block.first <= suspect.deal < piece.block.end:
                    piece.retrial = self._retrial(
                        piece, suspect.bot, f"makes another fail: {failure.text}"
                    )
        else:
            self._suspicions.count(suspect, failure)
        self._again.extendleft(reversed(pieces))

    # Where bots share a process

    def _is_doubted(self, suspect: Suspect, failure: WorkerFailure) -> bool:
        """Whether the suspect would forfeit the game, and another may have harmed its process."""
        return (
            suspect.bot not in self._convicted
            and not {*self._bots.sharing} <= {suspect.bot}
            and self._suspicions.is_decisive(suspect, failure)
        )

    def _disturbed(self, slot: WorkerSlot, part: BlockPart, message: Disturbed) -> None:
        """Discard a block; find out whether the accused fail by themselves, too.

        Raises InterpreterDisturbed when nobody is accused.
        """
        self._remove(slot)
        what = in_a_line(message.what, _MAX_DISTURBANCE_LENGTH)
        group = part.block.group
        if message.bot in group:
            raise InterpreterDisturbed((message.bot,), what)
        if not message.accused or not {*message.accused} <= {*group}:
            raise InterpreterDisturbed(self._possible_disturbers(group), what)
        accused = (bot for bot in message.accused if self._bots.sharing != (bot,))
        part.retrial = self._retrial(part, next(accused, None), what)
        self._again.appendleft(part)

    def _retrial(self, part: BlockPart, accused: int | None, failure: str) -> Retrial:
        """The next retrial of a part. Raises InterpreterDisturbed after several, or for nobody."""
        before = part.retrial or Retrial()
        if accused is None or before.acquittals == _MAX_ACQUITTALS:
            raise InterpreterDisturbed(self._possible_disturbers(part.block.group), failure)
        apart = tuple(bot for bot in self._bots.sharing if bot != accused)
        return replace(before, apart=apart, accused=(accused,), failure=failure)

    def _end_retrial(
        self, slot: WorkerSlot, part: BlockPart, retrial: Retrial, faults: Sequence[Fault]
    ) -> None:
        """Queue a part again whose bots played apart, so that its result does not count.

        Raises InterpreterDisturbed if it was the game that had failed.
        """
        self._remove(slot)
        if not retrial.accused:
            possible = self._possible_disturbers(part.block.group)
            raise InterpreterDisturbed(possible, retrial.failure)
        part.retrial = retrial.judged({fault.bot for fault in faults})
        self._again.appendleft(part)

    def _possible_disturbers(self, group: Group) -> Group:
        """The foreign bots of a group, or if it has none, of all that share the process."""
        sharing = self._bots.sharing
        return tuple(bot for bot in sharing if bot in group) or sharing

    # After a failure

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
        slot.worker.close()


def _may_fail(retrial: Retrial | None, bot: int) -> bool:
    """Whether a bot's code runs in the worker in which a part is played."""
    return retrial is None or retrial.counts or bot in retrial.accused


def building_limit() -> float:
    """The maximum time to build a bot in another process, in seconds."""
    return bot_files.MAX_IMPORT_SECONDS + _TO_STOP


def _deals_text(block: Block) -> str:
    return f"deals {block.first} to {block.end - 1}" if block.deals > 1 else f"deal {block.first}"


def _exit_failure(worker: Worker) -> WorkerFailure:
    """The failure of a worker that has ended and so closed its pipe."""
    code = worker.ended()
    text = f"{worker.look().function} {system.ending(code)}".lstrip()
    return WorkerFailure(DIED, text, code is not None and -code not in system.FOREIGN_SIGNALS)
