"""Luck removed from wins: the mean stays, whatever is removed; coefficients are of other deals."""

import numpy as np
import pytest
from helpers.simulated import Truth, seatings_of

from cantstop_arena.deals.control_variate import FOLDS, correction, gain_range, width_gain
from cantstop_arena.deals.outcomes import WIN_UNITS
from cantstop_arena.deals.sampling import Bytes, DealSums, Ints, gather_deals, wins_by_deal
from cantstop_arena.deals.seatings import standard_orders
from cantstop_arena.ratings.scores import scores

ORDERS, PAIR = standard_orders(2), (0, 1)


def made_up(deals: int, rng: np.random.Generator) -> tuple[Bytes, Ints]:
    """The winners of a pair's deals, and luck that goes along with them."""
    chance = rng.normal(size=(deals, 1))
    ahead = 0.3 + chance + rng.normal(size=(deals, 2))
    first = np.column_stack([ahead[:, 0] > 0, ahead[:, 1] <= 0])
    winners = np.where(first, 1, 2).astype(np.uint8)
    units = np.rint(1e5 * chance).astype(np.int64)
    return winners, np.concatenate([units, -units, 0 * units, 0 * units], axis=1)


def removed(winners: Bytes, luck: Ints) -> DealSums:
    """A pair's deals without luck."""
    block = (PAIR, 0, winners, luck)
    return gather_deals(
        ORDERS, {PAIR: [(0, len(winners))]}, lambda *_: [block], correction(ORDERS, [block])
    )


def test_coefficients_of_a_fold_are_those_of_all_other_deals() -> None:
    winners, luck = made_up(400, np.random.default_rng(1))
    before = correction(ORDERS, [(PAIR, 0, winners, luck)]).coefficients[PAIR]
    luck[3::FOLDS] *= 3
    winners[3::FOLDS] = 1
    after = correction(ORDERS, [(PAIR, 0, winners, luck)]).coefficients[PAIR]
    assert before[3].any() and (after[3] == before[3]).all()
    assert all((after[fold] != before[fold]).any() for fold in range(FOLDS) if fold != 3)


def test_the_blocks_of_a_ledger_do_not_matter() -> None:
    winners, luck = made_up(400, np.random.default_rng(1))
    whole = correction(ORDERS, [(PAIR, 0, winners, luck)])
    parts = [slice(0, 7), slice(7, 133), slice(133, 134), slice(134, 400)]
    cut = correction(ORDERS, [(PAIR, part.start, winners[part], luck[part]) for part in parts])
    assert (cut.coefficients[PAIR] == whole.coefficients[PAIR]).all()
    corrected = np.concatenate([cut(PAIR, 0, luck[:133]), cut(PAIR, 133, luck[133:])])
    assert (corrected == whole(PAIR, 0, luck)).all()


@pytest.mark.parametrize("deals", [1, 2, 3])
def test_from_hardly_any_deals_nothing_is_removed(deals: int) -> None:
    winners, luck = made_up(deals, np.random.default_rng(1))
    assert not correction(ORDERS, [(PAIR, 0, winners, luck)]).coefficients[PAIR].any()


def test_rounding_adds_up_to_nothing_and_nothing_is_won_by_nobody() -> None:
    found = correction(ORDERS, [(PAIR, 0, *made_up(400, np.random.default_rng(2)))])
    _, luck = made_up(5000, np.random.default_rng(3))
    parts = found(PAIR, 7, luck)
    folds = np.arange(7, 5007) % FOLDS
    exact = -np.einsum("dij,dj->di", found.coefficients[PAIR][folds], luck)
    assert abs((parts - exact).sum(axis=0)).max() < 80  # four standard errors
    assert abs(parts - exact).max() < 1.01
    assert not parts[:, :2].sum(axis=1).any()


