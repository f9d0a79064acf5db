"""Differences between rule sets against scipy and statsmodels, and answers to odd cases."""

from math import asin, isfinite, sqrt

import numpy as np
import pytest
from helpers.oracles import multitest, stats, weightstats
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cantstop_arena.comparisons.comparison_results import RuleSetResult
from cantstop_arena.comparisons.comparison_run import corrected_for_multiplicity
from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.comparisons.statistics import (
    CHANGED,
    DIFFERENT,
    NEGLIGIBLE,
    NOTHING,
    SAME,
    UNCHANGED,
    UNDECIDED,
    BotOrder,
    EffectEstimate,
    Numbers,
    Ratio,
    RuleEffect,
    lead,
    orders,
    rule_effect,
)
from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.games.cantstop.game import GAME

RANDOM = np.random.default_rng(4)


@pytest.fixture(autouse=True)
def numbers() -> None:
    """The same random numbers for each test, in whatever order they run."""
    RANDOM.bit_generator.state = np.random.default_rng(4).bit_generator.state


ONES = np.ones(40)


def draw(deals: int = 40, mean: float = 20.0) -> Numbers:
    return RANDOM.normal(mean, 3.0, deals)


def difference(
    before: Numbers, after: Numbers, kind: str = SHARE, ignored: float = 0
) -> RuleEffect:
    ones = np.ones(len(before))
    return rule_effect(Ratio(before, ones), Ratio(after, ones), kind, ignored, deviation=2.0)


# --- Against well-kept libraries ------------------------------------------------------------------


@pytest.mark.parametrize("deals", [2, 3, 10, 400, 5000])
def test_a_mean_is_compared_as_by_the_paired_t_test(deals: int) -> None:
    before, after = draw(deals), draw(deals, 20.5)
    oracle = stats.ttest_rel(after, before)
    absolute = difference(before, after).absolute
    assert absolute is not None
    assert absolute.p == pytest.approx(oracle.pvalue, rel=1e-6)
    interval = oracle.confidence_interval(0.95)
    assert (absolute.low, absolute.high) == pytest.approx(tuple(interval), rel=1e-6)


@pytest.mark.slow
def test_questions_of_all_answers_are_corrected_together() -> None:
    """Once more by statsmodels; what was the same or not there keeps its verdict."""
    chances = [*RANDOM.uniform(0, 0.01, 6), 0.9]
    told = [
        RuleEffect(1.0, 2.0, EffectEstimate(1.0, 0.5, 1.5, p), None, 0.1, SHARE, 0.0, UNDECIDED)
        for p in chances
    ]
    nothing = replace(told[0], absolute=None, verdict=NOTHING)
    order = BotOrder(1, (("a", "b"),), 0.004, UNDECIDED)
    asked = DealRatios(GAME.counts)
    others = {str(number): one for number, one in enumerate(told[1:])}
    both = {"turns": told[0], "rolls": nothing}
    answers = [
        RuleSetResult("jump", "classic", 2, 2, 2, 9, 18, both, order, asked),
        RuleSetResult("leave", "classic", 2, 2, 2, 9, 18, others, None, asked),
    ]
    first, second = corrected_for_multiplicity(answers)
    oracle = multitest.multipletests([chances[0], 0.004, *chances[1:]], method="bonferroni")[1]
    assert first.order is not None
    found = [first.differences["turns"].corrected, first.order.corrected]
    found += [one.corrected for one in second.differences.values()]
    assert found == pytest.approx(list(oracle))
    assert first.differences["rolls"].verdict == NOTHING
    assert second.differences["5"].verdict == UNDECIDED


def _apart(told: RuleEffect, truth: float) -> bool:
    """Whether an interval leaves something out."""
    found = told.absolute
    assert found is not None and found.low is not None and found.high is not None
    return not found.low <= truth <= found.high


