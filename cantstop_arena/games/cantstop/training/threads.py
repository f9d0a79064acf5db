"""Threads that share the games of a round, each at a table and desk of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from cantstop_arena.games.cantstop.exact.workspace import new_workspace
from cantstop_arena.games.cantstop.nets.lookahead import SHEET
from cantstop_arena.games.cantstop.training.learner import Samples, new_samples
from cantstop_arena.games.cantstop.training.practice_games import TABLE


class TrainingThread:
    """A thread's own table, desk, and two sheets."""

    def __init__(self) -> None:
        self.workspace = new_workspace()[0]
        self.sheets = np.zeros(2, SHEET).view(np.recarray)
        self.table = np.zeros(1, TABLE).view(np.recarray)[0]
        self._room = new_samples(0)

    def room_for(self, samples: int) -> Samples:
        """Room for so many samples, whatever is left in it."""
        if len(self._room[0]) < samples:
            self._room = new_samples(samples)
        return self._room


class TrainingThreads:
    """So many threads: what they come to does not depend on how many."""

    def __init__(self, count: int) -> None:
        self._workers = [TrainingThread() for _ in range(count)]

    def played(self, games: int, maximum: int, play: Callable[..., int]) -> Samples:
        """The samples of games in their order, `most` of each at most."""

        def samples(worker: TrainingThread, start: int, end: int) -> Samples:
            room = worker.room_for((end - start) * maximum)
            count = play(worker, start, end, room)
            return room[0][:count], room[1][:count]

        parts = self.shared(games, samples)
        return np.concatenate([part[0] for part in parts]), np.concatenate([p[1] for p in parts])

    def shared(self, games: int, play: Callable[[TrainingThread, int, int], Any]) -> list[Any]:
        """What the workers make of their shares of the games."""
        count = len(self._workers)
        bounds = [games * number // count for number in range(count + 1)]
        with ThreadPoolExecutor(count) as pool:
            return [*pool.map(play, self._workers, bounds[:-1], bounds[1:])]
