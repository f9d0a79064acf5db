"""Bots that hardly ever win, or lose: errors that few wins cannot show by themselves."""

import numpy as np
import pytest
from helpers.simulated import Truth, results

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.winners import WIN_UNITS
from cantstop_arena.ratings.covariance import Sandwich
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model.deal_clusters import intraclass_correlation
from cantstop_arena.ratings.model.evidence import gather_evidence
from cantstop_arena.ratings.model.luce import fit

WEAK = Truth((1.5, 1.2, 1.0, -2.0), (0.2, 0.1, -0.3), 0.9)


def played(truth: Truth, deals: int = 30, seed: int = 1) -> TournamentTotals:
    return truth.played(deals, np.random.default_rng(seed))


@pytest.mark.parametrize(("shared", "least", "most"), [(0.0, 0.0, 0.05), (0.9, 0.4, 0.7)])
def test_how_alike_the_games_of_a_deal_are_is_seen(
    shared: float, least: float, most: float
) -> None:
    truth = Truth(WEAK.strengths, WEAK.seats, shared)
    told = played(truth, 200)
    evidence, order = gather_evidence(told)
    assert least <= intraclass_correlation(told, fit(evidence), order) <= most


def test_errors_of_rare_wins_hold_what_other_deals_would_show() -> None:
    """Two wins in 540 games, in deals that decide several games at once elsewhere."""
    rng = np.random.default_rng(5)
    while True:
        run = WEAK.run(30, rng)
        told = results(4, 3, [run])
        seated = [(lineup.index(3), tally) for lineup, tally in told.tallies.items() if 3 in lineup]
        if 0 < sum(tally.wins[seat] for seat, tally in seated) <= 2 * WIN_UNITS:
            break
    evidence, order = gather_evidence(told)
    model = fit(evidence)
    weak = int(np.flatnonzero(order == 3)[0])
    alone, known = (
        Sandwich(model, None, alike).covariance[weak, weak]
        for alike in (0.0, intraclass_correlation(told, model, order))
    )
    assert known > 1.5 * alone


def test_even_bots_lack_nothing() -> None:
    """Whoever wins half of its games has shown how they go together."""
    told = played(Truth((0.0, 0.0, 0.0, 0.0), (0.1, -0.1), 0.9))
    model = fit(gather_evidence(told)[0])
    assert Sandwich(model, None, 1.0).covariance == pytest.approx(
        Sandwich(model, None, 0.0).covariance, rel=1e-2
    )


@pytest.mark.parametrize(
    ("estimate", "lopsided"),
    [
        (Estimate(0.5, 0.4, 0.6), False),
        (Estimate(0.5, 0.4, 0.585), False),
        (Estimate(0.5, 0.4, 0.57), True),
        (Estimate(1.0, 0.0123, 1.0), True),
        (Estimate(0.5, None, 0.6), False),
        (Estimate(0.5, 0.5, 0.5), False),
    ],
)
def test_ends_that_lie_unequally_far_away_are_told(estimate: Estimate, lopsided: bool) -> None:
    assert estimate.lopsided is lopsided