@pytest.mark.slow
def test_intervals_of_all_questions_hold_together_and_agree_with_the_verdicts() -> None:
    """In 200 files of twelve questions, a quarter of them about something that differs."""
    missed = 0
    for _ in range(200):
        shifts = [0.0] * 9 + [0.4, 0.6, 0.8]
        before = RANDOM.normal(5.0, 1.0, (12, 60))
        after = before + RANDOM.normal(0.0, 1.5, (12, 60)) + np.array(shifts)[:, None]
        ones = np.ones(60)
        told = [
            rule_effect(Ratio(one, ones), Ratio(other, ones), SHARE, 0.0).decided(12)
            for one, other in zip(before, after, strict=True)
        ]
        apart = [_apart(one, shift) for one, shift in zip(told, shifts, strict=True)]
        missed += any(apart)
        for one in told:
            assert (one.verdict == DIFFERENT) is _apart(one, 0.0) is ((one.corrected or 0) <= 0.05)
    assert missed <= 20, "more than 5% at 3.2 standard errors"


@pytest.mark.parametrize("ignored", [0.2, 0.5, 1.0, 2.0])
def test_negligible_is_what_two_one_sided_tests_say(ignored: float) -> None:
    for shift in (0.0, 0.2, 0.6):
        before = draw(200)
        after = before + RANDOM.normal(shift, 2.0, 200)
        p, *_ = weightstats.ttost_paired(after, before, -ignored, ignored)
        judged = difference(before, after, ignored=ignored).decided(1)
        assert (judged.verdict == NEGLIGIBLE) == (p < 0.025)


def test_ratios_have_the_errors_that_simulation_finds() -> None:
    """The linearised standard error against the spread of the estimate itself."""
    found, errors = [], []
    for _ in range(400):
        below = RANDOM.poisson(30, (2, 100)).astype(float) + 1
        luck = RANDOM.uniform(0.2, 0.4, 100)
        above = RANDOM.binomial(below.astype(int), [luck, luck + 0.1]).astype(float)
        one = rule_effect(Ratio(above[0], below[0]), Ratio(above[1], below[1]), SHARE, 0)
        assert one.absolute and one.absolute.low is not None
        found.append(one.absolute.value)
        errors.append((one.absolute.value - one.absolute.low) / stats.t.ppf(0.975, 99))
    assert np.mean(found) == pytest.approx(0.1, abs=0.002)
    assert np.mean(errors) == pytest.approx(np.std(found, ddof=1), rel=0.1)


def test_relative_differences_have_intervals_of_their_own() -> None:
    before, after = draw(4000, 20), draw(4000, 25)
    relative = difference(before, after, COUNT).relative
    assert relative and relative.low is not None and relative.high is not None
    error = 1.25 * sqrt((3 / 20) ** 2 + (3 / 25) ** 2) / sqrt(4000)
    assert relative.value == pytest.approx(0.25, abs=4 * error)
    assert (relative.high - relative.low) / 2 == pytest.approx(1.96 * error, rel=0.05)


def test_each_end_of_a_skewed_difference_has_degrees_of_freedom_of_its_own() -> None:
    rare = np.zeros(100)
    rare[:2] = 1.0
    fewer = difference(rare, 0 * rare).absolute
    more = difference(0 * rare, rare).absolute
    assert fewer and more and fewer.low is not None and fewer.high is not None
    assert (fewer.low, fewer.high) == pytest.approx((-(more.high or 0), -(more.low or 0)))
    error = rare.std(ddof=1) / 10
    assert fewer.high + 0.02 == pytest.approx(stats.t.ppf(0.975, 99) * error, rel=0.01)
    assert -0.02 - fewer.low > 1.4 * stats.t.ppf(0.975, 99) * error
    wider = fewer.among(14)
    assert wider.low is not None
    assert (-0.02 - wider.low) / error == pytest.approx(stats.t.ppf(1 - 0.025 / 14, 3), rel=0.01)


def test_a_quotient_far_from_1_has_the_interval_of_its_logarithm() -> None:
    before, after = np.exp(draw(30, 1) / 2), np.exp(draw(30, 2) / 2)
    there, back = (
        difference(before, after, COUNT).relative,
        difference(after, before, COUNT).relative,
    )
    assert there and back and there.low is not None and back.high is not None
    assert (1 + there.low) * (1 + back.high) == pytest.approx(1)


def test_effect_sizes_are_cohens() -> None:
    half = np.tile([0.0, 1.0], 20)
    rarely = np.tile([0.0, 0.0, 0.0, 1.0], 10)
    assert difference(rarely, half).effect == pytest.approx(2 * asin(sqrt(0.5)) - 2 * asin(0.5))
    assert difference(rarely, half, COUNT).effect == pytest.approx(0.25 / 2.0)


