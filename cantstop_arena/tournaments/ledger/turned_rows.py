"""Rows whose group is in another order: the columns of its seatings and of its measures.

An `order` has, for each bot of the new order, its position in the old one.
"""

from cantstop_arena.deals.counting import Counts, stored_measures
from cantstop_arena.deals.seatings import Group, Orders, lineups, pairs_of_positions


def order_of(group: Group, stored: Group) -> Group:
    """The order that turns a row of the stored group into one of the same bots as `group`."""
    return tuple(stored.index(bot) for bot in group)


def seating_columns(orders: Orders, order: Group) -> slice | list[int]:
    """The old columns of the new seatings, where all of them are played."""
    if order == (1, 0):
        return slice(None, None, -1)  # without a copy
    columns = {seating: number for number, seating in enumerate(orders)}
    return [columns[seating] for seating in lineups(order, orders)]


def payoff_columns(order: Group) -> list[int]:
    """The old columns of the payoffs by position, and then of those by seat."""
    return [*order, *range(len(order), 2 * len(order))]


def measure_columns(counts: Counts, order: Group, has_luck: bool) -> list[int]:
    """The old columns of the counts of a deal and, with luck, of that by position and by seat."""
    players = len(order)
    pairs = pairs_of_positions(players) if counts.followed else ()
    end = len(stored_measures(counts, players))
    begin = end - len(pairs)
    columns = [*range(begin)]
    columns += [begin + pairs.index((order[index], order[after])) for index, after in pairs]
    if has_luck:
        columns += [
            *(end + position for position in order),
            *range(end + players, end + 2 * players),
        ]
    return columns
