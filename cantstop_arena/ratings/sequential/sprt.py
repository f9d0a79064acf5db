"""The sequential probability ratio test for a match of one bot against another.

Two hypotheses about A's strength over B, in Elo: H0 says elo0, H1 says elo1. A deal is played in
both seatings, so A takes 0, 1/2, 1, 3/2 or 2 points from it, and the five counts (the pentanomial)
are all that the test needs: they hold what the two games of a deal have in common. With more
seats the other bot takes all that remain; a deal is played in all orders, and A's score has as many
values as wins can be shared in its games. By Luce's choice model, equals score 1 in `players`.

The test is Wald's (Sequential Analysis, 1947), generalised to a hypothesis about the mean of an
unknown distribution: GSPRT, after Van den Bergh, "A practical introduction to the GSPRT", as used
by fishtest. The log-likelihood ratio compares, of all distributions with the mean that H1
states, the one that makes the counts most likely, with its counterpart of H0. With the observed
shares p of the scores a, the likeliest distribution of mean s is (Owen, Empirical Likelihood, 2001)

    p / (1 + theta (a - s)),    theta such that the sum of p (a - s) / (1 + theta (a - s)) is 0

and LLR = n · sum of p · log((1 + theta0 (a - s0)) / (1 + theta1 (a - s1))). With luck removed the
scores of deals have many values, and LLR = n (s1 - s0)(mean - (s0 + s1) / 2) / variance.

Of games that pay something the hypotheses can be about payoffs: how much more than B A gets a game,
in the unit of the payoff. The counts are then those of each value of a deal, and two values a
twentieth of their span outside of them, with the weight ZERO_COUNT, make every mean near possible.

At or below log(beta / (1 - alpha)) H0 is accepted, at or above log((1 - beta) / alpha) H1: where
H0 is true, H1 is accepted with probability alpha at most, and H0 where H1 is true with beta at
most, nearly.
"""

from collections.abc import Mapping, Sequence
from math import expm1, lcm, log, sqrt

import msgspec

from cantstop_arena.deals.outcomes import TEST, Until
from cantstop_arena.errors import steps_to

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # A's score in a deal of two games: its points by two
ZERO_COUNT = 1e-3  # replaces counts of 0 at SCORES, so that every mean is possible
GROWTH = 1.1  # of the number of deals, from one look to the next
OVERSHOOT = 0.583  # of a walk beyond a bound, in standard deviations of a step: Siegmund (1985)
PAID_DEALS = 1000.0
"""For which the sequences of payoffs are tuned, as their variance is not known before the games.

From 100 to a million deals they are at most 27% wider than with the best number.
"""
_MARGIN = 0.05  # of the span of values, beyond which there is one more on either side
_MAX_STEPS = 10_000
_TOLERANCE = 1e-14
_MIN_DRIFT = 1e-9  # times the bounds' distance, in step variances: with less there is none


def score_of(elo: float, players: int = 2) -> float:
    """The expected score of a bot that is stronger than each other player by `elo` points."""
    return 1 / (1 + (players - 1) * 10 ** (-elo / 400))


def score_steps(players: int, games: int) -> int:
    """The number of equal steps from 0 to 1 that a score in a deal of so many games can take.

    The win of a game is shared by any number of its seats.
    """
    return games * lcm(*range(1, players + 1))


class TestState(msgspec.Struct, frozen=True):
    """The state of a test at a look.

    `ratio` is the log-likelihood ratio, `mean` and `variance` those of a deal's score, `accepted`
    the hypothesis that is accepted, 0 or 1; None while neither is. Where all deals are the same
    games over and over, they are `repeated`: the state is that of one deal, nothing is accepted.
    """

    ratio: float
    mean: float
    variance: float
    accepted: int | None
    repeated: bool = False


