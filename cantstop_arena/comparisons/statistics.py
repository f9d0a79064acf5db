"""How two rule sets differ: measures on the same deals, and who is better under which.

A measure is a quotient of sums over deals, R = Σx / Σy (fouls over turns, say). The games of a
deal share their chance, so the deal is what was sampled, and both rule sets are played on the same
deals. The influence of a deal on R is e = (x - R y) / ȳ, with mean 0, and the standard error of a
difference R' - R is that of the mean of e' - e over deals (Cochran 1977, 6.3 and 6.9): pairing
takes out what luck both share. For a relative difference R'/R - 1 it is (e' - e R'/R) / R. The
intervals are Student's with one degree of freedom less than deals.

effect size   Cohen's d for counts: the difference in standard deviations of a single game under
              the baseline; Cohen's h for shares: 2 asin √R' - 2 asin √R (Cohen 1988)
p             Student's t, two-sided; times the number of questions (Bonferroni)
intervals     hold together: with m questions each misses in 5% / m of cases at most, so that all
              of them hold the truth in 95% (Dunn 1961), and one leaves out 0 where its p times m is
              5% or less
negligible    the whole interval lies within ± the difference to be ignored (Schuirmann 1987)

A difference that is the same in all n deals has no variance to speak of, and so no interval: its
p is the sign test's, 2^(1 - n). One deal alone decides nothing.
"""

from collections.abc import Mapping
from math import asin, sqrt
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.deals.counting import COUNT, SHARE
from cantstop_arena.ratings.distributions import CENTRAL, student_quantile, student_tail
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT

ROUNDING = 1e-12  # what is smaller, beside the numbers it comes from, is none

DIFFERENT = "different"
NEGLIGIBLE = "negligible"
UNDECIDED = "undecided"
SAME = "the same in every deal"
NOTHING = "nothing to compare"

Numbers = NDArray[np.float64]


class Ratio(NamedTuple):
    """A measure under one rule set: numerator and denominator of every deal."""

    above: Numbers
    below: Numbers

    @property
    def value(self) -> float | None:
        """The quotient of the sums; None where there is nothing to divide by."""
        below = float(self.below.sum())
        return float(self.above.sum()) / below if below else None

    def influences(self, value: float) -> Numbers:
        """How much each deal moves the value, about."""
        return (self.above - value * self.below) / float(self.below.mean())


class EffectEstimate(msgspec.Struct, frozen=True):
    """A number with its 95% interval, and how likely one so far from 0 would be by chance.

    `freedom` is that of Student's quantile, in an interval that has some width.
    """

    value: float
    low: float | None
    high: float | None
    p: float
    degrees_of_freedom: int = 1

    def among(self, questions: int) -> "EffectEstimate":
        """The same with an interval that holds together with those of so many questions."""
        if self.low is None or self.high is None or self.low == self.high:
            return self
        wider = student_quantile(
            self.degrees_of_freedom, (1 - CENTRAL) / 2 / questions
        ) / student_quantile(self.degrees_of_freedom)
        reach = wider * (self.high - self.low) / 2
        return replace(self, low=self.value - reach, high=self.value + reach)

    def is_within(self, maximum: float) -> bool:
        """Whether the whole interval lies between -most and most."""
        return (
            self.low is not None
            and self.high is not None
            and -maximum < self.low <= self.high < maximum
        )


class RuleEffect(msgspec.Struct, frozen=True):
    """What a rule set changes about one measure. None where there is nothing to tell."""

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
        """p as if nothing else had been asked."""
        return self.absolute.p if self.absolute else None

    @property
    def judged(self) -> EffectEstimate | None:
        """The difference in which a number to be ignored is meant."""
        return self.relative if self.kind == COUNT else self.absolute

    def decided(self, questions: int) -> "RuleEffect":
        """The difference, judged as one of so many questions."""
        if self.absolute is None:
            return self
        wide = replace(
            self,
            absolute=self.absolute.among(questions),
            relative=self.relative and self.relative.among(questions),
            corrected=min(1.0, questions * self.absolute.p),
        )
        return replace(wide, verdict=_verdict(wide))


