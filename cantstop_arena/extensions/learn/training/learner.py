"""A net in training: its weights, the mean of its last weights, and its memory of samples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.learn.training.gradient import LEARNED, learn, new_draft, quantised
from cantstop_arena.extensions.strength.exact.turn_board import MAX_COLUMNS
from cantstop_arena.extensions.strength.nets.net import BLOCKS

Samples = tuple[NDArray[np.int8], NDArray[np.float32]]

ARRAYS = ("drafts", "means", "positions", "values", "counts")
"""The arrays that make up the state of a learner."""


def new_samples(count: int) -> Samples:
    """Arrays for `count` samples: positions, by block of a net and column, and their values."""
    return np.zeros((count, BLOCKS, MAX_COLUMNS), np.int8), np.zeros(count, np.float32)


class Learner:
    """A net in training, to become a record of `kind`, and its last `memory` samples."""

    def __init__(self, players: int, kind: Any, memory: int, chance: np.random.Generator) -> None:
        self.drafts = new_draft(players, chance, kind)
        self.means = self.drafts.copy()
        self.positions, self.values = new_samples(memory)
        self.counts = np.zeros(2, np.int64)  # samples added, and nets in the mean

    @property
    def sample_count(self) -> int:
        """The number of samples in memory."""
        return min(int(self.counts[0]), len(self.values))

    def net(self) -> Any:
        """The net that plays, of mean weights if there are any, as a record array of length 1."""
        return quantised((self.means if self.counts[1] else self.drafts)[0])

    def latest(self) -> Any:
        """The net of the latest weights, as a record array of length 1."""
        return quantised(self.drafts[0])

    def remember(self, positions: NDArray[np.int8], values: NDArray[np.float32]) -> None:
        """Add samples to the memory; they replace the oldest."""
        indexes = (self.counts[0] + np.arange(len(values))) % len(self.values)
        self.positions[indexes], self.values[indexes] = positions, values
        self.counts[0] += len(values)

    def learn(self, board: Any, picks: NDArray[np.int64], rate: float) -> float:
        """Learn from picks of the memory; returns the root mean square error."""
        errors = learn(board, self.drafts[0], self.positions, self.values, picks, rate)
        return float(np.sqrt(errors / len(picks)))

    def learn_once(
        self, board: Any, samples: Samples, picks: NDArray[np.int64], rate: float
    ) -> None:
        """Learn from picks of samples that are not added to the memory."""
        learn(board, self.drafts[0], *samples, picks, rate)

    def error_on(self, board: Any, samples: Samples) -> float:
        """The root mean square error of the latest weights on samples, which change nothing.

        Where the samples' values are what the same net says a turn later, it is the Bellman
        residual.
        """
        picks = np.arange(len(samples[1])) * 2
        if not len(picks):
            return 0.0
        errors = learn(board, self.drafts[0], *samples, picks, 0.0)
        return float(np.sqrt(errors / len(picks)))

    def average(self) -> None:
        """Add the latest weights to the mean."""
        self.counts[1] += 1
        for name in LEARNED:
            mean = self.means[0][name]
            mean += (self.drafts[0][name] - mean) / np.float32(self.counts[1])
