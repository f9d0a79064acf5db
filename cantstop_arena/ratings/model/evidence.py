"""The evidence that ratings are fitted to: a tournament's counts as arrays, in canonical order.

Sums of floats depend on the order of their terms. So that neither the names nor the order of the
bots change a digit, bots are numbered by their results: each gets a colour, computed from its
counts and the colours of those it met, a few times over (colour refinement: Weisfeiler and Leman
1968). Bots of one colour have the same results, so that their order does not matter.

Which bots the games connect, and which they bound on one side only.

Strengths can be compared within a *field*: bots connected by games. A maximum of the likelihood
exists if and only if the graph "i won something in a game against j" is strongly connected within
each field (Ford 1957; Hunter 2004 for more than two seats), given the seats' effects.
"""

from typing import Any, TypeAlias

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import TournamentTotals, win_units
from cantstop_arena.deals.sampling import Populations
from cantstop_arena.deals.seatings import Orders

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.int64]
Colours: TypeAlias = NDArray[np.uint64]

ROUNDS = 3  # of refinement: more would distinguish bots in contrived results only


class Evidence(msgspec.Struct, frozen=True):
    """Games by lineup: a column of `lineups` has bots in seat order, of `wins` each seat's wins.

    Wins are in games; shared wins count in parts, so a column of `wins` sums to the games played.
    `populations` are the deals in which they were played, in these `orders` each. `luck_correction`
    is what the removal of luck adds to the wins of bots, then seats, in games; 0 where luck was not
    removed.
    """

    bots: int
    lineups: Ints
    wins: Floats
    populations: tuple[Populations, ...] = ()
    orders: Orders = ()
    luck_correction: Floats | float = 0.0

    @property
    def seats(self) -> int:
        """The number of seats of a game."""
        return len(self.lineups)


def gather_evidence(results: TournamentTotals) -> tuple[Evidence, Ints]:
    """A tournament's games with bots in canonical order, and that order as bot numbers."""
    bots, seats = len(results.bots), results.players
    lineups = _by_seat(list(results.tallies), seats)
    won = _by_seat([tally.wins for tally in results.tallies.values()], seats)
    played = won.any(axis=0)
    lineups, won = lineups[:, played], won[:, played]
    order = np.argsort(_colours(bots, lineups, won, results.deals.populations), kind="stable")
    canonical = np.empty_like(order)
    canonical[order] = np.arange(bots)
    lineups = canonical[lineups]
    columns = np.lexsort(lineups)
    populations = tuple(_renumbered(each, canonical) for each in results.deals.populations)
    lineups, won = _contiguous(lineups[:, columns]), _contiguous(won[:, columns])
    luck_correction = (
        _luck_correction(bots, lineups, won, populations) / win_units(seats)
        if results.with_luck
        else 0.0
    )
    wins = won / win_units(seats)
    return Evidence(bots, lineups, wins, populations, results.orders, luck_correction), order


def _renumbered(populations: Populations, canonical: Ints) -> Populations:
    """The same with bots in canonical numbers, sorted by these."""
    lineups = canonical[populations.lineups]
    keys = np.sort(lineups, axis=2).reshape(len(lineups), -1).T
    rows = np.lexsort([populations.deals, *keys[::-1]])
    return replace(populations, lineups=lineups).of_rows(rows)


def _luck_correction(
    bots: int, lineups: Ints, won: Ints, populations: tuple[Populations, ...]
) -> Floats:
    """The wins of bots, then seats, in deals minus those by the games, in win units."""
    by_bot = np.bincount(lineups.ravel(), won.ravel(), minlength=bots)
    totals = np.zeros(bots + len(won), np.int64)
    for each in populations:
        np.add.at(totals, each.parameters(bots), each.totals)
    surplus: Floats = totals - np.concatenate([by_bot, won.sum(axis=1)])
    return surplus


def _by_seat(rows: "list[tuple[int, ...]]", seats: int) -> Ints:
    return _contiguous(np.array(rows, np.int64).reshape(-1, seats).T)


def _contiguous(numbers: Ints) -> Ints:
    """The same numbers in C order, which makes sums over seats fast."""
    return np.ascontiguousarray(numbers)


