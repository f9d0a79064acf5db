"""The chart of the best bots of a league, day by day."""

from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

from markupsafe import Markup

from cantstop_arena.extensions.league.standings import LeagueRow, PastStandings, short_day
from cantstop_arena.pages.axes import Axis
from cantstop_arena.pages.document import Figure
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.marks import drawing
from cantstop_arena.pages.marks import number as coordinate
from cantstop_arena.pages.vertical_scale import scale_around
from cantstop_arena.texts import shortened

MAX_CURVES = 10
_HEIGHT, _MARGIN = 320, 8
_MAX_LENGTH = 24  # letters of a name beside its curve
_MAX_DATES = 8  # below the chart


def chart(days: Sequence[PastStandings], rows: Sequence[LeagueRow], today: date) -> Figure:
    """Elo of the best bots over the days."""
    dates = [*(day.day for day in days), today]
    curves = []
    best = [row for row in rows if row.elo.mean is not None and not row.is_staff][:MAX_CURVES]
    for row in best:
        past = [(n, day.elo[row.name]) for n, day in enumerate(days) if row.name in day.elo]
        curves.append((row.public_name, [*past, (len(days), row.elo.mean or 0.0)]))
    caption = f"Elo of the best {len(best)} on the days with standings."
    return Figure(_markup(curves, dates), caption)


Curve = tuple[str, Sequence[tuple[int, float]]]


def _markup(curves: Sequence[Curve], dates: Sequence[date]) -> Markup:
    up = scale_around([y for _, points in curves for _, y in points] or [0], _HEIGHT, _MARGIN)
    span = (dates[-1] - dates[0]).days or 1
    axis = Axis(0, span, 3)
    where = [f"{coordinate(axis.at((each - dates[0]).days))}%" for each in dates]

    def lines() -> Iterator[Markup]:
        for index, (name, points) in reversed(list(enumerate(curves))):
            marks = [
                element(
                    "line",
                    x1=where[left],
                    y1=coordinate(up.y(start)),
                    x2=where[right],
                    y2=coordinate(up.y(end)),
                )
                for (left, start), (right, end) in pairwise(points)
            ]
            marks += [
                element("circle", cx=where[n], cy=coordinate(up.y(elo)), r=2.5) for n, elo in points
            ]
            kind = "curve best" if index == 0 else "curve"
            yield element("g", element("title", name), *marks, class_=kind)

    def names() -> Iterator[Markup]:
        ends = sorted(((points[-1][1], name) for name, points in curves), reverse=True)
        for y, (_, name) in zip(up.spaced([elo for elo, _ in ends]), ends, strict=True):
            kind = "best" if curves and name == curves[0][0] else None
            yield element(
                "text", shortened(name, _MAX_LENGTH), class_=kind, x=4, y=coordinate(y + 4)
            )

    def labels() -> Iterator[Markup]:
        step = -(-len(dates) // _MAX_DATES)
        for number, (x, day) in enumerate(zip(where, dates, strict=True)):
            if (len(dates) - 1 - number) % step == 0:
                yield element("text", short_day(day), class_="tick", x=x, y=14)

    parts = [
        drawing(_HEIGHT, *up.numbers()),
        drawing(_HEIGHT, *up.lines(), *lines(), kind="curves", label="Elo of the best bots by day"),
        element("div", drawing(_HEIGHT, *names()), class_="ends-of"),
        element("span"),
        drawing(18, *labels()),
        element("span"),
    ]
    return element("div", *parts, class_="convergence")
