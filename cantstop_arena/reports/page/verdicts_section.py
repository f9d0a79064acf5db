"""The verdicts of a comparison: a matrix of intervals by measure and rule set."""

from collections.abc import Sequence

from markupsafe import Markup

from cantstop_arena.comparisons.deal_ratios import ORDER, DealRatios
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.number_text import p_value, percent, signed
from cantstop_arena.reports.page.comparison_data import (
    Change,
    Content,
    SimilarMeasures,
    Variant,
    label,
    similar_measures,
)
from cantstop_arena.texts import how_many

_KEY = (
    ("up", "▲", "different, more"),
    ("down", "▼", "different, less"),
    ("negligible", "≈", "negligible"),
    ("undecided", "?", "inconclusive with this many games"),
    ("same", "=", "the same"),
)


def verdicts_section(
    content: Content, measures: DealRatios, variants: Sequence[Variant]
) -> Section:
    """The section of the verdicts, with a matrix for each number of players."""
    sizes = dict.fromkeys(variant.players for variant in variants)
    figures = [
        _figure(
            content,
            measures,
            [variant for variant in variants if variant.players == players],
            len(sizes) > 1,
        )
        for players in sizes
    ]
    changes = [change for variant in variants for change in variant.changes.values()]
    differ = sum(change.is_different for change in changes)
    finding = f"{differ} of {how_many(len(changes), 'question')} show a difference"
    return Section("verdicts", "Verdicts", figures=figures, finding=finding)


def _figure(
    content: Content, measures: DealRatios, variants: Sequence[Variant], sized: bool
) -> Figure:
    title = element("h3", how_many(variants[0].players, "player")) if sized else ""
    matrix = _matrix(content, measures, variants)
    return Figure(join_markup(title, matrix), _caption(content, variants))


def _key() -> Markup:
    items = (
        element("li", element("span", sign, class_=kind), f" {text}") for kind, sign, text in _KEY
    )
    return element("ul", *items, class_="verdicts")


def _caption(content: Content, variants: Sequence[Variant]) -> str:
    count = sum(len(answer["questions"]) for answer in content["answers"])
    mirrored = " The last seat mirrors the first and is left out." if variants[0].sides == 2 else ""
    return (
        f"Change against {content['baseline']} and its interval, with these bots. All {count}"
        " intervals together hold the truth in 95 of 100 cases (Bonferroni). Different: an interval"
        " leaves out zero. Negligible: it lies within what is to be ignored"
        f" ({_ignored(content)}).{mirrored}"
    )


def _ignored(content: Content) -> str:
    """The limit below which changes are negligible, as a range where measures differ in it."""
    values = sorted({*content["ignore_below"].values()})
    return " to ".join(percent(value) for value in dict.fromkeys((values[0], values[-1])))


def _matrix(content: Content, measures: DealRatios, variants: Sequence[Variant]) -> Markup:
    base = content["baseline"]
    heads = [
        element("th", "Measure", scope="col", role="columnheader", class_="measure"),
        element("th", base, scope="col", role="columnheader", class_="num base"),
        *(element("th", variant.rules, scope="col", role="columnheader") for variant in variants),
    ]
    top = element("thead", element("tr", *heads, role="row"), role="rowgroup")
    bodies = [_group(measures, base, group, variants) for group in similar_measures(variants)]
    order = (
        [_order(base, variants)] if any(ORDER in variant.changes for variant in variants) else []
    )
    table = element(
        "table", top, *bodies, *order, class_="matrix", role="table", aria_label="Verdicts"
    )
    return element("div", table, class_="tw")


def _group(
    measures: DealRatios, base: str, group: SimilarMeasures, variants: Sequence[Variant]
) -> Markup:
    unit = element("span", f"change in {group.unit}")
    title = element(
        "th", group.title, unit, scope="rowgroup", role="rowheader", colspan=2 + len(variants)
    )
    rows = [_row(label(measures, key), base, key, variants) for key in group.measures]
    top = element("tr", title, role="row", class_="group")
    return element("tbody", top, *rows, role="rowgroup")


def _order(base: str, variants: Sequence[Variant]) -> Markup:
    return element("tbody", _row("Order of the bots", base, ORDER, variants), role="rowgroup")


def _row(text: str, base: str, key: str, variants: Sequence[Variant]) -> Markup:
    having = [variant.changes[key] for variant in variants if key in variant.changes]
    head = element("th", text, scope="row", role="rowheader", class_="measure")
    level = having[0].level("baseline_value") if having else ""
    first = element("td", level, role="cell", class_="num base", data_l=base)
    cells = [_cell(text, variant, variant.changes.get(key)) for variant in variants]
    return element("tr", head, first, *cells, role="row")


def _cell(text: str, variant: Variant, change: Change | None) -> Markup:
    if change is None:
        return element("td", role="cell", class_="verdict", data_l=variant.rules)
    sign = element("span", change.sign, class_="sign", aria_hidden="true")
    about = element("div", sign, *_content(change))
    kind = f"verdict {change.kind}"
    title = f"{text}, {variant.name}: {change.word}{_level(change)}{_chance(change)}"
    return element("td", about, role="cell", class_=kind, title=title, data_l=variant.rules)


def _content(change: Change) -> list[Markup]:
    by = change.by
    if by is None or by.mean is None:
        return [element("b", change.word, class_="word")]
    parts = [element("b", signed(by.mean))]
    if by.low is not None and by.high is not None:
        parts.append(element("span", f"{signed(by.low)} to {signed(by.high)}", class_="interval"))
    return [*parts, element("span", f", {change.word}", class_="unseen")]


def _level(change: Change) -> str:
    levels = [change.level(key) for key in ("baseline_value", "value")]
    return f"; from {levels[0]} to {levels[1]}" if all(levels) else ""


def _chance(change: Change) -> str:
    p = change.data["p_corrected"]
    return "" if p is None else f"; corrected p {'' if p < 0.0001 else '= '}{p_value(p, 0.0001)}"