class Sprt(msgspec.Struct, frozen=True):
    """The hypotheses, elo0 below elo1, and the probabilities of errors.

    With a `unit` they are not Elo, but how much more the first bot gets a game. `alpha` is the
    probability of accepting H1 wrongly, `beta` that of accepting H0 wrongly. A deal has so many
    `games` of so many `players`.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    players: int = 2
    games: int = 2
    unit: str = ""

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return log((1 - self.beta) / self.alpha)

    @property
    def scores(self) -> tuple[float, float]:
        """The expected scores that the hypotheses state, with a unit the payoffs."""
        if self.unit:
            return self.elo0, self.elo1
        return score_of(self.elo0, self.players), score_of(self.elo1, self.players)

    def ratio(self, counts: Sequence[int]) -> float:
        """The log-likelihood ratio of H1 against H0, from the deals of each score.

        The scores are evenly spaced from 0 to 1: of two players, the counts are the pentanomial.
        """
        if not any(counts):
            return 0.0
        return self._ratio(_observed(counts))

    def _ratio(self, observed: Sequence[tuple[float, float]]) -> float:
        """The log-likelihood ratio from the deals of each value, ascending."""
        s0, s1 = self.scores
        tilt0, tilt1 = _tilt(observed, s0), _tilt(observed, s1)
        return sum(
            count * log((1 + tilt0 * (a - s0)) / (1 + tilt1 * (a - s1))) for a, count in observed
        )

    def normal_ratio(self, deals: int, mean: float, variance: float) -> float:
        """The log-likelihood ratio from the mean score of deals and the variance of a deal.

        The normal form of the test: that of scores with luck removed, which have no few values.
        """
        s0, s1 = self.scores
        return deals * (s1 - s0) * (mean - (s0 + s1) / 2) / variance if deals else 0.0

    def state(self, counts: Sequence[int]) -> TestState:
        """The state of the test after deals, counted by their score."""
        ratio = self.ratio(counts)
        return TestState(ratio, *mean_and_variance(counts), self._accepted(ratio))

    def state_of_payoffs(self, deals: Mapping[float, int]) -> TestState:
        """The state after deals, counted by how much more than the second the first bot got."""
        if not deals:
            return TestState(0.0, 0.0, 0.0, None)
        ratio = self._ratio(_surrounded(deals, self.scores))
        return TestState(ratio, *_moments(sorted(deals.items())), self._accepted(ratio))

    def state_of(self, deals: int, mean: float, variance: float) -> TestState:
        """The state after deals with this mean score, and this variance of a deal's score."""
        ratio = self.normal_ratio(deals, mean, variance)
        return TestState(ratio, mean, variance, self._accepted(ratio))

    def accepted(self, counts: Sequence[int]) -> int | None:
        """Which hypothesis is accepted, 0 or 1; None while neither is."""
        return self._accepted(self.ratio(counts))

    def _accepted(self, ratio: float) -> int | None:
        if ratio <= self.lower:
            return 0
        return 1 if ratio >= self.upper else None

    def expected_deals(self, score: float, variance: float, between: float | None = None) -> float:
        """The mean number of deals of a test, given the true score and variance per deal.

        The log-likelihood ratio is taken as a Brownian motion (Wald 1947), its bounds moved out by
        the overshoot of a walk with a look after every `between` deals (Siegmund 1985); by default
        these are the deals between the last two looks.
        """
        if between is None:
            between = (1 - 1 / GROWTH) * self.expected_deals(score, variance, 1)
        s0, s1 = self.scores
        drift = (s1 - s0) * (score - (s0 + s1) / 2) / variance
        step_variance = (s1 - s0) ** 2 / variance
        overshoot = OVERSHOOT * sqrt(step_variance * between)
        low, high = self.lower - overshoot, self.upper + overshoot
        if abs(drift) * (high - low) <= _MIN_DRIFT * step_variance:
            return -low * high / step_variance
        slope = 2 * drift / step_variance
        up = _upper_exit_probability(slope, low, high)
        return (up * high + (1 - up) * low) / drift


def expected_deals(test: Sprt) -> float:
    """The mean number of deals of a test if H0 is true, as expected before the first deal.

    Nothing is known yet of payoffs; PAID_DEALS stands for it.
    """
    if test.unit:
        return PAID_DEALS
    return test.expected_deals(test.scores[0], equal_variance(test.players, test.games))


def equal_variance(players: int, games: int) -> float:
    """The variance of a deal's score between equals, were its games independent."""
    return (players - 1) / players**2 / games


def ended_by(test: Sprt | None) -> Until | None:
    """The rule of a match that a test ends, by which intervals are confidence sequences."""
    return Until(TEST, 0.0, expected_deals(test)) if test else None


def _upper_exit_probability(slope: float, low: float, high: float) -> float:
    """The probability that a Brownian motion ends at `high`; `slope` is 2 · drift / variance."""
    if slope < 0:
        return 1 - _upper_exit_probability(-slope, -high, -low)
    return expm1(slope * low) / expm1(slope * (low - high))


def mean_and_variance(counts: Sequence[int]) -> tuple[float, float]:
    """A's mean score in a deal, and the variance between deals; counts of 0 as ZERO_COUNT."""
    return _moments(_observed(counts))


def _moments(observed: Sequence[tuple[float, float]]) -> tuple[float, float]:
    total = sum(count for _, count in observed)
    mean = sum(a * count for a, count in observed) / total
    squares = sum(count * (a - mean) ** 2 for a, count in observed)
    return mean, squares / total


def _observed(counts: Sequence[int]) -> list[tuple[float, float]]:
    """The scores that occurred with their counts, and those of SCORES that did not."""
    steps = len(counts) - 1
    return [
        (index / steps, float(count) if count else ZERO_COUNT)
        for index, count in enumerate(counts)
        if count or (len(SCORES) - 1) * index % steps == 0
    ]


def _surrounded(
    deals: Mapping[float, int], means: tuple[float, float]
) -> list[tuple[float, float]]:
    """The values of deals with their counts, between two values outside of them.

    These lie outside of the means that are tested, too.
    """
    low, high = min(*deals, *means), max(*deals, *means)
    margin = _MARGIN * (high - low)
    inside = [(value, float(count)) for value, count in sorted(deals.items())]
    return [(low - margin, ZERO_COUNT), *inside, (high + margin, ZERO_COUNT)]


def _tilt(observed: Sequence[tuple[float, float]], mean: float) -> float:
    """The theta of the module's head: Newton's method, with bisection where a step is too long."""
    distances = [a - mean for a, _ in observed]
    low, high = -1 / distances[-1], -1 / distances[0]
    tilt = 0.0
    for _ in steps_to("The log-likelihood ratio of the test", _MAX_STEPS):
        quotients = [d / (1 + tilt * d) for d in distances]
        surplus = sum(count * term for (_, count), term in zip(observed, quotients, strict=True))
        low, high = (tilt, high) if surplus > 0 else (low, tilt)
        steepness = sum(
            count * term * term for (_, count), term in zip(observed, quotients, strict=True)
        )
        previous, tilt = tilt, tilt + surplus / steepness
        if not low < tilt < high:
            tilt = (low + high) / 2
        if abs(tilt - previous) <= _TOLERANCE * (1 + abs(tilt)):
            break
    return tilt
