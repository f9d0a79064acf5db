"""The rule that ends a tournament when every bot's interval is narrow enough.

The confidence sequence of each bot is tuned for the deals, of all its lineups together, after which
bots of equal strength with independent games would meet the rule. This number is known before the
first game, as it has to be, and accurate enough: tuned for a fourth or four times as many deals, a
sequence is hardly wider.
"""

from math import inf, log

from cantstop_arena.deals.outcomes import ELO_ERROR, PAYOFF_WIDTH, WIDTH, TournamentTotals, Until
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.mean_payoffs import mean_payoffs
from cantstop_arena.ratings.scores import scores
from cantstop_arena.ratings.sequential.confidence import deals_for
from cantstop_arena.ratings.sequential.sprt import PAID_DEALS

_POINTS = 400 / log(10)  # of Elo for each unit of strength


def rule_for(measure: str, maximum: float, bots: int, players: int, orders: int) -> Until:
    """The rule for a tournament in which every group of `players` of the bots meets.

    Each deal is played in `orders` seatings of a group.
    """
    if measure == PAYOFF_WIDTH:
        return Until(measure, maximum, PAID_DEALS)
    if measure == WIDTH:
        return Until(measure, maximum, deals_for(score_variance(players, orders), maximum / 2))
    assert measure == ELO_ERROR
    return Until(measure, maximum, deals_for(elo_variance(bots, players, orders), maximum))


def score_variance(players: int, orders: int) -> float:
    """The variance per deal of a score among equals: p (1 - p) / games, with p = 1 / players."""
    return (players - 1) / players**2 / orders


def elo_variance(bots: int, players: int, orders: int) -> float:
    """The variance per deal of a bot's lineups of an Elo among equals, against the even score.

    A lineup of equal players adds (I - 1 1ᵀ / players) / players to Fisher's information; the sum
    over all lineups and seatings is inverted on the strengths of mean 0.
    """
    games = orders * (players - 1) / (bots - 1)  # of two bots, for each deal of one's lineups
    return _POINTS**2 * players**2 * (bots - 1) / (games * bots**2)


def widest(results: TournamentTotals, rule: Until) -> tuple[str, float]:
    """The name of the bot with the widest interval, and that interval by the rule's measure.

    Bots that have not played are left out; an empty name and 0 if none has.
    """
    played = sorted({bot for seating in results.tallies for bot in seating})
    if not played:
        return "", 0.0
    widths = _WIDTHS[rule.measure](results)
    bot = max(played, key=widths.__getitem__)
    return results.bots[bot], widths[bot]


def _score_widths(results: TournamentTotals) -> list[float]:
    """The full width of the interval of each bot's score."""
    return [_width(estimate.low, estimate.high) for estimate in scores(results)]


def _elo_errors(results: TournamentTotals) -> list[float]:
    """Half the width of the interval of each bot's Elo."""
    return [_width(points.low, points.high) / 2 for points in rate(results).ratings]


def _payoff_widths(results: TournamentTotals) -> list[float]:
    """The full width of the interval of each bot's mean payoff."""
    means = mean_payoffs(results)
    errors = [None if means is None else means.bot(bot) for bot in range(len(results.bots))]
    return [inf if error is None else _width(*error.interval) for error in errors]


def _width(low: float | None, high: float | None) -> float:
    return inf if low is None or high is None else high - low


_WIDTHS = {ELO_ERROR: _elo_errors, WIDTH: _score_widths, PAYOFF_WIDTH: _payoff_widths}
