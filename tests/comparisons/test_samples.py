"""From winners and counts of deals to the sums of measures, on ledgers made by hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from math import sqrt
from typing import Any

import numpy as np
import pytest
from helpers.parameters import slow_but

from cantstop_arena.comparisons import samples
from cantstop_arena.comparisons.deal_ratios import DealRatios, won_by
from cantstop_arena.comparisons.samples import SamplePlan, common_deals, read_sample
from cantstop_arena.comparisons.statistics import Ratio, rule_effect
from cantstop_arena.deals.counting import SHARE, stored_measures
from cantstop_arena.deals.seatings import Group, all_orders
from cantstop_arena.games.cantstop.game import GAME

Spans = dict[Group, list[tuple[int, int]]]
MEASURES = DealRatios(GAME.counts)
KEPT = stored_measures(GAME.counts)
MEASURE = {measure.key: measure for measure in MEASURES.all}


@dataclass(frozen=True)
class Kept:
    """Stands in for a ledger: winners (deals by seatings) of every group, in blocks."""

    winners: Mapping[Any, Any]
    block: int = 3

    def deals(self, start: int, count: int) -> Iterator[tuple[Group, int, Any, Any]]:
        for group, winners in self.winners.items():
            masks = np.array(winners, np.uint8)
            counts = np.arange(len(masks), dtype=np.uint32)[:, None] + np.arange(len(KEPT))
            for first in range(0, len(masks), self.block):
                rows = slice(first, first + self.block)
                yield group, first, masks[rows], counts[rows].astype(np.uint32)


def plan_of(
    players: int, groups: tuple[Group, ...], deals: int, bots: tuple[str, ...]
) -> SamplePlan:
    return SamplePlan(MEASURES, all_orders(players), groups, deals, bots)


def value(plan: SamplePlan, winners: Mapping[Any, Any], key: str) -> float | None:
    ledger: Any = Kept(winners)
    return read_sample(ledger, plan).ratio(MEASURE[key]).value


def random_winners(players: int, deals: int, most: int = 0) -> Any:
    random = np.random.default_rng(players)
    games = len(list(permutations(range(players))))
    return random.integers(1, most or 1 << players, (deals, games))


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_win_what_the_masks_say(players: int) -> None:
    masks = random_winners(players, 7)
    group = tuple(range(players))
    plan = plan_of(players, (group,), 7, ("a", "b", "c", "d")[:players])
    for key, seat in (("first_seat", 0), ("last_seat", players - 1)):
        won = [(mask >> seat & 1) / int(mask).bit_count() for mask in masks.flat]
        assert value(plan, {group: masks}, key) == pytest.approx(np.mean(won))


def test_many_deals_are_put_together_to_units_that_say_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    winners = {(0, 1): random_winners(2, 23), (0, 2): random_winners(2, 23)}
    plan = plan_of(2, tuple(winners), 23, ("a", "b", "c"))
    whole: Any = Kept(winners)
    one_by_one = read_sample(whole, plan)
    monkeypatch.setattr(samples, "MAX_UNITS", 5)
    joined = plan_of(2, tuple(winners), 23, ("a", "b", "c"))
    assert (plan.size, plan.units, joined.size, joined.units) == (1, 23, 5, 5)
    assert list(joined.deals_of_units) == [5, 5, 5, 5, 3]
    together = read_sample(whole, joined)
    for measure in MEASURES.measures_for(2, ("a", "b", "c")):
        if measure.key != "better_bot":  # its halves are others
            assert together.ratio(measure).value == one_by_one.ratio(measure).value
    for pair, lead in one_by_one.leads.items():
        assert together.leads[pair].value == pytest.approx(lead.value)


def test_deals_and_groups_outside_the_plan_are_left_out() -> None:
    plan = plan_of(2, ((0, 1),), 2, ("a", "b", "c"))
    winners = {(0, 1): [[1, 2], [1, 2], [2, 1], [2, 1]], (0, 2): [[2, 2]] * 4}
    assert value(plan, winners, "first_seat") == 0.5
    ledger: Any = Kept(winners)
    sample = read_sample(ledger, plan)
    assert sample.games == 4
    assert list(sample.sums["turns"]) == [2, 3]
    assert sample.leads[("a", "b")].value == 1.0


# In seatings (0, 1) and (1, 0) of two bots, masks 1 and 2 let bot 0 win both games, 2 and 1 bot 1.
FIRST, SECOND, SEATS = [1, 2], [2, 1], [1, 1]


def test_the_better_bot_is_read_from_the_other_half() -> None:
    plan = plan_of(2, ((0, 1),), 4, ("a", "b"))
    assert value(plan, {(0, 1): [FIRST, FIRST, FIRST, SEATS]}, "better_bot") == 0.875
    luck = [FIRST, SECOND, FIRST, SECOND]  # in each half the bot that is worse in the other
    assert value(plan, {(0, 1): luck}, "better_bot") == 0.0
    assert value(plan, {(0, 1): [SEATS] * 4}, "better_bot") == 0.5


def test_skill_is_not_seen_where_there_is_none() -> None:
    plan = plan_of(2, ((0, 1),), 20_000, ("a", "b"))
    found = value(plan, {(0, 1): random_winners(2, 20_000, 3)}, "better_bot")
    assert found == pytest.approx(0.5, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("strength", slow_but((1,), [0.5, 0.55, 0.8]))
def test_who_is_better_is_doubtful_between_bots_that_are_nearly_equal(strength: float) -> None:
    """The better bot's share under the same rules on other deals, hundreds of times."""
    random = np.random.default_rng(9)
    plan = plan_of(2, ((0, 1),), 100, ("a", "b"))
    measure = MEASURE["better_bot"]
    alarms, runs = 0, 400
    for _ in range(runs):
        ratios: list[Ratio] = []
        for _ in range(2):
            first_wins = random.random((100, 2)) < strength
            winners: Any = Kept({(0, 1): np.where(first_wins, FIRST, SECOND)}, 100)
            ratios.append(read_sample(winners, plan).ratio(measure))
        p = rule_effect(ratios[0], ratios[1], SHARE, 0).p
        alarms += p is not None and p <= 0.05
    assert alarms / runs <= 0.05 + 3 * sqrt(0.05 * 0.95 / runs)


