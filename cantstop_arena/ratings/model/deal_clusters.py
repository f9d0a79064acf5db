"""A sample of deals game by game, which shows how the games of a deal correlate."""

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import lineups as lineups_of
from cantstop_arena.ratings.model.choice import add_by_seat, chances
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.model.luce import Luce

MIN_DEALS = 10
DECIMALS = 3  # of degrees of freedom: more would depend on the order of sums
ROUNDING = 1e-9
MANY_DEALS = 2000  # beyond, Student's quantile is the normal one, whatever the deals' scatter


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


def sample_of(results: TournamentTotals, order: Ints, minimum: int) -> DealClusters | None:
    """The sample of a tournament; None if a group has fewer than `minimum` deals in it."""
    sample = results.deals.sample.winners
    if min(map(len, sample.values()), default=0) < minimum:
        return None
    seatings = [lineup for group in sample for lineup in lineups_of(group, results.orders)]
    lineups = np.argsort(order, kind="stable")[np.array(seatings, np.int64).T]
    columns = np.lexsort(lineups)
    masks = np.concatenate(list(sample.values()), axis=1)
    return DealClusters(np.ascontiguousarray(lineups[:, columns]), masks[:, columns])


def heavy_tail_degrees_of_freedom(
    results: TournamentTotals, model: Luce, order: Ints, deals: int, contrasts: Floats
) -> Floats:
    """The degrees of freedom of the contrasts' errors, given the deals' kurtosis.

    An estimate of a variance from D numbers of kurtosis k varies as if it had 2 D / (k - 1) degrees
    of freedom (Satterthwaite 1946; 3 is the normal distribution's k). Infinite where there is no
    sample, or so many deals that it does not matter.
    """
    sample = sample_of(results, order, MIN_DEALS) if deals <= MANY_DEALS else None
    if sample is None:
        return np.full(len(contrasts), np.inf)
    influence = _surplus(sample, model) @ model.inverse @ contrasts.T
    return np.array([_degrees_of_freedom(deals, column) for column in influence.T])


def _surplus(sample: DealClusters, model: Luce) -> Floats:
    """Wins minus expected wins in each deal: deals by bots, then seats."""
    bots = model.evidence.bots
    residuals = sample.won(model.evidence.seats) - chances(sample.lineups, model.parameters)
    return np.stack([add_by_seat(sample.lineups, bots, deal) for deal in residuals])


def _degrees_of_freedom(deals: int, influence: Floats) -> float:
    squares = float((influence**2).sum())
    if squares == 0:
        return np.inf
    kurtosis = len(influence) * float((influence**4).sum()) / squares**2
    return round(2 * deals / (kurtosis - 1), DECIMALS) if kurtosis > 1 + ROUNDING else np.inf


def intraclass_correlation(results: TournamentTotals, model: Luce, order: Ints) -> float:
    """The correlation of games of one deal in which a bot sits in the same seat: 0 to 1.

    The sum of the products of two such games' residuals over that of their standard deviations by
    the model, for all bots and seats together. 0 where there is no sample.
    """
    sample = sample_of(results, order, MIN_DEALS)
    if sample is None:
        return 0.0
    bots = model.evidence.bots
    chance = chances(sample.lineups, model.parameters)
    residuals = sample.won(len(chance)) - chance
    deviation = np.sqrt(chance * (1 - chance))
    products = expected = 0.0
    for seat, seat_bots in enumerate(sample.lineups):
        sums = np.stack([np.bincount(seat_bots, row, minlength=bots) for row in residuals[:, seat]])
        products += float((sums**2).sum() - (residuals[:, seat] ** 2).sum())
        bot_deviations = np.bincount(seat_bots, deviation[seat], minlength=bots)
        expected += float((bot_deviations**2).sum() - (deviation[seat] ** 2).sum())
    expected *= len(residuals)
    return min(max(products / expected, 0.0), 1.0) if expected > 0 else 0.0
