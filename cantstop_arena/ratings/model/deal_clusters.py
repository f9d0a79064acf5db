"""A sample of deals game by game, which shows how the games of a deal correlate."""

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import lineups as lineups_of
from cantstop_arena.ratings.degrees_of_freedom import MIN_SAMPLED
from cantstop_arena.ratings.model.choice import add_by_seat, chances
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.model.luce import Luce


class DealClusters(msgspec.Struct, frozen=True):
    """A sample of deals, in the model's canonical numbers and order.

    `lineups` are seats by seatings, `masks` the winning seats, deals by seatings.
    """

    lineups: Ints
    masks: Bytes

    def won(self, seats: int) -> Floats:
        """The wins of each seat, in games: deals by seats by seatings."""
        shares: Floats = _shares(seats).T[:, self.masks].transpose(1, 0, 2)
        return shares


def _shares(seats: int) -> Floats:
    """Each seat's share of the win for every mask of winning seats: masks by seats."""
    bits = np.arange(1 << seats)[:, None] >> np.arange(seats) & 1
    shares: Floats = bits / np.maximum(bits.sum(axis=1, keepdims=True), 1)
    return shares


def sample_of(
    results: TournamentTotals, order: Ints, minimum: int = MIN_SAMPLED
) -> DealClusters | None:
    """The sample of a tournament; None if a group has fewer than `minimum` deals in it."""
    sample = results.deals.sample.winners
    if min(map(len, sample.values()), default=0) < minimum:
        return None
    seatings = [lineup for group in sample for lineup in lineups_of(group, results.orders)]
    lineups = np.argsort(order, kind="stable")[np.array(seatings, np.int64).T]
    columns = np.lexsort(lineups)
    masks = np.concatenate(list(sample.values()), axis=1)
    return DealClusters(np.ascontiguousarray(lineups[:, columns]), masks[:, columns])


def wins_of_deals(sample: DealClusters, bots: int, seats: int) -> Floats:
    """The wins, in games, in the deals of a sample: deals by bots and then seats."""
    return np.stack([add_by_seat(sample.lineups, bots, deal) for deal in sample.won(seats)])


def influence(sample: DealClusters, model: Luce, contrasts: Floats) -> Floats:
    """What each deal of the sample adds to contrasts of the parameters: deals by contrasts."""
    seats, bots = model.evidence.seats, model.evidence.bots
    expected = add_by_seat(sample.lineups, bots, chances(sample.lineups, model.parameters))
    surplus = wins_of_deals(sample, bots, seats) - expected
    on_contrasts: Floats = surplus @ model.inverse @ contrasts.T
    return on_contrasts
