"""A net on its way: what it has learned, the mean of what it was lately, and its memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.exact.turn_board import MAX_COLUMNS
from cantstop_arena.games.cantstop.nets.net import BLOCKS
from cantstop_arena.games.cantstop.training.gradient import LEARNED, learn, new_draft, quantised

Samples = tuple[NDArray[np.int8], NDArray[np.float32]]

ARRAYS = ("drafts", "means", "positions", "values", "counts")
"""The arrays in which all is that a learner knows."""


def new_samples(count: int) -> Samples:
    """Room for so many: positions, blocks of a net by column, and what they are worth."""
    return np.zeros((count, BLOCKS, MAX_COLUMNS), np.int8), np.zeros(count, np.float32)


class Learner:
    """A net to be, of a kind, and a memory of the last so many samples."""

    def __init__(self, players: int, kind: Any, memory: int, chance: np.random.Generator) -> None:
        self.drafts = new_draft(players, chance, kind)
        self.means = self.drafts.copy()
        self.positions, self.values = new_samples(memory)
        self.counts = np.zeros(2, np.int64)  # samples seen, and nets in the mean

    @property
    def sample_count(self) -> int:
        """How many samples are remembered."""
        return min(int(self.counts[0]), len(self.values))

    def net(self) -> Any:
        """The net as it would play now, as a record array of length 1."""
        return quantised((self.means if self.counts[1] else self.drafts)[0])

    def latest(self) -> Any:
        """The net as it is now, whatever it was before."""
        return quantised(self.drafts[0])

    def remember(self, positions: NDArray[np.int8], value: NDArray[np.float32]) -> None:
        """Put samples in the place of the oldest."""
        position = (self.counts[0] + np.arange(len(value))) % len(self.values)
        self.positions[position], self.values[position] = positions, value
        self.counts[0] += len(value)

    def learn(self, board: Any, picks: NDArray[np.int64], rate: float) -> float:
        """Learn from picks of what is remembered; returns how far off it was, on average."""
        errors = learn(board, self.drafts[0], self.positions, self.values, picks, rate)
        return float(np.sqrt(errors / len(picks)))

    def learn_once(
        self, board: Any, samples: Samples, picks: NDArray[np.int64], rate: float
    ) -> None:
        """Learn from picks of samples that are not remembered."""
        learn(board, self.drafts[0], *samples, picks, rate)

    def average(self) -> None:
        """Let what the net is now count for the mean."""
        self.counts[1] += 1
        for name in LEARNED:
            mean = self.means[0][name]
            mean += (self.drafts[0][name] - mean) / np.float32(self.counts[1])
