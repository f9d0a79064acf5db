"""A person's Elo against a formula and against a simulated truth."""

import random

import pytest

from cantstop_arena.extensions.serve.person_rating import (
    PersonGame,
    error_against_equals,
    person_elo,
)


@pytest.mark.slow
def test_equal_scores_give_the_rival_s_elo_and_the_known_error() -> None:
    games = [PersonGame(0.0, (1500.0,), share) for share in (0.0, 1.0) * 600]
    elo = person_elo(games)
    assert elo.mean == pytest.approx(1500)
    assert elo.low is not None and elo.high is not None
    assert (elo.high - elo.low) / 2 == pytest.approx(error_against_equals(1200), rel=0.01)
    assert round(error_against_equals(12)) == 197


def test_three_quarters_are_191_elo_and_seats_count() -> None:
    games = [PersonGame(40.0, (1500.0,), share) for share in (1.0, 1.0, 1.0, 0.0) * 10]
    assert person_elo(games).mean == pytest.approx(1500 + 190.85 - 40, abs=0.1)


def test_rivals_may_be_anywhere() -> None:
    for shares in ((1.0, 0.0, 1.0), (1.0, 1.0), (0.0, 0.0)):
        near, far = (
            person_elo([PersonGame(0.0, (rival,), share) for share in shares])
            for rival in (0.0, -1e6)
        )
        for end in ("mean", "low", "high"):
            expected = getattr(near, end)
            assert getattr(far, end) == (expected and pytest.approx(expected - 1e6, abs=1e-6))


def test_games_that_were_all_won_or_lost_bound_one_side() -> None:
    won = person_elo([PersonGame(0.0, (1500.0,), 1.0)] * 6)
    lost = person_elo([PersonGame(0.0, (1500.0,), 0.0)] * 6)
    assert won.mean is won.high is None and won.low is not None and 1500 < won.low < 1700
    assert lost.mean is lost.low is None and lost.high is not None and 1300 < lost.high < 1500
    assert person_elo([]).mean is None


@pytest.mark.slow
@pytest.mark.parametrize("rivals", [(1600.0,), (1400.0, 1700.0), (1500.0, 1550.0, 1300.0)])
def test_the_interval_covers_a_simulated_truth(rivals: tuple[float, ...]) -> None:
    truth, rng, covered = 1560.0, random.Random(4), 0
    own = 10 ** ((truth + 10) / 400)
    chance = own / (own + sum(10 ** (rival / 400) for rival in rivals))
    for _ in range(300):
        games = [PersonGame(10.0, rivals, float(rng.random() < chance)) for _ in range(40)]
        elo = person_elo(games)
        low, high = elo.low or -1e9, elo.high or 1e9
        covered += low <= truth <= high
    assert 0.91 * 300 < covered < 0.99 * 300
