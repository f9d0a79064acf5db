"""Who meets whom on which deals: a lazy stream of blocks still to be played."""

from collections.abc import Callable, Iterable, Iterator

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.sampling import Span
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournament.files.config import Tournament

_MOST_GAMES = {"compiled": 16_384, "plain": 256}  # about a tenth of a second of play


def deals_per_block(tournament: Tournament, lane: str) -> int:
    """How many deals make a block; it depends on the tournament alone, not on who plays it."""
    groups = tournament.group_count
    most = max(1, _MOST_GAMES[lane] // len(tournament.orders))
    return min(most, -(-groups * tournament.deals // tournament.blocks))


def missing_blocks(
    tournament: Tournament,
    lane_of: Callable[[Group], str],
    played: Callable[[Group], Iterable[Span]],
) -> Iterator[Block]:
    """The blocks that are not in the spans already played, group after group."""
    for group in tournament.groups():
        size = deals_per_block(tournament, lane_of(group))
        for first, deals in _gaps(played(group), tournament.deals):
            yield from _cut(group, first, deals, size)


def _gaps(played: Iterable[Span], deals: int) -> Iterator[Span]:
    """What spans that do not overlap leave of the deals 0 to `deals - 1`."""
    reached = 0
    for first, count in sorted(played):
        if first > reached:
            yield reached, min(first, deals) - reached
        reached = max(reached, first + count)
        if reached >= deals:
            return
    if reached < deals:
        yield reached, deals - reached


def _cut(group: Group, first: int, deals: int, size: int) -> Iterator[Block]:
    """Cut a gap where multiples of `size` lie."""
    end = first + deals
    while first < end:
        upto = min(end, (first // size + 1) * size)
        yield Block(group, first, upto - first)
        first = upto
