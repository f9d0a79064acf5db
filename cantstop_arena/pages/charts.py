"""Charts with an upright scale at the left and values below: lines, areas and labels.

A line over many points is one path in a nested drawing that is stretched to the width, with a
stroke that is not. Text and dots are never in it.
"""

from collections.abc import Iterable, Sequence

import msgspec
from markupsafe import Markup

from cantstop_arena.pages.axes import Axis
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.marks import drawing, number, text_anchor
from cantstop_arena.pages.vertical_scale import VerticalScale

_SCALE_HEIGHT = 18  # pixels of the values below
_EDGE = 3  # percent from a side; labels nearer to it are not centred on their tick


class Tick(msgspec.Struct, frozen=True):
    """A value of the axis below, and its text."""

    value: float
    text: str


def chart(
    up: VerticalScale,
    across: Axis,
    ticks: Sequence[Tick],
    marks: Iterable[Markup],
    label: str,
    y_title: str,
    x_title: str,
    unit: str = "",
    zero: float | None = None,
) -> Markup:
    """A chart: its scale at the left with a title above, the marks, and the values below."""
    return element(
        "div",
        element("p", y_title, class_="y-title"),
        drawing(up.height, *up.numbers(unit)),
        drawing(up.height, *up.lines(zero), *marks, label=label),
        element("span"),
        element("div", drawing(_SCALE_HEIGHT, *_labels(across, ticks)), class_="scale"),
        element("p", x_title, class_="x-title"),
        class_="chart",
    )


def _labels(across: Axis, ticks: Sequence[Tick]) -> Iterable[Markup]:
    for index, tick in enumerate(ticks):
        spot = across.at(tick.value)
        kind = "tick odd" if (len(ticks) - 1 - index) % 2 else "tick"
        anchor = "start" if spot < _EDGE else "end" if spot > 100 - _EDGE else None
        yield element(
            "text", tick.text, class_=kind, x=f"{number(spot)}%", y=14, text_anchor=anchor
        )


def path(points: Iterable[tuple[float, float]], height: float, kind: str) -> Markup:
    """A line through points, x in percent and y in pixels; closed and filled if it is an area."""
    steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    end = "Z" if "area" in kind else ""
    line = element("path", class_=kind, d=f"M{steps}{end}", vector_effect="non-scaling-stroke")
    return element(
        "svg",
        line,
        width="100%",
        height=number(height),
        viewBox=f"0 0 100 {number(height)}",
        preserveAspectRatio="none",
        overflow="visible",
    )


def ribbon(
    points: Sequence[tuple[float, float, float]], height: float, kind: str = "area"
) -> Markup:
    """The area between the lower and the upper of two lines: x in percent, two y in pixels."""
    above = [(x, high) for x, _, high in points]
    below = [(x, low) for x, low, _ in reversed(points)]
    return path([*above, *below], height, kind)


def label_at(
    x: float, y: float, text: str, kind: str = "", dx: float = 0, side: str | None = None
) -> Markup:
    """A text in a chart, x in percent, y in pixels; it begins at the side with more room."""
    side = side or text_anchor(x)
    shift = dx if side == "start" else -dx
    return element(
        "text",
        text,
        class_=f"on-line {kind}".rstrip(),
        x=f"{number(x)}%",
        dx=number(shift) if shift else None,
        y=number(y),
        text_anchor=side,
    )
