"""The search for rules that meet targets.

Candidates play rounds of 40, 120 and 360 deals, the same deals for all. After each round those are
dropped that surely miss a target: the interval at 5% for all candidates, targets and rounds
(Bonferroni) lies outside. Of the others the best third goes on, four at least: those that are
nearest to the targets, or deepest within. What remains plays fresh deals: rules *hold* if every
target contains the interval, at 5% for all that remain and all targets, they *miss* if some
interval lies outside of its target, and else the question is *open*.
"""

from collections.abc import Mapping, Sequence
from math import inf

import msgspec

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.extensions.design.design_file import Candidate, Design, DesignTarget
from cantstop_arena.extensions.design.quantities import Quantity, quantity_of
from cantstop_arena.extensions.design.sample_games import SampleGames, SamplePlayer
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tournaments.group_pool import GroupPool
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run_observer import RunObserver

ROUNDS = (40, 120, 360)
CONFIRMATION = 1500
FINAL = len(ROUNDS) + 1  # the number of the confirmation among the rounds
SURVIVORS = 4
ALPHA = 0.05
HOLDS, OPEN, MISSES, DROPPED = "holds", "open", "misses", "dropped"

Quantities = Mapping[str, Quantity | None]


class JudgedRules(msgspec.Struct, frozen=True):
    """Rules with their verdict, the deals that it is from, and the value of each target by key.

    The intervals are those of the verdict. `round` is the last that they have played, `FINAL` for
    fresh deals.
    """

    changes: Mapping[str, object]
    rules: str
    verdict: str
    round: int
    deals: int
    values: Mapping[str, Estimate | None]


class DesignRound(msgspec.Struct, frozen=True):
    """A round: the deals of each of so many rule sets, how many surely missed a target, and how
    many went on."""

    deals: int
    rule_sets: int
    missing: int
    going_on: int


class DesignTotals(msgspec.Struct, frozen=True):
    """The result of a design, the most promising rules first."""

    name: str
    game: str
    title: str
    rules: str
    bots: tuple[str, ...]
    players: int
    varied: tuple[str, ...]
    targets: tuple[DesignTarget, ...]
    rounds: tuple[DesignRound, ...]
    judged: tuple[JudgedRules, ...]
    games: int
    refused: tuple[int, str]
    seed: Seed

    def with_verdict(self, verdict: str) -> list[JudgedRules]:
        """The rules with a verdict."""
        return [rules for rules in self.judged if rules.verdict == verdict]


class _Runner(msgspec.Struct):
    """A candidate, and the games that it has played."""

    candidate: Candidate
    games: SampleGames | None = None
    quantities: Quantities = {}

    def play(self, player: SamplePlayer, targets: Sequence[DesignTarget], deals: int) -> None:
        """Play the next deals."""
        first = self.games.deal_count if self.games else 0
        played = player.play(self.candidate.rules, first, deals)
        self.games = self.games + played if self.games else played
        self.quantities = quantities_of(self.games, targets)


def quantities_of(games: SampleGames, targets: Sequence[DesignTarget]) -> Quantities:
    """The quantity of each target, by key."""
    sample = games.sample()
    return {target.key: quantity_of(target.key, games, sample) for target in targets}


def search_rules(
    design: Design, catalogue: Catalogue, options: PoolOptions, observer: RunObserver
) -> DesignTotals:
    """Play the rounds and the confirmation. Raises ArenaError, and Interrupted on Ctrl-C."""
    with GroupPool(options, observer) as pool:
        return _Search(design, catalogue, pool, observer).run()


