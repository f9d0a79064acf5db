"""Which bots are to blame: counted faults, up to disqualification, and suspicions of workers' ends.

Disqualification is the same in every run of a tournament. Workers finish deals in any order. Faults
are counted deal by deal, and within a deal group by group; counting stops at the first game that
has not been played yet. So the result does not depend on how deals are cut into blocks, or on how
many games were requested first. All games of a disqualified bot are void, and with them the faults
of other bots in these games. Bots of one version play the same games, so their faults count
together, and all of them are out.

Bots are suspected when workers fail, and forfeit a game after some suspicions in it. `Retrials`
says how blocks are played again where a bot may have harmed others in the process that they share.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from heapq import heappop, heappush, heapreplace
from itertools import count
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import TOO_SLOW, Block, Fault, Snapshot, merge_faults
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.errors import GameError
from cantstop_arena.game_api.watched import BOT
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.pool.block_pool import InterpreterDisturbed
from cantstop_arena.tournaments.pool.worker_messages import Disturbed

# Disqualification

MAX_TIMEOUTS_IN_ROW = 5
"""A bot that is too slow in so many games in a row is disqualified: each takes its whole limit."""
Position = tuple[int, Group]  # in the order of counting: deal, then group
END: Position = (1 << 62, ())


class Disqualification(msgspec.Struct, frozen=True):
    """A disqualified bot, and its faults up to that moment, one for each kind.

    Of bots of one version it is the first.
    """

    bot: int
    faults: tuple[Fault, ...]


class FaultCounter:
    """Counts faults of played blocks, and decides which bots are `disqualified`."""

    def __init__(
        self,
        max_faults: int,
        copies: Sequence[int] = (),
        groups: Sequence[Group] = (),
        orders: int = 0,
    ) -> None:
        """`copies` has for each bot the first one of its version; without it, each is alone.

        Of `groups`, which play so many `orders` in a deal, time-outs in a row are counted.
        """
        self._groups, self._orders = [_in_order(group) for group in groups], orders
        self._in_row: dict[int, tuple[Position, int]] = {}  # last time-out, and those in a row
        self.disqualified: dict[int, list[Fault]] = {}
        self._max_faults = max_faults
        self._copies = copies
        self._queue: list[tuple[Position, int, str, int, Fault]] = []
        self._numbers = count()
        self._counted: dict[int, list[Fault]] = {}
        self._unplayed: dict[Block, dict[int, int]] = {}  # played parts: first deal to last + 1
        self._waiting: list[tuple[Position, Block]] = []  # a heap, with all unplayed blocks
        self._reached: Position = (0, ())

    def is_void(self, group: Group) -> bool:
        """Whether a group's games are void, since one of its bots is disqualified."""
        return not self.disqualified.keys().isdisjoint(group)

    def scheduled(self, rounds: Iterable[tuple[int, Iterable[Block]]]) -> Iterator[Block]:
        """Yield the blocks of a schedule that are not void, and record them as unplayed.

        A round is its first deal, before which this and later rounds have no block, and its blocks,
        with groups in ascending order.
        """
        for first, blocks in rounds:
            for block in blocks:
                self._reached = (first, _in_order(block.group))
                if not self.is_void(block.group):
                    self._unplayed[block] = {}
                    heappush(self._waiting, (self._first_unplayed(block), block))
                    self._update_first()
                    yield block
        self.close()

    def advance(self, reached: Position) -> None:
        """All games before this position have been played."""
        self._reached = reached

    def close(self) -> None:
        """End the schedule: all faults count that do not come after an unplayed block."""
        self._reached = END

    def drop(self, is_complete: Callable[[Group], bool]) -> None:
        """Forget the unplayed blocks of groups that are complete without them."""
        for block in [block for block in self._unplayed if is_complete(block.group)]:
            del self._unplayed[block]

    def add_faults(
        self, faults: Iterable[Fault], played: Block | None = None, of: Block | None = None
    ) -> None:
        """Add faults, and record that a part of a scheduled block has been played."""
        for fault in faults:
            position = (fault.deal, _in_order(fault.seating))
            entry = (position, fault.bot, fault.kind, next(self._numbers), fault)
            heappush(self._queue, entry)
        if played is None or of is None or of not in self._unplayed:
            return
        parts = self._unplayed[of]
        parts[played.first] = played.end
        if sum(end - first for first, end in parts.items()) == of.deals:
            del self._unplayed[of]

    def disqualifications(self) -> Iterator[Disqualification]:
        """Count as far as possible, and yield the bots that are disqualified by it."""
        while self._queue and self._queue[0][0] < self._horizon():
            *_, fault = heappop(self._queue)
            if self.is_void(fault.seating):
                continue
            bot = self._first_twin(fault.bot)
            faults = self._counted.setdefault(bot, [])
            faults.append(fault)
            is_stuck = self._timeouts_in_row(fault) >= MAX_TIMEOUTS_IN_ROW
            if is_stuck or sum(counted.count for counted in faults) >= self._max_faults:
                yield self._disqualify(bot)

    def _timeouts_in_row(self, fault: Fault) -> int:
        """The games in a row in which a bot was too slow, up to those of a counted fault.

        A deal in which it has also finished a game ends the row.
        """
        if fault.kind != TOO_SLOW or fault.count != self._orders:
            return 0
        position = (fault.deal, _in_order(fault.seating))
        last, number = self._in_row.get(fault.bot, (None, 0))
        if last is None or not self._follows(last, position, fault.bot):
            number = 0
        self._in_row[fault.bot] = position, number + fault.count
        return number + fault.count

    def _follows(self, first: Position, second: Position, bot: int) -> bool:
        """Whether a bot has no game that counts between these deals of its groups."""
        groups = (each for each in self._groups if bot in each and not self.is_void(each))
        if first[0] == second[0]:
            return not any(first[1] < group < second[1] for group in groups)
        is_next_deal = first[0] + 1 == second[0]
        return is_next_deal and not any(g > first[1] or g < second[1] for g in groups)

    def _first_twin(self, bot: int) -> int:
        return self._copies[bot] if self._copies else bot

    def _horizon(self) -> Position:
        """The first position with a game that is scheduled, or may be, and unplayed."""
        self._update_first()
        return min(self._reached, self._waiting[0][0]) if self._waiting else self._reached

    def _update_first(self) -> None:
        """Bring the block with the earliest unplayed deal to the top of the heap."""
        while self._waiting:
            position, block = self._waiting[0]
            if block not in self._unplayed:
                heappop(self._waiting)
            elif (now := self._first_unplayed(block)) != position:
                heapreplace(self._waiting, (now, block))
            else:
                return

    def _first_unplayed(self, block: Block) -> Position:
        deal = block.first
        while deal in self._unplayed[block]:
            deal = self._unplayed[block][deal]
        return deal, _in_order(block.group)

    def _disqualify(self, bot: int) -> Disqualification:
        disqualification = Disqualification(bot, tuple(merge_faults(self._counted[bot])))
        copies = [twin for twin, first in enumerate(self._copies) if first == bot] or [bot]
        for twin in copies:
            as_its_own = (_as_of(twin, fault) for fault in self._counted[bot])
            self.disqualified[twin] = merge_faults(as_its_own)
        for block in [block for block in self._unplayed if self.is_void(block.group)]:
            del self._unplayed[block]
        for other, faults in self._counted.items():
            self._counted[other] = [fault for fault in faults if not self.is_void(fault.seating)]
        return disqualification


