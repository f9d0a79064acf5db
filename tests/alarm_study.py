"""How often something is claimed where there is nothing: comparisons, and looking while one plays.

Part of `make coverage-study`: tables of its lines.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
from helpers.simulated import Run, Truth, results
from helpers.study_tables import Column, Line, StudyTable
from msgspec.structs import replace

from cantstop_arena.comparisons.statistics import DIFFERENT, Ratio, rule_effect
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.deals.outcomes import ELO_ERROR, WIDTH, TournamentTotals
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.scores import scores
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.stopping_rule import rule_for

VARIANTS, MEASURES = 3, 12
MOST_DEALS = 1200

COMPARISONS = ("a difference", "all intervals hold 0")
LOOKING = ("Elo missed at any look", "score missed at any look", "told apart at any look")


def compared(
    deals: int, common: float, repetitions: int, rng: np.random.Generator
) -> dict[str, float]:
    """Files in which all rule sets are the same game, with luck that they share or do not."""
    found = [_compared(deals, common, rng) for _ in range(repetitions)]
    return dict(zip(COMPARISONS, np.mean(found, axis=0).tolist(), strict=True))


def _compared(deals: int, common: float, rng: np.random.Generator) -> tuple[bool, bool]:
    """Whether a whole file finds a difference, and whether all of its intervals hold 0."""
    luck = rng.normal(size=(MEASURES, deals))
    baseline = [_measured(one, common, rng) for one in luck]
    found = [
        rule_effect(
            before, _measured(one, common, rng), COUNT if number % 2 else SHARE, 0.0
        ).decided(VARIANTS * MEASURES)
        for _ in range(VARIANTS)
        for number, (before, one) in enumerate(zip(baseline, luck, strict=True))
    ]
    estimates = [one.absolute for one in found if one.absolute]
    held = [one.low is None or one.low <= 0 <= (one.high or 0) for one in estimates]
    return any(one.verdict == DIFFERENT for one in found), all(held)


def _measured(luck: Floats, common: float, rng: np.random.Generator) -> Ratio:
    """A quotient such as busts over turns, of skewed counts that follow the deal's luck in part."""
    own = rng.normal(size=len(luck))
    turns = 10 + rng.poisson(20 * np.exp(0.3 * (common * luck + (1 - common) * own)))
    return Ratio(rng.binomial(turns, 0.3).astype(float), turns.astype(float))


def looked(truth: Truth, repetitions: int, rng: np.random.Generator) -> dict[str, float]:
    """Equal bots, looked at again and again: whether any look claims something that is not so."""
    found = [_looked(truth, MOST_DEALS, rng) for _ in range(repetitions)]
    return dict(zip(LOOKING, np.mean(found, axis=0).tolist(), strict=True))


def _looked(truth: Truth, most: int, rng: np.random.Generator) -> tuple[float, float, bool]:
    """The shares of bots whose Elo and score are missed at any look, and whether any differ."""
    run, bots = truth.run(most, rng), len(truth.strengths)
    elo_held, score_held, told_apart = np.ones(bots, bool), np.ones(bots, bool), False
    orders = len(standard_orders(truth.players))
    rules = {what: rule_for(what, aim, bots, truth.players, orders) for what, aim in AIMS.items()}
    for deals in looks(rules[WIDTH].expected, most):
        seen = _seen(run, deals, truth)
        ratings = rate(replace(seen, until=rules[ELO_ERROR]))
        elo_held &= [_holds(one.low, 1500.0, one.high) for one in ratings.ratings]
        told_apart |= len(set.intersection(*map(set, ratings.groups))) == 0
        shares = scores(replace(seen, until=rules[WIDTH]))
        score_held &= [_holds(one.low, 1 / truth.players, one.high) for one in shares]
    return 1 - float(elo_held.mean()), 1 - float(score_held.mean()), told_apart


AIMS = {WIDTH: 0.05, ELO_ERROR: 10.0}


def _seen(run: Run, deals: int, truth: Truth) -> TournamentTotals:
    cut = {group: winners[:deals] for group, winners in run.items()}
    return results(len(truth.strengths), truth.players, [cut])


def _holds(low: float | None, true: float, high: float | None) -> bool:
    return (low is None or low <= true) and (high is None or true <= high)


def tables() -> Sequence[StudyTable]:
    """Those of comparisons and of looking again and again."""
    return (
        StudyTable(
            f"{{repetitions}} comparisons of {VARIANTS} variants with a baseline, {MEASURES}"
            " measures each, all of the same game: how many claim any difference, and in how"
            " many all intervals hold 0.",
            "comparisons",
            [*map(Column, COMPARISONS)],
            [
                Line(
                    f"{deals} deals, {common:.0%} of the luck shared",
                    partial(compared, deals, common),
                )
                for deals in (10, 30, 200, 2000)
                for common in (0.0, 0.8)
            ],
            share=0.5,
        ),
        StudyTable(
            "{repetitions} tournaments of four equal bots, looked at again and again up to"
            f" {MOST_DEALS} deals: the bots of which any look misses the truth, and the"
            " tournaments in which any look tells bots apart.",
            "until",
            [*map(Column, LOOKING)],
            [
                Line(
                    f"{players} seats, {shared:.0%} shared",
                    partial(looked, Truth((0.0,) * 4, (0.0,) * players, shared)),
                )
                for players, shared in ((2, 0.0), (2, 0.9), (3, 0.6))
            ],
            share=0.2,
        ),
    )
