"""The changes of a comparison as intervals: all rule sets on one axis for each unit."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, row_table
from cantstop_arena.pages.marks import block, drawing, grid, interval, scale
from cantstop_arena.pages.number_text import p_value
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.page.comparison_data import (
    Change,
    Content,
    SimilarMeasures,
    Variant,
    label,
    similar_measures,
)

_HEIGHT = 22
_LOOKS = {"up": "best", "down": "less", "undecided": "hollow"}


def effects_section(content: Content, measures: DealRatios, variants: Sequence[Variant]) -> Section:
    """The section of the changes and their intervals."""
    figures = list(_figures(content, measures, variants))
    finding = "How large the changes are, and how sure"
    return Section("effects", "Intervals", figures=figures, finding=finding)


def _figures(
    content: Content, measures: DealRatios, variants: Sequence[Variant]
) -> Iterator[Figure]:
    for group in similar_measures(variants):
        ends = [end for _, variant, change in _rows(group, variants) for end in change.by or ()]
        if ends:
            axis = axis_around([0, *ends], pad=2)
            caption = (
                f"Change in {group.unit} and its interval. Blue: more, orange: less; open:"
                " inconclusive; grey: negligible or the same; shaded: too small to matter."
                " Intervals and p are corrected for all questions (Bonferroni)."
            )
            title = element("h3", group.title)
            yield Figure(
                join_markup(title, _table(content, measures, group, variants, axis)), caption
            )


def _rows(
    group: SimilarMeasures, variants: Sequence[Variant]
) -> Iterator[tuple[str, Variant, Change]]:
    for key in group.measures:
        for variant in variants:
            if key in variant.changes:
                yield key, variant, variant.changes[key]


def _table(
    content: Content,
    measures: DealRatios,
    group: SimilarMeasures,
    variants: Sequence[Variant],
    axis: Axis,
) -> Markup:
    ticks = axis.ticks(8)
    labels = scale(axis, ticks, sign=True)
    heads = [
        Head("Measure, rules", "bot", sorts=False),
        Head(f"Change in {group.unit}", "plot", sorts=False, axis=labels),
        Head(f"{content['baseline']} → rules", "num levels", sorts=False),
        Head("p", "num p", sorts=False),
    ]
    rows = []
    for key, variant, change in _rows(group, variants):
        first = variant is next(other for other in variants if key in other.changes)
        measure = element("span", label(measures, key), class_="measure-of")
        name = join_markup(measure, " ", element("span", variant.name, class_="variant"))
        cells = [Cell(name, "bot", heads_row=True), *_cells(change, axis, ticks)]
        rows.append(HtmlRow(cells, "measured" if first else None))
    return row_table("effects", group.title, heads, rows)


def _cells(change: Change, axis: Axis, ticks: Sequence[float]) -> list[Cell]:
    levels = " → ".join(change.level(key) for key in ("baseline_value", "value"))
    p = change.data["p_corrected"]
    return [
        Cell(drawing(_HEIGHT, *_marks(change, axis, ticks)), "plot"),
        Cell(levels, "num levels"),
        Cell("" if p is None else p_value(p, 0.0001), "num p", label="p"),
    ]


def _marks(change: Change, axis: Axis, ticks: Sequence[float]) -> Iterator[Markup]:
    ignored = 100 * change.data["ignore_below"]
    yield block(axis, -ignored, ignored, 0, _HEIGHT, "zone")
    yield from grid(axis, ticks, _HEIGHT, zero=0)
    yield interval(
        axis, change.by or Estimate(None), _HEIGHT / 2, _LOOKS.get(change.kind, "grey"), 10
    )