def _as_of(twin: int, fault: Fault) -> Fault:
    """A fault as it was in the same game of another bot of that version."""
    names = {fault.bot: twin, twin: fault.bot}
    seating = tuple(names.get(bot, bot) for bot in fault.seating)
    return replace(fault, bot=twin, seating=seating)


def _in_order(bots: Group) -> Group:
    """The bots of a seating as a group, in ascending order."""
    return tuple(sorted(bots))


# Suspicions

_MAX_SUSPICIONS = 3  # of a bot in one game, until it forfeits the game


class BotLimits(Protocol):
    """The facts about bots by which a worker is watched."""

    def decision_limit(self, bot: int) -> float:
        """The seconds after which a decision of this bot is too slow."""

    @property
    def game_limit(self) -> float:
        """The seconds after which a function of the game is too slow."""

    def suspects(self, group: Group) -> list[int]:
        """The bots of a group whose code can affect the worker process."""

    @property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""


class Bots(BotLimits, Protocol):
    """The facts about bots that the parent of workers needs."""

    def source_line(self, bot: int, decision: str) -> str:
        """The location of a bot's function, for a message; empty when it is unknown."""

    @property
    def sharing(self) -> Group:
        """The foreign bots that run in the workers themselves, and can harm each other there."""

    def with_own_processes(self, bots: Collection[int]) -> "Bots":
        """The facts where these bots play in processes of their own."""

    def divisible(self, group: Group) -> bool:
        """Whether a block of this group may be played in parts: False if a bot learns."""

    def trim_logs(self) -> None:
        """Limit the length of bots' logs while they play."""

    def note_fault(self, fault: Fault) -> None:
        """A bot forfeits a game; the block with it has not been played yet."""


