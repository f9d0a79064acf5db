"""The page of `arena tune`: the trials, the fitted curves and the verdict."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from cantstop_arena.pages.axes import Axis
from cantstop_arena.pages.document import Document, Figure, Listing, Section
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.marks import block, dot, drawing, grid, line, scale
from cantstop_arena.pages.marks import number as coordinate
from cantstop_arena.pages.number_text import plain
from cantstop_arena.pages.vertical_scale import scale_around
from cantstop_arena.reports.tuning_report import best_text, judged_text, line_text, trial_rows
from cantstop_arena.tables.column import Column, Table
from cantstop_arena.tuning.halving import Curve, Optimum
from cantstop_arena.tuning.search_space import NumberList, Ranges
from cantstop_arena.tuning.tuner import TuningResult

HEIGHT, _MARGIN = 260, 8
_STYLE = ".fitted { display: grid; grid-template-columns: 3.25rem minmax(0, 1fr); }"
_CAPTION = (
    "Games won, in percent, by value of {}, the other options at their best. Dots: trials, the"
    " larger the more deals they played; lines: the fitted quadratic with its 95% interval; band:"
    " where the best value lies (95%)."
)


def document(
    result: TuningResult, search_space: Ranges | NumberList, bot: str, against: str, elo: float
) -> Document:
    """The page of a tuning; `elo` is the gain over the present options that its test looked for."""
    won = f"{100 * result.share.score:.2f} ± {100 * result.share.half:.2f}%"
    fresh = f"It won {won} of {result.share.games:,} fresh games against {against}."
    paragraphs = [best_text(result, search_space), fresh, judged_text(result.verdict, elo)]
    pasted = line_text(result, bot)
    listings = [Listing("For a tournament", pasted)] if pasted else []
    sections = [Section("found", "What was found", paragraphs, listings=listings)]
    if result.peak is not None and isinstance(search_space, Ranges):
        sections.append(_trials(result.peak, search_space))
    return Document(f"{bot}, tuned", f"Options of {bot}, against {against}.", (), sections)


def _trials(peak: Optimum, search_space: Ranges) -> Section:
    figures = [
        Figure(_plot(peak, index).markup(name), _CAPTION.format(name), style=_STYLE)
        for index, name in enumerate(search_space.names)
        if not search_space.ranges[index].is_choice
    ]
    headers, rows = trial_rows(peak, search_space)
    columns = [Column(f"column{index}", name) for index, name in enumerate(headers)]
    table = Table("trials", "Trials", columns, rows)
    return Section("trials", "Trials and fitted curve", (), figures, [table])


def _plot(peak: Optimum, index: int) -> "_TuningPlot":
    trials = [(trial.point[index], trial.score, trial.deals) for trial in peak.trials]
    best = peak.low[index], peak.point[index], peak.high[index]
    return _TuningPlot(peak.curves[index], trials, best)


class _TuningPlot:
    """A plot of trials and of the fitted curve, by value of one option."""

    def __init__(
        self, curve: Curve, trials: Sequence[tuple[Any, float, int]], best: tuple[Any, Any, Any]
    ) -> None:
        self.curve, self.trials, self.best = curve, trials, best
        self.across = Axis(float(curve.values[0]), float(curve.values[-1]), 3)
        scores = [*curve.scores, *(score for _, score, _ in trials)]
        self.up = scale_around([100 * float(score) for score in scores], HEIGHT, _MARGIN)

    def markup(self, name: str) -> Markup:
        """The plot: scale on the left, marks, values below."""
        ticks = self.across.ticks(8)
        low, point, high = map(float, self.best)
        marks = [
            block(self.across, low, high, 0, HEIGHT, "band"),
            *grid(self.across, ticks, HEIGHT),
            *self.up.lines(),
            line(self.across, point, HEIGHT, "zero"),
            *(mark for sign in (-1, 1) for mark in self._line(sign, "curve faint")),
            *self._line(0, "curve best"),
            *self._dots(),
        ]
        label = f"Games won by value of {name}, best at {plain(point, 2)}"
        return element(
            "div",
            drawing(HEIGHT, *self.up.numbers()),
            drawing(HEIGHT, *marks, label=label),
            element("span", "%", class_="x-label"),
            scale(self.across, ticks),
            class_="fitted",
        )

    def _line(self, sign: int, kind: str) -> Iterator[Markup]:
        scores = 100 * (self.curve.scores + sign * self.curve.halves)
        spots = [
            (f"{coordinate(self.across.at(float(value)))}%", coordinate(self.up.y(float(score))))
            for value, score in zip(self.curve.values, scores, strict=True)
        ]
        lines = [
            element("line", x1=x1, x2=x2, y1=y1, y2=y2) for (x1, y1), (x2, y2) in pairwise(spots)
        ]
        yield element("g", *lines, class_=kind)

    def _dots(self) -> Iterator[Markup]:
        max_deals = max(deals for _, _, deals in self.trials)
        for value, score, deals in self.trials:
            radius = 2 + 4 * (deals / max_deals) ** 0.5
            yield dot(self.across, float(value), self.up.y(100 * score), radius=radius)
