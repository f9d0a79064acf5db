"""The vertical scale of a plot: positions of values, numbers at its left, and lines across."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from markupsafe import Markup

from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.marks import number as coordinate
from cantstop_arena.pages.number_text import plain

_TICKS = 6
_MIN_DISTANCE = 15  # pixels between lines of text
_MIDDLE_OF_DIGITS = 4  # pixels above the baseline


class VerticalScale(msgspec.Struct, frozen=True):
    """The values of an axis, upwards, in a drawing `height` pixels high with equal margins."""

    axis: Axis
    height: float
    margin: float

    def y(self, value: float) -> float:
        """The position of a value in pixels; values outside the axis are clamped to its ends."""
        inside = min(max(value, self.axis.low), self.axis.high)
        part = (self.axis.high - inside) / (self.axis.high - self.axis.low)
        return self.margin + part * (self.height - 2 * self.margin)

    def numbers(self, unit: str = "") -> Iterator[Markup]:
        """The round values with their unit, for a drawing at the left."""
        ticks = self.axis.ticks(_TICKS)
        decimals = next((d for d in range(3) if all(_is_round(tick, d) for tick in ticks)), 3)
        for tick in ticks:
            y = coordinate(self.y(tick) + _MIDDLE_OF_DIGITS)
            text = f"{plain(tick, decimals)}{unit}"
            yield element("text", text, class_="tick", x="100%", dx=-8, y=y, text_anchor="end")

    def spaced(self, values: Sequence[float]) -> list[float]:
        """Positions of values in descending order, moved so that lines of text do not overlap."""
        moved: list[float] = []
        for spot in map(self.y, values):
            moved.append(max(spot, moved[-1] + _MIN_DISTANCE) if moved else spot)
        over = moved[-1] - (self.height - self.margin) if moved else 0
        for index in reversed(range(len(moved))):
            room = self.height - self.margin - _MIN_DISTANCE * (len(moved) - 1 - index)
            moved[index] = min(moved[index], room) if over > 0 else moved[index]
        return moved

    def lines(self, zero: float | None = None) -> Iterator[Markup]:
        """Lines at the round values, across the plot, a stronger one at `zero`."""
        for tick in self.axis.ticks(_TICKS):
            y, kind = coordinate(self.y(tick)), "zero" if tick == zero else "grid"
            yield element("line", class_=kind, x1=0, x2="100%", y1=y, y2=y)


def _is_round(value: float, decimals: int) -> bool:
    return abs(value - round(value, decimals)) < 1e-9


def scale_around(values: Iterable[float | None], height: float, margin: float) -> VerticalScale:
    """A scale with round ends that contains all values; None is skipped."""
    return VerticalScale(axis_around(values, max_ticks=_TICKS), height, margin)
