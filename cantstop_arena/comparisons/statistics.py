"""Statistics of two rule sets on the same deals: differences of measures, order of the bots.

A measure is a quotient of sums over deals, R = Σx / Σy (fouls over turns, say). The games of a
deal share their chance, so the deal is the unit of sampling, and both rule sets are played on the
same deals. The influence of a deal on R is e = (x - R y) / ȳ, with mean 0, and the standard error
of a difference R' - R is that of the mean of e' - e over deals (Cochran 1977, 6.3 and 6.9): pairing
removes the luck that both share. The relative difference R'/R - 1 has the interval of the logarithm
of R'/R, whose influences are e'/R' - e/R. Intervals are those of `ratings.mean_error`.

effect size   Cohen's d for counts: the difference in standard deviations of a single game under
              the baseline; Cohen's h for shares: 2 asin √R' - 2 asin √R (Cohen 1988)
p             Student's t, two-sided; times the number of questions (Bonferroni)
intervals     hold together: with m questions each misses in 5% / m of cases at most, so that all
              of them hold the truth in 95% (Dunn 1961), and one leaves out 0 where its p times m is
              5% or less
negligible    the whole interval lies within ± the difference to be ignored (Schuirmann 1987)

A difference that is the same in all n deals has no variance, and so no interval, but for a share
that does not differ in any of them. Its p is that of the sign test, 2^(1 - n). One deal alone
decides nothing.
"""

from collections.abc import Mapping
from math import asin, expm1, log, sqrt
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.ratings.mean_error import ROUNDING, TAIL, MeanError, mean_error
from cantstop_arena.ratings.significance import SIGNIFICANT

DIFFERENT = "different"
NEGLIGIBLE = "negligible"
UNDECIDED = "undecided"
SAME = "the same in every deal"
NOTHING = "nothing to compare"

Numbers = NDArray[np.float64]


class Ratio(NamedTuple):
    """A measure under one rule set: its `numerator` and `denominator` by deal."""

    numerator: Numbers
    denominator: Numbers

    @property
    def value(self) -> float | None:
        """The quotient of the sums; None if the denominators add up to 0."""
        denominator = float(self.denominator.sum())
        return float(self.numerator.sum()) / denominator if denominator else None

    def influences(self, value: float) -> Numbers:
        """The influence of each deal on the value: see the module."""
        return (self.numerator - value * self.denominator) / float(self.denominator.mean())


class EffectEstimate(msgspec.Struct, frozen=True):
    """A number with its 95% interval, and the two-sided p-value for 0.

    `error` is that of the number; if `is_relative`, of the logarithm of one more than it.
    """

    value: float
    low: float | None
    high: float | None
    p: float
    error: MeanError | None = None
    is_relative: bool = False

    def among(self, questions: int) -> "EffectEstimate":
        """The same with an interval that holds jointly with those of so many questions."""
        if self.error is None:
            return self
        low, high = self.error.interval_at(TAIL / questions)
        if self.is_relative and low is not None and high is not None:
            low, high = expm1(low), expm1(high)
        return replace(self, low=low, high=high)

    def is_within(self, limit: float) -> bool:
        """Whether the interval is known and lies between -limit and limit."""
        return (
            self.low is not None
            and self.high is not None
            and -limit < self.low <= self.high < limit
        )


class RuleEffect(msgspec.Struct, frozen=True):
    """The effect of a rule set on one measure; None where a number is not defined."""

    baseline: float | None
    variant: float | None
    absolute: EffectEstimate | None
    relative: EffectEstimate | None
    effect: float | None
    kind: str
    ignored: float
    verdict: str
    corrected: float | None = None  # p, over all questions

    @property
    def p(self) -> float | None:
        """p, not corrected for multiplicity."""
        return self.absolute.p if self.absolute else None

    @property
    def judged(self) -> EffectEstimate | None:
        """The difference that is compared with `ignored`: relative for counts, else absolute."""
        return self.relative if self.kind == COUNT else self.absolute

    @property
    def games_factor(self) -> float | None:
        """How many times the games would decide it, if the difference stays as it is.

        The interval then leaves out 0, or lies within what is ignored. None if it is decided, or
        if no number of games decides it.
        """
        judged = self.judged
        if self.verdict != UNDECIDED or judged is None:
            return None
        if judged.low is None or judged.high is None:
            return None
        half_width, distance = (judged.high - judged.low) / 2, abs(judged.value)
        room = max(distance, self.ignored - distance)
        return float(max(1.0, half_width / room) ** 2) if room > 0 else None

    def decided(self, questions: int) -> "RuleEffect":
        """The effect with its verdict, corrected for so many questions."""
        if self.absolute is None:
            return self
        corrected = replace(
            self,
            absolute=self.absolute.among(questions),
            relative=self.relative and self.relative.among(questions),
            corrected=min(1.0, questions * self.absolute.p),
        )
        return replace(corrected, verdict=_verdict(corrected))


