"""A worker with the part of a block that it plays: what it reports, and whether it has failed."""

import time
from collections import deque
from collections.abc import Collection, Iterator
from contextlib import suppress

import msgspec

from cantstop_arena.bots import bot_files
from cantstop_arena.deals.outcomes import DIED, TOO_SLOW, Block, Fault, Snapshot
from cantstop_arena.errors import GameError, WorkerPoolError
from cantstop_arena.game_api.watched import BOT, GAME
from cantstop_arena.processes import system
from cantstop_arena.processes.channel import ChannelClosed, ProtocolError
from cantstop_arena.processes.watchdog import MainThreadWatchdog
from cantstop_arena.texts import last_line
from cantstop_arena.tournaments.pool.blame import (
    BotLimits,
    Retrial,
    WorkerFailure,
    bot_at,
    deal_at,
)
from cantstop_arena.tournaments.pool.worker import GameStopped, Worker
from cantstop_arena.tournaments.pool.worker_messages import (
    Building,
    GameFailed,
    Message,
    Ready,
    WorkerBroken,
)

_TO_STOP = 2.0  # seconds beyond the limit that a worker sets for building a bot


class BlockPart(msgspec.Struct):
    """A block or a part of it that has to be played, and how often it has failed.

    With `retrial` it is played in a new worker, as faults in it may be due to a bot that disturbs
    the process; with `alone` game by game, as a bot has failed at many at once.
    """

    block: Block
    full_block: Block
    failures: int = 0
    retrial: Retrial | None = None
    alone: bool = False

    def split(self, deal: int) -> list["BlockPart"]:
        """This part in three: the deals before a deal, the deal, and the deals after it."""
        first, end = self.block.first, self.block.end
        cuts = [(first, deal), (deal, deal + 1), (deal + 1, end)]
        parts = [self.block.part(*cut) for cut in cuts if cut[0] < cut[1]]
        common = self.full_block, self.failures, self.retrial, self.alone
        return [BlockPart(part, *common) for part in parts]


class WorkerFailed(Exception):
    """A worker has to be replaced."""

    def __init__(self, failure: WorkerFailure) -> None:
        super().__init__(failure.text)
        self.failure = failure


