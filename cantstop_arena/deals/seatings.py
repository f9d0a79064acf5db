"""Seatings: the orders in which the bots of a group take their seats in every deal.

A deal is played once in each *order*. Up to four seats these are all orders. Beyond, all would be
120 games a deal and more; fewer are enough if every bot sits in every seat equally often, and next
to every other one equally often on either side. These orders are circles, each in all rotations.

Orders are of positions in the group; `lineups` returns them for a group's bots.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, permutations

Group = tuple[int, ...]  # the numbers of the bots that meet, ascending
Order = tuple[int, ...]  # of positions in a group, by seat
Orders = tuple[Order, ...]  # in which a deal is played

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
    """Circles in all rotations: any two are neighbours equally often, on either side.

    There are 4, 10, 6 and 7 circles for 5, 6, 7 and 8 seats.
    """
    return tuple(rotation for circle in _circles(seats) for rotation in rotations(circle))


def _circles(seats: int) -> Orders:
    if seats in _CIRCLES:
        return _CIRCLES[seats]
    return tuple(tuple(step * index % seats for index in range(seats)) for step in range(1, seats))


def rotations(circle: Order) -> Iterator[Order]:
    """All rotations of a circle."""
    for first in range(len(circle)):
        yield circle[first:] + circle[:first]


def groups_with(bot: int, bots: int, players: int) -> tuple[Group, ...]:
    """Every group of so many `players` in which `bot` sits, in ascending order."""
    others = (other for other in range(bots) if other != bot)
    return tuple(
        sorted(tuple(sorted((bot, *remaining))) for remaining in combinations(others, players - 1))
    )


def lineups(group: Group, orders: Iterable[Order]) -> Iterator[Group]:
    """The bots of a group in each of these orders."""
    for order in orders:
        yield tuple(group[position] for position in order)


def pairs_of_positions(players: int) -> tuple[tuple[int, int], ...]:
    """Every position in a group with each other one that it may sit after; none for two seats."""
    return tuple(permutations(range(players), 2)) if players > 2 else ()


def pairs_of_seats(order: Order) -> tuple[tuple[int, int], ...]:
    """For every seat of an order the positions in the group of its bot and of the bot before it."""
    return tuple((index, order[seat - 1]) for seat, index in enumerate(order))
