"""Marks in SVG without a view box: x in percent, y in pixels.

So text is never scaled, dots stay round, and one drawing fits all widths. Marks have CSS classes
and no style attributes, which the page's content security policy forbids.
"""

from collections.abc import Sequence

from markupsafe import Markup

from cantstop_arena.pages.axes import Axis
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.number_text import plain, signed
from cantstop_arena.ratings.estimate import Estimate

DOT = 3.5
_MIN = 0.05  # percent: width of the narrowest mark
_ARROW = 8  # pixels: width of an arrow
_SCALE = 18  # pixels: height of the labels of an axis


def number(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:z.2f}".rstrip("0").rstrip(".")


def drawing(height: float, *marks: Markup, kind: str = "", label: str = "") -> Markup:
    """A drawing as wide as its column; without a `label` it is hidden from screen readers."""
    about = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return element("svg", *marks, class_=f"p {kind}".rstrip(), height=number(height), **about)


def text_anchor(spot: float) -> str:
    """The side at which a label at this position, in percent, begins so that it has room."""
    return "end" if spot > 50 else "start"


def line(axis: Axis, value: float, height: float, kind: str) -> Markup:
    """A vertical line at a value."""
    spot = f"{number(axis.at(value))}%"
    return element("line", class_=kind, x1=spot, x2=spot, y1=0, y2=number(height))


def grid(
    axis: Axis, ticks: Sequence[float], height: float, zero: float | None = None
) -> list[Markup]:
    """Vertical lines at the ticks, a stronger one at `zero`.

    The others are one path in a nested drawing that is stretched to the width: pages have many.
    """
    lines = [line(axis, tick, height, "zero") for tick in ticks if tick == zero]
    steps = [f"M{number(axis.at(tick))} 0V{number(height)}" for tick in ticks if tick != zero]
    if not steps:
        return lines
    path = element("path", class_="grid", d="".join(steps), vector_effect="non-scaling-stroke")
    return [
        element(
            "svg",
            path,
            width="100%",
            height=number(height),
            viewBox=f"0 0 100 {number(height)}",
            preserveAspectRatio="none",
        ),
        *lines,
    ]


def interval(axis: Axis, estimate: Estimate, y: float, kind: str = "", band: float = 12) -> Markup:
    """A dot for the mean on a band for the interval.

    The band is taller than the dot, so that short intervals stay visible. Without a bound, it
    reaches to the end of the axis.
    """
    if estimate.mean is None:
        return Markup()
    marks = [dot(axis, estimate.mean, y, kind)]
    if estimate.low is not None or estimate.high is not None:
        low = axis.low if estimate.low is None else estimate.low
        high = axis.high if estimate.high is None else estimate.high
        marks.insert(0, block(axis, low, high, y - band / 2 + 0.5, band - 1, f"band {kind}"))
    return join_markup(*marks)


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
    """An arrow at the side beyond which a value lies, and the value's text.

    It is a nested drawing, as its coordinates are in pixels.
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
    """A bar from the left side; its length is a share of the width."""
    width = f"{number(max(_MIN, 100 * share))}%"
    filled = element("rect", class_=f"filled {kind}".rstrip(), y=1, width=width, height=8)
    return drawing(10, filled, kind="bar")


def scale(
    axis: Axis, ticks: Sequence[float], unit: str = "", sign: bool = False, kind: str = ""
) -> Markup:
    """The labels of ticks; every second one is hidden on narrow screens, but never that of 0."""
    start = ticks.index(0) if 0 in ticks else 0
    labels = (
        _label(axis, tick, _text(tick, unit, sign), (index - start) % 2 == 1)
        for index, tick in enumerate(ticks)
    )
    return element("div", drawing(_SCALE, *labels), class_=f"scale {kind}".rstrip())


def _text(tick: float, unit: str, sign: bool) -> str:
    decimals = next((d for d in range(4) if abs(tick - round(tick, d)) < 1e-9), 4)
    return (signed if sign else plain)(tick, decimals) + unit


def _label(axis: Axis, tick: float, text: str, odd: bool) -> Markup:
    kind = "tick odd" if odd else "tick"
    return element("text", text, class_=kind, x=f"{number(axis.at(tick))}%", y=_SCALE - 5)
