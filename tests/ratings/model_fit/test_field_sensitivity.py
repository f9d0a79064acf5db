"""Elo without one of the others, and circles beside a bot that loses everything."""

import csv
import json
from collections.abc import Sequence
from io import StringIO
from itertools import product

import numpy as np
import pytest
from cycle_study import FIELDS, HELD, LUCK, studied
from helpers.simulated import Truth
from msgspec.structs import replace

from cantstop_arena.deals.seatings import lineups as lineups_of
from cantstop_arena.ratings.covariance import sample_of
from cantstop_arena.ratings.elo import even_score, rate
from cantstop_arena.ratings.model.evidence import Floats, gather_evidence
from cantstop_arena.ratings.model.luce import ELO
from cantstop_arena.ratings.model_fit.deviance import moves
from cantstop_arena.ratings.model_fit.residuals import flows_of_deals, pair_scores, residuals
from cantstop_arena.ratings.significance import noncentrality
from cantstop_arena.reports.tournament_files import summary
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.formats import as_csv, as_json
from cantstop_arena.tables.lineups import lineups

RNG = np.random.default_rng(6)
CIRCLE: dict[tuple[int, ...], float] = {(0, 1): 0.85, (1, 2): 0.85, (0, 2): -0.85}


def over_even_score(elo: Sequence[float], bots: list[int]) -> Floats:
    """The Elo of some bots, less what a player has who would score half against them."""
    points = np.array(elo)[bots]
    return points - ELO * float(even_score(points / ELO)[0])


def test_without_one_each_elo_is_that_of_the_games_among_the_rest() -> None:
    played = Truth((0.4, 0.0, -0.5, 0.1), (0.1, 0.0), cycles=CIRCLE).played(
        400, np.random.default_rng(1)
    )
    whole, found = rate(played), moves(played)
    for without in range(4):
        rest = [bot for bot in range(4) if bot != without]
        part = replace(
            played, tallies={s: t for s, t in played.tallies.items() if without not in s}
        )
        shifts = over_even_score(rate(part).elo, rest) - over_even_score(whole.elo, rest)
        for bot, move in zip(rest, shifts, strict=True):
            told = found[bot]
            assert told is not None
            assert told[0].points - 1e-6 <= move <= told[1].points + 1e-6
            for extreme in told:
                if extreme.without == without:
                    assert extreme.points == pytest.approx(move, abs=1e-6)


def test_bots_on_a_line_hardly_move_and_those_in_a_circle_do() -> None:
    rng = np.random.default_rng(2)
    line = moves(Truth((0.6, 0.2, -0.2, -0.6), (0.0, 0.0)).played(4000, rng))
    circle = moves(Truth((0.0, 0.0, 0.0, 0.0), (0.0, 0.0), cycles=CIRCLE).played(4000, rng))
    assert max(abs(move.points) for told in line if told for move in told) < 10
    assert max(abs(move.points) for told in circle if told for move in told) > 0.2 * ELO


def test_pairs_that_only_a_third_connects_are_not_told_of() -> None:
    chain = Truth((0.3, 0.0, -0.3), (0.0, 0.0), lineups=[(0, 1), (1, 2)])
    found = moves(chain.played(300, np.random.default_rng(3)))
    assert [told and {move.without for move in told} for told in found] == [{2}, {0, 2}, {0}]


def test_a_weak_bot_drowns_no_circle() -> None:
    truth = Truth((0.0, 0.0, 0.0, -4.5), (0.0, 0.0), cycles=CIRCLE)
    share = residuals(truth.played(2000, np.random.default_rng(4))).cyclic_share
    assert share is not None
    assert share.low < share.share < share.high
    assert share.share > 0.3


@pytest.mark.parametrize(
    ("field", "luck", "repetitions"),
    [
        ("9 bots in a circle", "bots share 70%", 9),
        *(
            pytest.param(field, luck, 100, marks=pytest.mark.slow)
            for field, luck in product(FIELDS, LUCK)
        ),
    ],
)
def test_the_interval_of_the_cyclic_share_holds_it(field: str, luck: str, repetitions: int) -> None:
    truth, share = FIELDS[field]
    shared, by_bot = LUCK[luck]
    truth = replace(truth, shared=shared, by_bot=by_bot)
    shares = studied(truth, share, 30, repetitions, np.random.default_rng(5))
    assert shares[HELD] >= 0.9


def test_the_flow_of_a_deal_is_what_it_adds_to_the_odds() -> None:
    """Two bots' wins in games with each other, at tables of three."""
    played = Truth((1.0, 0.0, 0.5, -1.0), (0.2, 0.0, -0.2)).played(12, np.random.default_rng(6))
    scores, order = pair_scores(played), gather_evidence(played)[1]
    sample = sample_of(played, order)
    assert sample is not None
    assert order.tolist() != sorted(order), "the sample has its own numbers"
    won, lost = np.zeros((2, 12))
    for group, masks in played.deals.winners.items():
        for lineup, winners in zip(lineups_of(group, played.orders), masks.T, strict=True):
            if {1, 3} <= {*lineup}:
                won += winners == 1 << lineup.index(1)
                lost += winners == 1 << lineup.index(3)
    expected = won / won.sum() - lost / lost.sum()
    (column,) = np.flatnonzero((scores.first == 1) & (scores.second == 3))
    assert flows_of_deals(scores, sample, order)[:, column] == pytest.approx(expected)


@pytest.mark.slow
def test_many_bots_have_a_short_summary_and_the_rest_in_tables() -> None:
    few, many = (Truth([0.0] * bots, (0.0, 0.0)).played(2, RNG) for bots in (60, 61))
    told, short = (
        json.loads(as_json(summary(Analysis(replace(one, game="cantstop"))))) for one in (few, many)
    )
    assert set(told) - set(short) == {"lineups", "pairs"}
    assert len(json.dumps(short)) < len(json.dumps(told)) / 20
    rows = [*csv.DictReader(StringIO(as_csv(lineups(Analysis(few)))))]
    names = [[row["seat_1"], row["seat_2"]] for row in rows]
    assert names == [lineup["seats"] for lineup in told["lineups"]]
    assert [float(row["wins_1"]) for row in rows] == [one["wins"][0] for one in told["lineups"]]
    matrix, order = short["superiority"], [row["bot"] for row in short["standings"]]
    assert [len(row) for row in matrix] == [61] * 61
    assert matrix[0][1] == pytest.approx(short["standings"][0]["superiority"], abs=1e-4)
    assert len(order) == 61


@pytest.mark.parametrize(("x", "freedom"), [(9.0, 1), (30.0, 3), (400.0, 10)])
@pytest.mark.slow
def test_noncentralities_are_those_of_scipy(x: float, freedom: float) -> None:
    from scipy.stats import ncx2

    for tail in (0.025, 0.975):
        apart = noncentrality(x, freedom, tail)
        assert apart == 0 or ncx2.sf(x, freedom, apart) == pytest.approx(tail, abs=0.005)