def _colours(bots: int, lineups: Ints, won: Ints, populations: tuple[Populations, ...]) -> Colours:
    """A hash of each bot's results, which does not depend on the bots' names or order.

    Counts are divided by their greatest common divisor, so that twice the games give the same.
    """
    won = won // max(int(np.gcd.reduce(won, axis=None)), 1)
    products = [_products_of_bots(bots, each) for each in populations]
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
        for seated, matrices in products:
            np.add.at(refined, seated, _scattered(matrices, colours[seated]))
        colours = refined
    return colours


def _products_of_bots(bots: int, populations: Populations) -> tuple[Ints, Ints]:
    """The bots of each population, and the products of what they won: bots by bots."""
    parameters = populations.parameters(bots)
    numbers = np.flatnonzero(parameters[0] < bots)
    products = populations.products[:, numbers[:, None], numbers]
    return parameters[:, numbers], products // max(int(np.gcd.reduce(products, axis=None)), 1)


def _scattered(products: Ints, colours: Colours) -> Colours:
    """For each bot (row) of each matrix a hash of its products with bots of these colours."""
    columns = _mixed(products.astype(np.uint64)) + colours[:, None]
    row_sums: Colours = _mixed(columns).sum(axis=2)
    return _mixed(row_sums + np.diagonal(products, axis1=1, axis2=2).astype(np.uint64))


def _mixed(numbers: Colours) -> Colours:
    """Hashes of the numbers, of 64 bits: the mixer of SplitMix64 (Steele et al. 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: Colours = mixed ^ (mixed >> np.uint64(31))
    return scattered


Truths: TypeAlias = NDArray[np.bool_]


class Connections(msgspec.Struct, frozen=True):
    """Which bots are in one field, `together[i, j]`, and which ratings the games leave unbounded.

    At the bound are the bots outside the largest set of bots of their field that all won, directly
    or through others, against each other. The games set no upper bound on the ratings of those in
    `open_above`, and no lower bound on those in `open_below`.
    """

    together: Truths
    open_above: Truths
    open_below: Truths

    @property
    def at_bound(self) -> Truths:
        """The bots that the games bound on one side only."""
        return self.open_above | self.open_below


def connections(evidence: Evidence) -> Connections:
    """The connections between the bots of the evidence."""
    won = _won_against(evidence)
    met: Truths = won | won.T
    together = _closure(met)
    reach = _closure(won)
    core = _core(reach, together)
    has_core = (together & core).any(axis=1, keepdims=True)
    # Where a field has no largest set, every bot is measured against all others.
    opponents: Truths = together & (core | ~has_core)
    open_above: Truths = ~core & (opponents & ~reach.T).any(axis=1)
    open_below: Truths = ~core & (opponents & ~reach).any(axis=1)
    return Connections(together, open_above, open_below)


def fields_of(together: Truths) -> Ints:
    """For each bot the lowest number of its field."""
    return together.argmax(axis=1) if len(together) else np.zeros(0, np.int64)


def _won_against(evidence: Evidence) -> Truths:
    """Whether the row's bot won anything in a game against the column's: bots by bots."""
    won = np.zeros((evidence.bots, evidence.bots), np.bool_)
    for seat in range(evidence.seats):
        lineups = evidence.lineups[:, evidence.wins[seat] > 0]
        won[lineups[seat], lineups] = True
    return won


def _closure(edges: Truths) -> Truths:
    """The reflexive transitive closure of a relation: squared until nothing is added."""
    reach = edges | np.eye(len(edges), dtype=np.bool_)
    reached = 0
    while (count := int(np.count_nonzero(reach))) > reached:
        hops = reach.astype(np.float32)
        reach, reached = hops @ hops > 0, count
        if count == reach.size:
            break
    return reach


def _core(reach: Truths, together: Truths) -> Truths:
    """A mask of the bots in their field's largest strongly connected part; none if two tie."""
    size = (reach & reach.T).sum(axis=1)
    largest = (together * size).max(axis=1, initial=0)
    members = (together & (size == largest)).sum(axis=1)
    core: Truths = (size == largest) & (members == size)
    return core
