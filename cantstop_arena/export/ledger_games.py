"""The games in a tournament's ledger: the bots by seat, and the winners."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Fault
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.tournaments.ledger.aggregation import LedgerTotals
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger


class LedgerGame(msgspec.Struct, frozen=True):
    """A game: its deal, the index of its seating in the deal, and the bots' numbers by seat.

    `sharing` are the seats that share the win: those that won or, when nobody won, all seats.
    """

    deal: int
    seating: int
    bots: Group
    sharing: tuple[int, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won against others; none where all seats share the win."""
        return () if len(self.sharing) == len(self.bots) > 1 else self.sharing


class PlayedBlock(msgspec.Struct, frozen=True):
    """Consecutive deals of a group: masks of the winning seats by deal and seating."""

    group: Group
    first: int
    winners: Bytes

    @property
    def end(self) -> int:
        """The deal after the last one."""
        return self.first + len(self.winners)


class LedgerGames(msgspec.Struct, frozen=True):
    """Blocks in the order of their deals, the bots' names by number, and the faults."""

    names: Sequence[str]
    orders: Orders
    blocks: Sequence[PlayedBlock]
    faults: Sequence[Fault] = ()

    def up_to(self, deals: int) -> "LedgerGames":
        """The games of the deals below the number `deals`."""
        blocks = [
            replace(block, winners=block.winners[: deals - block.first])
            for block in self.blocks
            if block.first < deals
        ]
        return replace(self, blocks=blocks)

    @property
    def count(self) -> int:
        """The number of games."""
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
                sharing = tuple(seat for seat in range(len(bots)) if mask >> seat & 1)
                yield LedgerGame(deal, seating, bots, sharing)


def ledger_games(folder: Path, bots: Collection[str] | None = None) -> LedgerGames:
    """The games in the ledger of a folder; with `bots`, only those in which all of them sat.

    Raises ArenaError when the ledger cannot be read.
    """
    return read_ledger(folder, lambda totals: _games_in_totals(totals, bots))


def _games_in_totals(totals: LedgerTotals, bots: Collection[str] | None) -> LedgerGames:
    bot_numbers = {totals.names.index(name) for name in bots or ()}
    end = max(
        (first + count for spans in totals.ledger.spans().values() for first, count in spans),
        default=0,
    )
    blocks = [
        PlayedBlock(group, first, winners)
        for group, first, winners, _ in totals.ledger.deals(0, end)
        if bot_numbers <= set(group)
    ]
    blocks.sort(key=lambda block: (block.first, block.group))
    return LedgerGames(totals.names, totals.orders, blocks, tuple(totals.ledger.faults()))
