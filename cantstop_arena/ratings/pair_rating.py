"""The ratings of two bots at tables of two: their Elo is that of the score.

With a single pair of bots no effect of the seat is fitted, since each bot takes each seat equally
often. The difference is 400 log10(s / (1 - s)), with s the score of the first, and its ends are
those of the score's interval, so that all outputs of a match agree with its score. That is also
the scale of a sequential test's hypotheses. Half of the difference goes to each bot. Where one of
the two won everything, the difference is the model's with its virtual games.

In larger fields the model has an effect of the first seat, which makes odds larger: there the same
pair may read some points more.
"""

from math import log10

import numpy as np
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.labels import Label
from cantstop_arena.ratings.model.luce import ELO
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT
from cantstop_arena.ratings.rating import EVEN_ELO, NO_DIFFERENCE, Points, Ratings
from cantstop_arena.ratings.scores import score_error, seat_score_error
from cantstop_arena.ratings.share_error import ShareError

_FITTED = (Label.SEATS_ONE_SIDED, Label.SEATS_UNKNOWN)  # labels of effects that are not fitted


def with_elo_of_score(results: TournamentTotals, ratings: Ratings) -> Ratings:
    """The ratings of two bots that met, with the Elo of their score.

    Where other bots or seats are rated they stay as they are.
    """
    if len(results.bots) != 2 or results.players != 2:
        return ratings
    score = score_error(results, 0)
    if score is None:
        return ratings
    ahead, p_value = _difference(score, ratings.lead_over_others(0)), score.p_of_even
    superior = 1 - p_value / 2 if ahead.points >= 0 else p_value / 2
    is_significant, leader = p_value < SIGNIFICANT, 0 if ahead.points >= 0 else 1
    order = (1, 2) if leader == 0 else (2, 1)
    fitted_seat, seat_error = ratings.first_seat, seat_score_error(results, 0)
    first_seat = _difference(seat_error, fitted_seat) if seat_error and fitted_seat else None
    shares = _shares_of_difference(results)
    labels = {label: of for label, of in ratings.labels.items() if label not in _FITTED}
    return replace(
        ratings,
        ratings=tuple(_moved(_scaled(ahead, share), _reference(results)) for share in shares),
        seats=tuple(_scaled(first_seat or NO_DIFFERENCE, share) for share in (0.5, -0.5)),
        first_seat=first_seat,
        groups=tuple("ab"[rank - 1] if is_significant else "a" for rank in order),
        ranks=tuple((rank, rank) if is_significant else (1, 2) for rank in order),
        labels=labels,
        covariance=(ahead.error or 0.0) ** 2 * np.outer(shares, shares),
        pair=ahead,
        _superior=np.array([[0.5, superior], [1 - superior, 0.5]]),
    )


def elo_of_share(share: float) -> float | None:
    """The Elo difference with an expected score of `share`; None at 0 and 1."""
    return 400 * log10(share / (1 - share)) if 0 < share < 1 else None


def _difference(score: ShareError, fitted: Points) -> Points:
    """The Elo difference of a score, at 0 and 1 the fitted one; its ends are the interval's."""
    low, high = map(elo_of_share, score.interval)
    points = elo_of_share(score.share)
    if points is None:
        return Points(fitted.points, None if low is high is None else fitted.error, low, high)
    slope = ELO / (score.share * (1 - score.share))
    return Points(points, None if low is high is None else slope * score.standard_error, low, high)


def _shares_of_difference(results: TournamentTotals) -> tuple[float, float]:
    """What of the difference each bot has: half of it, or all as the rival of an anchor."""
    first, second = (bot in results.anchor for bot in results.bots)
    return (0.5, -0.5) if first == second else (float(second), -float(first))


def _reference(results: TournamentTotals) -> float:
    """The Elo from which the two differ: 1500, or that of the anchors."""
    anchors = [results.anchor[bot] for bot in results.bots if bot in results.anchor]
    return sum(anchors) / len(anchors) if anchors else EVEN_ELO


def _scaled(points: Points, share: float) -> Points:
    """Points times a share; if it is negative the ends change sides."""
    if share == 0:
        return NO_DIFFERENCE
    low, high = (None if end is None else end * share for end in (points.low, points.high))
    error = None if points.error is None else points.error * abs(share)
    return Points(points.points * share, error, *((low, high) if share > 0 else (high, low)))


def _moved(points: Points, by: float) -> Points:
    low, high = (None if end is None else end + by for end in (points.low, points.high))
    return Points(points.points + by, points.error, low, high)
