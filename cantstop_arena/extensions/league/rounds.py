"""The rounds of a league: which games its standings need, as a pure function of its bots.

All lineups play the base rounds. Then every bot that is still *open* plays one round more against
everybody: one that is not significantly different from its neighbour in the ranking, or whose score
against a bot of the staff may still be on either side of a threshold (that pairing only). A round
of a lineup is the same number of deals for all. Rank is by score, the mean share of all lineups,
with equal weight for each: extra games of one pairing would change what a rank means, so only deals
below a bot's own rounds count for its score.

The games are looked at after each round, so all intervals are confidence sequences
(`ratings.sequential.confidence`), tuned for a quarter of the rounds that are played at most. Bots
are significantly different by the p-values of these, corrected for all pairs (Holm 1979), so that
the chance of any false letter is at most 5%.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from math import sqrt
from typing import NamedTuple, Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.deal_variance import DegreesOfFreedom
from cantstop_arena.deals.seatings import Group
from cantstop_arena.ratings.estimate import Estimate, ShareError
from cantstop_arena.ratings.model.evidence import Truths
from cantstop_arena.ratings.sequential.confidence import (
    FIRST_LOOK,
    half_width,
    min_variance,
    p_value,
)
from cantstop_arena.ratings.significance import assign_groups, significant_pairs

Shares = NDArray[np.float64]
_ROUNDING = 1e-24  # of a variance of shares
_TUNED = 4  # the intervals are narrowest after a fourth of the rounds at most


class RoundRules(msgspec.Struct, frozen=True):
    """How many rounds are played: `base` by all lineups, `most` at most, of `games` each.

    Neighbours in the ranking are tied, and play no further rounds, when their difference in score
    has an interval of at most ± `precision`. The standings take `budget` games at most.
    """

    games: int = 200
    base: int = 5
    most: int = 40
    precision: float = 0.01
    budget: int = 5_000_000


class Threshold(NamedTuple):
    """A score of a bot against a rival, on which a mark depends."""

    bot: int
    rival: int
    score: float


class RoundField(msgspec.Struct, frozen=True):
    """The bots of a league, numbered; each lineup of `players` plays `orders` games in a deal."""

    bots: int
    players: int
    orders: int
    thresholds: tuple[Threshold, ...] = ()

    @property
    def groups(self) -> list[Group]:
        """All lineups."""
        return list(combinations(range(self.bots), self.players))


def deals_of_round(field: RoundField, rules: RoundRules) -> int:
    """The deals of a lineup in a round."""
    return -(-rules.games // field.orders)


def affordable_base(field: RoundField, rules: RoundRules) -> int:
    """The base rounds: those of the rules, or as many as the budget has games for; at least one."""
    games = len(field.groups) * deals_of_round(field, rules) * field.orders
    return max(1, min(rules.base, rules.budget // max(1, games)))


class Games(Protocol):
    """The played games: a ledger, or a simulation."""

    def reach(self, deals: Mapping[Group, int]) -> bool:
        """Play what lineups lack of so many deals; False where the time is up before that."""

    def missing(self, deals: Mapping[Group, int]) -> int:
        """The number of deals that lineups lack of so many."""

    def shares(self, group: Group, deals: int) -> Shares:
        """The shares of a lineup's bots (columns) in its first deals (rows)."""


class LeagueTable(NamedTuple):
    """What the rounds have shown.

    `ranking` has the bots, the best first. `scores`, `rounds` and `letters` are by bot: bots that
    share a letter are not significantly different. `against` are scores against the rivals of
    thresholds. `provisional` bots have not played the base rounds. `decided` of the neighbours in
    the ranking are significantly different, `tied` are equal within the precision, `close` are
    neither. `steps` is the number of rounds in all, `games` what the standings take. The rounds
    have `ended` for one of the reasons below.
    """

    ranking: Sequence[int]
    scores: Sequence[Estimate]
    rounds: Sequence[int]
    letters: Sequence[str]
    against: Mapping[tuple[int, int], Estimate]
    provisional: frozenset[int]
    decided: int
    tied: int
    close: int
    steps: int
    games: int
    ended: str


DONE, BUDGET, TIME = "done", "budget", "time"
"""Why rounds end: no bot is open, the budget, or the time."""


class RoundOpening(NamedTuple):
    """What a further round begins with: the open bots, and the missing games."""

    number: int
    bots: Sequence[int]
    games: int


OnRound: TypeAlias = Callable[[RoundOpening], None]
"""Called before a further round with missing games is played."""


def play_rounds(
    field: RoundField, rules: RoundRules, games: Games, on_round: OnRound | None = None
) -> LeagueTable:
    """Play all rounds, as far as the time allows, and return the standings."""
    rounds = _Rounds(field, rules, games, range(field.bots))
    reached = rounds.play_base()
    if reached == rounds.base:
        return rounds.play_on(on_round)
    # The time is up. Those that have met before keep their standings, as if the others were not
    # there; these get a score from what they have.
    established = _established(rounds, field.bots)
    table = _Rounds(field, rules, games, established)
    table.rounds = dict.fromkeys(established, rounds.base)
    return table.play_on(on_round, rounds.provisional(reached, established))


