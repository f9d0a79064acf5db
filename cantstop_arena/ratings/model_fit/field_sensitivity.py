"""How Elo depends on the field: what becomes of it when one of the others is left out.

Ratings of the games among the rest are compared with those of all games, both with the same mean of
the bots that remain. Where one number for each bot tells everything, they differ by chance only.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.model.evidence import Evidence, Floats, Ints, gather_evidence
from cantstop_arena.ratings.model.luce import ELO, maximum

MAX_BOTS = 60  # with more, nobody is left out: each takes a fit of its own
MIN_BOTS = 3


class EloShift(NamedTuple):
    """By how many points Elo moves, and the bot that is left out, by number."""

    points: float
    without: int


Moves: TypeAlias = tuple[EloShift, EloShift]


def moves(results: TournamentTotals) -> list[Moves | None]:
    """For each bot the moves farthest down and up, each without another bot.

    None for bots that no field without another one connects with all others.
    """
    bots = len(results.bots)
    if not MIN_BOTS <= bots <= MAX_BOTS or bots <= results.players or results.players < 2:
        return [None] * bots
    evidence, order = gather_evidence(results)
    strengths = maximum(evidence).strengths
    values = np.array([_moved(evidence, strengths, bot) for bot in range(bots)])
    number = np.argsort(order, kind="stable")
    return [_extremes(values[:, position], order) for position in number]


def _moved(evidence: Evidence, strengths: Floats, without: int) -> Floats:
    """How each bot's strength moves; nan where it has none without the bot."""
    remaining = np.arange(evidence.bots) != without
    stored = (evidence.lineups != without).all(axis=0)
    part = maximum(Evidence(evidence.bots, evidence.lineups[:, stored], evidence.wins[:, stored]))
    moved = np.full(evidence.bots, np.nan)
    if (
        part.links.together[np.ix_(remaining, remaining)].all()
        and not part.links.at_bound[remaining].any()
    ):
        isolated = part.strengths[remaining] - strengths[remaining]
        moved[remaining] = isolated - isolated.mean()
    return moved


def _extremes(values: Floats, order: Ints) -> Moves | None:
    if np.isnan(values).all():
        return None
    lowest, highest = int(np.nanargmin(values)), int(np.nanargmax(values))
    return (
        EloShift(float(ELO * values[lowest]), int(order[lowest])),
        EloShift(float(ELO * values[highest]), int(order[highest])),
    )