def test_one_deal_does_not_tell_who_is_better() -> None:
    plan = plan_of(2, ((0, 1),), 1, ("a", "b"))
    assert value(plan, {(0, 1): [FIRST]}, "better_bot") is None


def test_copies_of_a_bot_are_one_bot_seat_for_seat() -> None:
    """Bot a sits twice, as entrants 0 and 2: it wins twice as many games, and is no better."""
    group = (0, 1, 2)
    plan = plan_of(3, (group,), 2, ("a", "b"))
    winners = {group: [[1] * 6, [1] * 6]}  # the first seat wins always
    ledger: Any = Kept(winners)
    sample = read_sample(ledger, plan)
    assert plan.kinds(group) == (0, 1)
    assert sample.leads[("a", "b")].value == 0.0
    assert sample.ratio(MEASURE["better_bot"]).value == pytest.approx(1 / 3)
    assert sample.ratio(won_by("a")).value == pytest.approx(1 / 3)
    assert sample.ratio(won_by("b")).value == pytest.approx(1 / 3)


def test_groups_and_deals_that_all_played() -> None:
    first: Spans = {(0, 1): [(0, 5), (5, 5)], (0, 2): [(0, 7)]}
    second: Spans = {(0, 1): [(5, 1), (0, 5)], (1, 2): [(0, 9)]}
    assert common_deals([first, second]) == (((0, 1),), 6)
    late: Spans = {(0, 1): [(3, 2)]}
    assert common_deals([first, {}]) == ((), 0)
    assert common_deals([late, first]) == (((0, 1),), 0)
