"""Who sits where: the orders in which the bots of a group take their seats, deal after deal.

A deal is played once in each *order*. Up to four seats these are all orders. Beyond, all would be
120 games a deal and more; fewer do, if every bot sits in every seat equally often, and next to
every other one equally often on either side. The seats are then laid in circles, and each circle is
turned from seat to seat.

Orders are of positions in the group; `lineups` gives them for a group's bots.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, permutations

Group = tuple[int, ...]  # the numbers of the bots that meet, ascending
Order = tuple[int, ...]  # of positions in a group, by seat
Orders = tuple[Order, ...]
"""From a number of seats to the orders in which they are taken."""

MAX_SEATS = 8
_MAX_IN_ALL_ORDERS = 4

# Circles in which, taken together, everyone sits next to everyone equally often on either side.
# Where the number is prime, steps of 1, 2, … around it are such circles. Those of 6 and 8 were
# found by search; each pair is next to each other twice on either side with 6, once with 8.
_CIRCLES: dict[int, Orders] = {
    6: (
        *((0, 1, 2, 3, 4, 5), (0, 5, 4, 3, 2, 1), (0, 1, 2, 3, 5, 4), (0, 4, 5, 3, 2, 1)),
        *((0, 2, 4, 1, 3, 5), (0, 5, 3, 1, 4, 2), (0, 2, 5, 1, 4, 3), (0, 3, 4, 1, 5, 2)),
        *((0, 3, 1, 5, 2, 4), (0, 4, 2, 5, 1, 3)),
    ),
    8: (
        *((0, 1, 2, 3, 4, 5, 6, 7), (0, 2, 1, 3, 5, 4, 7, 6), (0, 3, 1, 4, 6, 2, 7, 5)),
        *((0, 4, 1, 5, 7, 2, 6, 3), (0, 5, 3, 6, 1, 7, 4, 2), (0, 6, 5, 2, 4, 3, 7, 1)),
        (0, 7, 3, 2, 5, 1, 6, 4),
    ),
}


def standard_orders(seats: int) -> Orders:
    """All orders of up to four seats, balanced circles of five to eight."""
    return all_orders(seats) if seats <= _MAX_IN_ALL_ORDERS else balanced_orders(seats)


@cache
def all_orders(seats: int) -> Orders:
    """Every order, ascending."""
    return tuple(permutations(range(seats)))


@cache
def balanced_orders(seats: int) -> Orders:
    """Circles in which each is next to each equally often, on either side, in all rotations.

    There are 4, 10, 6 and 7 circles for 5, 6, 7 and 8 seats.
    """
    return tuple(rotation for circle in _circles(seats) for rotation in rotations(circle))


def _circles(seats: int) -> Orders:
    if seats in _CIRCLES:
        return _CIRCLES[seats]
    return tuple(tuple(step * at % seats for at in range(seats)) for step in range(1, seats))


def rotations(circle: Order) -> Iterator[Order]:
    """A circle, turned from seat to seat."""
    for first in range(len(circle)):
        yield circle[first:] + circle[:first]


def groups_with(bot: int, bots: int, players: int) -> tuple[Group, ...]:
    """Every group of so many `players` in which one of the bots sits, in canonical order."""
    others = (other for other in range(bots) if other != bot)
    return tuple(
        sorted(tuple(sorted((bot, *remaining))) for remaining in combinations(others, players - 1))
    )


def lineups(group: Group, orders: Iterable[Order]) -> Iterator[Group]:
    """The bots of a group in the orders given."""
    for order in orders:
        yield tuple(group[position] for position in order)


def pairs_of_positions(players: int) -> tuple[tuple[int, int], ...]:
    """Every place in a group, and each other one that it may sit after; none for two seats."""
    return tuple(permutations(range(players), 2)) if players > 2 else ()


def pairs_of_seats(order: Order) -> tuple[tuple[int, int], ...]:
    """For every seat of an order who sits there, and after whom: places in the group."""
    return tuple((index, order[seat - 1]) for seat, index in enumerate(order))
