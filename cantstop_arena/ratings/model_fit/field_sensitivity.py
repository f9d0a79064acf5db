"""How Elo depends on the field: by how much it moves when another bot is left out.

Ratings of the games without that bot are compared with those of all games, both relative to the
even score of the remaining bots. Where one number for each bot fits all results, they differ by
chance only.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.ratings.elo import even_score
from cantstop_arena.ratings.model.evidence import Evidence, Floats, Ints, gather_evidence
from cantstop_arena.ratings.model.luce import ELO, fit

MAX_BOTS = 60  # with more there are no moves: each bot left out takes a fit of its own
MIN_BOTS = 3


class EloShift(NamedTuple):
    """The change of a bot's Elo, in points, and the number of the bot that is left out."""

    points: float
    without: int


Moves: TypeAlias = tuple[EloShift, EloShift]


def moves(results: TournamentTotals) -> list[Moves | None]:
    """For each bot the lowest and the highest shift of its Elo, each without another bot.

    None for a bot that has no shift: whichever other bot is left out, the games no longer connect
    the remaining ones, or bound one of them on one side only.
    """
    bots = len(results.bots)
    if not MIN_BOTS <= bots <= MAX_BOTS or bots <= results.players or results.players < 2:
        return [None] * bots
    evidence, order = gather_evidence(results)
    strengths = fit(evidence).strengths
    shifts = np.array([_strength_shifts(evidence, strengths, bot) for bot in range(bots)])
    canonical = np.argsort(order, kind="stable")
    return [_extremes(shifts[:, index], order) for index in canonical]


def _strength_shifts(evidence: Evidence, strengths: Floats, without: int) -> Floats:
    """The change of each bot's strength without one bot; nan where it is not determined."""
    remaining = np.arange(evidence.bots) != without
    without_bot = (evidence.lineups != without).all(axis=0)
    refit = fit(
        Evidence(evidence.bots, evidence.lineups[:, without_bot], evidence.wins[:, without_bot])
    )
    shifts = np.full(evidence.bots, np.nan)
    if (
        refit.links.together[np.ix_(remaining, remaining)].all()
        and not refit.links.at_bound[remaining].any()
    ):
        before, after = strengths[remaining], refit.strengths[remaining]
        shifts[remaining] = (after - even_score(after)[0]) - (before - even_score(before)[0])
    return shifts


def _extremes(shifts: Floats, order: Ints) -> Moves | None:
    if np.isnan(shifts).all():
        return None
    lowest, highest = int(np.nanargmin(shifts)), int(np.nanargmax(shifts))
    return (
        EloShift(float(ELO * shifts[lowest]), int(order[lowest])),
        EloShift(float(ELO * shifts[highest]), int(order[highest])),
    )
