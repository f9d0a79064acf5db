"""Mean payoffs: exact sums, intervals, differences, and how often they hold."""

from collections.abc import Iterator
from fractions import Fraction
from math import sqrt

import numpy as np
import payoff_study
import pytest
from helpers.parameters import slow_but
from numpy.typing import NDArray

from cantstop_arena.deals.payoff import VOID, Payoff
from cantstop_arena.deals.sampling import gather_payoffs
from cantstop_arena.deals.seatings import Group, Orders, standard_orders
from cantstop_arena.game_api.state import GameAuthorError, Result
from cantstop_arena.ratings.mean_payoffs import MeanPayoffs
from cantstop_arena.ratings.significance import student_quantile
from cantstop_arena.table.game_checks import check_payoffs

CHIPS = Payoff("chip", low=-5, high=5, zero_sum=True)
Rows = dict[Group, NDArray[np.int32]]


def means_of(rows: Rows, bots: int, payoff: Payoff = CHIPS) -> MeanPayoffs:
    orders: Orders = standard_orders(len(next(iter(rows))))

    def read(start: int, count: int) -> Iterator[tuple[Group, int, NDArray[np.int32]]]:
        yield from ((group, 0, paid) for group, paid in rows.items())

    spans = {group: [(0, len(paid))] for group, paid in rows.items()}
    sums = gather_payoffs(orders, spans, read)
    return MeanPayoffs(sums, payoff, bots, len(orders[0]), len(orders))


def pair_rows(first: list[int]) -> NDArray[np.int32]:
    """What a pair got in each deal, when seats got nothing."""
    return np.array([[n, -n, 0, 0] for n in first], np.int32)


def test_the_interval_of_a_mean_is_students() -> None:
    means = means_of({(0, 1): pair_rows([1, 2, 3, 6])}, 2)
    bot, ahead = means.bot(0), means.ahead(0, 1)
    assert bot is not None
    assert ahead is not None
    assert bot.mean == pytest.approx(1.5)  # two games a deal
    error = sqrt(np.var([1, 2, 3, 6], ddof=1) / 4) / 2
    half = student_quantile(3) * error
    assert bot.interval == pytest.approx((1.5 - half, 1.5 + half))
    assert ahead.mean == pytest.approx(3)
    assert ahead.standard_error == pytest.approx(2 * error)
    assert ahead.p_of_zero == pytest.approx(bot.p_of_zero)


def test_large_payoffs_are_added_up_exactly() -> None:
    most = 2**31 - 1
    first = [most, most - 1, -most, most - 3]
    (sums,) = means_of({(0, 1): pair_rows(first)}, 2).sums.populations
    assert sums.totals[0].tolist() == [sum(first), -sum(first), 0, 0]
    assert sums.products[0, 0, 0] == sum(n * n for n in first)


def test_a_void_deal_counts_for_other_groups_only() -> None:
    first, second = pair_rows([1, 2, 3, 4]), pair_rows([2, 2, 4, 4])
    first[1] = VOID
    means = means_of({(0, 1): first, (0, 2): second}, 3)
    one, two = means.bot(1), means.bot(2)
    assert one is not None
    assert two is not None
    assert one.mean == pytest.approx(-8 / 6)
    assert two.mean == pytest.approx(-12 / 8)
    assert (one.deals, two.deals) == (3, 4)
    assert sum(int(each.deals.sum()) for each in means.sums.populations) == 7


def test_payoffs_that_are_alike_in_all_deals_leave_room_for_others() -> None:
    rows: Rows = {(0, 1): pair_rows([2] * 20)}
    bounded, unbounded = means_of(rows, 2).bot(0), means_of(rows, 2, Payoff()).bot(0)
    assert bounded is not None
    assert unbounded is not None
    rare = 1 - 0.05 ** (1 / 20)
    assert bounded.interval == pytest.approx(((1 - rare) - 5 * rare, (1 - rare) + 5 * rare))
    assert unbounded.estimate == (1.0, None, None)


def test_the_fewest_can_be_the_best() -> None:
    rows: Rows = {(0, 1): pair_rows([1, 2, 3, 6] * 5)}
    ahead = means_of(rows, 2, Payoff("stroke", best="least")).ahead(0, 1)
    assert ahead is not None
    assert ahead.mean == pytest.approx(-3)
    assert ahead.superiority < 0.01


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ([1], "are not one for each of 2 seats"),
        ([0.5, -0.5], "must be whole multiples of a chip: 0.5 is no multiple of 1/1"),
        (["much", 0], "must be whole multiples of a chip"),
        ([2, -1], "add up to 1, not to 0, as the game is zero-sum"),
        ([6, -6], "-6 is less than the bound -5"),
        ([float("nan"), 0], "no multiple"),
    ],
)
def test_wrong_payoffs_are_told_with_their_numbers(payoffs: list[object], message: str) -> None:
    with pytest.raises(GameAuthorError, match=r"^payoffs ") as raised:
        check_payoffs(payoffs, CHIPS, (0, 1), 2)
    assert message in str(raised.value)


def test_payoffs_may_be_of_any_number_type() -> None:
    check_payoffs([Fraction(1, 4), np.float64(-0.25)], Payoff(parts=4, zero_sum=True), (0, 1), 2)
    with pytest.raises(GameAuthorError, match="too large"):
        check_payoffs([2**30, -(2**30)], Payoff(), (0, 1), 2)


def test_winners_follow_from_payoffs() -> None:
    assert Result(payoffs=[1, 3, 3]).with_winners(Payoff()).winners == (1, 2)
    assert Result(payoffs=[1, 3, 3]).with_winners(Payoff(best="least")).winners == (0,)
    assert Result().with_winners(Payoff()).winners == ()
    with pytest.raises(GameAuthorError, match="the game has no payoff"):
        Result().with_winners(None)


def test_a_fault_costs_what_the_game_says() -> None:
    assert CHIPS.of_forfeit(1, (0, 1)) == (5, -5)
    assert CHIPS.of_forfeit(1, (0, 1, 2)) == (2, -5, 3)
    assert Payoff(low=-5).of_forfeit(1, (0, 1, 2)) == (0, -5, 0)
    assert Payoff(high=9, best="least").of_forfeit(0, (0, 1)) == (9, 0)
    assert Payoff(high=9).of_forfeit(0, (0, 1)) is None
    assert Payoff(low=lambda rules, players: -players).under(None, 4).of_forfeit(0, (0, 1)) == (
        -4,
        0,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "world", slow_but((0, 3), payoff_study.WORLDS), ids=lambda world: world.name
)
def test_intervals_of_payoffs_hold(world: payoff_study.World) -> None:
    found = payoff_study.covered(world, 300, 200, np.random.default_rng(1))
    assert found[payoff_study.COVERED] > 0.89
    assert found[payoff_study.SEAT] > 0.89