class WorkerFailure(msgspec.Struct, frozen=True):
    """Why a worker has to be replaced: the kind of fault, and its message.

    If it is `proven`, the bot that was deciding caused it; else it may have been an accident.
    """

    kind: str
    text: str
    proven: bool = False


class Suspect(msgspec.Struct, frozen=True):
    """A bot that may have harmed its worker, the game, and whether it was `deciding` then."""

    bot: int
    decision: str
    deciding: bool
    seating: Group
    deal: int


class Suspicions:
    """Counts suspicions by bot and game."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._counted: Counter[tuple[Group, int, int]] = Counter()
        self._forfeits: dict[tuple[Group, int], Fault] = {}

    def forfeits(self, block: Block) -> tuple[Fault, ...]:
        """The forfeited games of a block, which are not played again."""
        return tuple(
            fault
            for (seating, deal), fault in self._forfeits.items()
            if block.first <= deal < block.end and sorted(seating) == sorted(block.group)
        )

    def suspect(self, block: Block, snapshot: Snapshot) -> Suspect | None:
        """The bot that may have harmed a worker that failed at this snapshot.

        None when no bot can have done it: all games that could be charged are forfeited already.
        """
        orders = list(lineups(block.group, self._bots.orders))
        deal, order = deal_at(block, snapshot.cursor, len(orders))
        last, deciding = bot_at(block.group, snapshot.position), snapshot.phase == BOT
        bot = last if deciding else self._harmful(block.group, last)
        seating = self._blamed([orders[order], *orders], deal, deciding)
        if bot is None or seating is None:
            return None
        return Suspect(bot, snapshot.function if deciding else "", deciding, seating, deal)

    def _blamed(self, orders: list[Group], deal: int, deciding: bool) -> Group | None:
        """The game to charge: the first of these orders, or if forfeited, another of the deal.

        Harm done in one game can appear in a later one, which may have been forfeited already.
        """
        games = orders[:1] if deciding else orders
        return next((game for game in games if (game, deal) not in self._forfeits), None)

    def _harmful(self, group: Group, last: int) -> int | None:
        """A bot whose code can affect the worker between decisions; if possible the `last`."""
        suspects = self._bots.suspects(group)
        return last if last in suspects else next(iter(suspects), None)

    def is_decisive(self, suspect: Suspect, failure: WorkerFailure) -> bool:
        """Whether the bot forfeits the game when this suspicion is counted."""
        counted = self._counted[suspect.seating, suspect.deal, suspect.bot]
        return counted + _weight(suspect, failure) >= _MAX_SUSPICIONS

    def count(self, suspect: Suspect, failure: WorkerFailure) -> None:
        """Count a suspicion; a bot forfeits the game when it is proven, or the third."""
        game, bot = (suspect.seating, suspect.deal), suspect.bot
        self._counted[*game, bot] += _weight(suspect, failure)
        if self._counted[*game, bot] >= _MAX_SUSPICIONS:
            text = failure.text + self._bots.source_line(bot, suspect.decision)
            self._forfeits[game] = Fault(bot, failure.kind, text, *game, 1)
            self._bots.note_fault(self._forfeits[game])


def _weight(suspect: Suspect, failure: WorkerFailure) -> int:
    return _MAX_SUSPICIONS if failure.proven and suspect.deciding else 1


def deal_at(block: Block, cursor: int, orders: int) -> tuple[int, int]:
    """The deal and the number of the order of a block's game; any cursor is valid."""
    index, order = divmod(cursor, orders)
    return min(max(block.first, block.first + index), block.end - 1), order


