"""The schedule of a tournament: a lazy stream of blocks still to be played, round after round.

A round is a range of deals that all groups play before the next round begins, so that the results
of an unfinished or interrupted run are about all its bots.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import TypeAlias

import msgspec

from cantstop_arena.deals.outcomes import Block, Span, gaps
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournaments.tournament import Tournament

_MAX_GAMES = {"compiled": 65_536, "batched": 8_192, "plain": 256}
"""Up to a fifth of a second of play; of batched bots more, as the rows of a batch end unevenly."""
_GAMES_IN_ROW = 128  # at least, of a block of batched bots
_ISOLATED_PARTS = 8  # of such a block where one is isolated, which may be late in each game
_LARGER = 8  # times, blocks of compiled bots: their overhead per block weighs more
_LATE = 8  # the last eighth of the deals is in shorter blocks: workers end at the same time
_SHORTER = 2, 4  # parts of a block, until a half, then a quarter of that eighth is left
_SHORTEST = 8
_FIRST_DEALS = 128  # of each group in the first round, so that results are about all bots soon
_MIN_ROUND_GAMES = 10_000  # blocks end at 1, 2, 5 times powers of ten, from here on
_ROUND_STEPS = (1, 2, 5, 10)
_ISOLATED_ROUND_GAMES = (
    512  # of a group in a round, where processes are started for each group that comes
)

Round: TypeAlias = tuple[int, Iterator[Block]]
"""The first deal with a missing game, and the missing blocks that begin in its round."""


def deals_per_block(tournament: Tournament, backend: str) -> int:
    """The number of deals of a block, which depends on the tournament alone."""
    deals = tournament.group_count * tournament.deals
    games = _MAX_GAMES[backend]
    if backend == "batched":
        games = max(games, _GAMES_IN_ROW * _max_rows(tournament))
        if any(entrant.isolate for entrant in tournament.entrants):
            games //= _ISOLATED_PARTS
    max_deals = max(1, games // len(tournament.orders))
    blocks = tournament.blocks if backend == "plain" else tournament.blocks // _LARGER
    return min(max_deals, -(-deals // max(1, blocks)))


def _max_rows(tournament: Tournament) -> int:
    """The rows of the largest batches; of bots without an option of this name the usual number."""
    options = (entrant.options.get("rows") for entrant in tournament.entrants)
    return max((rows for rows in options if type(rows) is int), default=0)


def deals_per_round(tournament: Tournament) -> int:
    """The number of deals of a round: a block of plain bots, more with isolated bots."""
    deals = deals_per_block(tournament, "plain")
    if any(entrant.isolate for entrant in tournament.entrants):
        return max(deals, _ISOLATED_ROUND_GAMES // len(tournament.orders))
    return deals


def missing_rounds(
    tournament: Tournament,
    backend_of: Callable[[Group], str],
    played: Callable[[Group], Iterable[Span]],
) -> Iterator[Round]:
    """The blocks that are not in the spans already played, round after round.

    Within a round they are ordered by group. A block that is longer than a round belongs to the one
    in which it begins.
    """
    schedule = _Schedule(tournament, backend_of, played)
    length, first = deals_per_round(tournament), schedule.first_from(0)
    while first is not None:
        end = (first // length + 1) * length
        if first < _FIRST_DEALS:
            end = min(end, _FIRST_DEALS)
        yield first, schedule.beginning(first, end)
        first = schedule.first_from(end)


class _Schedule(msgspec.Struct, frozen=True):
    """The missing blocks of a tournament."""

    tournament: Tournament
    backend_of: Callable[[Group], str]
    played: Callable[[Group], Iterable[Span]]

    def beginning(self, first: int, end: int) -> Iterator[Block]:
        """The blocks that begin at the deals `first` to `end - 1`, by group."""
        for group in self.tournament.groups():
            yield from takewhile(lambda block: block.first < end, self._blocks(group, first))

    def first_from(self, deal: int) -> int | None:
        """The first deal at or after `deal` at which a block begins."""
        blocks = (next(self._blocks(group, deal), None) for group in self.tournament.groups())
        return min((block.first for block in blocks if block), default=None)

    def _cuts(self, group: Group) -> "_Cuts":
        """The cuts for a group; bots that learn do so for a block of a fixed number of games."""
        if self.tournament.query.learns(group):
            return _Cuts(self.tournament.query.lesson)
        size = deals_per_block(self.tournament, self.backend_of(group))
        full = self.tournament.deals // size
        orders = len(self.tournament.orders)
        return _Cuts(size, orders, full - full // _LATE, full, self.tournament.opening_count)

    def _blocks(self, group: Group, deal: int) -> Iterator[Block]:
        """The blocks of a group that begin at or after `deal`."""
        cuts = self._cuts(group)
        for first, deals in gaps(self.played(group), self.tournament.deals):
            yield from cuts.between(
                group, first if first >= deal else cuts.after(deal - 1), first + deals
            )


class _Cuts(msgspec.Struct, frozen=True):
    """Where deals are cut into blocks: at multiples of `size`; blocks from `late` to `end` are cut
    into shorter ones.

    Of bots that do not learn they are also cut after the first round, and where each group has
    played a round number of games, which are the numbers that a user may lower them to; `orders`
    is the number of games of a deal. One cut is where a list of `openings` begins again.
    """

    size: int
    orders: int = 0
    late: int | None = None
    end: int = 0
    openings: int = 0

    def after(self, deal: int) -> int:
        """The first cut after `deal`."""
        if not self.orders:
            return self._multiple_after(deal)
        round_games = _round_after(deal * self.orders)
        cut = min(self._multiple_after(deal), -(-round_games // self.orders))
        if deal < self.openings:
            cut = min(cut, self.openings)
        return min(cut, _FIRST_DEALS) if deal < _FIRST_DEALS else cut

    def _multiple_after(self, deal: int) -> int:
        block, within = divmod(deal, self.size)
        step = -(-self.size // self._parts(block))
        return block * self.size + min(self.size, (within // step + 1) * step)

    def _parts(self, block: int) -> int:
        if self.late is None or block < self.late:
            return 1
        share = (self.end - block, self.end - self.late)  # late blocks left, and all
        return next((parts for parts in _SHORTER if share[0] * parts > share[1]), _SHORTEST)

    def between(self, group: Group, first: int, end: int) -> Iterator[Block]:
        """The blocks between two deals."""
        while first < end:
            upto = min(end, self.after(first))
            yield Block(group, first, upto - first)
            first = upto


def _round_after(games: int) -> int:
    """The first round number of games, from 10,000 on, that is greater than `games`."""
    power = max(_MIN_ROUND_GAMES, int(10 ** (len(str(games)) - 1)))
    return next(step * power for step in _ROUND_STEPS if step * power > games)
