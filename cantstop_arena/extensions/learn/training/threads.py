"""Threads that share the games of a round, each with its own game and workspace."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from cantstop_arena.extensions.learn.training.learner import Samples, new_samples
from cantstop_arena.extensions.learn.training.practice_games import practice_game
from cantstop_arena.extensions.strength.exact.workspace import new_workspace
from cantstop_arena.extensions.strength.nets.lookahead import SHEET
from cantstop_arena.games.cantstop.rules import RuleSet


class TrainingThread:
    """A thread's practice game, workspace, two sheets, and a buffer of samples."""

    def __init__(self, rules: RuleSet, players: int) -> None:
        self.game = practice_game(rules, players)
        self.workspace = new_workspace()[0]
        self.sheets = np.zeros(2, SHEET).view(np.recarray)
        self._buffer = new_samples(0)

    def buffer_for(self, samples: int) -> Samples:
        """A buffer for this many samples, with any content."""
        if len(self._buffer[0]) < samples:
            self._buffer = new_samples(samples)
        return self._buffer


class TrainingThreads:
    """A pool of threads; results do not depend on their number."""

    def __init__(self, count: int, rules: RuleSet, players: int) -> None:
        self._workers = [TrainingThread(rules, players) for _ in range(count)]

    def played(self, games: int, max_samples: int, play: Callable[..., int]) -> Samples:
        """The samples of games in their order, at most `max_samples` of each."""

        def samples(worker: TrainingThread, start: int, end: int) -> Samples:
            buffer = worker.buffer_for((end - start) * max_samples)
            count = play(worker, start, end, buffer)
            return buffer[0][:count], buffer[1][:count]

        parts = self.shared(games, samples)
        return np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts])

    def shared(self, games: int, play: Callable[[TrainingThread, int, int], Any]) -> list[Any]:
        """The results of the threads for their shares of the games."""
        count = len(self._workers)
        bounds = [games * number // count for number in range(count + 1)]
        with ThreadPoolExecutor(count) as pool:
            return [*pool.map(play, self._workers, bounds[:-1], bounds[1:])]