def rule_effect(
    baseline: Ratio, variant: Ratio, kind: str, ignored: float, variance: float | None = None
) -> RuleEffect:
    """A measure under a rule set against the baseline, deal by deal; not yet judged.

    `spread` is the standard deviation of a single game under the baseline, for counts.
    """
    before, after = baseline.value, variant.value
    if before is None or after is None:
        return RuleEffect(before, after, None, None, None, kind, ignored, NOTHING)
    if all(map(np.array_equal, baseline, variant)):
        none = EffectEstimate(0.0, 0.0, 0.0, 1.0)
        return RuleEffect(before, after, none, none, 0.0, kind, ignored, SAME)
    own, yours = variant.influences(after), baseline.influences(before)
    absolute = _estimate(after - before, own - yours, max(abs(before), abs(after)))
    relative = _relative(before, after, own, yours) if before and kind == COUNT else None
    effect = _cohens_h(before, after) if kind == SHARE else _cohens_d(after - before, variance)
    return RuleEffect(before, after, absolute, relative, effect, kind, ignored, UNDECIDED)


def _relative(before: float, after: float, own: Numbers, yours: Numbers) -> EffectEstimate:
    quotient = after / before
    influences = (own - quotient * yours) / before
    return _estimate(quotient - 1, influences, max(1.0, abs(quotient)))


def _estimate(value: float, influences: Numbers, scale: float) -> EffectEstimate:
    """A mean over deals, from the influences of the deals on it.

    `scale` is the size of the numbers that were subtracted: what is tiny beside it is rounding.
    """
    deals = len(influences)
    value = value if abs(value) > ROUNDING * scale else 0.0
    if deals < 2:
        return EffectEstimate(value, None, None, 1.0)
    error = float(influences.std(ddof=1)) / sqrt(deals)
    if error <= ROUNDING * scale:
        # 2^(1 - deals) comes to 0 for a thousand deals, where nobody asks any more.
        if not value:
            return EffectEstimate(value, value, value, 1.0)
        return EffectEstimate(value, None, None, 2.0 ** max(1 - deals, -1000))
    reach = student_quantile(deals - 1) * error
    p = min(1.0, 2 * float(student_tail(np.array(abs(value) / error), np.array(deals - 1))))
    return EffectEstimate(value, value - reach, value + reach, p, deals - 1)


def _cohens_d(difference: float, variance: float | None) -> float | None:
    return difference / variance if variance else None


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
    """Whether a rule set changes who is better than whom.

    `turned` are the pairs of bots, the better one of the baseline first, that are the other way
    round under the variant.
    """

    pairs: int
    turned: tuple[tuple[str, str], ...]
    p: float
    verdict: str
    corrected: float | None = None

    def decided(self, questions: int) -> "BotOrder":
        """The order, judged as one of so many questions."""
        corrected = min(1.0, questions * self.p)
        if corrected <= SIGNIFICANT:
            return replace(self, corrected=corrected, verdict=CHANGED)
        return replace(self, corrected=corrected, turned=())


Pair = tuple[str, str]


def lead(games: Ratio) -> EffectEstimate:
    """By how much the first bot of a pair is ahead in its games, from zero as the difference."""
    value = games.value
    if value is None:
        return EffectEstimate(0.0, None, None, 1.0)
    return _estimate(value, games.influences(value), 1.0)


def orders(
    baseline: Mapping[Pair, EffectEstimate], variant: Mapping[Pair, EffectEstimate], ignored: float
) -> BotOrder:
    """Whether any pair of bots is one way round in one and the other way in the other.

    A pair has turned if it is significantly one way and significantly the other; the p of both
    together is the greater one (an intersection-union test, Berger 1982), and the number of pairs
    corrects it (Bonferroni). The order is kept if every pair is significantly the same way in
    both, or by less than is to be ignored in both.
    """
    pairs = list(baseline)
    chances = {pair: _chance_of_turn(baseline[pair], variant[pair]) for pair in pairs}
    p = min(1.0, len(pairs) * min(chances.values(), default=1.0))
    turned = tuple(
        pair if baseline[pair].value > 0 else (pair[1], pair[0])
        for pair in pairs
        if len(pairs) * chances[pair] <= SIGNIFICANT
    )
    is_stored = all(_stays(baseline[pair], variant[pair], ignored) for pair in pairs)
    return BotOrder(len(pairs), turned, p, UNCHANGED if is_stored else UNDECIDED)


def _chance_of_turn(before: EffectEstimate, after: EffectEstimate) -> float:
    return max(before.p, after.p) if before.value * after.value < 0 else 1.0


def _stays(before: EffectEstimate, after: EffectEstimate, ignored: float) -> bool:
    if before.is_within(ignored) and after.is_within(ignored):
        return True
    return before.value * after.value > 0 and max(before.p, after.p) <= SIGNIFICANT
