"""Bots that play alone: by how much one needs less than another, in the deals that both played.

The difference of two bots is a mean over deals, tested as Student's paired t. All pairs are tested,
the p-values corrected after Holm; bots that share a letter are not significantly different. A
difference that is the same in all n deals has no interval: its p is the sign test's, 2^(1 - n).
"""

from collections.abc import Sequence
from functools import cached_property

import msgspec
import numpy as np

from cantstop_arena.deals.solo_pairs import SoloPairs
from cantstop_arena.ratings.distributions import student_quantile, student_tail
from cantstop_arena.ratings.model.evidence import Floats, Ints
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT, assign_groups, holm

ROUNDING = 1e-12
_MAX_DEALS = 1000  # that are the same: 2^(1 - n) is nothing then


class SoloDifference(msgspec.Struct, frozen=True):
    """How much less one bot needs than another: mean and 95% interval, over so many deals.

    p is that of no difference, corrected for all pairs.
    """

    deals: int
    mean: float
    low: float | None
    high: float | None
    p: float


class SoloDifferences(msgspec.Struct, frozen=True, dict=True):
    """All pairs of the bots that are `ranked`, the best first, by number."""

    together: SoloPairs
    ranked: Sequence[int]

    def between(self, number: int, other: int) -> SoloDifference | None:
        """How much less `one` needs; None where the two have no deals in common."""
        deals = int(self.together.deals[number, other])
        if number == other or not deals or not {number, other} <= self._among:
            return None
        mean, error = float(self._means[number, other]), float(self._errors[number, other])
        p = float(self._chances[number, other])
        if deals < 2 or (not error and mean):
            return SoloDifference(deals, mean, None, None, p)
        reach = student_quantile(deals - 1) * error
        return SoloDifference(deals, mean, mean - reach, mean + reach, p)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """For each bot the letters of its groups; none of a bot that is not ranked."""
        signs = [""] * len(self.together.deals)
        if self.ranked:
            assign_groups(self._chances <= SIGNIFICANT, list(self.ranked), signs)
        return tuple(signs)

    @cached_property
    def _among(self) -> frozenset[int]:
        return frozenset(self.ranked)

    @cached_property
    def _means(self) -> Floats:
        """How much less the row's bot needs than the column's."""
        sums = self.together.sums
        means: Floats = (sums.T - sums) / np.maximum(self.together.deals, 1)
        return means

    @cached_property
    def _errors(self) -> Floats:
        """The standard errors of that; 0 where all deals say the same."""
        solo_pairs = self.together
        deals = np.maximum(solo_pairs.deals, 2)
        squares = (solo_pairs.squares + solo_pairs.squares.T - 2 * solo_pairs.crossed).astype(
            np.float64
        )
        isolated = squares - deals * self._means**2
        isolated = np.where(isolated > ROUNDING * squares, isolated, 0.0)
        errors: Floats = np.sqrt(isolated / (deals - 1) / deals)
        return errors

    @cached_property
    def _chances(self) -> Floats:
        """The p of each pair, corrected for all of them; 1 where nothing is known."""
        chances = np.ones_like(self._means)
        tested = np.zeros(chances.shape, bool)
        tested[np.ix_(self.ranked, self.ranked)] = True
        number, other = np.nonzero(np.triu(tested & (self.together.deals > 1), 1))
        chances[number, other] = holm(self._plain(number, other))
        both: Floats = np.minimum(chances, chances.T)
        return both

    def _plain(self, row: Ints, other: Ints) -> Floats:
        """The p of pairs as if nothing else were tested."""
        means, errors = np.abs(self._means[row, other]), self._errors[row, other]
        deals = self.together.deals[row, other].astype(np.float64)
        tails = 2 * student_tail(means / np.where(errors > 0, errors, 1), deals - 1)
        same = np.where(means > 0, 2.0 ** np.maximum(1 - deals, -_MAX_DEALS), 1.0)
        chances: Floats = np.minimum(np.where(errors > 0, tails, same), 1.0)
        return chances
