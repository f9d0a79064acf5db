"""The rounds of a league, on simulated games with a ledger that remembers."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log10

import numpy as np
import pytest
from numpy.typing import NDArray

from cantstop_arena.deals.seatings import Group
from cantstop_arena.extensions.league.rounds import (
    BUDGET,
    DONE,
    TIME,
    RoundField,
    RoundOpening,
    RoundRules,
    Threshold,
    affordable_base,
    play_rounds,
)

RULES = RoundRules()
DEALS = RULES.games // 2


class World:
    """The games of bots by name, each deal two games; what is played does not depend on when."""

    def __init__(self, elo: Mapping[str, float], seed: int = 7, most: int = RULES.most) -> None:
        self.elo, self.seed, self.most = elo, seed, most
        self._made: dict[tuple[str, str], NDArray[np.float64]] = {}
        self.played: dict[tuple[str, str], int] = {}
        self.games = 0

    def shares(self, first: str, second: str) -> NDArray[np.float64]:
        """The shares of the first bot in all deals that there may be."""
        if first > second:
            return 1 - self.shares(second, first)
        if (first, second) not in self._made:
            rng = np.random.default_rng([self.seed, *first.encode(), 0, *second.encode()])
            win = 1 / (1 + 10 ** ((self.elo[second] - self.elo[first]) / 400))
            self._made[first, second] = rng.binomial(2, win, DEALS * self.most) / 2
        return self._made[first, second]


class Ledger:
    """The games of some of a world's bots, which remembers what has been played; may have no time.

    `rounds_left` is the number of rounds with missing games that it still plays.
    """

    def __init__(self, world: World, bots: Sequence[str], rounds_left: int = 10**9) -> None:
        self.world, self.bots, self.rounds_left = world, sorted(bots), rounds_left

    def names(self, group: Group) -> tuple[str, str]:
        first, second = (self.bots[bot] for bot in group)
        return first, second

    def reach(self, deals: Mapping[Group, int]) -> bool:
        missing = {g: n for g, n in deals.items() if self._stored(g) < n}
        if missing and self.rounds_left == 0:
            return False
        self.rounds_left -= bool(missing)
        for group, count in missing.items():
            self.world.games += 2 * (count - self._stored(group))
            self.world.played[self.names(group)] = count
        return True

    def missing(self, deals: Mapping[Group, int]) -> int:
        return sum(max(0, count - self._stored(group)) for group, count in deals.items())

    def _stored(self, group: Group) -> int:
        return self.world.played.get(self.names(group), 0)

    def shares(self, group: Group, deals: int) -> NDArray[np.float64]:
        assert self._stored(group) >= deals, "only what has been played is looked at"
        first = self.world.shares(*self.names(group))[:deals]
        return np.stack([first, 1 - first], axis=1)


def strengths(bots: int, spread: float, seed: int = 1) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {f"s{n:02}": elo for n, elo in enumerate(rng.normal(1500, spread, bots))}


def field_of(bots: Sequence[str], thresholds: Sequence[tuple[str, str, float]] = ()) -> RoundField:
    number = {name: n for n, name in enumerate(sorted(bots))}
    marked = tuple(Threshold(number[b], number[r], score) for b, r, score in thresholds)
    return RoundField(len(bots), 2, 2, marked)


@pytest.mark.slow
def test_standings_depend_on_the_active_bots_alone() -> None:
    elo = strengths(24, 150)
    names = list(elo)
    living = World(elo)
    for active in (names[:16], names[:17], names[1:17], names[1:], names[:16]):
        before = living.games
        table = play_rounds(field_of(active), RULES, Ledger(living, active))
        fresh = World(elo)
        assert play_rounds(field_of(active), RULES, Ledger(fresh, active)) == table
        assert living.games - before <= fresh.games
        again = living.games
        assert play_rounds(field_of(active), RULES, Ledger(living, active)) == table
        assert living.games == again  # nothing to play
    assert living.games == again
    assert table.ended == DONE


def test_a_newcomer_costs_its_own_games() -> None:
    elo = strengths(30, 200)
    names = list(elo)
    world = World(elo)
    play_rounds(field_of(names[:29]), RULES, Ledger(world, names[:29]))
    before = world.games
    play_rounds(field_of(names), RULES, Ledger(world, names))
    assert world.games - before < 0.2 * before


def test_games_go_where_they_decide() -> None:
    wrong = decided = games = 0
    for seed in range(3):
        elo = strengths(20, 300, seed)
        names = sorted(elo)
        world = World(elo, 100 + seed)
        table = play_rounds(field_of(names), RULES, Ledger(world, names))
        games += world.games
        decided += table.decided
        truth = {
            b: np.mean([1 / (1 + 10 ** ((elo[o] - elo[b]) / 400)) for o in names if o != b])
            for b in names
        }
        assert table.decided + table.tied + table.close == len(names) - 1
        assert table.games == world.games
        for better, worse in zip(table.ranking, table.ranking[1:], strict=False):
            apart = not set(table.letters[better]) & set(table.letters[worse])
            wrong += apart and truth[names[better]] < truth[names[worse]]
    assert wrong == 0
    assert decided > 30
    assert games < 0.25 * 3 * 190 * RULES.games * RULES.most


def test_letters_are_corrected_for_the_number_of_pairs() -> None:
    for seed in (0, 5, 9):  # with 5% for each of the 66 pairs these have two letters
        elo = {f"s{bot:02}": 1500.0 for bot in range(12)}
        table = play_rounds(field_of([*elo]), RULES, Ledger(World(elo, seed), [*elo]))
        assert {*table.letters} == {"a"}
        assert table.decided == 0


def test_close_neighbours_play_until_they_are_tied() -> None:
    elo = {"a": 1500.0, "b": 1500.0, "c": 1800.0, "d": 1200.0}
    world = World(elo)
    table = play_rounds(field_of([*elo]), RULES, Ledger(world, [*elo]))
    assert [table.ranking[0], table.ranking[-1]] == [2, 3]
    assert table.rounds[0] == table.rounds[1] > table.rounds[2] == RULES.base
    assert set(table.letters[0]) & set(table.letters[1])
    assert not set(table.letters[2]) & set("".join(table.letters[n] for n in (0, 1, 3)))


def test_a_threshold_lets_its_pairing_play_on() -> None:
    score = 1 / (1 + 10 ** (-200 / 400))
    elo = {"easy": 1300.0, "s1": 1500.0, "s2": 1900.0, "s3": 1000.0}
    thresholds = [("s1", "easy", score), ("s2", "easy", score)]
    openings: list[RoundOpening] = []
    table = play_rounds(
        field_of([*elo], thresholds), RULES, Ledger(World(elo), [*elo]), openings.append
    )
    assert max(table.rounds) == RULES.base
    assert openings
    assert {opening.bots[0] for opening in openings} == {1}
    assert all(opening.games == RULES.games for opening in openings)  # of one pairing
    low, high = table.against[1, 0][1:]
    assert low is not None
    assert high is not None
    assert not low < score < high or openings[-1].number == RULES.most
    assert table.against[2, 0].low is not None
    assert table.against[2, 0].low > score


def test_few_deals_have_no_intervals_and_decide_nothing() -> None:
    elo = {"easy": 1000.0, "s1": 1900.0}
    rules = RoundRules(games=20, base=2, most=9)  # 90 deals
    table = play_rounds(field_of([*elo], [("s1", "easy", 0.5)]), rules, Ledger(World(elo), [*elo]))
    assert [each.low for each in table.scores] == [None, None]
    assert table.against[1, 0][1:] == (None, None)
    assert (table.rounds, table.close) == ([9, 9], 1)


def test_the_budget_ends_rounds() -> None:
    elo = {f"s{n}": 1500.0 for n in range(6)}
    budget = 15 * RULES.games * 8
    rules = RoundRules(budget=budget, precision=1e-6)
    table = play_rounds(field_of([*elo]), rules, Ledger(World(elo), [*elo]))
    assert table.ended == BUDGET
    assert table.games == budget
    poor = RoundRules(budget=15 * RULES.games * 2)
    assert affordable_base(field_of([*elo]), poor) == 2
    table = play_rounds(field_of([*elo]), poor, Ledger(World(elo), [*elo]))
    assert table.rounds == [2] * 6


@pytest.mark.parametrize("rounds", range(8))
def test_when_the_time_is_up_newcomers_are_provisional(rounds: int) -> None:
    elo = strengths(8, 150)
    names = sorted(elo)
    world = World(elo)
    field, old = field_of(names), names[:6]
    settled = play_rounds(field_of(old), RULES, Ledger(world, old))
    table = play_rounds(field, RULES, Ledger(world, names, rounds))
    if rounds < RULES.base:
        assert table.ended == TIME
        assert table.provisional == {6, 7}
        assert [bot for bot in table.ranking if bot < 6] == list(settled.ranking)
        assert [table.rounds[bot] for bot in (6, 7)] == [rounds, rounds]
        assert list(table.scores[:6]) == list(settled.scores)
        assert (table.scores[6].mean is None) == (rounds == 0)
    else:
        assert not table.provisional
    complete = play_rounds(field, RULES, Ledger(world, names))
    assert complete == play_rounds(field, RULES, Ledger(World(elo), names))


def test_a_fresh_league_without_time_is_provisional() -> None:
    elo = strengths(4, 100)
    table = play_rounds(field_of([*elo]), RULES, Ledger(World(elo), [*elo], 2))
    assert table.provisional == {0, 1, 2, 3}
    assert table.rounds == [2] * 4
    assert table.ranking[0] == max(range(4), key=lambda bot: table.scores[bot].mean or 0)
    nothing = play_rounds(field_of([*elo]), RULES, Ledger(World(elo), [*elo], 0))
    assert nothing.ranking == [0, 1, 2, 3]
    assert nothing.scores[0].mean is None


def test_more_seats_have_lineups() -> None:
    class Three:
        """Bot 0 wins every game of three."""

        deals: dict[Group, int]

        def __init__(self) -> None:
            self.deals = {}

        def reach(self, deals: Mapping[Group, int]) -> bool:
            self.deals |= deals
            return True

        def missing(self, deals: Mapping[Group, int]) -> int:
            return sum(max(0, n - self.deals.get(group, 0)) for group, n in deals.items())

        def shares(self, group: Group, deals: int) -> NDArray[np.float64]:
            won = [1.0 if bot == 0 else 0.0 if 0 in group else 1 / 3 for bot in group]
            return np.tile(won, (deals, 1))

    field = RoundField(5, 3, 6, (Threshold(0, 4, 0.5), Threshold(4, 0, 0.5)))
    assert field.groups == list(combinations(range(5), 3))
    table = play_rounds(field, RoundRules(games=600), Three())
    assert table.ranking[0] == 0
    assert table.scores[0].mean == 1.0
    assert table.against[0, 4].mean == 1.0
    assert table.against[4, 0].mean == 0.0
    assert log10(table.games) < 8


@pytest.mark.parametrize("rounds_left", [0, 1, RULES.base, RULES.base + 2])
@pytest.mark.parametrize("gone", [[], ["s05"]])
def test_a_short_round_takes_nothing_from_the_established(
    rounds_left: int, gone: list[str]
) -> None:
    elo = strengths(10, 120)
    names = sorted(elo)
    marked = [(bot, names[0], score) for bot in names[1:8] for score in (0.3, 0.45, 0.6)]
    world = World(elo)
    before = play_rounds(field_of(names[:8], marked), RULES, Ledger(world, names[:8]))
    now = [name for name in names if name not in gone]
    marked = [each for each in marked if each[0] in now]
    table = play_rounds(field_of(now, marked), RULES, Ledger(world, now, rounds_left))
    newcomers = {now.index(name) for name in names[8:]}
    assert table.provisional == (newcomers if rounds_left < RULES.base else set())
    for bot, rival, score in marked:
        old = before.against[names.index(bot), 0]
        low, high = table.against[now.index(bot), now.index(rival)][1:]
        assert low is not None and high is not None
        assert old.low is not None and old.high is not None
        if not old.low < score < old.high:
            assert (low >= score, low < score < high) == (old.low >= score, False)
