"""Axes whose places are percents of a drawing's width, so that drawings fit any column."""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10

import msgspec

from cantstop_arena.tables.column import Estimate


class Axis(msgspec.Struct, frozen=True):
    """Values from `low` to `high` across a drawing, with `pad` percent free on either side."""

    low: float
    high: float
    pad: float = 2.5

    def at(self, value: float) -> float:
        """Where a value is, in percent; what is beyond an end is at it."""
        inside = min(max(value, self.low), self.high)
        part = (inside - self.low) / (self.high - self.low)
        return round(self.pad + part * (100 - 2 * self.pad), 2)

    def has(self, value: float) -> bool:
        """Whether a value lies within the axis."""
        return self.low <= value <= self.high

    def ticks(self, most: int = 6) -> list[float]:
        """Round values, about so many of them at most."""
        step = _step((self.high - self.low) / most)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(step * place, 10) + 0.0 for place in range(first, last + 1)]


def axis_around(values: Iterable[float | None], pad: float = 2.5, most: int = 8) -> Axis:
    """An axis with round ends that has all the values; values that are None ask for nothing."""
    known = [value for value in values if value is not None]
    low, high = min(known), max(known)
    if low == high:
        low, high = low - 1, high + 1
    step = _step((high - low) / most)
    return Axis(step * floor(low / step), step * ceil(high / step), pad)


def _step(least: float) -> float:
    power = 10.0 ** floor(log10(least))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= least * (1 - 1e-9))


_LEFT_OUT = 5  # one in so many bots at most is left out of the zoom
_SAVED = 0.6  # of the whole span is what the zoom may have at most


def zoomed_estimates(found: Sequence[Estimate]) -> list[Estimate]:
    """All but outliers on one side, where the axis gains by leaving them out; else nothing."""
    ordered = sorted(found, key=_mean)
    for out in range(1, len(ordered) // _LEFT_OUT + 1):
        for kept in (ordered[out:], ordered[:-out]):
            if len(kept) > 2 and _span(kept) <= _SAVED * _span(ordered):
                return list(kept)
    return []


def _mean(told: Estimate) -> float:
    return told.mean or 0


def _span(found: Sequence[Estimate]) -> float:
    return _mean(found[-1]) - _mean(found[0])
