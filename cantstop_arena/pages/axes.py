"""Axes that map values to percent of a drawing's width, so that drawings fit any column."""

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10

import msgspec

from cantstop_arena.ratings.estimate import Estimate


class Axis(msgspec.Struct, frozen=True):
    """The values from `low` to `high` across a drawing, with a margin of `pad` percent per side."""

    low: float
    high: float
    pad: float = 2.5

    def at(self, value: float) -> float:
        """The position of a value, in percent; values outside the axis are clamped to its ends."""
        inside = min(max(value, self.low), self.high)
        part = (inside - self.low) / (self.high - self.low)
        return round(self.pad + part * (100 - 2 * self.pad), 2)

    def has(self, value: float) -> bool:
        """Whether a value lies within the axis."""
        return self.low <= value <= self.high

    def ticks(self, max_ticks: int = 6) -> list[float]:
        """Round values on the axis, about `max_ticks` of them at most."""
        step = _step((self.high - self.low) / max_ticks)
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return [round(step * index, 10) + 0.0 for index in range(first, last + 1)]


def axis_around(values: Iterable[float | None], pad: float = 2.5, max_ticks: int = 8) -> Axis:
    """An axis with round ends that contains all values; None is skipped."""
    numbers = [value for value in values if value is not None]
    low, high = min(numbers), max(numbers)
    if low == high:
        low, high = low - 1, high + 1
    step = _step((high - low) / max_ticks)
    return Axis(step * floor(low / step), step * ceil(high / step), pad)


def _step(min_step: float) -> float:
    """The smallest round step (1, 2 or 5 times a power of ten) of at least `min_step`."""
    power = 10.0 ** floor(log10(min_step))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= min_step * (1 - 1e-9))


_BOTS_PER_OUTLIER = 5  # the zoom leaves out one of so many bots at most
_MAX_ZOOM_SHARE = 0.6  # the zoom's span as a share of the full span, at most


def zoomed_estimates(estimates: Sequence[Estimate]) -> list[Estimate]:
    """The estimates without outliers on one side; empty where the axis gains little."""
    ordered = sorted(estimates, key=_mean)
    for out in range(1, len(ordered) // _BOTS_PER_OUTLIER + 1):
        for remaining in (ordered[out:], ordered[:-out]):
            if len(remaining) > 2 and _span(remaining) <= _MAX_ZOOM_SHARE * _span(ordered):
                return list(remaining)
    return []


def _mean(estimate: Estimate) -> float:
    return estimate.mean or 0


def _span(ordered: Sequence[Estimate]) -> float:
    return _mean(ordered[-1]) - _mean(ordered[0])
