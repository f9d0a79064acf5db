"""The lengths of each bot's games, as histograms."""

from collections.abc import Iterator, Sequence
from math import ceil

from markupsafe import Markup

from cantstop_arena.deals.counting import LENGTH_CLASSES, shortest_of
from cantstop_arena.pages.axes import Axis
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.html_table import Cell, Head, PageColumn, html_table
from cantstop_arena.pages.marks import drawing, grid, number, scale
from cantstop_arena.pages.number_text import DASH
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table
from cantstop_arena.tables.styles import RANGE_ORDER, Lengths, all_lengths, lengths

_TALL, _LOW, _MANY = (
    40,
    28,
    8,
)  # pixels of a histogram; bots above which it is low
_MIN_BAR = 0.3  # pixels: lower bars are not drawn


def lengths_section(analysis: Analysis) -> Section:
    """The section of game lengths."""
    distributions = all_lengths(analysis)
    units = f"{analysis.results.counts.unit}s"
    table = lengths(analysis)
    figures = [_histograms(table, distributions, units)] if distributions else []
    return Section(
        "lengths",
        "Game length",
        (),
        figures,
        [table] if distributions else [],
        finding=_medians(analysis, distributions, units),
        folded=True,
    )


def _medians(analysis: Analysis, distributions: Sequence[Lengths], units: str) -> str:
    if not distributions:
        return "No game was played to its end"
    ordered = sorted(distributions, key=lambda distribution: distribution.percentile(50))
    short, long = (analysis.results.bots[ordered[index].bot] for index in (0, -1))
    half = f"Half the games of {short} are over in {ordered[0].percentile(50)} {units}"
    if ordered[0].percentile(50) == ordered[-1].percentile(50):
        return f"Half the games are over in {ordered[0].percentile(50)} {units}, whoever plays"
    return f"{half}, of {long} in {ordered[-1].percentile(50)}"


def _histograms(table: Table, distributions: Sequence[Lengths], units: str) -> Figure:
    top = 5 * ceil(1.15 * max(distribution.percentile(95) for distribution in distributions) / 5)
    axis = Axis(0, top, 1)
    peak = max(share for distribution in distributions for _, _, share in _bins(distribution)) or 1
    height = _TALL if len(distributions) <= _MANY else _LOW
    plot_head = Head(f"Games by {units}", "plot", sorts=False, axis=scale(axis, axis.ticks(8)))
    own = [
        PageColumn(1, plot_head, lambda lengths: _histogram(lengths, axis, peak, height)),
        PageColumn(RANGE_ORDER, Head("5th to 95th"), _range),
    ]
    html = html_table(table, own, "rows lengths")
    caption = (
        f"{units.capitalize()} of all seats together, in one scale for all bots; strong: the"
        " median; grey: the shortest and the longest twentieth of the games. Games of more than"
        f" {top} {units} are not drawn."
    )
    return Figure(html, caption)


def _histogram(distribution: Lengths, axis: Axis, peak: float, height: int) -> Cell:
    marks = [*grid(axis, axis.ticks(8), height), *_bars(distribution, axis, peak, height)]
    base = element("line", class_="rule", x1=0, x2="100%", y1=height - 0.5, y2=height - 0.5)
    return Cell(drawing(height, *marks, base), "plot")


def _range(distribution: Lengths) -> Cell:
    low, high = distribution.percentile(5), distribution.percentile(95)
    return Cell(f"{low:,}{DASH}{high:,}", value=high - low, label="5th to 95th")


def _bins(distribution: Lengths) -> Iterator[tuple[int, int, float]]:
    """Each length class as (shortest length, number of lengths, share of games per length)."""
    for kind, games in sorted(distribution.classes.items()):
        low = shortest_of(kind)
        wide = shortest_of(kind + 1) - low if kind < LENGTH_CLASSES - 1 else 1
        yield low, wide, games / wide / distribution.games


def _bars(distribution: Lengths, axis: Axis, peak: float, height: int) -> Iterator[Markup]:
    """The bars, those of a kind as one path in a nested drawing that is stretched to the width."""
    low, median, high = map(distribution.percentile, (5, 50, 95))
    unit = axis.at(1) - axis.at(0)
    paths: dict[str, list[str]] = {}
    for start, wide, share in _bins(distribution):
        tall = (height - 4) * share / peak
        if start > axis.high or tall <= _MIN_BAR:
            continue
        kind = "middle" if start == median else "" if low <= start <= high else "outer"
        left, width = number(axis.at(start) - 0.41 * unit), number((wide - 0.18) * unit)
        paths.setdefault(kind, []).append(f"M{left} {height}v-{number(tall)}h{width}V{height}z")
    shapes = [
        element("path", class_=f"bin {kind}".rstrip(), d="".join(bars))
        for kind, bars in paths.items()
    ]
    yield element(
        "svg",
        *shapes,
        width="100%",
        height=height,
        viewBox=f"0 0 100 {height}",
        preserveAspectRatio="none",
    )
