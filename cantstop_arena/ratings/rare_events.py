"""The covariance of rare wins: the part of it that deals not yet played would bring.

A bot that wins two games in a hundred wins them where a deal favours it, and then several at a
time, for the games of a deal share their luck. Before such a deal was played, its wins show nothing
of this, and errors computed from them are too small. The correlation of the games of a deal is
known from all bots, though. With

    c = 1 + (games of a deal in one seat - 1) · correlation

games won at a time and I the bot's information, I / c² is about the number of such deals; none of
them was played with probability exp(-I / c²), taken as 0 where it is less than a thousandth. With
that weight the covariance of the bot's wins, in units of the model's, is raised to c. A bot that
wins about half of its games wins in one seating what it loses in another, so that nothing is
hidden, and the weight is also (1 - 2 p)², p being the share of games that it won.

Bots that won or lost everything have at least the covariance that the model gives them.
"""

import numpy as np

from cantstop_arena.ratings.model.evidence import Evidence, Floats
from cantstop_arena.ratings.model.luce import Luce

EVEN = 0.5
SINGULAR = 1e-12
MIN_PROBABILITY = 1e-3  # that deals of a kind were not played: less counts as 0


def rare_win_covariance(model: Luce, observed: Floats, correlation: float) -> Floats:
    """What the covariance of the score lacks, bots and seats by bots and seats.

    `observed` is the covariance of the parameters from the deals, `correlation` the intraclass
    correlation of the games of a deal. With B the bots that lack something, S the square roots of
    what they lack, and H the information, it is

        H[:, B] S H[B, B]⁻¹ S H[B, :],

    the information about these bots if all other strengths are known.
    """
    if model.seats_at_bound:
        return model.curvature
    rows = model.curvature[: model.evidence.bots]
    bot_information = rows.diagonal()
    clusters_won = _ratios((rows @ observed @ rows.T).diagonal(), bot_information)
    clusters = _clusters(model.evidence, correlation)
    weight = np.exp(-bot_information / np.maximum(clusters, 1.0) ** 2)
    weight = (
        np.where(weight < MIN_PROBABILITY, 0.0, weight) * (1 - 2 * _win_shares(model.evidence)) ** 2
    )
    deficit = np.maximum(clusters - clusters_won, 0.0) * weight
    deficit = np.where(model.links.at_bound, np.maximum(deficit, 1.0), deficit)
    deficient = np.flatnonzero(deficit)
    rows = rows[deficient] * np.sqrt(deficit[deficient])[:, None]
    inverse = np.linalg.pinv(
        model.curvature[np.ix_(deficient, deficient)], rcond=SINGULAR, hermitian=True
    )
    covariance: Floats = rows.T @ inverse @ rows
    return covariance


def _clusters(evidence: Evidence, correlation: float) -> Floats:
    """The games of a deal that each bot wins at a time, c in the module's head; 0 without deals."""
    spans = evidence.spans
    deals = max(sum(span.deals for span in spans), 1)
    games = np.zeros(evidence.bots)
    for span in spans:
        games += span.deals * np.bincount(span.lineups.ravel(), minlength=evidence.bots)
    games_per_seat = games / deals / evidence.seats
    clusters = 1 + correlation * np.maximum(games_per_seat - 1, 0.0)
    return np.where(games > 0, clusters, 0.0)


def _win_shares(evidence: Evidence) -> Floats:
    """The share of its games that each bot won; a half without games."""
    seated_bots, bots = evidence.lineups.ravel(), evidence.bots
    played = np.tile(evidence.wins.sum(axis=0), evidence.seats)
    games = np.bincount(seated_bots, played, minlength=bots).astype(np.float64)
    won = np.bincount(seated_bots, evidence.wins.ravel(), minlength=bots).astype(np.float64)
    return np.where(games > 0, _ratios(won, games), EVEN)


def _ratios(numerators: Floats, denominators: Floats) -> Floats:
    """Quotients; 0 where the denominator is 0."""
    ratios: Floats = np.divide(
        numerators, denominators, out=np.zeros_like(numerators), where=denominators > 0
    )
    return ratios
