"""Games that pay something, of known truth: intervals, letters, looks and tests of payoffs.

Part of `make coverage-study`: tables of its lines.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from helpers.study_tables import Column, Line, StudyTable
from numpy.typing import NDArray

from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.deals.sampling import Ints, gather_payoffs
from cantstop_arena.deals.seatings import Group, standard_orders
from cantstop_arena.ratings.mean_payoffs import MeanPayoffs
from cantstop_arena.ratings.sequential.confidence import GROWTH, looks
from cantstop_arena.ratings.sequential.sprt import GROWTH as TEST_GROWTH
from cantstop_arena.ratings.sequential.sprt import PAID_DEALS, Sprt, TestState, expected_deals

Generator = np.random.Generator
PARTS = 100
POT = 1.3  # the standard deviation of a pot's logarithm
MOST_DEALS = 5000  # that are looked at
MOST_TESTED = 200_000
COVERED, LOW, HIGH, SEAT, WARNED = "mean", "missed below", "missed above", "seat", "few deals"
LETTERS, LOOKED = "letters", "any look misses"
WRONG_H1, WRONG_H0 = "accepts H1 where H0 is true", "accepts H0 where H1 is true"
DEALS_H0, DEALS_H1 = "deals where H0 is true", "deals where H1 is true"


_ZERO_SUM = Payoff(parts=PARTS, zero_sum=True)


@dataclass(frozen=True)
class World:
    """A game: what the first bot gets in each seating of each deal, in parts, and its mean."""

    name: str
    draw: Callable[[int, Generator], Ints]
    truth: float
    payoff: Payoff = _ZERO_SUM
    test: float = 0.0  # how much better H1 is

    def rows(self, deals: int, rng: Generator) -> Ints:
        """What deals paid to the bots and then to the seats."""
        paid = self.draw(deals, rng)
        if paid.shape[1] == 1:
            return np.repeat(paid, 2, axis=1)
        first, second = paid.T
        return np.stack([first + second, -first - second, first - second, second - first], axis=1)


def _parts(payoffs: NDArray[np.float64]) -> Ints:
    return np.rint(PARTS * payoffs).astype(np.int64)


def _chips(deals: int, rng: Generator) -> Ints:
    """Both games of a deal have a part of its luck."""
    luck = rng.normal(0, 5, (deals, 1)) * np.array([1, -0.6])
    return _parts(0.3 + luck + rng.normal(0, 8, (deals, 2)))


def _faulty_chips(deals: int, rng: Generator) -> Ints:
    """The other bot forfeits one game in 100, and pays 50."""
    return np.where(rng.random((deals, 2)) < 0.01, 50 * PARTS, _chips(deals, rng))


def _pots(deals: int, rng: Generator) -> Ints:
    sign = np.where(rng.random((deals, 2)) < 0.52, 1, -1)
    return _parts(sign * np.exp(rng.normal(0, POT, (deals, 2))))


def _rare_losses(deals: int, rng: Generator) -> Ints:
    return _parts(np.where(rng.random((deals, 2)) < 0.02, -40.0, 1.0))


def _rare_stakes(deals: int, rng: Generator) -> Ints:
    stake = np.where(rng.random((deals, 2)) < 0.01, 100, 1)
    return _parts(stake * np.where(rng.random((deals, 2)) < 0.5, 1.0, -1.0))


def _common_score(deals: int, rng: Generator) -> Ints:
    return _parts(rng.binomial(30, rng.beta(8, 2, (deals, 1))).astype(np.float64))


_BOUNDED = Payoff(parts=PARTS, low=-40, high=40, zero_sum=True)
WORLDS = (
    World("chips, luck of deals shared", _chips, 0.3, test=0.6),
    World("chips, 1 game in 100 forfeited", _faulty_chips, 0.99 * 0.3 + 0.5),
    World("lognormal pots", _pots, 0.04 * float(np.exp(POT**2 / 2)), test=0.3),
    World("gets 1, in 2% of games loses 40", _rare_losses, 0.98 - 0.8, _BOUNDED, test=0.5),
    World("±1, in 1% of games ±100", _rare_stakes, 0.0),
    World("score of 0 to 30, alone", _common_score, 24.0, Payoff(parts=PARTS), test=0.6),
)


def _means(
    rows: dict[Group, Ints], payoff: Payoff, bots: int, expected: float | None = None
) -> MeanPayoffs:
    """The mean payoffs of deals that all these groups have played."""

    def read(start: int, count: int) -> Iterator[tuple[Group, int, NDArray[np.int32]]]:
        yield from ((group, 0, paid.astype(np.int32)) for group, paid in rows.items())

    (players,) = {len(group) for group in rows}
    orders = standard_orders(players)
    spans = {group: [(0, len(paid))] for group, paid in rows.items()}
    sums = gather_payoffs(orders, spans, read)
    return MeanPayoffs(sums, payoff, bots, players, len(orders), expected)


def _means_of(world: World, rows: Ints, expected: float | None = None) -> MeanPayoffs:
    players = rows.shape[1] // 2
    return _means({tuple(range(players)): rows}, world.payoff, players, expected)


def covered(world: World, deals: int, repetitions: int, rng: Generator) -> dict[str, float]:
    """How often the interval of the first bot's mean holds the truth, and that of a seat's."""
    found: Counter[str] = Counter()
    for _ in range(repetitions):
        means = _means_of(world, world.rows(deals, rng))
        bot, seat, few = means.bot(0), means.seat(0), means.deciding_deals(0)
        assert bot is not None
        assert seat is not None
        low, high = _ends(bot.interval)
        found[LOW] += world.truth < low
        found[HIGH] += world.truth > high
        low, high = _ends(seat.interval)
        found[SEAT] += low <= (world.truth if means.players == 1 else 0) <= high
        found[WARNED] += few is not None
    found[COVERED] = repetitions - found[LOW] - found[HIGH]
    return {name: found[name] / repetitions for name in (COVERED, LOW, HIGH, SEAT, WARNED)}


def _ends(interval: tuple[float | None, float | None]) -> tuple[float, float]:
    low, high = interval
    return -np.inf if low is None else low, np.inf if high is None else high


def told_apart(world: World, deals: int, repetitions: int, rng: Generator) -> dict[str, float]:
    """How often four equal bots, who meet in pairs, do not all share a letter."""
    claims = 0
    for _ in range(repetitions):
        rows: dict[Group, Ints] = {}
        for group in combinations(range(4), 2):
            rows[group] = rng.choice([-1, 1], (deals, 1)) * world.rows(deals, rng)
        means = _means(rows, world.payoff, 4)
        claims += len({*means.groups([range(4)])}) > 1
    return {LETTERS: claims / repetitions}


def looked(world: World, repetitions: int, rng: Generator) -> dict[str, float]:
    """How often any of many looks at a confidence sequence misses the truth."""
    missed = 0
    for _ in range(repetitions):
        rows = world.rows(MOST_DEALS, rng)
        for deals in looks(PAID_DEALS, MOST_DEALS, GROWTH):
            error = _means_of(world, rows[:deals], PAID_DEALS).bot(0)
            assert error is not None
            low, high = _ends(error.interval)
            if not low <= world.truth <= high:
                missed += 1
                break
    return {LOOKED: missed / repetitions}


def tested(world: World, repetitions: int, rng: Generator) -> dict[str, float]:
    """How often a test of payoffs errs at each border, and the deals it takes."""
    test, found = Sprt(0.0, world.test, unit="points"), {}
    for ahead, mistake, wrong, length in (
        (0.0, 1, WRONG_H1, DEALS_H0),
        (world.test, 0, WRONG_H0, DEALS_H1),
    ):
        ends = [_decided(world, test, ahead, rng) for _ in range(repetitions)]
        found[wrong] = float(np.mean([accepted == mistake for accepted, _ in ends]))
        found[length] = float(np.mean([deals for _, deals in ends]))
    return found


def _decided(world: World, test: Sprt, ahead: float, rng: Generator) -> tuple[int, int]:
    """The hypothesis that a test accepts, and after how many deals; -1: none."""
    counts: Counter[float] = Counter()
    played = 0
    for deals in looks(expected_deals(test), MOST_TESTED, TEST_GROWTH):
        paid = world.draw(deals - played, rng)
        values = paid.mean(axis=1) / PARTS - world.truth + ahead
        counts.update(values.round(9).tolist())
        played = deals
        state: TestState = test.state_of_payoffs(counts)
        if state.accepted is not None:
            return state.accepted, deals
    return -1, MOST_TESTED


def tables() -> Sequence[StudyTable]:
    """Those of intervals, letters, looks and tests."""
    return (
        StudyTable(
            "Payoffs, {repetitions} matches a line: the intervals of a mean payoff a game that hold"
            " the truth, those that lie above it and below it, the intervals of a seat's, and the"
            " matches with the warning that few deals decide.",
            "mean payoffs",
            [*map(Column, (COVERED, LOW, HIGH, SEAT, WARNED))],
            [
                Line(f"{world.name}, {deals} deals", partial(covered, world, deals))
                for world in WORLDS
                for deals in (20, 100, 1000)
            ],
        ),
        StudyTable(
            "{repetitions} tournaments of four equal bots: how many tell any apart.",
            "payoffs of equals",
            [Column(LETTERS)],
            [
                Line(f"{world.name}, {deals} deals", partial(told_apart, world, deals))
                for world in WORLDS
                if world.payoff.zero_sum
                for deals in (20, 200)
            ],
        ),
        StudyTable(
            f"{{repetitions}} matches, looked at again and again up to {MOST_DEALS} deals.",
            "payoffs, until",
            [Column(LOOKED)],
            [Line(world.name, partial(looked, world)) for world in WORLDS],
            share=0.5,
        ),
        StudyTable(
            "{repetitions} sequential tests a border of mean payoffs, with errors of 5%.",
            "tests of payoffs",
            [Column(WRONG_H1), Column(WRONG_H0), Column(DEALS_H0, 0), Column(DEALS_H1, 0)],
            [
                Line(f"{world.name}, 0 or {world.test:g}", partial(tested, world))
                for world in WORLDS
                if world.test
            ],
            share=0.5,
        ),
    )
