"""Differences between bots that play alone, over the deals that both played.

The difference of two bots' counts is a mean over deals, tested as Student's paired t. All pairs are
tested, with Holm's correction; bots that share a letter are not significantly different. A
difference that is the same in all n deals has no interval: its p is the sign test's, 2^(1 - n).
"""

from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np

from cantstop_arena.deals.solo_pairs import SoloPairs
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.significance import (
    SIGNIFICANT,
    assign_groups,
    holm,
    student_quantile,
    student_tail,
)

ROUNDING = 1e-12
_MAX_DEALS = 1000  # of equal differences: with many more, 2^(1 - n) would underflow


class SoloDifference(msgspec.Struct, frozen=True):
    """How much less one bot needs than another: mean and 95% interval over `deals` deals.

    `p` is the p-value of no difference, corrected for all pairs.
    """

    deals: int
    mean: float
    low: float | None
    high: float | None
    p: float


class SoloDifferences(msgspec.Struct, frozen=True, dict=True):
    """The differences of all pairs of the bots in `ranked`: numbers, the best first."""

    pairs: SoloPairs
    ranked: Sequence[int]

    def between(self, bot: int, rival: int) -> SoloDifference | None:
        """How much less `bot` needs than `rival`; None where they have no deals in common."""
        deals = int(self.pairs.deals[bot, rival])
        if bot == rival or not deals or not {bot, rival} <= self._ranked_bots:
            return None
        mean, error = float(self._means[bot, rival]), float(self._errors[bot, rival])
        p = float(self._p_values[bot, rival])
        if deals < 2 or (not error and mean):
            return SoloDifference(deals, mean, None, None, p)
        half_width = student_quantile(deals - 1) * error
        return SoloDifference(deals, mean, mean - half_width, mean + half_width, p)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """For each bot the letters of its groups; empty for a bot that is not ranked."""
        groups = [""] * len(self.pairs.deals)
        if self.ranked:
            assign_groups(self._p_values <= SIGNIFICANT, list(self.ranked), groups)
        return tuple(groups)

    @cached_property
    def _ranked_bots(self) -> frozenset[int]:
        return frozenset(self.ranked)

    @cached_property
    def _means(self) -> Floats:
        """How much less the row's bot needs than the column's."""
        sums = self.pairs.sums
        means: Floats = (sums.T - sums) / np.maximum(self.pairs.deals, 1)
        return means

    @cached_property
    def _errors(self) -> Floats:
        """The standard errors of the means; 0 where the difference is the same in all deals."""
        solo_pairs = self.pairs
        deals = np.maximum(solo_pairs.deals, 2)
        squares = (solo_pairs.squares + solo_pairs.squares.T - 2 * solo_pairs.crossed).astype(
            np.float64
        )
        scatter = squares - deals * self._means**2
        scatter = np.where(scatter > ROUNDING * squares, scatter, 0.0)
        errors: Floats = np.sqrt(scatter / (deals - 1) / deals)
        return errors

    @cached_property
    def _p_values(self) -> Floats:
        """The p-values of all pairs after correction: bots by bots; 1 for pairs not tested."""
        p_values = np.ones_like(self._means)
        tested = np.zeros(p_values.shape, bool)
        tested[np.ix_(self.ranked, self.ranked)] = True
        rows, columns = np.nonzero(np.triu(tested & (self.pairs.deals > 1), 1))
        p_values[rows, columns] = holm(self._uncorrected(rows, columns))
        symmetric: Floats = np.minimum(p_values, p_values.T)
        return symmetric

    def _uncorrected(self, rows: Ints, columns: Ints) -> Floats:
        """The p-values of pairs before correction."""
        means, errors = np.abs(self._means[rows, columns]), self._errors[rows, columns]
        deals = self.pairs.deals[rows, columns].astype(np.float64)
        tails = 2 * student_tail(means / np.where(errors > 0, errors, 1), deals - 1)
        sign_test = np.where(means > 0, 2.0 ** np.maximum(1 - deals, -_MAX_DEALS), 1.0)
        p_values: Floats = np.minimum(np.where(errors > 0, tails, sign_test), 1.0)
        return p_values
