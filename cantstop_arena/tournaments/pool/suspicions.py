"""Which bots are suspected when workers fail, how often, and which games they forfeit."""

from collections import Counter
from collections.abc import Collection
from typing import Protocol

import msgspec

from cantstop_arena.deals.outcomes import Block, Fault, Snapshot
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.game_api.watched import BOT

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
