"""What ratings are made from: a tournament's counts as arrays, in an order of their own.

Sums of floats depend on the order of their terms. So that neither the names nor the order of the
bots change a digit, bots are numbered by what they did: each gets a colour, made from its counts
and the colours of those it met, a few times over (colour refinement: Weisfeiler and Leman 1968).
Bots of one colour are alike in everything, and then it does not matter which comes first.
"""

from typing import Any, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.sampling import DealRange
from cantstop_arena.deals.seatings import Orders
from cantstop_arena.deals.winners import win_units

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.int64]
Colours: TypeAlias = NDArray[np.uint64]

ROUNDS = 3  # of refinement: more tell apart only what is made up for it


class Evidence(msgspec.Struct, frozen=True):
    """Games added up: column n of `lineups` are bots in seat order, of `wins` what each seat won.

    Wins are in games; shared wins count in parts, so a column of `wins` sums to the games played.
    `spans` are the deals in which they were played. Where luck was removed from these, bots and
    seats won that much `more` in them than by the games, in games.
    """

    bots: int
    lineups: Ints
    wins: Floats
    spans: "tuple[Span, ...]" = ()
    luck_correction: Floats | float = 0.0

    @property
    def seats(self) -> int:
        """How many sit at a table."""
        return len(self.lineups)


class Span(msgspec.Struct, frozen=True):
    """Deals that were played alike: in each of them, every one of the `lineups` once.

    `totals` and `products` are those of a Stretch.
    """

    deals: int
    lineups: Ints
    totals: Ints
    products: Ints


def gather_evidence(results: TournamentTotals) -> tuple[Evidence, Ints]:
    """A tournament's games, bots in canonical order, and that order: the bots' own numbers."""
    bots, seats = len(results.bots), results.players
    lineups = _by_seat(list(results.tallies), seats)
    won = _by_seat([tally.wins for tally in results.tallies.values()], seats)
    played = won.any(axis=0)
    lineups, won = lineups[:, played], won[:, played]
    stretches = [stretch for stretch in results.deals.stretches if stretch.deals]
    order = np.argsort(_colours(bots, lineups, won, stretches), kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(bots)
    lineups = number[lineups]
    columns = np.lexsort(lineups)
    spans = sorted(
        (_span(stretch, number, order, results.orders) for stretch in stretches), key=_span_key
    )
    lineups, won = _contiguous(lineups[:, columns]), _contiguous(won[:, columns])
    luck_correction = (
        _luck_correction(bots, lineups, won, spans) / win_units(seats) if results.luck else 0.0
    )
    return Evidence(bots, lineups, won / win_units(seats), tuple(spans), luck_correction), order


def _luck_correction(bots: int, lineups: Ints, won: Ints, spans: "list[Span]") -> Floats:
    """What bots, then seats, won in deals beyond what they won by the games, in parts of WHOLE."""
    by_bot = np.bincount(lineups.ravel(), won.ravel(), minlength=bots)
    totals = sum((span.totals for span in spans), np.zeros(bots + len(won), np.int64))
    surplus: Floats = totals - np.concatenate([by_bot, won.sum(axis=1)])
    return surplus


def _by_seat(rows: "list[tuple[int, ...]]", seats: int) -> Ints:
    return _contiguous(np.array(rows, np.int64).reshape(-1, seats).T)


def _contiguous(numbers: Ints) -> Ints:
    """The same numbers, those of a seat side by side, which makes sums over seats fast."""
    return np.ascontiguousarray(numbers)


def _span(stretch: DealRange, number: Ints, order: Ints, orders: Orders) -> Span:
    seats = len(orders[0])
    groups = number[_by_seat(list(stretch.groups), seats)]
    seated = np.array(orders, np.int64)
    lineups = groups[seated.T].reshape(seats, -1)
    indices = np.concatenate([order, len(order) + np.arange(seats)])
    return Span(
        deals=stretch.deals,
        lineups=_contiguous(lineups[:, np.lexsort(lineups)]),
        totals=np.asarray(stretch.totals)[indices],
        products=np.asarray(stretch.products)[np.ix_(indices, indices)],
    )


def _span_key(span: Span) -> tuple[int, list[int], list[list[int]]]:
    return span.deals, span.totals.tolist(), span.lineups.tolist()


def _colours(bots: int, lineups: Ints, won: Ints, stretches: list[DealRange]) -> Colours:
    """A number for each bot that tells what it did, whatever the bots are called.

    Counts are taken as multiples of their divisor: twice the games are the same numbers.
    """
    won = won // max(int(np.gcd.reduce(won, axis=None)), 1)
    products = [np.asarray(stretch.products)[:bots, :bots] for stretch in stretches]
    products = [matrix // max(int(np.gcd.reduce(matrix, axis=None)), 1) for matrix in products]
    colours = np.zeros(bots, np.uint64)
    for _ in range(ROUNDS):
        refined = _mixed(colours)
        column_colours = np.zeros(lineups.shape[1], np.uint64)
        for seat_bots, units in zip(lineups, won, strict=True):
            column_colours = _mixed(
                _mixed(column_colours + colours[seat_bots]) + units.astype(np.uint64)
            )
        for seat, seat_bots in enumerate(lineups):
            np.add.at(refined, seat_bots, _mixed(column_colours + np.uint64(seat + 1)))
        for matrix in products:
            refined += _scattered(matrix, colours)
        colours = refined
    return colours


def _scattered(products: Ints, colours: Colours) -> Colours:
    row_sums: Colours = _mixed(_mixed(products.astype(np.uint64)) + colours).sum(axis=1)
    return _mixed(row_sums + products.diagonal().astype(np.uint64))


def _mixed(numbers: Colours) -> Colours:
    """Numbers scattered over all of 64 bits: the mixer of SplitMix64 (Steele et al. 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: Colours = mixed ^ (mixed >> np.uint64(31))
    return scattered