def rule_effect(
    baseline: Ratio, variant: Ratio, kind: str, ignored: float, deviation: float | None = None
) -> RuleEffect:
    """The effect of a rule set on a measure, deals paired; its verdict is not decided yet.

    `deviation` is the standard deviation of a single game under the baseline, for counts.
    """
    before, after = baseline.value, variant.value
    if before is None or after is None:
        return RuleEffect(before, after, None, None, None, kind, ignored, NOTHING)
    of_before, of_after = baseline.influences(before), variant.influences(after)
    absolute = _estimate(
        after - before, of_after - of_before, max(abs(before), abs(after)), kind == SHARE
    )
    relative = None
    if before and kind == COUNT:
        relative = _relative(before, after, of_after, of_before)
    if all(map(np.array_equal, baseline, variant)):
        return RuleEffect(before, after, absolute, relative, 0.0, kind, ignored, SAME)
    effect = _cohens_h(before, after) if kind == SHARE else _cohens_d(after - before, deviation)
    return RuleEffect(before, after, absolute, relative, effect, kind, ignored, UNDECIDED)


def _relative(before: float, after: float, of_after: Numbers, of_before: Numbers) -> EffectEstimate:
    quotient = after / before
    if quotient <= 0:  # which has no logarithm
        influences = (of_after - quotient * of_before) / before
        return _estimate(quotient - 1, influences, max(1.0, abs(quotient)))
    of_log = _estimate(log(quotient), of_after / after - of_before / before, 1.0)
    return replace(of_log, value=quotient - 1, is_relative=True).among(1)


def _estimate(
    value: float, influences: Numbers, scale: float, is_share: bool = False
) -> EffectEstimate:
    """An estimate with its interval and p, from the influences of the deals on its value.

    `scale` is the size of the numbers that were subtracted: relative to it, values below ROUNDING
    are 0.
    """
    value = value if abs(value) > ROUNDING * scale else 0.0
    bounds = (-1.0, 1.0) if is_share and not value else None
    error = mean_error(value, influences, bounds, scale)
    return EffectEstimate(value, *error.interval, error.p_of_zero, error)


def _cohens_d(difference: float, deviation: float | None) -> float | None:
    return difference / deviation if deviation else None


def _cohens_h(before: float, after: float) -> float:
    return 2 * (_angle(after) - _angle(before))


def _angle(share: float) -> float:
    return asin(sqrt(min(max(share, 0.0), 1.0)))


def _verdict(difference: RuleEffect) -> str:
    if difference.verdict in (SAME, NOTHING):
        return difference.verdict
    judged = difference.judged
    if judged is not None and judged.is_within(difference.ignored):
        return NEGLIGIBLE
    corrected = difference.corrected
    return DIFFERENT if corrected is not None and corrected <= SIGNIFICANT else UNDECIDED


# The order of the bots ----------------------------------------------------------------------


CHANGED = "changed"
UNCHANGED = "kept"


class BotOrder(msgspec.Struct, frozen=True):
    """Whether a rule set changes the order of the bots.

    `reversed_pairs` are the pairs of bots whose order is reversed under the variant, the bot that
    is better under the baseline first.
    """

    pairs: int
    reversed_pairs: tuple[tuple[str, str], ...]
    p: float
    verdict: str
    corrected: float | None = None

    def decided(self, questions: int) -> "BotOrder":
        """The order with its verdict, corrected for so many questions."""
        corrected = min(1.0, questions * self.p)
        if corrected <= SIGNIFICANT:
            return replace(self, corrected=corrected, verdict=CHANGED)
        return replace(self, corrected=corrected, reversed_pairs=())


Pair = tuple[str, str]


def lead(games: Ratio) -> EffectEstimate:
    """The lead of the first bot of a pair, `games` being leads over games; 0 without games."""
    value = games.value
    if value is None:
        return EffectEstimate(0.0, None, None, 1.0)
    return _estimate(value, games.influences(value), 1.0, is_share=True)


def orders(
    baseline: Mapping[Pair, EffectEstimate], variant: Mapping[Pair, EffectEstimate], ignored: float
) -> BotOrder:
    """Whether any pair of bots has another order under the variant, from the leads of all pairs.

    A pair is reversed if one bot leads significantly under the baseline and the other under the
    variant; the p of both is the greater one (an intersection-union test, Berger 1982), corrected
    for the number of pairs (Bonferroni). The order is unchanged if in every pair the same bot
    leads significantly under both, or leads are less than `ignored` under both.
    """
    pairs = list(baseline)
    p_values = {pair: _reversal_p(baseline[pair], variant[pair]) for pair in pairs}
    p = min(1.0, len(pairs) * min(p_values.values(), default=1.0))
    reversed_pairs = tuple(
        pair if baseline[pair].value > 0 else (pair[1], pair[0])
        for pair in pairs
        if len(pairs) * p_values[pair] <= SIGNIFICANT
    )
    is_unchanged = all(_is_unchanged(baseline[pair], variant[pair], ignored) for pair in pairs)
    return BotOrder(len(pairs), reversed_pairs, p, UNCHANGED if is_unchanged else UNDECIDED)


def _reversal_p(before: EffectEstimate, after: EffectEstimate) -> float:
    return max(before.p, after.p) if before.value * after.value < 0 else 1.0


def _is_unchanged(before: EffectEstimate, after: EffectEstimate, ignored: float) -> bool:
    if before.is_within(ignored) and after.is_within(ignored):
        return True
    return before.value * after.value > 0 and max(before.p, after.p) <= SIGNIFICANT
