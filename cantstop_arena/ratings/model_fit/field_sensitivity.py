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
    shifts = np.array([_strength_shifts(evidence, strengths, bot) for bot in range(bots)])
    canonical = np.argsort(order, kind="stable")
    return [_extremes(shifts[:, index], order) for index in canonical]


def _strength_shifts(evidence: Evidence, strengths: Floats, without: int) -> Floats:
    """How each bot's strength moves; nan where it has none without the bot."""
    remaining = np.arange(evidence.bots) != without
    usable = (evidence.lineups != without).all(axis=0)
    refit = maximum(Evidence(evidence.bots, evidence.lineups[:, usable], evidence.wins[:, usable]))
    shifts = np.full(evidence.bots, np.nan)
    if (
        refit.links.together[np.ix_(remaining, remaining)].all()
        and not refit.links.at_bound[remaining].any()
    ):
        changes = refit.strengths[remaining] - strengths[remaining]
        shifts[remaining] = changes - changes.mean()
    return shifts


def _extremes(shifts: Floats, order: Ints) -> Moves | None:
    if np.isnan(shifts).all():
        return None
    lowest, highest = int(np.nanargmin(shifts)), int(np.nanargmax(shifts))
    return (
        EloShift(float(ELO * shifts[lowest]), int(order[lowest])),
        EloShift(float(ELO * shifts[highest]), int(order[highest])),
    )
