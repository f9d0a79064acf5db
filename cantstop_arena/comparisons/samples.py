"""What a rule set's games add up to, deal by deal: from the ledger to the sums of measures."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import lcm, sqrt
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.comparisons.comparison_results import RuleSetResult
from cantstop_arena.comparisons.deal_ratios import DealRatios, is_won, won_by
from cantstop_arena.comparisons.statistics import EffectEstimate, Numbers, Pair, Ratio, lead
from cantstop_arena.deals.control_variate import correction
from cantstop_arena.deals.counting import COUNT, Measure, stored_measures
from cantstop_arena.deals.outcomes import Tally
from cantstop_arena.deals.sampling import wins_by_deal
from cantstop_arena.deals.seatings import MAX_SEATS, Group, Orders
from cantstop_arena.deals.spans import Span, unbroken_prefix
from cantstop_arena.deals.winners import WIN_UNITS, win_units
from cantstop_arena.ratings.scores import variance
from cantstop_arena.tournaments.ledger.ledger import Ledger, StoredDeals

FAIR = lcm(*range(1, MAX_SEATS + 1))  # what copies of a bot won divides evenly among them
MAX_UNITS = 1 << 15
MAX_NUMBERS = 1 << 24

CLEAR = 4.2  # standard errors of a lead that is seen in each half of the deals
DOUBT = sqrt(2.5)
"""How much more a cross-fitted share varies than its deals tell, if the lead is not clear.

With E and O what one bot is ahead in the even and in the odd deals, T = E sign(O) + O sign(E) is
what the better bot is ahead. For normal E and O with mean m and variance 1 the variance of T is
2 + 2 m² + 2 a² - 4 m² (2 Φ(m) - 1)², where a = E|O|, and not 2: it is 3.27 for m = 0, at most
4.9, for m near 1, and below 2.3 from m = 3 on, where the whole lead is of 4.2 standard errors.
"""

Integers = NDArray[np.int64]


class RatioSample(msgspec.Struct, frozen=True):
    """One rule set at tables of one size.

    `sums` holds for every unit, by name, what its games add up to, `leads` by how much the first
    bot of each pair is ahead.
    """

    deals: int
    games: int
    sums: Mapping[str, Numbers]
    leads: Mapping[Pair, EffectEstimate]

    def ratio(self, measure: Measure) -> Ratio:
        """A measure's numerator and denominator in every unit."""
        return Ratio(self.sums[measure.above], measure.scale * self.sums[measure.below])


