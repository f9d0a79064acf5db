"""The games of a tournament as its ledger has them: who sat where, and who won."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Fault
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.tournaments.ledger.ledger_totals import LedgerTotals
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger


class LedgerGame(msgspec.Struct, frozen=True):
    """A game: its deal, which of the deal's seatings it was, and the bots by seat.

    `winners` are the seats that won or, where nobody did, all of them.
    """

    deal: int
    seating: int
    bots: Group
    winners: tuple[int, ...]


class PlayedBlock(msgspec.Struct, frozen=True):
    """Deals of a group that were played one after the other: winners by deal and seating."""

    group: Group
    first: int
    winners: Bytes

    @property
    def end(self) -> int:
        """The deal after the last one."""
        return self.first + len(self.winners)


class LedgerGames(msgspec.Struct, frozen=True):
    """The blocks that count, in the order of their deals, and the bots' names by number."""

    names: Sequence[str]
    orders: Orders
    blocks: Sequence[PlayedBlock]
    faults: Sequence[Fault] = ()

    def up_to(self, deals: int) -> "LedgerGames":
        """The games of the first deals."""
        stored_played_blocks = [
            replace(block, winners=block.winners[: deals - block.first])
            for block in self.blocks
            if block.first < deals
        ]
        return replace(self, blocks=stored_played_blocks)

    @property
    def count(self) -> int:
        """How many games there are."""
        return sum(block.winners.size for block in self.blocks)

    def games(self) -> Iterator[LedgerGame]:
        """Every game, deal after deal in each block."""
        for block in self.blocks:
            yield from self.games_of(block)

    def games_of(self, block: PlayedBlock) -> Iterator[LedgerGame]:
        """The games of a block."""
        seatings = list(lineups(block.group, self.orders))
        for deal, masks in enumerate(block.winners.tolist(), start=block.first):
            for seating, (bots, mask) in enumerate(zip(seatings, masks, strict=True)):
                winners = tuple(seat for seat in range(len(bots)) if mask >> seat & 1)
                yield LedgerGame(deal, seating, bots, winners)


def ledger_games(folder: Path, bots: Collection[str] | None = None) -> LedgerGames:
    """The games in the ledger of a folder, those that all of these bots sat in if some are named.

    Raises ArenaError where it cannot be read.
    """
    return read_ledger(folder, lambda totals: _games_in_totals(totals, bots))


def _games_in_totals(totals: LedgerTotals, bots: Collection[str] | None) -> LedgerGames:
    expected = {totals.names.index(name) for name in bots or ()}
    last = max(
        (first + n for stored in totals.ledger.spans().values() for first, n in stored), default=0
    )
    blocks = [
        PlayedBlock(group, first, winners)
        for group, first, winners, _ in totals.ledger.deals(0, last)
        if expected <= set(group)
    ]
    blocks.sort(key=lambda block: (block.first, block.group))
    return LedgerGames(totals.names, totals.orders, blocks, tuple(totals.ledger.faults()))