def _established(rounds: "_Rounds", bots: int) -> list[int]:
    """The bots that have played all base rounds with each other: without those that lack most."""
    remaining = list(range(bots))
    lacking = {group for group in rounds.groups if not rounds.has_base(group)}
    while lacking:
        counts = {bot: sum(bot in group for group in lacking) for bot in remaining}
        worst = max(remaining, key=lambda bot: (counts[bot], bot))
        remaining.remove(worst)
        lacking = {group for group in lacking if worst not in group}
    return remaining if len(remaining) >= rounds.field.players else []


class _Rounds:
    """The rounds of some of the bots, the `members`."""

    def __init__(
        self, field: RoundField, rules: RoundRules, games: Games, members: Iterable[int]
    ) -> None:
        self.field, self.rules, self.games = field, rules, games
        self.members = list(members)
        self.groups = list(combinations(self.members, field.players))
        self.deals = deals_of_round(field, rules)
        self.base = affordable_base(field, rules)
        self.rounds = dict.fromkeys(self.members, 0)
        self.of_pairs: dict[tuple[int, int], int] = {}  # rounds for thresholds
        self._series: dict[tuple[int, int], Shares] = {}

    @property
    def expected(self) -> float:
        """The deals for which intervals are tuned."""
        return self.deals * self.rules.most / _TUNED

    def play_base(self) -> int:
        """Play the base rounds one after the other; the number of those that are complete."""
        for number in range(1, self.base + 1):
            if not self.games.reach(dict.fromkeys(self.groups, number * self.deals)):
                return number - 1
            self.rounds = dict.fromkeys(self.members, number)
        return self.base

    def has_base(self, group: Group) -> bool:
        """Whether a lineup has played the base rounds."""
        return not self.games.missing({group: self.base * self.deals})

    def provisional(self, reached: int, established: Sequence[int]) -> dict[int, Shares]:
        """The shares, deal by deal, of the bots that are not established, in complete rounds."""
        self.rounds = dict.fromkeys(self.members, reached)
        return {bot: self.series(bot) for bot in self.members if bot not in established}

    # Scores

    def series(self, bot: int) -> Shares:
        """The mean share of a bot over all its lineups, in each deal below its rounds."""
        deals = self.rounds[bot] * self.deals
        if (bot, deals) not in self._series:
            own = [group for group in self.groups if bot in group]
            total = np.zeros(deals)
            for group in own:
                total += self.games.shares(group, deals)[:, group.index(bot)]
            self._series[bot, deals] = total / max(1, len(own))
        return self._series[bot, deals]

    def against(self, bot: int, rival: int) -> Estimate:
        """The score of a bot in its games with a rival."""
        groups = [group for group in self.groups if bot in group and rival in group]
        deals = min(self.deals_of(group) for group in groups)
        shares = [self.games.shares(group, deals)[:, group.index(bot)] for group in groups]
        return estimate(np.mean(shares, axis=0), self.expected)

    def deals_of(self, group: Group) -> int:
        """The number of deals that a lineup plays."""
        rounds = max(self.rounds[bot] for bot in group)
        for pair in self._pairs_in(group):
            rounds = max(rounds, self.of_pairs[pair])
        return rounds * self.deals

    def _pairs_in(self, group: Group) -> Iterator[tuple[int, int]]:
        if self.of_pairs:
            for first, second in combinations(group, 2):
                yield from (p for p in ((first, second), (second, first)) if p in self.of_pairs)

    def _different(self) -> Truths:
        """Which bots differ significantly, corrected for all pairs and valid at any look."""
        p_values = np.ones((self.field.bots,) * 2)
        tested = np.zeros_like(p_values, bool)
        for pair in combinations(self.members, 2):
            mean, variance, deals = self._difference(*pair)
            if deals < FIRST_LOOK:
                continue
            variance = variance or min_variance(1 + abs(mean), deals, self.expected)
            deviate = mean / sqrt(variance / deals)
            p_values[pair], tested[pair] = p_value(deviate, deals, self.expected), True
        return significant_pairs(p_values, tested)

    def _difference(self, bot: int, rival: int) -> tuple[float, float, int]:
        """The mean difference in score, its variance by deal, and the deals that both played."""
        first, second = self.series(bot), self.series(rival)
        deals = min(len(first), len(second))
        if deals < 2:
            return 0.0, 0.0, deals
        differences = first[:deals] - second[:deals]
        variance = float(differences.var(ddof=1))
        return float(differences.mean()), variance if variance > _ROUNDING else 0.0, deals

    def _neighbours(self, different: Truths) -> Iterator[tuple[tuple[int, int], bool | None]]:
        """Neighbours in the ranking, and whether they are significantly different; None where that
        needs more games."""
        for pair in pairwise(self._ranked()):
            _, variance, deals = self._difference(*pair)
            is_tied = half_width(variance, deals, self.expected) <= self.rules.precision
            yield pair, True if different[pair] else False if is_tied else None

    # Further rounds

    def play_on(
        self, on_round: OnRound | None, provisional: Mapping[int, Shares] | None = None
    ) -> LeagueTable:
        """Play further rounds until nobody is open; the standings, with `provisional` bots."""
        ended, steps = (DONE if provisional is None else TIME), max(self.rounds.values(), default=0)
        while self.members:
            opened = self._open(ended == TIME)
            if not opened:
                break
            before = dict(self.rounds), dict(self.of_pairs)
            self._advance(opened)
            target = {group: self.deals_of(group) for group in self.groups}
            if self._cost(target.values()) > self.rules.budget:
                self.rounds, self.of_pairs = before
                ended = BUDGET
                break
            missing = self.games.missing(target) * self.field.orders
            if on_round and missing:
                on_round(RoundOpening(steps + 1, sorted({bot for bot, _ in opened}), missing))
            if self.games.reach(target):
                steps += 1
            else:  # what earlier runs have played still counts, though others lack their games
                self.rounds, self.of_pairs = before
                ended = TIME
        return self._table(provisional or {}, steps, ended)

    def _open(self, is_late: bool) -> set[tuple[int, int | None]]:
        """The open bots, each with the rival whom it has to play, or None for everybody.

        When it is late, only those whose next round has been played.
        """
        max_rounds, opened = self.rules.most, set[tuple[int, int | None]]()
        for pair, state in self._neighbours(self._different()):
            if state is None:
                opened |= {(bot, None) for bot in pair if self.rounds[bot] < max_rounds}
        if is_late:
            opened = {(bot, None) for bot, _ in opened if self._has_next(bot)}
        for bot, rival, score in self.field.thresholds:
            if bot in self.rounds and rival in self.rounds and (bot, None) not in opened:
                low, high = self.against(bot, rival)[1:]
                is_clear = low is not None and high is not None and not low < score < high
                plays_on = not is_late or self._has_next(bot, rival)
                if not is_clear and self._rounds_of(bot, rival) < max_rounds and plays_on:
                    opened.add((bot, rival))
        return opened

    def _has_next(self, bot: int, rival: int | None = None) -> bool:
        """Whether a bot's next round has been played, against everybody or against a rival."""
        number = 1 + (self.rounds[bot] if rival is None else self._rounds_of(bot, rival))
        groups = (each for each in self.groups if bot in each and (rival is None or rival in each))
        return not self.games.missing(dict.fromkeys(groups, number * self.deals))

    def _rounds_of(self, bot: int, rival: int) -> int:
        own = max(self.rounds[bot], self.rounds[rival])
        return max(own, self.of_pairs.get((bot, rival), 0))

    def _advance(self, opened: Iterable[tuple[int, int | None]]) -> None:
        further = {(b, r): self._rounds_of(b, r) + 1 for b, r in opened if r is not None}
        for bot, rival in opened:
            if rival is None:
                self.rounds[bot] += 1
        self.of_pairs |= further

    def _cost(self, deals: Iterable[int]) -> int:
        return sum(deals) * self.field.orders

    def _ranked(self) -> list[int]:
        """The bots by score; those that are equal by number."""
        return sorted(self.members, key=lambda bot: (-_mean(self.series(bot)), bot))

    def _table(self, provisional: Mapping[int, Shares], steps: int, ended: str) -> LeagueTable:
        series = {bot: self.series(bot) for bot in self.members} | dict(provisional)
        ranking = sorted(series, key=lambda bot: (-_mean(series[bot]), bot))
        ranked, different = self._ranked(), self._different()
        states = [state for _, state in self._neighbours(different)]
        letters = [""] * self.field.bots
        if ranked:
            assign_groups(different, ranked, letters)
        rounds = [len(series[bot]) // self.deals for bot in range(self.field.bots)]
        against = {
            (bot, rival): self.against(bot, rival)
            for bot, rival, _ in self.field.thresholds
            if bot in self.rounds and rival in self.rounds
        }
        return LeagueTable(
            ranking,
            [estimate(series[bot], self.expected) for bot in range(self.field.bots)],
            rounds,
            letters,
            against,
            frozenset(provisional),
            states.count(True),
            states.count(False),
            states.count(None),
            steps,
            self._cost(map(self.deals_of, self.groups)),
            ended,
        )


def estimate(shares: Shares, expected: float) -> Estimate:
    """The mean share, with a confidence sequence that is tuned for so many deals.

    It has no interval before `FIRST_LOOK` deals.
    """
    deals = len(shares)
    if deals == 0:
        return Estimate(None)
    if deals < FIRST_LOOK:
        return Estimate(_mean(shares))
    mean = float(shares.mean())
    squares = float(((shares - mean) ** 2).sum())
    variance, dof = squares / (deals - 1) / deals, DegreesOfFreedom(deals - 1, deals - 1)
    error = ShareError(mean, variance, deals, deals, dof, expected)
    return Estimate(error.share, *error.interval)


def _mean(shares: Shares) -> float:
    return float(shares.mean()) if len(shares) else 0.0