class SamplePlan(msgspec.Struct, frozen=True, dict=True):
    """Which deals of which groups are compared, and how deals are put together.

    Deals are the units of sampling. Where they are very many, each unit is as many deals on end
    as keeps memory in bounds: sums of independent deals are independent, too, and so many units
    lose nothing. Entrants that are copies of a bot have its number plus multiples of how many
    `bots` there are.
    """

    questions: DealRatios
    orders: Orders
    groups: tuple[Group, ...]
    deals: int
    bots: tuple[str, ...]

    @property
    def players(self) -> int:
        """Seats at a table."""
        return len(self.orders[0])

    @property
    def counted(self) -> tuple[str, ...]:
        """What the ledgers keep of every deal."""
        return stored_measures(self.questions.counts, self.players)

    @cached_property
    def size(self) -> int:
        """The deals of a unit."""
        bounded = MAX_NUMBERS // (max(1, len(self.groups)) * self.players)
        maximum = min(MAX_UNITS, max(2, bounded))
        return max(1, -(-self.deals // maximum))

    @property
    def units(self) -> int:
        """How many there are; the last may be shorter."""
        return -(-self.deals // self.size)

    @property
    def deals_of_units(self) -> Integers:
        """The deals of every unit."""
        return np.diff(np.minimum(np.arange(self.units + 1) * self.size, self.deals))

    @property
    def games(self) -> int:
        """All games that are compared under one rule set."""
        return len(self.groups) * self.deals * len(self.orders)

    def bot_of(self, entrant: int) -> int:
        """The bot that an entrant is."""
        return entrant % len(self.bots)

    def kinds(self, group: Group) -> tuple[int, ...]:
        """The different bots of a group, ascending."""
        return tuple(sorted(set(map(self.bot_of, group))))

    def shares(self, group: Group) -> Integers:
        """What makes wins of the group's kinds those of one copy, times FAIR."""
        bots = list(map(self.bot_of, group))
        return np.array([FAIR // bots.count(kind) for kind in self.kinds(group)], np.int64)

    def rows(self, first: int, deals: int) -> tuple[slice, NDArray[np.intp]]:
        """The units that deals belong to, and where among the deals each begins."""
        begin, end = first // self.size, -(-(first + deals) // self.size)
        starts = np.maximum(np.arange(begin, end) * self.size - first, 0)
        return slice(begin, end), starts


def common_deals(spans: Iterable[Mapping[Group, Sequence[Span]]]) -> tuple[tuple[Group, ...], int]:
    """The groups that play under all rule sets, and how many deals from the first all played."""
    everywhere = list(spans)
    groups = sorted(set.intersection(*(set(entry) for entry in everywhere)))
    deals = min(
        (unbroken_prefix(entry[group]) for entry in everywhere for group in groups), default=0
    )
    return tuple(groups), deals


def read_sample(ledger: Ledger, plan: SamplePlan, luck_removed: bool = False) -> RatioSample:
    """The sample that a ledger holds; if `calm`, without the luck in what seats and bots won."""
    counted, seats, won = _read(ledger, plan, luck_removed)
    sums: dict[str, Numbers] = dict(zip(plan.counted, counted.T.astype(np.float64), strict=True))
    played = plan.deals_of_units * (len(plan.groups) * len(plan.orders))
    better, contested = _better_bot(plan, won)
    part = WIN_UNITS / win_units(plan.players)
    return RatioSample(
        plan.deals,
        plan.games,
        {
            **sums,
            "finished": sums["games"] - sums["unfinished"],
            "played": played.astype(np.float64),
            "first_seat": (seats[:, 0] * part).astype(np.float64),
            "last_seat": (seats[:, 1] * part).astype(np.float64),
            "better_bot": better,
            "contested": contested,
            **_shares_of_bots(plan, won),
        },
        _leads(plan, won),
    )


def _read(
    ledger: Ledger, plan: SamplePlan, luck_removed: bool
) -> tuple[Integers, Integers, list[Integers]]:
    """By unit: the counts, first and last seat, what the kinds of each group won."""
    counted = np.zeros((plan.units, len(plan.counted)), np.int64)
    seats = np.zeros((plan.units, 2), np.int64)
    won = [np.zeros((plan.units, len(plan.kinds(group))), np.int64) for group in plan.groups]
    sorters = [_sorter(plan, group) for group in plan.groups]
    numbers = {group: number for number, group in enumerate(plan.groups)}
    correct = correction(plan.orders, _lucky(ledger, plan)) if luck_removed else None
    for group, first, winners, measures in _planned(ledger, plan):
        counts, luck = np.split(measures, [len(plan.counted)], axis=1)
        shared = wins_by_deal(winners, plan.orders)
        if correct is not None:
            shared += correct(group, first, luck)
        units, starts = plan.rows(first, len(shared))
        counted[units] += _added(counts, starts)
        values = _added(shared @ sorters[numbers[group]], starts)
        seats[units] += values[:, :2]
        won[numbers[group]][units] += values[:, 2:]
    return counted, seats, won


def _planned(ledger: Ledger, plan: SamplePlan) -> Iterator[StoredDeals]:
    """The blocks of the plan's groups, as far as its deals go."""
    groups = set(plan.groups)
    for group, first, winners, measures in ledger.deals(0, plan.deals):
        if group in groups and first < plan.deals:
            inside = slice(0, plan.deals - first)
            yield group, first, winners[inside], measures[inside]


def _lucky(ledger: Ledger, plan: SamplePlan) -> Iterator[StoredDeals]:
    """The same blocks, and the luck in their deals instead of what was counted."""
    for group, first, winners, measures in _planned(ledger, plan):
        yield group, first, winners, measures[:, len(plan.counted) :]


def _added(rows: NDArray[Any], starts: NDArray[np.intp]) -> NDArray[Any]:
    """Rows added up from each start to the next."""
    if len(rows) == len(starts):
        return rows
    return np.add.reduceat(rows, starts, axis=0, dtype=np.int64)


def _sorter(plan: SamplePlan, group: Group) -> Integers:
    """Adds up places and seats: the first seat, the last, and the places of each kind of bot."""
    last = plan.players - 1
    positions = [[0, 0, *(plan.bot_of(bot) == kind for kind in plan.kinds(group))] for bot in group]
    seats = [[seat == 0, seat == last, *(0 for _ in plan.kinds(group))] for seat in range(last + 1)]
    return np.array([*positions, *seats], np.int64)


def _better_bot(plan: SamplePlan, won: Sequence[Integers]) -> tuple[Numbers, Numbers]:
    """What a seat of the best bot of each group won, and of how much.

    Which bot is the best is read from the other half of the units (even or odd): read from the
    same games, luck would look like skill. Bots that are equal there share the title. Where the
    best two are hardly to be told apart, that choice is luck as well, see `DOUBT`.
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
    """In every unit, what the kind won that won most in the units of the other half."""
    best = np.empty(len(fair))
    for half in (0, 1):
        elsewhere = fair[1 - half :: 2].sum(axis=0)
        best[half::2] = fair[half::2][:, elsewhere == elsewhere.max()].mean(axis=1)
    return best


def _is_clear(fair: Integers) -> bool:
    """Whether the best kind is ahead of the next by so much that halves agree about it."""
    second, first = np.argsort(fair.sum(axis=0), kind="stable")[-2:]
    ahead = fair[:, first] - fair[:, second]
    return bool(ahead.sum() >= CLEAR * sqrt(len(ahead)) * ahead.std())


def _shares_of_bots(plan: SamplePlan, won: Sequence[Integers]) -> Mapping[str, Numbers]:
    """What a seat of each bot won, and of how much."""
    games = (
        win_units(plan.players) * FAIR * len(plan.orders) * plan.deals_of_units.astype(np.float64)
    )
    sums = {}
    for bot in map(won_by, plan.bots):
        sums[bot.above], sums[bot.below] = np.zeros(plan.units), np.zeros(plan.units)
    for group, wins in zip(plan.groups, won, strict=True):
        fair = wins * plan.shares(group)
        for index, kind in enumerate(plan.kinds(group)):
            bot = won_by(plan.bots[kind])
            sums[bot.above] += fair[:, index]
            sums[bot.below] += games
    return sums


def _leads(plan: SamplePlan, won: Sequence[Integers]) -> Mapping[Pair, EffectEstimate]:
    """For every two bots that met, by how much the first is ahead, seat for seat."""
    games = (
        win_units(plan.players) * FAIR * len(plan.orders) * plan.deals_of_units.astype(np.float64)
    )
    ahead: dict[tuple[int, int], Numbers] = {}
    met: dict[tuple[int, int], int] = {}
    for group, wins in zip(plan.groups, won, strict=True):
        fair = wins * plan.shares(group)
        for (own, me), (yours, you) in combinations(enumerate(plan.kinds(group)), 2):
            more = ahead.setdefault((me, you), np.zeros(plan.units))
            more += fair[:, own] - fair[:, yours]
            met[me, you] = met.get((me, you), 0) + 1
    return {
        (plan.bots[me], plan.bots[you]): lead(Ratio(more, met[me, you] * games))
        for (me, you), more in sorted(ahead.items())
    }


def spreads(tallies: Collection[Tally], questions: DealRatios) -> Mapping[str, float]:
    """The standard deviation of a single game, for every count that is asked for."""
    games = sum(tally.games - tally.forfeits for tally in tallies)
    names = [measure.above for measure in questions.all if measure.kind == COUNT]
    return dict(_deviation_by_name(tallies, names, games)) if games > 1 else {}


def _deviation_by_name(
    tallies: Collection[Tally], names: Sequence[str], games: int
) -> Iterator[tuple[str, float]]:
    for name in names:
        total = sum(sum(tally.counts[name]) for tally in tallies)
        squares = sum(tally.squares[name] for tally in tallies)
        yield name, sqrt(variance(games, total, squares))


def prefer_narrower(played: RuleSetResult, luck_removed: RuleSetResult) -> RuleSetResult:
    """Of an answer with luck and one without that with narrower intervals of what is won."""
    quotients = list(_quotients(played, luck_removed))
    value = sum(quotients) / len(quotients) if quotients else 1.0
    return replace(luck_removed if value > 1 else played, luck_gain=value)


def _quotients(played: RuleSetResult, luck_removed: RuleSetResult) -> Iterator[float]:
    """How many times the games the intervals would take with luck, by measure."""
    for key, rule_effect in played.differences.items():
        with_luck, without = (
            _width(rule_effect.absolute),
            _width(luck_removed.differences[key].absolute),
        )
        if is_won(key) and with_luck and without:
            yield (with_luck / without) ** 2


def _width(data: EffectEstimate | None) -> float | None:
    return None if data is None or data.low is None or data.high is None else data.high - data.low
