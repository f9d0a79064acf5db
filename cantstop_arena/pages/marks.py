"""Marks in SVG without a view box: x in percent, y in pixels.

So text is never scaled and dots stay round, and one drawing serves all widths. Marks have classes
and no styles of their own, which the page's policy would forbid.
"""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from cantstop_arena.pages.axes import Axis
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.number_text import plain, signed
from cantstop_arena.tables.column import Estimate

DOT = 3.5
_MIN = 0.05  # percent: the narrowest thing drawn
_ARROW = 8
_EDGE = 4  # percent from a side within which a label is not centred on its tick
_SCALE = 18  # the height of the labels of an axis


def number(value: float) -> str:
    """A coordinate, as short as it gets."""
    return f"{value:z.2f}".rstrip("0").rstrip(".")


def drawing(height: float, *marks: Markup, kind: str = "", told: str = "") -> Markup:
    """A drawing as wide as its column; where nothing is `told` it is hidden from screen readers."""
    about = {"role": "img", "aria_label": told} if told else {"aria_hidden": "true"}
    return element("svg", *marks, class_=f"p {kind}".rstrip(), height=number(height), **about)


def line(axis: Axis, value: float, height: float, kind: str) -> Markup:
    """An upright line at a value."""
    spot = f"{number(axis.at(value))}%"
    return element("line", class_=kind, x1=spot, x2=spot, y1=0, y2=number(height))


def grid(
    axis: Axis, ticks: Iterable[float], height: float, zero: float | None = None
) -> list[Markup]:
    """Upright lines at the ticks, a stronger one at `zero`."""
    return [line(axis, tick, height, "zero" if tick == zero else "grid") for tick in ticks]


def interval(axis: Axis, told: Estimate, y: float, kind: str = "", band: float = 12) -> Markup:
    """A dot on a band that is taller than it, so that it shows however short it is.

    An end without a bound is that of the axis.
    """
    if told.mean is None:
        return Markup()
    drawn = [dot(axis, told.mean, y, kind)]
    if told.low is not None or told.high is not None:
        low = axis.low if told.low is None else told.low
        high = axis.high if told.high is None else told.high
        drawn.insert(0, block(axis, low, high, y - band / 2 + 0.5, band - 1, f"band {kind}"))
    return join_markup(*drawn)


def dot(axis: Axis, value: float, y: float, kind: str = "", radius: float = DOT) -> Markup:
    """A dot at a value."""
    spot = f"{number(axis.at(value))}%"
    return element("circle", class_=f"dot {kind}".rstrip(), cx=spot, cy=number(y), r=number(radius))


def block(axis: Axis, low: float, high: float, y: float, height: float, kind: str) -> Markup:
    """A bar from one value to another."""
    left, right = axis.at(low), axis.at(high)
    return element(
        "rect",
        class_=kind.rstrip(),
        x=f"{number(left)}%",
        width=f"{number(max(_MIN, right - left))}%",
        y=number(y),
        height=number(height),
        rx=1,
    )


def beyond(axis: Axis, value: float, text: str, y: float) -> Markup:
    """An arrow at the side beyond which a value is, and what the value is.

    It stands in a drawing of its own, so that it has pixels to its name.
    """
    way = 1 if value < axis.low else -1
    points = f"{9 * way},{number(y - 5)} {way},{number(y)} {9 * way},{number(y + 5)}"
    label = element(
        "text",
        text,
        class_="beyond",
        x=(_ARROW + 6) * way,
        y=number(y + 4),
        text_anchor="start" if way > 0 else "end",
    )
    spot = "0" if way > 0 else "100%"
    arrow = element("polygon", class_="arrow", points=points)
    return element("svg", arrow, label, x=spot, overflow="visible")


def bar(share: float, kind: str = "") -> Markup:
    """A bar from the left side, as long as that share of the width."""
    width = f"{number(max(_MIN, 100 * share))}%"
    filled = element("rect", class_=f"filled {kind}".rstrip(), y=1, width=width, height=8)
    return drawing(10, filled, kind="bar")


def scale(
    axis: Axis, ticks: Sequence[float], unit: str = "", sign: bool = False, kind: str = ""
) -> Markup:
    """The labels of ticks; every second one can be left out where there is little room.

    The label of 0 is never among those.
    """
    start = ticks.index(0) if 0 in ticks else 0
    labels = (
        _label(axis, tick, _text(tick, unit, sign), (place - start) % 2 == 1)
        for place, tick in enumerate(ticks)
    )
    return element("div", drawing(_SCALE, *labels), class_=f"scale {kind}".rstrip())


def _text(tick: float, unit: str, sign: bool) -> str:
    decimals = next((d for d in range(4) if abs(tick - round(tick, d)) < 1e-9), 4)
    return (signed if sign else plain)(tick, decimals) + unit


def _label(axis: Axis, tick: float, text: str, odd: bool) -> Markup:
    spot = axis.at(tick)
    anchor = "start" if spot < _EDGE else "end" if spot > 100 - _EDGE else None
    return element(
        "text",
        text,
        class_="tick odd" if odd else "tick",
        x=f"{number(spot)}%",
        y=_SCALE - 5,
        text_anchor=anchor,
    )