@pytest.mark.parametrize("players", [3, 4])
def test_corrections_of_a_larger_group_add_up_to_nothing(players: int) -> None:
    """Each member is corrected for its own luck and for that of its rivals."""
    truth = Truth((0.5, 0.0, -0.5, -1.0)[:players], (0.0,) * players, 0.2, lucky=0.7)
    luck: dict[tuple[int, ...], Ints] = {}
    run = truth.run(300, np.random.default_rng(4), luck)
    group = (*range(players),)
    orders = standard_orders(players)
    found = correction(orders, [(group, 0, run[group], luck[group])])
    parts = found(group, 0, luck[group])
    assert not parts[:, :players].sum(axis=1).any()
    assert not parts[:, players:].sum(axis=1).any()
    matrix = found.coefficients[group][0][:players, :players]
    assert (matrix.diagonal() > 0).all()
    wins = wins_by_deal(run[group], orders)
    assert ((wins + parts)[:, :players].var(axis=0) < 0.9 * wins[:, :players].var(axis=0)).all()
    assert len(list(seatings_of(group))) == run[group].shape[1]


@pytest.mark.slow
def test_the_mean_stays_and_the_intervals_hold_it() -> None:
    """Of 400 tournaments of 100 deals; the truth is read from 400,000 deals."""
    rng = np.random.default_rng(4)
    truth = wins_by_deal(made_up(400_000, rng)[0], ORDERS)[:, 0].mean() / (2 * WIN_UNITS)
    means, variances, plain = [], [], []
    for _ in range(400):
        winners, luck = made_up(100, rng)
        (each,) = removed(winners, luck).populations
        mean = each.totals[0, 0] / 100
        variance = (each.products[0, 0, 0] / 100 - mean**2) / 99
        means.append(mean / (2 * WIN_UNITS))
        variances.append(variance / (2 * WIN_UNITS) ** 2)
        plain.append(wins_by_deal(winners, ORDERS)[:, 0].mean() / (2 * WIN_UNITS))
    error = np.std(means) / 20
    assert abs(np.mean(means) - truth) < 3 * error
    assert np.var(means) < 0.7 * np.var(plain)
    held = np.abs(np.array(means) - truth) < 1.984 * np.sqrt(variances)
    assert 0.92 <= held.mean() <= 0.98


def test_luck_of_another_kind_changes_hardly_anything() -> None:
    rng = np.random.default_rng(5)
    winners, luck = made_up(2000, rng)
    related = correction(ORDERS, [(PAIR, 0, winners, luck)]).coefficients[PAIR]
    other = correction(ORDERS, [(PAIR, 0, winners, made_up(2000, rng)[1])]).coefficients[PAIR]
    assert abs(other).max() < 0.15 * abs(related).max()


@pytest.mark.slow
def test_the_score_of_a_bot_that_hardly_ever_wins_is_not_biased() -> None:
    """A rule that looks at the deals that it corrects moves it by a third of a standard error."""
    truth = Truth((1.5, 1.2, 1.0, -3.0), (0.0,) * 3, 0.9, lucky=0.5)
    rng = np.random.default_rng(6)
    true = scores(Truth(truth.strengths, truth.seats).played(40_000, rng))[-1].mean or 0.0
    found = [
        (scores(played)[-1].mean or 0.0) - (scores(played.plain)[-1].mean or 0.0)
        for played in (truth.played(40, rng) for _ in range(250))
    ]
    plain_error = np.sqrt(true * (1 - true) / (40 * 18)) * 1.5  # of one tournament
    assert true == pytest.approx(0.005, abs=0.003)
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(len(found))
    assert abs(np.mean(found)) < 0.1 * plain_error


def test_what_luck_is_worth_in_games() -> None:
    assert width_gain(4.0, 2.0) == 4
    assert width_gain(None, 2.0) is None
    assert width_gain(4.0, 0.0) is None
    assert gain_range([1.31, 1.0, 2.06]) == "1.0 to 2.1"
    assert gain_range([1.31, 1.29]) == "1.3"