def bot_at(group: Group, position: int) -> int:
    """The bot at a position of a group; any position is valid, as a bot may have overwritten it."""
    return group[position % len(group)]


_MAX_ACQUITTALS = 3  # of bots that fail in one part of a block, and only beside others
_MAX_DISTURBANCE_LENGTH = 500  # characters


class Retrial(msgspec.Struct, frozen=True):
    """How a part of a block is played again: with which foreign bots in processes of their own.

    Faults of the `accused` are theirs if they fail so, too; then they are `charged` with what they
    do beside others, else acquitted. `failure` is what has happened.
    """

    separate: Group = ()
    accused: Group = ()
    charged: Group = ()
    acquittals: int = 0
    failure: str = ""

    @property
    def counts(self) -> bool:
        """Whether the result counts, as all bots play where they belong."""
        return not self.separate

    def factory(self, factory: Callable[..., Any]) -> Callable[..., Any]:
        """A factory of players for the worker."""
        return partial(factory, separate=self.separate, charged=self.charged)

    def may_fail(self, bot: int) -> bool:
        """Whether a bot's code runs in the worker in which the part is played."""
        return self.counts or bot in self.accused

    def judged(self, failed: Collection[int]) -> "Retrial":
        """How the part is played for the result, after these bots have failed."""
        charged = tuple(bot for bot in self.accused if bot in failed)
        acquittals = self.acquittals + (not charged)
        return Retrial(charged=(*self.charged, *charged), acquittals=acquittals)


class Retrials:
    """Decides which parts of blocks are played again, and how."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._convicted: set[int] = set()  # bots that have failed with no others in their process

    def is_doubted(self, bot: int) -> bool:
        """Whether another bot may be the reason that this one fails."""
        return bot not in self._convicted and not {*self._bots.sharing} <= {bot}

    def convict(self, retrial: Retrial) -> None:
        """The accused have ended the worker in which they were tried."""
        self._convicted.update(retrial.accused)

    def of_game(self, error: GameError) -> Retrial | None:
        """The last try of a part in which the game has failed; None where no foreign bot can."""
        sharing = self._bots.sharing
        failure = f"makes the game fail: {error}"
        return Retrial(separate=sharing, failure=failure) if sharing else None

    def of_bot(
        self, bot: int, group: Group, before: Retrial | None, failure: WorkerFailure
    ) -> Retrial:
        """The retrial of a bot that has failed. Raises InterpreterDisturbed after several."""
        return self._next(before, bot, group, f"makes another fail: {failure.text}")

    def of_disturbed(self, message: Disturbed, group: Group, before: Retrial | None) -> Retrial:
        """The retrial of a block whose result does not count.

        Raises InterpreterDisturbed when nobody is accused whom another may have harmed.
        """
        what = in_a_line(message.what, _MAX_DISTURBANCE_LENGTH)
        if message.bot in group:
            raise InterpreterDisturbed((message.bot,), what)
        if not {*message.accused} <= {*group}:
            raise InterpreterDisturbed(self._possible_disturbers(group), what)
        accused = (bot for bot in message.accused if self._bots.sharing != (bot,))
        return self._next(before, next(accused, None), group, what)

    def verdict(self, retrial: Retrial, group: Group, faults: Sequence[Fault]) -> Retrial:
        """How a part is played for its result, after a retrial with these faults.

        Raises InterpreterDisturbed if it was the game that had failed.
        """
        if not retrial.accused:
            raise InterpreterDisturbed(self._possible_disturbers(group), retrial.failure)
        return retrial.judged({fault.bot for fault in faults})

    def _next(
        self, before: Retrial | None, accused: int | None, group: Group, failure: str
    ) -> Retrial:
        """The next retrial. Raises InterpreterDisturbed after several acquittals, or for nobody."""
        before = before or Retrial()
        if accused is None or before.acquittals == _MAX_ACQUITTALS:
            raise InterpreterDisturbed(self._possible_disturbers(group), failure)
        separate = tuple(bot for bot in self._bots.sharing if bot != accused)
        return replace(before, separate=separate, accused=(accused,), failure=failure)

    def _possible_disturbers(self, group: Group) -> Group:
        """The foreign bots of a group, or if it has none, of all that share the process."""
        sharing = self._bots.sharing
        return tuple(bot for bot in sharing if bot in group) or sharing
