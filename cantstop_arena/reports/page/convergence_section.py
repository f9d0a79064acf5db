"""How the ratings converged: Elo after fewer deals."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
from markupsafe import Markup

from cantstop_arena.pages.axes import Axis, zoomed_estimates
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.marks import drawing
from cantstop_arena.pages.marks import number as coordinate
from cantstop_arena.pages.number_text import DASH, plain
from cantstop_arena.pages.vertical_scale import scale_around
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, number
from cantstop_arena.tables.notes import all_of
from cantstop_arena.tables.standings import ELO
from cantstop_arena.texts import shortened

HEIGHT, _MARGIN = 320, 8
MAX_CURVES = 60  # the best bots
MAX_NAMED = 8  # with more curves, only the winner's has a name
MAX_ROWS = 400  # of the table below the drawing
_MAX_LENGTH = 24  # letters of a name beside its curve


class PastAnalysis(msgspec.Struct, frozen=True):
    """The analysis after the first `deals` deals."""

    deals: int
    analysis: Analysis


class _Curve(msgspec.Struct, frozen=True):
    """A bot's Elo by the index of the moment, without those before its first game."""

    name: str
    points: Sequence[tuple[int, Estimate]]

    @property
    def last(self) -> float:
        return self.points[-1][1].mean or 0


def convergence_section(analysis: Analysis, past: Sequence[PastAnalysis]) -> Section:
    """The section of the convergence of ratings."""
    moments = [*past, PastAnalysis(analysis.ratings.deals, analysis)]
    if not past:
        paragraphs = ["There are too few deals, or too many games, to look back."]
        return Section("convergence", "Rating convergence", paragraphs)
    figure = _figure(analysis, moments)
    table = _table(analysis, moments)
    return Section(
        "convergence",
        "Rating convergence",
        (),
        [figure] if figure else [],
        [table] if len(table.rows) <= MAX_ROWS else [],
        finding=_finding(analysis, moments),
        folded=True,
    )


def _finding(analysis: Analysis, moments: Sequence[PastAnalysis]) -> str:
    orders = [(moment.deals, moment.analysis.names) for moment in moments]
    order = _since([(deals, names == analysis.names) for deals, names in orders])
    lead = _since([(deals, names[:1] == analysis.names[:1]) for deals, names in orders])
    last = moments[-1].deals
    if order < last:
        return f"The order has not changed since the first {order:,} deals of {last:,}"
    if lead < last:
        first = f"{analysis.names[0]} has led since the first {lead:,} deals of {last:,}"
        return f"{first}; behind it the order still changes"
    return "The order was still changing at the end"


def _since(held: Sequence[tuple[int, bool]]) -> int:
    """The deals of the first moment since which a condition has held to the last one."""
    since = held[-1][0]
    for deals, holds in reversed(held):
        if not holds:
            break
        since = deals
    return since


# The table ----------------------------------------------------------------------------------


def _table(analysis: Analysis, moments: Sequence[PastAnalysis]) -> Table:
    names = [analysis.results.bots[bot] for bot in analysis.order]
    rows = [
        (moment.deals, name, elo)
        for moment in moments
        for name in names
        if (elo := _elo(moment, name))
    ]
    columns = [number("deals"), Column("bot", "bot"), ELO]
    return Table("convergence", "Elo after so many deals", columns, rows)


def _elo(moment: PastAnalysis, name: str) -> Estimate | None:
    bots = moment.analysis.results.bots
    if name not in bots or bots.index(name) in moment.analysis.without_games:
        return None
    return moment.analysis.elo[bots.index(name)]


# The drawing --------------------------------------------------------------------------------


def _figure(analysis: Analysis, moments: Sequence[PastAnalysis]) -> Figure | None:
    curves = list(_curves(analysis, moments))
    ends = [curve.points[-1][1] for curve in curves]
    zoomed = zoomed_estimates(ends) or ends
    plotted = [curve for curve in curves if curve.points[-1][1] in zoomed][:MAX_CURVES]
    if not plotted:
        return None
    out = [f"{curve.name} ({plain(curve.last, 0)})" for curve in curves if curve not in plotted]
    whose = "" if len(plotted) <= MAX_NAMED else " of the winner"
    caption = f"Elo after each doubling of the deals; upright lines{whose}: 95% intervals."
    notes = [f"Not drawn: {all_of(out)}."] if out else []
    return Figure(
        _ConvergencePlot(plotted, [moment.deals for moment in moments]).markup(), caption, notes
    )


