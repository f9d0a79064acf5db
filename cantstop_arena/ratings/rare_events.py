"""What few wins do not show: the part of a covariance that deals which were not met would bring.

A bot that wins two games in a hundred wins them where a deal favours it, and then several at a
time, for the games of a deal share their chance. Before such a deal was met, nothing of this is
seen in its wins, and errors made from them are too small. How games of a deal go together is known
from all bots, though (`alikeness`). With

    c = 1 + (games of a deal in one seat - 1) · alikeness

games at a time and I the bot's information, I / c² is about how many such deals tell; none of them
was met with probability exp(-I / c²), taken as 0 where it is less than a thousandth. With that
weight the covariance of the bot's wins, in units of the model's, is raised to c. A bot that wins
about half of its games wins in one seating what it loses in another, so that nothing is hidden, and
the weight is also (1 - 2 p)², p being the share of games that it won.

Bots that won or lost everything have at least the covariance that the model gives them.
"""

import numpy as np

from cantstop_arena.ratings.model.evidence import Evidence, Floats
from cantstop_arena.ratings.model.luce import Luce

EVEN = 0.5
SINGULAR = 1e-12
MIN_PROBABILITY = 1e-3  # probability that deals of a kind were not met: less than that is none


def rare_win_covariance(model: Luce, observed: Floats, alikeness: float) -> Floats:
    """What the covariance of the score lacks, bots and seats by bots and seats.

    `seen` is the covariance of the parameters as the deals show it. With B the bots that lack
    something, S the roots of what they lack, and H the information, it is

        H[:, B] S H[B, B]⁻¹ S H[B, :],

    the part of the information that is theirs, the rest of the field being known.
    """
    if model.seats_at_bound:
        return model.curvature
    rival = model.curvature[: model.evidence.bots]
    value = rival.diagonal()
    clusters_won = _quotient((rival @ observed @ rival.T).diagonal(), value)
    clusters = _clusters(model.evidence, alikeness)
    missed = np.exp(-value / np.maximum(clusters, 1.0) ** 2)
    missed = np.where(missed < MIN_PROBABILITY, 0.0, missed) * (1 - 2 * _won(model.evidence)) ** 2
    lacking = np.maximum(clusters - clusters_won, 0.0) * missed
    lacking = np.where(model.links.at_bound, np.maximum(lacking, 1.0), lacking)
    some = np.flatnonzero(lacking)
    rival = rival[some] * np.sqrt(lacking[some])[:, None]
    inverse = np.linalg.pinv(model.curvature[np.ix_(some, some)], rcond=SINGULAR, hermitian=True)
    covariance: Floats = rival.T @ inverse @ rival
    return covariance


def _clusters(evidence: Evidence, alikeness: float) -> Floats:
    """How many games of a deal each bot wins at a time; 0 without deals."""
    spans = evidence.spans
    deals = max(sum(span.deals for span in spans), 1)
    games = np.zeros(evidence.bots)
    for span in spans:
        games += span.deals * np.bincount(span.lineups.ravel(), minlength=evidence.bots)
    in_a_seat = games / deals / evidence.seats
    clusters = 1 + alikeness * np.maximum(in_a_seat - 1, 0.0)
    return np.where(games > 0, clusters, 0.0)


def _won(evidence: Evidence) -> Floats:
    """The share of its games that each bot won; a half without games."""
    seated, bots = evidence.lineups.ravel(), evidence.bots
    played = np.tile(evidence.wins.sum(axis=0), evidence.seats)
    games = np.bincount(seated, played, minlength=bots).astype(np.float64)
    won = np.bincount(seated, evidence.wins.ravel(), minlength=bots).astype(np.float64)
    return np.where(games > 0, _quotient(won, games), EVEN)


def _quotient(upper: Floats, lower: Floats) -> Floats:
    """Quotients; 0 where nothing is below."""
    quotient: Floats = np.divide(upper, lower, out=np.zeros_like(upper), where=lower > 0)
    return quotient
