"""A sample of deals game by game, which shows how the games of a deal correlate.

`degrees_of_freedom` are those of an interval, given how heavy the tails of its deals are.

An estimate of a variance from D numbers of kurtosis k varies as if it had 2 D / (k - 1) degrees of
freedom (Satterthwaite 1946; 3 is the normal distribution's k), and never more than D - 1. A bot
that wins rarely, or a measure that a few deals decide, has a large kurtosis, so that its interval
is wider than Student's with D - 1 degrees of freedom.

Where deals are skewed, a mean and its error vary together, and g² is the part of k - 1 that they
share, g being the skewness (Johnson 1978). With g > 0, a mean that is too low has an error that is
too small as well, so that for the upper end of its interval that part counts twice, and a mean that
is too high has a large error, so that for the lower end it does not count: the degrees of freedom
are 2 D / (k - 1 + g²) and 2 D / (k - 1 - g²). With g < 0 it is the other way round. Tails never set
a limit below 3: a quantile of Student's t without a variance would speak of t, not of the games.
"""

from typing import NamedTuple

import msgspec
import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import lineups as lineups_of
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.model.luce import Luce, add_by_seat, chances

MIN_SAMPLED = 10  # deals from which a kurtosis is taken
MIN_LIMIT = 3.0  # of the degrees of freedom
MANY_DEALS = 2000  # beyond, Student's quantile is the normal one, whatever the deals' scatter
DECIMALS = 3  # more would depend on the order of sums
ROUNDING = 1e-9


class DegreesOfFreedom(NamedTuple):
    """Those of the lower and of the upper end of an interval."""

    low: float
    high: float

    def towards(self, difference: float) -> float:
        """Those of the end at which a value is that is `difference` above the estimate."""
        return self.high if difference > 0 else self.low


def degrees_of_freedom(deals: int, influence: Floats) -> DegreesOfFreedom:
    """The degrees of freedom of an estimate's interval from this many deals, at least 1.

    `influence` is what each deal of a sample adds to the estimate, less the mean, in any unit; with
    few deals in the sample there is no limit but `deals` - 1.
    """
    (degrees,) = degrees_of_freedom_of_rows(np.array([deals]), influence[None])
    return degrees


def degrees_of_freedom_of_rows(deals: Ints, influence: Floats) -> list[DegreesOfFreedom]:
    """The degrees of freedom of several estimates: `deals` and a row of `influence` for each."""
    low, high = np.clip(heavy_tail_limits(deals, influence), 1.0, np.maximum(deals - 1.0, 1.0))
    return [*map(DegreesOfFreedom, low.tolist(), high.tolist())]


def heavy_tail_limits(deals: int | Ints, influence: Floats) -> Floats:
    """The limits that the tails of each row of `influence` set; infinite where they set none.

    They are those of the lower ends, and then those of the upper ones: two by rows. The number of
    `deals` is one for all rows, or one for each.
    """
    sampled = influence.shape[-1]
    if np.min(deals) > MANY_DEALS or sampled < MIN_SAMPLED:
        return np.full((2, *influence.shape[:-1]), np.inf)
    square = influence**2
    squares = square.sum(axis=-1)
    cubes = (square * influence).sum(axis=-1)  # products: other powers take forty times as long
    fourth = sampled * (square**2).sum(axis=-1)
    excess = np.divide(fourth, squares**2, out=np.ones_like(squares), where=squares > 0) - 1
    shared = np.sign(cubes) * np.divide(
        sampled * cubes**2, squares**3, out=np.zeros_like(squares), where=squares > 0
    )
    excesses = np.stack([excess - shared, excess + shared])
    limits: Floats = np.divide(
        2.0 * deals, excesses, out=np.full_like(excesses, np.inf), where=excesses > ROUNDING
    )
    limits = np.where(np.greater(deals, MANY_DEALS), np.inf, limits)
    return np.maximum(limits, MIN_LIMIT).round(DECIMALS)


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
    won = sample.won(seats)
    index = sample.lineups + bots * np.arange(len(won))[:, None, None]
    by_bot = np.bincount(index.ravel(), won.ravel(), minlength=bots * len(won))
    return np.concatenate([by_bot.reshape(len(won), bots), won.sum(axis=2)], axis=1)


def influence(sample: DealClusters, model: Luce) -> Floats:
    """What each deal of the sample adds to the parameters: deals by parameters."""
    seats, bots = model.evidence.seats, model.evidence.bots
    expected = add_by_seat(sample.lineups, bots, chances(sample.lineups, model.parameters))
    on_parameters: Floats = (wins_of_deals(sample, bots, seats) - expected) @ model.inverse
    return on_parameters