class _Search:
    """A search in progress."""

    def __init__(
        self, design: Design, catalogue: Catalogue, pool: GroupPool, observer: RunObserver
    ) -> None:
        self.design, self.observer = design, observer
        self.player = SamplePlayer(
            catalogue.playing(design.game), design.entrants, design.players, design.seed, pool
        )
        self.targets = design.targets
        self.played = 0
        self.rounds: list[DesignRound] = []
        self.out: list[JudgedRules] = []

    def run(self) -> DesignTotals:
        """Play everything."""
        left = [_Runner(candidate) for candidate in self.design.candidates]
        tail = ALPHA / (len(left) * len(self.targets) * len(ROUNDS)) / 2
        self.observer.on_start(0, self._games_to_play(0, len(left)))
        for number, deals in enumerate(ROUNDS, 1):
            left = self._after_round(number, deals, left, tail)
            remaining_games = self._games_to_play(number, len(left))
            self.observer.on_total(self.played, self.played + remaining_games)
        confirmed = self._confirmed(left)
        self.out.sort(key=lambda each: (-each.round, violation(each.values, self.targets)))
        design = self.design
        return DesignTotals(
            name=design.name,
            game=design.game.name,
            title=design.game.title,
            rules=design.base.name,
            bots=self.player.bots,
            players=design.players,
            varied=design.varied,
            targets=self.targets,
            rounds=tuple(self.rounds),
            judged=(*confirmed, *self.out),
            games=self.played,
            refused=design.refused,
            seed=design.seed,
        )

    def _after_round(
        self, number: int, deals: int, runners: Sequence[_Runner], tail: float
    ) -> list[_Runner]:
        """The candidates that go on after a round."""
        if not runners:
            return []
        for runner in runners:
            runner.play(self.player, self.targets, deals)
            self.played += self.player.games_of(deals)
        verdicts = [verdict_of(each.quantities, self.targets, tail) for each in runners]
        able = [each for each, verdict in zip(runners, verdicts, strict=True) if verdict != MISSES]
        able.sort(key=lambda each: rank(each.quantities, self.targets))
        survivors = able[: max(SURVIVORS, -(-len(able) // 3))]
        missing = len(runners) - len(able)
        self.rounds.append(DesignRound(deals, len(runners), missing, len(survivors)))
        going_on = set(map(id, survivors))
        for runner, verdict in zip(runners, verdicts, strict=True):
            if id(runner) not in going_on:
                missed = verdict if verdict == MISSES else DROPPED
                self.out.append(self._judged(runner, missed, number, tail))
        return survivors

    def _games_to_play(self, rounds: int, candidates: int) -> int:
        """The games that are still to be played at most, after so many rounds."""
        games = 0
        for deals in ROUNDS[rounds:]:
            games += candidates * self.player.games_of(deals)
            candidates = min(candidates, max(SURVIVORS, -(-candidates // 3)))
        return games + candidates * self.player.games_of(CONFIRMATION)

    def _confirmed(self, left: Sequence[_Runner]) -> list[JudgedRules]:
        """The verdicts of fresh deals, the best first."""
        if not left:
            return []
        tail, fresh = ALPHA / (len(left) * len(self.targets)) / 2, list[_Runner]()
        for runner in left:
            games = self.player.play(runner.candidate.rules, sum(ROUNDS), CONFIRMATION)
            self.played += self.player.games_of(CONFIRMATION)
            fresh.append(_Runner(runner.candidate, games, quantities_of(games, self.targets)))
        fresh.sort(key=lambda each: rank(each.quantities, self.targets))
        judged = [
            self._judged(each, verdict_of(each.quantities, self.targets, tail), FINAL, tail)
            for each in fresh
        ]
        return sorted(judged, key=lambda each: (HOLDS, OPEN, MISSES).index(each.verdict))

    def _judged(self, runner: _Runner, verdict: str, number: int, tail: float) -> JudgedRules:
        values = {
            key: quantity.estimate(tail) if quantity else None
            for key, quantity in runner.quantities.items()
        }
        changes, rules, games = runner.candidate.changes, runner.candidate.rules, runner.games
        deals = games.deal_count if games else 0
        return JudgedRules(changes, rules.name, verdict, number, deals, values)


def verdict_of(quantities: Quantities, targets: Sequence[DesignTarget], tail: float) -> str:
    """Whether all targets hold, one is surely missed, or the question is open."""
    holds = True
    for target in targets:
        quantity = quantities[target.key]
        low, high = quantity.interval(tail) if quantity else (-inf, inf)
        if high < target.low or low > target.high:
            return MISSES
        holds = holds and target.low <= low and high <= target.high
    return HOLDS if holds else OPEN


def rank(quantities: Quantities, targets: Sequence[DesignTarget]) -> tuple[float, float]:
    """A key that sorts rules: by how far they are outside of their targets, then by how few
    standard errors they are within."""
    values = {
        key: Estimate(quantity.value) if quantity else None for key, quantity in quantities.items()
    }
    inside = (_depth(quantities[target.key], target) for target in targets)
    return violation(values, targets), -min(inside)


def violation(values: Mapping[str, Estimate | None], targets: Sequence[DesignTarget]) -> float:
    """How far values are outside of their targets: a sum, in widths of the targets."""
    return sum(_beyond(values[target.key], target) for target in targets)


def _beyond(value: Estimate | None, target: DesignTarget) -> float:
    if value is None or value.mean is None:
        return inf
    gap = max(target.low - value.mean, value.mean - target.high, 0.0)
    return gap / (target.high - target.low)


def _depth(quantity: Quantity | None, target: DesignTarget) -> float:
    """How far a value is within its target, in standard errors; below 0 outside."""
    if quantity is None:
        return -inf
    room = min(quantity.value - target.low, target.high - quantity.value)
    return room / quantity.error if quantity.error > 0 else (inf if room >= 0 else -inf)