# --- Verdicts -------------------------------------------------------------------------------------


def test_verdicts() -> None:
    before = draw(400)
    near, far = before + RANDOM.normal(0, 0.1, 400), before + RANDOM.normal(5, 0.1, 400)
    assert difference(before, far, COUNT, 0.01).decided(2).verdict == DIFFERENT
    assert difference(before, near, COUNT, 0.01).decided(2).verdict == NEGLIGIBLE
    assert difference(before, near, COUNT, 0.0).decided(50).verdict == UNDECIDED
    assert difference(before, before, COUNT, 0.0).decided(1).verdict == SAME


def test_no_difference_in_any_deal_is_none() -> None:
    before = draw()
    same = difference(before, before.copy(), COUNT)
    for each in (same.absolute, same.relative):
        assert each and (each.value, each.low, each.high, each.p) == (0.0, None, None, 1.0)
    assert (same.effect, same.verdict) == (0.0, SAME)


@pytest.mark.parametrize("questions", [1, 14])
def test_a_share_that_differs_in_no_deal_may_differ_in_others(questions: int) -> None:
    none = Ratio(np.zeros(100), np.full(100, 2.0))
    same = rule_effect(none, none, SHARE, 0.002).decided(questions)
    rare = 1 - (0.05 / questions) ** (1 / 100)  # Clopper and Pearson
    assert same.absolute and same.verdict == SAME
    assert (same.absolute.low, same.absolute.high) == pytest.approx((-rare, rare))


def test_a_constant_difference_has_the_p_of_the_sign_test_and_no_interval() -> None:
    before = np.tile([1.0, 2.0, 3.5, 7.7], 5)
    absolute = difference(before, before + 0.1).absolute
    assert absolute is not None
    assert absolute.p == 2.0**-19
    assert absolute.value == pytest.approx(0.1)
    assert (absolute.low, absolute.high) == (None, None), "so few deals alike bound nothing"


def test_twice_as_much_of_both_is_no_difference() -> None:
    above, below = draw() / 7, draw()
    doubled = rule_effect(Ratio(above, below), Ratio(2 * above, 2 * below), SHARE, 0)
    assert doubled.absolute and (doubled.absolute.value, doubled.absolute.p) == (0.0, 1.0)


def test_one_deal_decides_nothing() -> None:
    one = difference(np.array([3.0]), np.array([4.0]), COUNT, 0.9)
    assert one.absolute
    assert (one.absolute.value, one.absolute.low, one.absolute.p) == (1.0, None, 1.0)
    assert one.decided(1).verdict == UNDECIDED


def test_nothing_to_divide_by_is_nothing_to_compare() -> None:
    nothing = rule_effect(Ratio(ONES, 0 * ONES), Ratio(ONES, ONES), SHARE, 0.1)
    assert (nothing.baseline, nothing.variant, nothing.p) == (None, 1.0, None)
    assert nothing.verdict == NOTHING


def test_from_zero_there_is_no_relative_difference() -> None:
    some = np.tile([0.0, 1.0], 20)
    risen = difference(0 * ONES, some, COUNT, 0.5)
    assert risen.relative is None
    assert risen.decided(2).verdict == DIFFERENT


@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=6),
    st.sampled_from([COUNT, SHARE]),
)
def test_whatever_was_counted_the_answer_is_finite(rows: list[tuple[int, ...]], kind: str) -> None:
    before, below, after, beyond = np.array(rows, float).T
    told = rule_effect(Ratio(before, below), Ratio(after, beyond), kind, 0.1, deviation=0.0)
    numbers = [told.baseline, told.variant, told.effect, told.p]
    for estimate in (told.absolute, told.relative):
        if estimate:
            numbers += [estimate.value, estimate.low, estimate.high, estimate.p]
    assert all(isfinite(number) for number in numbers if number is not None)
    assert told.p is None or 0 <= told.p <= 1


# --- The order of the bots ------------------------------------------------------------------------


def led(score: float, p: float, reach: float = 0.01) -> EffectEstimate:
    return EffectEstimate(score, score - reach, score + reach, p)


