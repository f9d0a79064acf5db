"""Samples of a rule set's games: the sums of measures by deal, read from the ledger."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import lcm, sqrt
from statistics import median
from typing import Any, Protocol

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.comparisons.comparison_results import RuleSetResult
from cantstop_arena.comparisons.deal_ratios import DealRatios, is_won, won_by
from cantstop_arena.comparisons.statistics import EffectEstimate, Numbers, Pair, Ratio, lead
from cantstop_arena.deals.control_variate import correction, width_gain
from cantstop_arena.deals.counting import COUNT, Measure, stored_measures
from cantstop_arena.deals.outcomes import WIN_UNITS, Span, Tally, unbroken_prefix, win_units
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.deals.seatings import MAX_SEATS, Group, Orders
from cantstop_arena.ratings.scores import variance
from cantstop_arena.tournaments.ledger.cover import StoredDeals

FAIR = lcm(*range(1, MAX_SEATS + 1))  # makes wins divisible by the number of copies of a bot
MAX_UNITS = 1 << 15
MAX_NUMBERS = 1 << 24

CLEAR = 4.2  # standard errors from which both halves of the deals agree on the leader
DOUBT = sqrt(2.5)
"""The factor for the deviation of a cross-fitted share between deals, if the lead is not clear.

With E and O the lead of one bot in the even and in the odd deals, T = E sign(O) + O sign(E) is
the lead of the better bot. For normal E and O with mean m and variance 1 the variance of T is
2 + 2 m² + 2 a² - 4 m² (2 Φ(m) - 1)², where a = E|O|, and not 2: it is 3.27 for m = 0, at most
4.9, for m near 1, and below 2.3 from m = 3 on, where the whole lead is of 4.2 standard errors.
"""

Integers = NDArray[np.int64]


class DealSource(Protocol):
    """What has the deals of a rule set: the cover of a query in a ledger, or games in memory."""

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of the `count` deals from `start` on."""
        ...


class RatioSample(msgspec.Struct, frozen=True):
    """The deals of one rule set with one number of players.

    `sums` has, by name, the sum over the games of each unit (see `SamplePlan`); `leads` has the
    lead of the first bot of each pair.
    """

    deals: int
    games: int
    sums: Mapping[str, Numbers]
    leads: Mapping[Pair, EffectEstimate]

    def ratio(self, measure: Measure) -> Ratio:
        """A measure's numerator and denominator in every unit."""
        return Ratio(self.sums[measure.numerator], measure.scale * self.sums[measure.denominator])


