"""How well a single rating per bot fits the results: the pairs that it predicts worst."""

from collections.abc import Iterator, Sequence
from functools import partial

from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.html_table import Cell, Head, PageColumn, html_table, is_long
from cantstop_arena.pages.marks import drawing, grid, interval, scale
from cantstop_arena.pages.number_text import p_value, plain
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model_fit.residuals import Residual
from cantstop_arena.ratings.significance import SIGNIFICANT
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.pair_tables import cyclic, residual_table, sensitivity

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
    residuals = {pair: _residual(analysis, pair) for pair in pairs}
    axis = axis_around([0, *(end for residual in residuals.values() for end in residual)], pad=2)
    ticks = axis.ticks(6)
    labels = scale(axis, ticks, sign=True)
    plot_head = Head("Score minus prediction, in points", "plot", sorts=False, axis=labels)
    own = [
        PageColumn(0, Head("Pairing", "bot"), partial(_pairing, analysis.results.bots)),
        PageColumn(1, plot_head, lambda pair: _plot(pair, residuals[pair], axis, ticks)),
    ]
    html = html_table(residual_table(analysis, pairs), own, "rows fit", "Largest residuals")
    caption = (
        f"Largest residuals: {len(pairs)} of {len(analysis.residuals.pairs)} pairings; bands: 95%"
        " intervals of the score. Filled: significant; p is corrected for all pairings (Holm). All"
        " of them are in fit.csv."
    )
    return Figure(html, caption)


def _residual(analysis: Analysis, pair: Residual) -> Estimate:
    """The residual of a pair, score minus prediction, in percentage points."""
    cell = analysis.against[pair.first][pair.second] or Estimate(pair.observed)
    return Estimate(*(None if end is None else 100 * (end - pair.predicted) for end in cell))


def _pairing(names: Sequence[str], pair: Residual) -> Cell:
    versus = names[pair.first], names[pair.second]
    first, second = (element("bdi", name) for name in versus)
    pairing = join_markup(first, element("span", " v ", class_="versus"), second)
    return Cell(pairing, "bot long" if is_long(" v ".join(versus)) else "bot", heads_row=True)


def _plot(pair: Residual, residual: Estimate, axis: Axis, ticks: Sequence[float]) -> Cell:
    kind = "" if pair.p_value < SIGNIFICANT else "hollow"
    marks = [*grid(axis, ticks, _HEIGHT, zero=0), interval(axis, residual, _HEIGHT / 2, kind)]
    return Cell(drawing(_HEIGHT, *marks), "plot")
