"""How wide the intervals of a tournament are, for those who play until they are narrow enough."""

from math import inf

from cantstop_arena.deals.outcomes import ELO_ERROR, Results, Until
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.scores import scores


def widest(results: Results, rule: Until) -> tuple[str, float]:
    """The bot whose interval is the widest, of those that played, and how wide the rule has it.

    Nobody, where nobody has played.
    """
    played = sorted({bot for seating in results.tallies for bot in seating})
    if not played:
        return "", 0.0
    measured = _elo_errors(results) if rule.measure == ELO_ERROR else _widths(results)
    bot = max(played, key=measured.__getitem__)
    return results.bots[bot], measured[bot]


def _widths(results: Results) -> list[float]:
    """The whole width of the interval of each bot's score."""
    return [_between(one.low, one.high) for one in scores(results)]


def _elo_errors(results: Results) -> list[float]:
    """Half the width of the interval of each bot's Elo."""
    return [_between(one.low, one.high) / 2 for one in rate(results).ratings]


def _between(low: float | None, high: float | None) -> float:
    return inf if low is None or high is None else high - low
