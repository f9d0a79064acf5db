"""The changes of a comparison as intervals, for one measure at a time."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cantstop_arena.comparisons.deal_ratios import LAST_SEAT, ORDER, DealRatios
from cantstop_arena.deals.counting import COUNT
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, row_table
from cantstop_arena.pages.marks import block, drawing, grid, interval, scale
from cantstop_arena.pages.number_text import UNKNOWN, p_value, signed
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import SIGNIFICANT
from cantstop_arena.reports.page.comparison_data import (
    LEVELS,
    Change,
    Content,
    Variant,
    label,
    similar_measures,
)

_HEIGHT, _MANY = 26, 30  # counts from here on are written with one decimal
LOOKS = {"up": "best", "down": "less", "undecided": "hollow"}
_CAPTION = (
    "Change and its interval. Filled: different; open: inconclusive; grey: negligible or the same;"
    " shaded: too small to matter. Intervals and p are corrected for all questions (Bonferroni);"
    " p is written where it is below 0.05."
)


def effects_section(content: Content, measures: DealRatios, variants: Sequence[Variant]) -> Section:
    """The section of the changes and their intervals; buttons choose the measure."""
    figures = list(_chooser(content, measures, variants))
    finding = "How large the changes are, and how sure"
    return Section("effects", "One measure", figures=figures, finding=finding)


def _chooser(
    content: Content, measures: DealRatios, variants: Sequence[Variant]
) -> Iterator[Figure]:
    """A forest for each measure, of which one is visible; radio buttons need no script."""
    inputs, labels, panels, rules = list[Markup](), list[Markup](), list[Markup](), list[str]()
    keys = [key for group in similar_measures(variants) for key in group.measures if key != ORDER]
    for key in keys:
        names = list(dict.fromkeys(variant.rules for variant in variants))
        rows = [
            (variant, variant.changes[key])
            for variant in sorted(variants, key=lambda variant: names.index(variant.rules))
            if key in variant.changes and not (key == LAST_SEAT and variant.players == 2)
        ]
        ends = [end for _, change in rows for end in change.by or () if end is not None]
        if not ends:
            continue
        slug, text = f"m{len(panels)}", label(measures, key)
        chosen = True if not panels else None
        inputs.append(element("input", type="radio", name="measure", id=slug, checked=chosen))
        labels.append(element("label", text, for_=slug))
        table = _forest(content, text, rows, axis_around([0, *ends], pad=2))
        panels.append(element("div", table, class_=f"panel of-{slug}"))
        rules.append(
            f"#{slug}:checked~.panels .of-{slug}{{display:block}}"
            f"#{slug}:checked~.tabs [for={slug}]{{background:var(--p1);border-color:var(--edge);"
            f"color:var(--ink)}}#{slug}:focus-visible~.tabs [for={slug}]"
            "{outline:2px solid var(--accent);outline-offset:2px}"
        )
    if panels:
        body = element(
            "div",
            *inputs,
            element("div", *labels, class_="tabs"),
            element("div", *panels, class_="panels"),
            class_="chooser",
            role="group",
            aria_label="Measure",
        )
        yield Figure(body, _CAPTION, style="".join(rules))


def _forest(
    content: Content, text: str, rows: Sequence[tuple[Variant, Change]], axis: Axis
) -> Markup:
    ticks = axis.ticks(8)
    is_count = rows[0][1].data["kind"] == COUNT
    unit = "%" if is_count else "points"
    levels = [change.data[key] or 0 for _, change in rows for key in LEVELS]
    decimals = 2 if is_count and max(levels) < _MANY else 1
    heads = [
        Head("Rules", "bot", sorts=False),
        Head(f"{text}: change in {unit}", "plot", sorts=False, axis=scale(axis, ticks, sign=True)),
        Head("Change", sorts=False),
        Head("Interval", "num ends", sorts=False),
        Head(f"{content['baseline']} → rules", "num levels", sorts=False),
        Head("p", "num p", sorts=False),
    ]
    cells = [
        HtmlRow(
            [Cell(variant.name, "bot", heads_row=True), *_cells(change, axis, ticks, decimals)],
            "first-of" if index and rows[index - 1][0].rules != variant.rules else None,
        )
        for index, (variant, change) in enumerate(rows)
    ]
    return row_table("rows forest", text, heads, cells)


def _cells(change: Change, axis: Axis, ticks: Sequence[float], decimals: int) -> list[Cell]:
    levels = " → ".join(change.level(key, decimals) for key in LEVELS)
    p, by = change.data["p_corrected"], change.by or Estimate(None)
    ends = "" if by.low is None or by.high is None else f"{signed(by.low)} to {signed(by.high)}"
    return [
        Cell(drawing(_HEIGHT, *_marks(change, axis, ticks)), "plot"),
        Cell(UNKNOWN if by.mean is None else signed(by.mean), label="Change"),
        Cell(ends, "num ends", label="Interval"),
        Cell(levels, "num levels"),
        Cell(p_value(p) if p is not None and p < SIGNIFICANT else UNKNOWN, "num p", label="p"),
    ]


def _marks(change: Change, axis: Axis, ticks: Sequence[float]) -> Iterator[Markup]:
    ignored = 100 * change.data["ignore_below"]
    yield block(axis, -ignored, ignored, 0, _HEIGHT, "zone")
    yield from grid(axis, ticks, _HEIGHT, zero=0)
    look = LOOKS.get(change.kind, "grey")
    yield interval(axis, change.by or Estimate(None), _HEIGHT / 2, look, 10)
