"""How often something is claimed where there is nothing: comparisons, and looking while one plays.

Part of `make coverage-study`; each function yields the rows of a table.
"""

from collections.abc import Iterator

import numpy as np
from helpers.simulated import Run, Truth, results
from msgspec.structs import replace

from cantstop_arena.comparisons.statistics import DIFFERENT, Ratio, rule_effect
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.deals.outcomes import ELO_ERROR, WIDTH, TournamentTotals
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.model.evidence import Floats
from cantstop_arena.ratings.scores import scores
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.sprt import Sprt
from cantstop_arena.ratings.sequential.stopping_rule import rule_for

VARIANTS, MEASURES = 3, 12
MOST_DEALS = 1200
Row = tuple[str, list[float]]

COMPARISONS = ("a difference", "all intervals hold 0")
LOOKING = ("Elo missed at any look", "score missed at any look", "told apart at any look")
MATCHES = ("accepts H1 where H0 is true", "accepts H0 where H1 is true")


def comparisons(repetitions: int, rng: np.random.Generator) -> Iterator[Row]:
    """Files in which all rule sets are the same game, with luck that they share or do not."""
    for deals in (10, 30, 200, 2000):
        for common in (0.0, 0.8):
            found = [_compared(deals, common, rng) for _ in range(repetitions)]
            yield f"{deals} deals, {common:.0%} of the luck shared", np.mean(found, axis=0).tolist()


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


def looking(repetitions: int, rng: np.random.Generator) -> Iterator[Row]:
    """Equal bots, looked at again and again: whether any look claims something that is not so."""
    for players, shared in ((2, 0.0), (2, 0.9), (3, 0.6)):
        truth = Truth((0.0,) * 4, (0.0,) * players, shared)
        found = [_looked(truth, MOST_DEALS, rng) for _ in range(repetitions)]
        yield f"{players} seats, {shared:.0%} shared", np.mean(found, axis=0).tolist()


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


def matches(repetitions: int, rng: np.random.Generator) -> Iterator[Row]:
    """Sequential tests of 0 against 30 Elo, one look each 20 deals."""
    test = Sprt(0, 30)
    for shared in (0.0, 0.9):
        wrong = []
        for truth, mistake in ((0, 1), (1, 0)):
            shares = _pentanomial(test.scores[truth], shared)
            ends = [_decided(test, shares, rng) for _ in range(repetitions)]
            wrong.append(float(np.mean([end == mistake for end in ends])))
        yield f"{shared:.0%} of the luck shared", wrong


def _pentanomial(score: float, shared: float) -> Floats:
    """The chances of 0 to 2 points in a deal whose games are alike, or else independent."""
    apart = np.array([(1 - score) ** 2, 0, 2 * score * (1 - score), 0, score**2])
    alike = np.array([1 - score, 0, 0, 0, score])
    return shared * alike + (1 - shared) * apart


def _decided(test: Sprt, shares: Floats, rng: np.random.Generator) -> int:
    counts = np.zeros(5, np.int64)
    while (accepted := test.accepted(counts.tolist())) is None:
        counts += rng.multinomial(20, shares)
    return accepted
