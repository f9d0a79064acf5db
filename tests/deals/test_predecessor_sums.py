"""What it means to sit after whom, held against games counted one by one."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from math import sqrt
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cantstop_arena.deals.predecessor_sums import Predecessors, gather_predecessors
from cantstop_arena.deals.seatings import Group, lineups, pairs_of_positions, standard_orders

BOTS, DEALS = 5, 40


class Played:
    """Made-up games: points of a bot after another one, with luck that a deal's games share."""

    def __init__(self, players: int) -> None:
        self.orders = standard_orders(players)
        self.groups = list(combinations(range(BOTS), players))
        rng = np.random.default_rng(players)
        luck = rng.integers(0, 30, (DEALS, BOTS))
        self.points = {
            (deal, group, number): [
                int(luck[deal, bot]) + 3 * bot + 5 * lineup[seat - 1] + int(rng.integers(0, 20))
                for seat, bot in enumerate(lineup)
            ]
            for deal in range(DEALS)
            for group in self.groups
            for number, lineup in enumerate(lineups(group, self.orders))
        }

    def blocks(self, start: int, count: int) -> Iterator[tuple[Group, int, NDArray[Any]]]:
        """Blocks of seven deals, whole, as a ledger gives them."""
        for group in self.groups:
            for first in range(0, DEALS, 7):
                deals = range(first, min(first + 7, DEALS))
                if first < start + count and deals.stop > start:
                    yield group, first, np.array([self._kept(group, deal) for deal in deals])

    def _kept(self, group: Group, deal: int) -> list[int]:
        after: defaultdict[tuple[int, int], int] = defaultdict(int)
        for number, order in enumerate(self.orders):
            points = self.points[deal, group, number]
            for seat, place in enumerate(order):
                after[place, order[seat - 1]] += points[seat]
        return [len(self.orders), 0, *(after[pair] for pair in pairs_of_positions(len(group)))]

    def found(self) -> Predecessors:
        """What is made of it."""
        spans = {group: [(0, DEALS)] for group in self.groups}
        return gather_predecessors(len(self.orders[0]), len(self.orders), spans, self.blocks)

    def games_after(self, bot: int, other: int) -> list[tuple[int, int]]:
        """Deal and points of the bot in all games in which it sits right after the other."""
        return [
            (deal, points[seat])
            for (deal, group, number), points in self.points.items()
            for seat, place in enumerate(self.orders[number])
            if (group[place], group[self.orders[number][seat - 1]]) == (bot, other)
        ]

    def effect(self, other: int) -> float:
        """Mean over groups and bots in them: points right after the other, less those elsewhere."""
        differences = []
        for group in self.groups:
            for bot in {*group} - {other} if other in group else ():
                right_after: list[int] = []
                elsewhere: list[int] = []
                for (_, met, number), points in self.points.items():
                    lineup = [met[at] for at in self.orders[number]]
                    if met == group:
                        seat = lineup.index(bot)
                        after = lineup[seat - 1] == other
                        (right_after if after else elsewhere).append(points[seat])
                differences.append(fmean(right_after) - fmean(elsewhere))
        return fmean(differences)


@pytest.mark.parametrize("players", [3, 4])
def test_means_and_effects_are_those_of_the_games(players: int) -> None:
    """Who sits after the fourth bot has most points: five times the number of its predecessor."""
    played = Played(players)
    found = played.found()
    for bot, other in [(0, 1), (4, 2), (3, 4)]:
        games = played.games_after(bot, other)
        after = found.after(bot, other)
        assert after and after.mean == pytest.approx(fmean(p for _, p in games))
    for other in (0, 4):
        effect = found.effect(other)
        assert effect and effect.mean == pytest.approx(played.effect(other))
    assert found.after(2, BOTS) is None
    assert played.effect(0) < 0 < played.effect(4)


def test_deals_of_lineups_are_the_units_of_errors() -> None:
    """The standard error of the mean of lineups' means, each from the means of its deals."""
    played = Played(3)
    by_deal: defaultdict[Group, defaultdict[int, list[int]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for (deal, group, number), points in played.points.items():
        for seat, place in enumerate(played.orders[number]):
            if (group[place], group[played.orders[number][seat - 1]]) == (1, 3):
                by_deal[group][deal].append(points[seat])
    means = [[fmean(points) for points in deals.values()] for deals in by_deal.values()]
    wanted = sqrt(sum(float(np.var(deals, ddof=1)) / DEALS for deals in means)) / len(means)
    after = played.found().after(1, 3)
    assert after and after.error == pytest.approx(wanted)


def test_deals_with_faults_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a game was forfeited, not all of the group's seatings can be compared."""
    played = Played(3)
    plain = played.found()
    kept = Played._kept

    def with_a_fault(self: Played, group: Group, deal: int) -> list[int]:
        games, *rest = kept(self, group, deal)
        return [games - (deal == 5 and group == (0, 1, 2)), *rest]

    monkeypatch.setattr(Played, "_kept", with_a_fault)
    found = played.found()
    fewer = np.array(found.populations[0].deals) - plain.populations[0].deals
    assert fewer.tolist() == [-1, *[0] * (len(fewer) - 1)]