class WorkerSlot:
    """A worker, the part that it plays, and the watchdog that observes it.

    `foreign` are the bots that it may build while it starts, within `start_limit` seconds.
    """

    def __init__(
        self, worker: Worker, bots: BotLimits, start_limit: float, foreign: Collection[int]
    ) -> None:
        self.worker = worker
        self.part: BlockPart | None = None
        self.since = 0.0
        """When the part was sent, or the last message of the worker's start was received."""
        self._bots = bots
        self._start_limit = start_limit
        self._foreign = foreign
        self._received: deque[Message] = deque()
        self._watchdog = MainThreadWatchdog(worker.pid)
        self._waits = 0

    def give(self, part: BlockPart, forfeits: tuple[Fault, ...]) -> None:
        """Send a part to the worker, with the games in it that are forfeited already."""
        self.part = part
        self._restart_clock()
        self.worker.play(part.block, forfeits, part.alone)

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last progress of the worker."""
        return self._watchdog.idle_seconds

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has arrived after the last report."""
        with suppress(ProtocolError, ChannelClosed):
            self.worker.channel.refuse_unexpected()
            return not self._received
        return False

    def _restart_clock(self) -> None:
        """Begin a new wait, at the next check: nobody is charged for the time before."""
        self.since = time.monotonic()
        self._waits += 1

    # What it reports

    def reports(self) -> Iterator[Message]:
        """The messages about the part that have arrived completely.

        Raises WorkerFailed, GameError when the game's code has failed, and WorkerPoolError for a
        failure that no bot can have caused.
        """
        self._received += self._messages()
        while self._received:
            message = self._received.popleft()
            if isinstance(message, Ready) and not self.worker.ready:
                self.worker.ready = True
                self._restart_clock()
            elif isinstance(message, Building) and not self.worker.ready:
                self._note_building(message)
            elif isinstance(message, GameFailed):
                raise GameError(message.text)
            elif isinstance(message, WorkerBroken):
                raise WorkerFailed(self._breakage(message.report))
            else:
                yield message

    def _messages(self) -> list[Message]:
        try:
            return self.worker.channel.receive()
        except ProtocolError:
            raise unexpected_message() from None
        except ChannelClosed:
            raise self._end() from None

    def _note_building(self, message: Building) -> None:
        try:
            self.worker.construction.note(message, self._foreign)
        except ProtocolError:
            raise unexpected_message() from None
        self._restart_clock()

    def _breakage(self, report: str) -> WorkerFailure:
        """The failure of a worker whose code raised. Raises if no bot can have caused it."""
        if self.worker.construction.goes_on:
            return WorkerFailure(DIED, last_line(report).partition(": ")[2], proven=True)
        assert self.part
        if not self._bots.suspects(self.part.block.group):
            raise WorkerPoolError(f"a worker failed at {self.part.block}:\n{report}")
        return WorkerFailure(DIED, f"broke its process: {last_line(report)}")

    def _end(self) -> WorkerFailed | GameStopped:
        """The error for a worker that has closed its channel."""
        snapshot, code = self.worker.look(), self.worker.ended()
        if self._is_in_game(snapshot) and code is not None:
            return self._game_stopped(snapshot)
        text = f"{snapshot.function} {system.ending(code)}".lstrip()
        is_proven = code is not None and -code not in system.FOREIGN_SIGNALS
        return WorkerFailed(WorkerFailure(DIED, text, is_proven))

    # Observing its game

    def check(self, passed: float, grace: float) -> None:
        """Observe the game; `passed` seconds are counted since the last check.

        `grace` is the limit where neither a bot nor the game is at work. Raises WorkerFailed, and
        GameError where the game's code takes too long.
        """
        self.worker.channel.flush()
        snapshot = self.worker.look()
        self._watchdog.observe((self._waits, *snapshot.step), passed)
        if self._is_in_game(snapshot):
            if self._watchdog.overdue(self._bots.game_limit):
                raise self._game_stopped(snapshot, self._bots.game_limit)
        elif failure := self._overdue(snapshot, grace):
            raise WorkerFailed(failure)

    def _is_in_game(self, snapshot: Snapshot) -> bool:
        """Whether the game's own code runs."""
        return self.worker.ready and snapshot.phase == GAME

    def _game_stopped(self, snapshot: Snapshot, seconds: float | None = None) -> GameStopped:
        """The error for a game's code that ended its process, or took so many seconds."""
        assert self.part
        deal, _ = deal_at(self.part.block, snapshot.cursor, len(self._bots.orders))
        return self.worker.game_failure(snapshot.function, deal, seconds)

    def _overdue(self, snapshot: Snapshot, grace: float) -> WorkerFailure | None:
        """The failure of a worker that has made no progress for too long, else None."""
        limit, text = self._limit(snapshot, grace)
        stopped = self._watchdog.stopped  # perhaps for ever: do not wait for a long limit
        if not self._watchdog.overdue(min(limit, grace) if stopped else limit):
            return None
        proven = self._watchdog.proven(limit) and not stopped
        return WorkerFailure(TOO_SLOW, text.format(limit), proven)

    def _limit(self, snapshot: Snapshot, grace: float) -> tuple[float, str]:
        """The seconds that what the worker does may take, and the message when they are over."""
        if self.worker.construction.goes_on:
            return building_limit(), "it is not built within {:g} s"
        if not self.worker.ready:
            return self._start_limit, "did not get ready within {:g} s (start_limit)"
        if snapshot.phase == BOT and self.part:
            bot = bot_at(self.part.block.group, snapshot.position)
            text = f"{snapshot.function} gave no answer within {{:g}} s"
            return self._bots.decision_limit(bot), text
        return grace, "stalled between two decisions"


def unexpected_message() -> WorkerFailed:
    """The error for a message that the worker could not have sent by itself at that time."""
    return WorkerFailed(WorkerFailure(DIED, "wrote into the pipe of its process"))


def building_limit() -> float:
    """The maximum time to build a bot in another process, in seconds."""
    return bot_files.MAX_IMPORT_SECONDS + _TO_STOP
