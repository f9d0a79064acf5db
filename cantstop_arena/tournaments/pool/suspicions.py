"""Which bots are suspected when workers fail, how often, and which games they forfeit.

`Retrials` says how blocks are played again where a bot may have harmed others in the process that
they share.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Block, Fault, Snapshot
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.errors import GameError
from cantstop_arena.game_api.watched import BOT
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.pool.block_pool import InterpreterDisturbed
from cantstop_arena.tournaments.pool.worker_messages import Disturbed

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
