"""The course of a training: rounds of practice games, each followed by learning from them.

What a round does follows from the seed, its number and the nets after the round before, whoever
plays its games: so any number of workers comes to the same nets, and a training that was stopped
goes on where it was.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.champion.board import MOST_COLUMNS, board_for
from cantstop_arena.games.cantstop.champion.desk import new_desk
from cantstop_arena.games.cantstop.engine.state import MAX_SEATS
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.training import practice
from cantstop_arena.games.cantstop.training.learning import LEARNED, learn, new_draft, rounded
from cantstop_arena.games.cantstop.training.table import TABLE

_MEMORY = 300_000  # samples of exact games that are learned from
_MC_RATE, _TD_RATE = 0.02, 0.01
_SLOWER = ((0.5, 1.0), (0.8, 0.3), (1.0, 0.1))  # up to which part of a stage, at which rate
_AVERAGED = 0.8  # of the exact rounds; the nets of those after it are averaged
_LOOKS = 16  # how often a new sample is learned from, on average

Samples = tuple[NDArray[np.int8], NDArray[np.float32]]


@dataclass(frozen=True)
class Plan:
    """How many rounds of how many games there are."""

    heuristic_rounds: int = 60
    heuristic_games: int = 4000
    exact_rounds: int = 110
    exact_games: int = 256
    test_games: int = 500


@dataclass(frozen=True)
class Subject:
    """What is trained for, by which seed, after which teachers."""

    rules: RuleSet
    players: int
    seed: int
    family: Any  # records of HEURISTIC; the first is who strength is measured against


class Course:
    """A training on its way: `draft` learns, `mean` is the average of what it was lately."""

    def __init__(self, subject: Subject, plan: Plan, workers: int) -> None:
        self.subject, self.plan = subject, plan
        self.boards = board_for(subject.rules)
        self.drafts = new_draft(subject.players, np.random.default_rng([subject.seed, 0]))
        self.means = self.drafts.copy()
        self.averaged = 0
        self.done = 0
        self.positions = np.zeros((_MEMORY, MAX_SEATS, MOST_COLUMNS), np.int8)
        self.worths = np.zeros(_MEMORY, np.float32)
        self.seen = 0
        self._workers = [_Worker(self.boards) for _ in range(workers)]

    @property
    def rounds(self) -> int:
        """How many there are in all."""
        return self.plan.heuristic_rounds + self.plan.exact_rounds

    def advance(self) -> None:
        """Play the next round and learn from it."""
        number = self.done - self.plan.heuristic_rounds
        if number < 0:
            self._heuristic_round(self.done)
        else:
            self._exact_round(number)
        self.done += 1

    def ends(self) -> Any:
        """The net as it would play now, as a record array of length 1."""
        return rounded((self.means if self.averaged else self.drafts)[0])

    def strength(self, games: int, net: Any) -> float:
        """Games won against the first teacher in all other seats, as a share of them; alone the
        turns that a game takes."""
        board, numbers, key = self.boards[0], self.subject.family[0], self._key(3, 0)

        def play(worker: _Worker, start: int, end: int) -> int:
            desk, table = worker.desk, worker.table
            wins: int = practice.matches(board, net, desk, table, numbers, key, start, end)
            return wins

        return float(sum(self._shared(games, play))) / games

    # Rounds

    def _heuristic_round(self, number: int) -> None:
        board, players = self.boards[0], self.subject.players
        key, family = self._key(1, number), self.subject.family

        def play(worker: _Worker, start: int, end: int, room: Samples) -> int:
            shown = (board, worker.table, family, players, key, start, end)
            count: int = practice.heuristic_games(*shown, *room)
            return count

        positions, worths = self._played(self.plan.heuristic_games, play)
        rate = _MC_RATE * _pace(number / self.plan.heuristic_rounds)
        picks = self._generator(1, number).permutation(len(worths)) * 2
        learn(board, self.drafts[0], positions, worths, self._turned(picks, 1, number), rate)

    def _exact_round(self, number: int) -> None:
        board, net, key = self.boards[0], rounded(self.drafts[0])[0], self._key(2, number)

        def play(worker: _Worker, start: int, end: int, room: Samples) -> int:
            shown = (board, net, worker.desk, worker.table, key, start, end)
            count: int = practice.exact_games(*shown, *room)
            return count

        self._remember(*self._played(self.plan.exact_games, play))
        share = number / self.plan.exact_rounds
        known, generator = min(self.seen, _MEMORY), self._generator(2, number)
        if not known:  # boards that are won in a turn leave nothing behind
            return
        count = _LOOKS * self.plan.exact_games * 18
        picks = self._turned(generator.integers(known, size=count) * 2, 2, number)
        learn(board, self.drafts[0], self.positions, self.worths, picks, _TD_RATE * _pace(share))
        if share >= _AVERAGED:
            self._average()

    def _average(self) -> None:
        self.averaged += 1
        for name in LEARNED:
            mean = self.means[0][name]
            mean += (self.drafts[0][name] - mean) / np.float32(self.averaged)

    def _remember(self, positions: NDArray[np.int8], worths: NDArray[np.float32]) -> None:
        places = (self.seen + np.arange(len(worths))) % _MEMORY
        self.positions[places], self.worths[places] = positions, worths
        self.seen += len(worths)

    # Chance

    def _generator(self, stage: int, number: int) -> np.random.Generator:
        return np.random.default_rng([self.subject.seed, stage, number])

    def _key(self, stage: int, number: int) -> np.uint64:
        return np.uint64(self._generator(stage + 10, number).integers(1 << 63))

    def _turned(self, picks: NDArray[np.int64], stage: int, number: int) -> NDArray[np.int64]:
        """Picks of samples, half of them mirrored where the board is its own mirror image."""
        if not self.boards[0].is_mirrored:
            return picks
        return picks + self._generator(stage + 20, number).integers(2, size=len(picks))

    # Workers

    def _played(self, games: int, play: Callable[..., int]) -> Samples:
        """The samples of games, in their order."""

        def samples(worker: "_Worker", start: int, end: int) -> Samples:
            room = worker.room_for(end - start)
            count = play(worker, start, end, room)
            return room[0][:count], room[1][:count]

        parts = self._shared(games, samples)
        return np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts])

    def _shared(self, games: int, play: Callable[["_Worker", int, int], Any]) -> list[Any]:
        """What the workers make of their shares of the games."""
        count = len(self._workers)
        bounds = [games * number // count for number in range(count + 1)]
        with ThreadPoolExecutor(count) as pool:
            return [*pool.map(play, self._workers, bounds[:-1], bounds[1:])]


class _Worker:
    """A thread's own table and desk."""

    def __init__(self, boards: Any) -> None:
        self.desk = new_desk()[0]
        self.table = np.zeros(1, TABLE).view(np.recarray)[0]
        self._room = _samples(0)

    def room_for(self, games: int) -> Samples:
        samples = games * practice.MOST_SAMPLES
        if len(self._room[0]) < samples:
            self._room = _samples(samples)
        return self._room


def _samples(count: int) -> Samples:
    """Room for so many."""
    return np.zeros((count, MAX_SEATS, MOST_COLUMNS), np.int8), np.zeros(count, np.float32)


def _pace(share: float) -> float:
    """How fast is learned when a share of a stage is over."""
    return next(pace for until, pace in _SLOWER if share < until)
