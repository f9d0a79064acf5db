"""Who is suspected when a worker fails, how often, and which games are lost by that."""

from collections import Counter
from typing import Protocol

import msgspec

from cantstop_arena.deals.outcomes import Block, Fault, Snapshot
from cantstop_arena.deals.seatings import Group, Orders, lineups

_MAX_SUSPICIONS = 3  # before a bot is charged on suspicion


class Bots(Protocol):
    """What the parent has to know of the bots to judge what it sees."""

    def decision_limit(self, bot: int) -> float:
        """The seconds after which a decision of this bot is too slow."""

    def source_line(self, bot: int, question: str) -> str:
        """Where a bot's function stands, as a message says it; empty where that is unknown."""

    def suspects(self, group: Group) -> list[int]:
        """The bots of a group that could do something to the process besides answering."""

    @property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""

    def divisible(self, group: Group) -> bool:
        """Whether a block of this group may be played in parts: not where a bot learns."""

    def trim_logs(self) -> None:
        """Keep in bounds what bots leave behind while they play."""


class WorkerFailure(msgspec.Struct, frozen=True):
    """Why a worker has to be replaced: the kind of fault, what to say of it, whether it is proven.

    What is proven was the doing of the bot that was to decide; else it may have been an accident.
    """

    kind: str
    text: str
    proven: bool = False


class Suspect(msgspec.Struct, frozen=True):
    """A bot that may have harmed its worker, in which game, and whether it was to decide then."""

    bot: int
    decision: str
    deciding: bool
    seating: Group
    deal: int


class Suspicions:
    """Counts what bots are suspected of, game by game."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._counted: Counter[tuple[Group, int, int]] = Counter()
        self._forfeits: dict[tuple[Group, int], Fault] = {}

    def forfeits(self, block: Block) -> tuple[Fault, ...]:
        """The games of a block that are lost by a bot, and played no more."""
        return tuple(
            fault
            for (seating, deal), fault in self._forfeits.items()
            if block.first <= deal < block.end and tuple(sorted(seating)) == block.group
        )

    def suspect(self, block: Block, snapshot: Snapshot) -> Suspect | None:
        """Who may have harmed a worker that failed while this was to be seen.

        Nobody, where no bot could have done it: in a game, say, that is played no more.
        """
        orders = list(lineups(block.group, self._bots.orders))
        index, order = divmod(snapshot.cursor, len(orders))
        deal = min(max(block.first, block.first + index), block.end - 1)
        last = bot_at(block.group, snapshot.position)
        bot = last if snapshot.deciding else self._harmful(block.group, last)
        seating = self._blamed([orders[order], *orders], deal, snapshot.deciding)
        if bot is None or seating is None:
            return None
        return Suspect(bot, snapshot.decision, snapshot.deciding, seating, deal)

    def _blamed(self, orders: list[Group], deal: int, deciding: bool) -> Group | None:
        """The game that is to be seen, the first of these; or else another of the deal.

        What was done in one can show in a later one, which may have been lost already.
        """
        games = orders[:1] if deciding else orders
        return next((game for game in games if (game, deal) not in self._forfeits), None)

    def _harmful(self, group: Group, last: int) -> int | None:
        """A bot that can do harm while it is not asked, best the one that was asked last."""
        suspects = self._bots.suspects(group)
        return last if last in suspects else next(iter(suspects), None)

    def count(self, suspect: Suspect, failure: WorkerFailure) -> None:
        """Charge a bot, if it is proven what it did, or if it happens again and again."""
        game, bot = (suspect.seating, suspect.deal), suspect.bot
        self._counted[*game, bot] += _MAX_SUSPICIONS if failure.proven and suspect.deciding else 1
        if self._counted[*game, bot] >= _MAX_SUSPICIONS:
            text = failure.text + self._bots.source_line(bot, suspect.decision)
            self._forfeits[game] = Fault(bot, failure.kind, text, *game, 1)


def bot_at(group: Group, index: int) -> int:
    """The bot at a position, which a bot may have overwritten."""
    return group[index % len(group)]
