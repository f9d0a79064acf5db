"""How well a single rating per bot fits the results: the pairs that it predicts worst."""

from collections.abc import Iterator, Sequence

from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, is_long, row_table
from cantstop_arena.pages.marks import drawing, grid, interval, scale
from cantstop_arena.pages.number_text import p_value, percent, plain
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model_fit.residuals import Residual
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.fit import cyclic, sensitivity

MAX_PAIRS = 8
_HEIGHT = 28


def fit_section(analysis: Analysis) -> Section:
    """The section of the model's fit."""
    pairs = analysis.residuals.pairs
    if not pairs:
        return Section("fit", "Model fit", ["There are too few bots to test the ratings."])
    return Section(
        "fit",
        "Model fit",
        list(_paragraphs(analysis)),
        [_figure(analysis, _worst(pairs))],
        finding=_finding(analysis),
        folded=True,
    )


def _worst(pairs: Sequence[Residual]) -> list[Residual]:
    return sorted(pairs, key=lambda pair: (-pair.deviate, pair.first, pair.second))[:MAX_PAIRS]


def _finding(analysis: Analysis) -> str:
    pairs = analysis.residuals.pairs
    off = [pair for pair in pairs if pair.p_value < SIGNIFICANT]
    p = analysis.goodness.p_value
    if off:
        largest = 100 * max(pair.observed - pair.predicted for pair in off)
        missed = f"Elo alone misses {len(off)} of {len(pairs)} pairings"
        return f"{missed}, by up to {plain(largest)} percentage points"
    if p is not None and p < SIGNIFICANT:
        return "A single rating per bot does not fit these results"
    return "A single rating per bot fits these results"


def _paragraphs(analysis: Analysis) -> Iterator[str]:
    p, residuals = analysis.goodness.p_value, analysis.residuals
    if p is not None:
        equals = "" if p < 0.001 else "= "
        yield f"Deviance test of a single rating per bot: p {equals}{p_value(p)}."
    if text := cyclic(residuals):
        yield text
    yield from (cycle.text(analysis.results.bots) for cycle in residuals.cycles)
    if text := sensitivity(analysis):
        yield text


def _figure(analysis: Analysis, pairs: Sequence[Residual]) -> Figure:
    estimates = [_residual(analysis, pair) for pair in pairs]
    axis = axis_around([0, *(end for residual in estimates for end in residual)], pad=2)
    ticks = axis.ticks(6)
    heads = [
        Head("Pairing", "bot"),
        Head(
            "Score minus prediction, in points",
            "plot",
            sorts=False,
            axis=scale(axis, ticks, sign=True),
        ),
        Head("Score"),
        Head("Predicted"),
        Head("Std. errors"),
        Head("p"),
    ]
    rows = [
        HtmlRow(_cells(analysis, pair, residual, axis, ticks))
        for pair, residual in zip(pairs, estimates, strict=True)
    ]
    caption = (
        f"Largest residuals: {len(pairs)} of {len(analysis.residuals.pairs)} pairings; bands: 95%"
        " intervals of the score. Filled: significant; p is corrected for all pairings (Holm). All"
        " of them are in fit.csv."
    )
    return Figure(row_table("rows fit", "Largest residuals", heads, rows), caption)


def _residual(analysis: Analysis, pair: Residual) -> Estimate:
    """The residual of a pair, score minus prediction, in percentage points."""
    cell = analysis.against[pair.first][pair.second] or Estimate(pair.observed)
    return Estimate(*(None if end is None else 100 * (end - pair.predicted) for end in cell))


def _cells(
    analysis: Analysis, pair: Residual, residual: Estimate, axis: Axis, ticks: Sequence[float]
) -> list[Cell]:
    kind = "" if pair.p_value < SIGNIFICANT else "hollow"
    marks = [*grid(axis, ticks, _HEIGHT, zero=0), interval(axis, residual, _HEIGHT / 2, kind)]
    names = analysis.results.bots[pair.first], analysis.results.bots[pair.second]
    first, second = (element("bdi", name) for name in names)
    pairing = join_markup(first, element("span", " v ", class_="versus"), second)
    return [
        Cell(pairing, "bot long" if is_long(" v ".join(names)) else "bot", heads_row=True),
        Cell(drawing(_HEIGHT, *marks), "plot"),
        Cell(percent(pair.observed), value=pair.observed, label="Score"),
        Cell(percent(pair.predicted), value=pair.predicted, label="Predicted"),
        Cell(plain(pair.deviate), value=pair.deviate, label="Std. errors"),
        Cell(p_value(pair.p_value), value=pair.p_value, label="p"),
    ]