class SamplePlan(msgspec.Struct, frozen=True, dict=True):
    """Which deals of which groups are compared, and how deals are joined to units.

    Deals are the units of sampling. Where they are very many, each unit is a run of deals, long
    enough to bound memory: sums of independent deals are independent, too, and with so many units
    no precision is lost. Copies of a bot have its number plus multiples of the number of `bots`.
    """

    measures: DealRatios
    orders: Orders
    groups: tuple[Group, ...]
    deals: int
    bots: tuple[str, ...]

    @property
    def players(self) -> int:
        """The number of seats at a table."""
        return len(self.orders[0])

    @property
    def counted(self) -> tuple[str, ...]:
        """The names of the sums that ledgers store for every deal."""
        return stored_measures(self.measures.counts, self.players)

    @cached_property
    def size(self) -> int:
        """The number of deals of a unit."""
        bounded = MAX_NUMBERS // (max(1, len(self.groups)) * self.players)
        maximum = min(MAX_UNITS, max(2, bounded))
        return max(1, -(-self.deals // maximum))

    @property
    def units(self) -> int:
        """The number of units; the last may be shorter."""
        return -(-self.deals // self.size)

    @property
    def deals_of_units(self) -> Integers:
        """The number of deals of every unit."""
        return np.diff(np.minimum(np.arange(self.units + 1) * self.size, self.deals))

    @property
    def games(self) -> int:
        """The number of games that are compared under one rule set."""
        return len(self.groups) * self.deals * len(self.orders)

    def bot_of(self, entrant: int) -> int:
        """The number of the bot of which an entrant is a copy, or which it is."""
        return entrant % len(self.bots)

    def kinds(self, group: Group) -> tuple[int, ...]:
        """The different bots of a group, ascending."""
        return tuple(sorted(set(map(self.bot_of, group))))

    def shares(self, group: Group) -> Integers:
        """For each kind of bot of the group, FAIR by the number of its copies in the group."""
        bots = list(map(self.bot_of, group))
        return np.array([FAIR // bots.count(kind) for kind in self.kinds(group)], np.int64)

    def rows(self, first: int, deals: int) -> tuple[slice, NDArray[np.intp]]:
        """The units of a run of deals, and the index of the first deal of each in that run."""
        begin, end = first // self.size, -(-(first + deals) // self.size)
        starts = np.maximum(np.arange(begin, end) * self.size - first, 0)
        return slice(begin, end), starts


def common_deals(spans: Iterable[Mapping[Group, Sequence[Span]]]) -> tuple[tuple[Group, ...], int]:
    """The groups that play under all rule sets, and how many deals, from 0, all have played."""
    rule_set_spans = list(spans)
    groups = sorted(set.intersection(*(set(by_group) for by_group in rule_set_spans)))
    deals = min(
        (unbroken_prefix(by_group[group]) for by_group in rule_set_spans for group in groups),
        default=0,
    )
    return tuple(groups), deals


def read_sample(ledger: DealSource, plan: SamplePlan, luck_removed: bool = False) -> RatioSample:
    """The sample of a ledger; if `luck_removed`, without luck in the wins of seats and bots."""
    counted, seats, won = _read_sums(ledger, plan, luck_removed)
    sums: dict[str, Numbers] = dict(zip(plan.counted, counted.T.astype(np.float64), strict=True))
    played = plan.deals_of_units * (len(plan.groups) * len(plan.orders))
    better, contested = _better_bot(plan, won)
    scale = WIN_UNITS / win_units(plan.players)
    return RatioSample(
        plan.deals,
        plan.games,
        {
            **sums,
            "finished": sums["games"] - sums["unfinished"],
            "played": played.astype(np.float64),
            "first_seat": (seats[:, 0] * scale).astype(np.float64),
            "last_seat": (seats[:, 1] * scale).astype(np.float64),
            "better_bot": better,
            "contested": contested,
            **_shares_of_bots(plan, won),
        },
        _leads(plan, won),
    )


def _read_sums(
    ledger: DealSource, plan: SamplePlan, luck_removed: bool
) -> tuple[Integers, Integers, list[Integers]]:
    """Sums by unit: the counts, the wins of first and last seat, the wins of each group's kinds."""
    counted = np.zeros((plan.units, len(plan.counted)), np.int64)
    seats = np.zeros((plan.units, 2), np.int64)
    won = [np.zeros((plan.units, len(plan.kinds(group))), np.int64) for group in plan.groups]
    matrices = [_sorting_matrix(plan, group) for group in plan.groups]
    indices = {group: index for index, group in enumerate(plan.groups)}
    correct = correction(plan.orders, _luck_blocks(ledger, plan)) if luck_removed else None
    for group, first, winners, measures in _planned_blocks(ledger, plan):
        counts, luck = np.split(measures, [len(plan.counted)], axis=1)
        wins = wins_by_deal(winners, plan.orders)
        if correct is not None:
            wins += correct(group, first, luck)
        units, starts = plan.rows(first, len(wins))
        counted[units] += _unit_sums(counts, starts)
        sums = _unit_sums(wins @ matrices[indices[group]], starts)
        seats[units] += sums[:, :2]
        won[indices[group]][units] += sums[:, 2:]
    return counted, seats, won


def _planned_blocks(ledger: DealSource, plan: SamplePlan) -> Iterator[StoredDeals]:
    """The stored blocks of the plan's groups, cut off after the plan's deals."""
    groups = set(plan.groups)
    for group, first, winners, measures in ledger.deals(0, plan.deals):
        if group in groups and first < plan.deals:
            inside = slice(0, plan.deals - first)
            yield group, first, winners[inside], measures[inside]


def _luck_blocks(ledger: DealSource, plan: SamplePlan) -> Iterator[StoredDeals]:
    """The same blocks, with the luck in their deals instead of the counts."""
    for group, first, winners, measures in _planned_blocks(ledger, plan):
        yield group, first, winners, measures[:, len(plan.counted) :]


def _unit_sums(rows: NDArray[Any], starts: NDArray[np.intp]) -> NDArray[Any]:
    """Sums of the rows from each start to the next."""
    if len(rows) == len(starts):
        return rows
    return np.add.reduceat(rows, starts, axis=0, dtype=np.int64)


def _sorting_matrix(plan: SamplePlan, group: Group) -> Integers:
    """The matrix that sums wins by position and seat to those of first and last seat and kinds."""
    last = plan.players - 1
    positions = [[0, 0, *(plan.bot_of(bot) == kind for kind in plan.kinds(group))] for bot in group]
    seats = [[seat == 0, seat == last, *(0 for _ in plan.kinds(group))] for seat in range(last + 1)]
    return np.array([*positions, *seats], np.int64)


def _better_bot(plan: SamplePlan, won: Sequence[Integers]) -> tuple[Numbers, Numbers]:
    """By unit, the wins per seat of the best bots of the groups, and the games they are a share of.

    Which bot is the best is decided by the other half of the units (even or odd): decided by the
    same games, luck would look like skill. Of bots that are equal there the mean is taken. Where
    the best two are hardly different, that decision is luck as well, see `DOUBT`.
    """
    better = np.zeros(plan.units)
    contested = np.zeros(plan.units)
    if plan.units < 2:
        return better, contested
    games = (
        win_units(plan.players) * FAIR * len(plan.orders) * plan.deals_of_units.astype(np.float64)
    )
    for group, wins in zip(plan.groups, won, strict=True):
        if wins.shape[1] < 2:
            continue
        fair = wins * plan.shares(group)
        best = _best_of_other_half(fair)
        if not _is_clear(fair):
            best = best.mean() + DOUBT * (best - best.mean())
        better += best
        contested += games
    return better, contested


def _best_of_other_half(fair: Integers) -> Numbers:
    """In every unit, the wins of the kind that won most in the units of the other half."""
    best = np.empty(len(fair))
    for half in (0, 1):
        other_half = fair[1 - half :: 2].sum(axis=0)
        best[half::2] = fair[half::2][:, other_half == other_half.max()].mean(axis=1)
    return best


def _is_clear(fair: Integers) -> bool:
    """Whether the best kind leads by so much that both halves of the units agree on it."""
    second, first = np.argsort(fair.sum(axis=0), kind="stable")[-2:]
    ahead = fair[:, first] - fair[:, second]
    return bool(ahead.sum() >= CLEAR * sqrt(len(ahead)) * ahead.std())


def _shares_of_bots(plan: SamplePlan, won: Sequence[Integers]) -> Mapping[str, Numbers]:
    """By unit, the wins per seat of each bot and the games they are a share of, by name."""
    games = (
        win_units(plan.players) * FAIR * len(plan.orders) * plan.deals_of_units.astype(np.float64)
    )
    sums = {}
    for measure in map(won_by, plan.bots):
        sums[measure.numerator], sums[measure.denominator] = (
            np.zeros(plan.units),
            np.zeros(plan.units),
        )
    for group, wins in zip(plan.groups, won, strict=True):
        fair = wins * plan.shares(group)
        for index, kind in enumerate(plan.kinds(group)):
            measure = won_by(plan.bots[kind])
            sums[measure.numerator] += fair[:, index]
            sums[measure.denominator] += games
    return sums


def _leads(plan: SamplePlan, won: Sequence[Integers]) -> Mapping[Pair, EffectEstimate]:
    """For every two bots that met, the lead of the first in wins per seat and game."""
    games = (
        win_units(plan.players) * FAIR * len(plan.orders) * plan.deals_of_units.astype(np.float64)
    )
    ahead: dict[tuple[int, int], Numbers] = {}
    lineup_counts: dict[tuple[int, int], int] = {}
    for group, wins in zip(plan.groups, won, strict=True):
        fair = wins * plan.shares(group)
        for (first, bot), (second, rival) in combinations(enumerate(plan.kinds(group)), 2):
            difference = ahead.setdefault((bot, rival), np.zeros(plan.units))
            difference += fair[:, first] - fair[:, second]
            lineup_counts[bot, rival] = lineup_counts.get((bot, rival), 0) + 1
    return {
        (plan.bots[bot], plan.bots[rival]): lead(
            Ratio(difference, lineup_counts[bot, rival] * games)
        )
        for (bot, rival), difference in sorted(ahead.items())
    }


def standard_deviations(tallies: Collection[Tally], measures: DealRatios) -> Mapping[str, float]:
    """The standard deviation of each measured count in single games, by name of the count."""
    games = sum(tally.games - tally.forfeits for tally in tallies)
    names = [measure.numerator for measure in measures.all if measure.kind == COUNT]
    return dict(_deviation_by_name(tallies, names, games)) if games > 1 else {}


def _deviation_by_name(
    tallies: Collection[Tally], names: Sequence[str], games: int
) -> Iterator[tuple[str, float]]:
    for name in names:
        total = sum(sum(tally.counts[name]) for tally in tallies)
        squares = sum(tally.squares[name] for tally in tallies)
        yield name, sqrt(variance(games, total, squares))


def with_luck_gain(luck_removed: RuleSetResult, plain: RuleSetResult) -> RuleSetResult:
    """The answer with luck removed, and what that was worth: the median over measures of wins."""
    gains = [
        gain
        for key, effect in plain.differences.items()
        if is_won(key)
        and (
            gain := width_gain(
                _width(effect.absolute), _width(luck_removed.differences[key].absolute)
            )
        )
    ]
    return replace(luck_removed, luck_gain=median(gains) if gains else 1.0)


def _width(estimate: EffectEstimate | None) -> float | None:
    return (
        None
        if estimate is None or estimate.low is None or estimate.high is None
        else estimate.high - estimate.low
    )
