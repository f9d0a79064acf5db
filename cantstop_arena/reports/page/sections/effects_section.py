"""The changes of a comparison as intervals: all rule sets on one axis for each unit."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cantstop_arena.compare.measures import Questions
from cantstop_arena.documents.document import Figure, Section
from cantstop_arena.documents.formats.model import Estimate
from cantstop_arena.reports.page.plots.axes import Axis, axis_around
from cantstop_arena.reports.page.plots.elements import element, joined
from cantstop_arena.reports.page.plots.marks import block, drawing, grid, interval, scale
from cantstop_arena.reports.page.plots.row_tables import Cell, Head, Row, row_table
from cantstop_arena.reports.page.plots.wording import p_value
from cantstop_arena.reports.page.sections.changes import (
    Change,
    Content,
    Kindred,
    Variant,
    kindred,
    label,
)

_HEIGHT = 22
_LOOKS = {"up": "best", "down": "less", "undecided": "hollow"}


def effects_section(content: Content, questions: Questions, found: Sequence[Variant]) -> Section:
    """The section of the intervals."""
    figures = list(_figures(content, questions, found))
    finding = "How large the changes are, and how sure"
    return Section("effects", "Intervals", figures=figures, finding=finding)


def _figures(content: Content, questions: Questions, found: Sequence[Variant]) -> Iterator[Figure]:
    for group in kindred(found):
        ends = [end for _, one, change in _rows(group, found) for end in change.by or ()]
        if ends:
            axis = axis_around([0, *ends], pad=2)
            words = (
                f"Change in {group.unit} and its interval. Blue: more, orange: less; open:"
                " inconclusive; grey: negligible or the same; shaded: too small to matter."
                " Intervals and p are corrected for all questions (Bonferroni)."
            )
            title = element("h3", group.title)
            yield Figure(joined(title, _table(content, questions, group, found, axis)), words)


def _rows(group: Kindred, found: Sequence[Variant]) -> Iterator[tuple[str, Variant, Change]]:
    for key in group.measures:
        for one in found:
            if key in one.changes:
                yield key, one, one.changes[key]


def _table(
    content: Content, questions: Questions, group: Kindred, found: Sequence[Variant], axis: Axis
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
    for key, one, change in _rows(group, found):
        first = one is next(other for other in found if key in other.changes)
        measure = element("span", label(questions, key), class_="measure-of")
        name = joined(measure, " ", element("span", one.name, class_="variant"))
        cells = [Cell(name, "bot", heads_row=True), *_cells(change, axis, ticks)]
        rows.append(Row(cells, "measured" if first else None))
    return row_table("effects", group.title, heads, rows)


def _cells(change: Change, axis: Axis, ticks: Sequence[float]) -> list[Cell]:
    levels = " → ".join(change.level(key) for key in ("baseline_value", "value"))
    p = change.told["p_corrected"]
    return [
        Cell(drawing(_HEIGHT, *_marks(change, axis, ticks)), "plot"),
        Cell(levels, "num levels"),
        Cell("" if p is None else p_value(p, 0.0001), "num p", label="p"),
    ]


def _marks(change: Change, axis: Axis, ticks: Sequence[float]) -> Iterator[Markup]:
    ignored = 100 * change.told["ignore_below"]
    yield block(axis, -ignored, ignored, 0, _HEIGHT, "zone")
    yield from grid(axis, ticks, _HEIGHT, zero=0)
    yield interval(
        axis, change.by or Estimate(None), _HEIGHT / 2, _LOOKS.get(change.kind, "grey"), 10
    )