def test_an_order_changes_where_both_ways_round_are_sure() -> None:
    before = {("a", "b"): led(0.1, 1e-9), ("b", "c"): led(-0.1, 1e-9)}
    after = {("a", "b"): led(0.1, 1e-9), ("b", "c"): led(0.1, 1e-4)}
    order = orders(before, after, 0.002)
    assert order.p == pytest.approx(2e-4)
    assert order.decided(5).verdict == CHANGED
    assert order.decided(5).reversed_pairs == (("c", "b"),)
    assert order.decided(1000).verdict == UNDECIDED
    assert order.decided(1000).reversed_pairs == ()


def test_an_order_is_kept_where_all_pairs_are_the_same_way_or_equal_in_both() -> None:
    sure, equal = led(0.1, 1e-9), led(0.0001, 0.9, 0.001)
    unsure = led(0.1, 0.3, 0.2)
    assert orders({("a", "b"): sure}, {("a", "b"): sure}, 0.002).verdict == UNCHANGED
    assert orders({("a", "b"): equal}, {("a", "b"): equal}, 0.002).verdict == UNCHANGED
    assert orders({("a", "b"): sure}, {("a", "b"): unsure}, 0.002).verdict == UNDECIDED


def test_a_lead_is_compared_with_none() -> None:
    score = RANDOM.normal(0.1, 1.0, 50)
    assert lead(Ratio(score, np.ones(50))).p == pytest.approx(stats.ttest_1samp(score, 0).pvalue)
    assert lead(Ratio(score, 0 * score)) == EffectEstimate(0.0, None, None, 1.0)


# --- Where there is no difference -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("deals", [30, 200])
def test_false_alarms_are_rare_in_a_whole_file(deals: int) -> None:
    """Ten questions about the same rules on independent deals, hundreds of times."""
    alarms = 0
    runs = 150
    for _ in range(runs):
        chances = []
        for _ in range(5):
            counts = RANDOM.poisson(40, (2, deals)).astype(float)
            busts = RANDOM.binomial(counts.astype(int), 0.3).astype(float)
            means = rule_effect(
                Ratio(counts[0], np.ones(deals)), Ratio(counts[1], np.ones(deals)), COUNT, 0
            )
            rates = rule_effect(Ratio(busts[0], counts[0]), Ratio(busts[1], counts[1]), SHARE, 0)
            chances += [one.p for one in (means, rates) if one.p is not None]
        alarms += min(chances) * len(chances) <= 0.05
    assert alarms / runs <= 0.05 + 3 * sqrt(0.05 * 0.95 / runs)


def effect_with(value: float, half_width: float, ignored: float, kind: str = SHARE) -> RuleEffect:
    estimate = EffectEstimate(value, value - half_width, value + half_width, 0.5)
    return RuleEffect(1.0, 1.0 + value, estimate, estimate, 0.1, kind, ignored, UNDECIDED)


@pytest.mark.parametrize("kind", [COUNT, SHARE])
@pytest.mark.parametrize(
    ("value", "half_width", "ignored", "factor"),
    [
        (0.1, 0.2, 0.0, 4.0),  # it leaves out 0 when it is half as wide
        (-0.1, 0.2, 0.0, 4.0),
        (0.01, 0.2, 0.05, 25.0),  # it lies within 0.05 when it is a fifth as wide
        (0.0, 0.2, 0.05, 16.0),
        (0.1, 0.05, 0.0, 1.0),  # decided but for rounding
        (0.0, 0.2, 0.0, None),  # no number of games decides it
    ],
)
def test_games_that_decide_a_question(
    kind: str, value: float, half_width: float, ignored: float, factor: float | None
) -> None:
    effect = effect_with(value, half_width, ignored, kind)
    assert effect.games_factor == (None if factor is None else pytest.approx(factor))
    assert replace(effect, verdict=DIFFERENT).games_factor is None


@pytest.mark.parametrize(
    ("factor", "games"), [(1.0, 200), (1.23, 250), (4.0, 800), (61.7, 13_000), (1e12, None)]
)
def test_games_to_decide_are_those_of_each_lineup(factor: float, games: int | None) -> None:
    effects = {"turns": effect_with(0.1, 0.1 * sqrt(factor), 0.0)}
    answer = RuleSetResult(
        "b", "a", 2, 2, 3, 100, 600, effects, None, DealRatios(GAME.counts), lineups=3
    )
    assert answer.games_to_decide("turns") == games
    assert answer.games_to_decide("order") is None
