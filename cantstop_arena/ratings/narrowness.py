"""How wide the intervals of a tournament are, for those who play until they are narrow enough."""

from math import inf, sqrt

import numpy as np

from cantstop_arena.outcomes import ELO_ERROR, WHOLE, Results, Until
from cantstop_arena.ratings.luce import ELO, Floats, fit, gathered, information
from cantstop_arena.ratings.scores import scores
from cantstop_arena.sequential.confidence import half_width, least_variance
from cantstop_arena.sequential.ending import elo_per_score


def widest(results: Results, rule: Until) -> tuple[str, float]:
    """The bot whose interval is the widest, of those that played, and how wide the rule has it.

    Nobody, where nobody has played.
    """
    measured = _elo_errors(results, rule) if rule.measure == ELO_ERROR else _widths(results)
    played = sorted({bot for seating in results.tallies for bot in seating})
    if not played:
        return "", 0.0
    bot = max(played, key=measured.__getitem__)
    return results.bots[bot], measured[bot]


def _widths(results: Results) -> list[float]:
    """The whole width of the interval of each bot's score."""
    return [(one.high or 0.0) - (one.low or 0.0) for one in scores(results)]


def _elo_errors(results: Results, rule: Until) -> list[float]:
    """Half the width of the interval of each bot's Elo."""
    deals = sum(stretch.deals for stretch in results.deals.stretches)
    if not deals:
        return [inf] * len(results.bots)
    furthest = elo_per_score(len(results.bots), results.players) / 2
    least = least_variance(furthest, deals, rule.expected)
    return [
        half_width(max(deals * error**2, least), deals, rule.expected)
        for error in _standard_errors(results)
    ]


def _standard_errors(results: Results) -> list[float]:
    """The standard error of each bot's Elo, from its sandwich variance; infinite at the bound."""
    evidence = gathered(results)
    rated = fit(evidence)
    bread = np.linalg.pinv(information(evidence, np.array(rated.strengths)), hermitian=True)
    covariance = bread @ _scatter(results) @ bread
    errors = [ELO * sqrt(max(variance, 0.0)) for variance in covariance.diagonal().tolist()]
    return [inf if bot in rated.at_bound else error for bot, error in enumerate(errors)]


def _scatter(results: Results) -> Floats:
    """What bots won in a deal, less its mean: the sum over all deals of its products, in games."""
    bots = len(results.bots)
    scatter = np.zeros((bots, bots))
    for stretch in results.deals.stretches:
        totals = stretch.totals[:bots].astype(np.float64)
        products = stretch.products[:bots, :bots].astype(np.float64)
        scatter += (products - np.outer(totals, totals) / stretch.deals) / WHOLE**2
    return scatter