def _curves(analysis: Analysis, moments: Sequence[PastAnalysis]) -> Iterator[_Curve]:
    for bot in analysis.order:
        name = analysis.results.bots[bot]
        estimates = [(index, _elo(moment, name)) for index, moment in enumerate(moments)]
        points = [(index, elo) for index, elo in estimates if elo and elo.mean is not None]
        if points and points[-1][0] == len(moments) - 1:
            yield _Curve(name, points)


class _ConvergencePlot:
    """Curves of Elo by deals, with names at their ends that do not overlap."""

    def __init__(self, curves: Sequence[_Curve], deals: Sequence[int]) -> None:
        self.curves, self.deals = curves, deals
        self.few = len(curves) <= MAX_NAMED
        with_intervals = curves if self.few else curves[:1]
        ends = [end for curve in with_intervals for _, elo in curve.points for end in elo]
        means = [elo.mean for curve in curves for _, elo in curve.points]
        self.up = scale_around([*ends, *means], HEIGHT, _MARGIN)
        self.across = Axis(0, len(deals) - 1, 3)

    def markup(self) -> Markup:
        """The plot: scale on the left, curves, names on the right, deals below."""
        label = "Elo of the bots after growing numbers of deals"
        parts = [
            drawing(HEIGHT, *self.up.numbers()),
            drawing(HEIGHT, *self.up.lines(), *self._lines(), kind="curves", label=label),
            element("div", drawing(HEIGHT, *self._names()), class_="ends-of"),
            element("span"),
            drawing(18, *self._deals()),
            element("span", "deals", class_="x-label"),
        ]
        return element("div", *parts, class_="convergence")

    def _x(self, index: int) -> str:
        return f"{coordinate(self.across.at(index))}%"

    def _deals(self) -> Iterator[Markup]:
        last = len(self.deals) - 1
        for index, deals in enumerate(self.deals):
            kind = "tick odd" if (last - index) % 2 else "tick"
            yield element("text", f"{deals:,}", class_=kind, x=self._x(index), y=14)

    def _lines(self) -> Iterator[Markup]:
        for index in reversed(range(len(self.curves))):
            curve = self.curves[index]
            kind = "best" if index == 0 else "" if self.few else "faint"
            marks = [self._between(*ends) for ends in pairwise(curve.points)]
            if self.few or index == 0:
                marks += [mark for point in curve.points for mark in self._point(*point)]
            title = element("title", curve.name)
            yield element("g", title, *marks, class_=f"curve {kind}".rstrip())

    def _between(self, before: tuple[int, Estimate], after: tuple[int, Estimate]) -> Markup:
        (left, start), (right, end) = before, after
        y1, y2 = (coordinate(self.up.y(elo.mean or 0)) for elo in (start, end))
        return element("line", x1=self._x(left), y1=y1, x2=self._x(right), y2=y2)

    def _point(self, index: int, elo: Estimate) -> Iterator[Markup]:
        x = self._x(index)
        if elo.low is not None and elo.high is not None:
            top, bottom = (coordinate(self.up.y(end)) for end in (elo.high, elo.low))
            yield element("line", x1=x, x2=x, y1=top, y2=bottom)
        yield element("circle", cx=x, cy=coordinate(self.up.y(elo.mean or 0)), r=2.5)

    def _names(self) -> Iterator[Markup]:
        named = self.curves if self.few else self.curves[:1]
        for curve, y in zip(named, self.up.spaced([item.last for item in named]), strict=True):
            kind = "best" if curve is self.curves[0] else None
            yield element(
                "text", shortened(curve.name, _MAX_LENGTH), class_=kind, x=4, y=coordinate(y + 4)
            )
        if not self.few:
            others = self.curves[1:]
            mean = sum(self.up.y(curve.last) for curve in others) / len(others)
            yield element("text", f"ranks 2{DASH}{len(self.curves)}", x=4, y=coordinate(mean + 4))
