"""The Elo of one person from games against bots whose Elo is known.

The model is that of `elo`: in a game the chance of a seat to win is proportional to
10^((Elo + effect of the seat) / 400). All but the person's Elo is held fixed, so that one parameter
is estimated, by maximum likelihood; its interval has all values whose log-likelihood is at most
1.92 below the maximum (half of the 95% point of chi-squared with one degree of freedom).
"""

from collections.abc import Callable, Sequence
from math import log, log1p, sqrt
from typing import NamedTuple

from cantstop_arena.ratings.estimate import Estimate

_DROP = 1.9207294103470267
_SCALE = 400 / log(10)  # Elo of a factor of e
_LIMIT = 20_000.0  # Elo on both sides of 0 between which the ends lie, unless rivals are far off
_STEPS = 80  # of a bisection: to far less than any digit that is printed


class PersonGame(NamedTuple):
    """A game: the effect of the person's seat, the Elo of the rivals with those of their seats, and
    the person's share of the win."""

    seat_effect: float
    rivals: tuple[float, ...]
    share: float


def person_elo(games: Sequence[PersonGame]) -> Estimate:
    """The Elo with the ends of its interval; None where games do not bound it."""
    score = sum(game.share for game in games)
    if not games:
        return Estimate(None)
    limit = max(_LIMIT, *(2 * abs(elo) for game in games for elo in game.rivals))
    if score in (0, len(games)):
        level, is_best = -_DROP, score > 0
        bound = _root(lambda elo: _log_likelihood(games, elo) - level, is_best, -limit, limit)
        return Estimate(None, bound, None) if is_best else Estimate(None, None, bound)
    mean = _root(
        lambda elo: score - sum(_chance(game, elo) for game in games), False, -limit, limit
    )
    level = _log_likelihood(games, mean) - _DROP
    low = _root(lambda elo: _log_likelihood(games, elo) - level, True, -limit, mean)
    high = _root(lambda elo: _log_likelihood(games, elo) - level, False, mean, limit)
    return Estimate(mean, low, high)


def error_against_equals(games: int) -> float:
    """The half-width of the interval that so many games of two equals give."""
    return 1.959964 * _SCALE * 2 / sqrt(games)


def _chance(game: PersonGame, elo: float) -> float:
    """The chance to win a game."""
    own = elo + game.seat_effect
    return 1 / (1 + sum(10 ** (min(6000.0, rival - own) / 400) for rival in game.rivals))


def _log_likelihood(games: Sequence[PersonGame], elo: float) -> float:
    total = 0.0
    for game in games:
        chance = min(max(_chance(game, elo), 1e-300), 1 - 1e-16)
        total += game.share * log(chance) + (1 - game.share) * log1p(-chance)
    return total


def _root(function: Callable[[float], float], rising: bool, low: float, high: float) -> float:
    """Where a monotonic function is zero, between low and high."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if (function(middle) < 0) == rising:
            low = middle
        else:
            high = middle
    return (low + high) / 2
