"""The verdicts of a comparison: a row for each measure, a column for each variant and players."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cantstop_arena.comparisons.deal_ratios import LAST_SEAT, ORDER, DealRatios
from cantstop_arena.deals.counting import COUNT
from cantstop_arena.pages.document import Figure, Section
from cantstop_arena.pages.elements import element, hidden, join_markup
from cantstop_arena.pages.number_text import MINUS, UNKNOWN, p_value, percent, plain, signed
from cantstop_arena.reports.page.comparison_data import (
    Change,
    Content,
    SimilarMeasures,
    Variant,
    label,
    similar_measures,
)
from cantstop_arena.texts import how_many, listed

MAX_CELLS = 12  # of changes in a row; with more, there are several tables
_LARGE = 99.95  # changes from here on are written without decimals
_KEY = (
    ("up", "+", "different, more"),
    ("down", MINUS, "different, less"),
    ("negligible", "≈", "negligible"),
    ("undecided", "?", "inconclusive with this many games"),
    ("same", "=", "the same"),
)


def verdicts_section(
    content: Content, measures: DealRatios, variants: Sequence[Variant]
) -> Section:
    """The section of the verdicts: one table, or several where a row would be too long."""
    tables = [
        _matrix(content, measures, part, number) for number, part in enumerate(_parts(variants))
    ]
    body = join_markup(_key(), *tables)
    changes = [change for variant in variants for change in variant.changes.values()]
    differ = sum(change.is_different for change in changes)
    finding = f"{differ} of {how_many(len(changes), 'question')} show a difference"
    figure = Figure(body, _caption(content, variants), style=_phone_style(variants))
    return Section("verdicts", "All measures", figures=[figure], finding=finding)


def _sizes(variants: Sequence[Variant]) -> list[int]:
    return sorted({variant.players for variant in variants})


def _by_rules(variants: Sequence[Variant]) -> dict[str, dict[int, Variant]]:
    """The variants by rules, then by number of players."""
    variants_by_rules: dict[str, dict[int, Variant]] = {}
    for variant in variants:
        variants_by_rules.setdefault(variant.rules, {})[variant.players] = variant
    return variants_by_rules


def _parts(variants: Sequence[Variant]) -> Iterator[list[Variant]]:
    """The variants of each table, those of the same rules together."""
    groups = list(_by_rules(variants).values())
    count = max(1, MAX_CELLS // max(1, len(_sizes(variants))))
    for start in range(0, len(groups), count):
        yield [variant for group in groups[start : start + count] for variant in group.values()]


def _phone_style(variants: Sequence[Variant]) -> str:
    """CSS that depends on how many numbers of players there are."""
    count = len(_sizes(variants))
    return (
        f"@container tw (max-width:40rem){{.wide-m tbody tr{{"
        f"grid-template-columns:minmax(5rem,1fr) repeat({count},minmax(0,4.5rem))}}}}"
    )


def _key() -> Markup:
    items = (
        element("li", element("span", sign, class_=kind), f" {text}") for kind, sign, text in _KEY
    )
    return element("ul", *items, class_="verdicts")


def _caption(content: Content, variants: Sequence[Variant]) -> str:
    count = sum(len(answer["questions"]) for answer in content["answers"])
    mirrored = (
        " With two players the last seat mirrors the first and is left out."
        if any(variant.sides == 2 for variant in variants)
        else ""
    )
    return (
        f"Change against {content['baseline']}, with these bots; point at a cell for its interval."
        f" All {count} intervals together hold the truth in 95 of 100 cases (Bonferroni)."
        " Different: an interval leaves out zero. Negligible: it lies within what is to be ignored"
        f" ({_ignored(content)}).{mirrored}"
    )


def _ignored(content: Content) -> str:
    """The limit below which changes are negligible, as a range where measures differ in it."""
    values = sorted({*content["ignore_below"].values()})
    return " to ".join(percent(value) for value in dict.fromkeys((values[0], values[-1])))


def _matrix(
    content: Content, measures: DealRatios, variants: Sequence[Variant], number: int
) -> Markup:
    base, sizes, by_rules = content["baseline"], _sizes(variants), _by_rules(variants)
    corner = element("td", role="cell", rowspan=2, class_="measure")
    names = [
        element("th", name, scope="colgroup", role="columnheader", colspan=len(sizes), title=name)
        for name in (base, *by_rules)
    ]
    heads = [
        element(
            "th",
            hidden(f"{name}, "),
            str(players),
            hidden(" players" if players != 1 else " player"),
            scope="col",
            role="columnheader",
            class_="g1" if players == sizes[0] else None,
        )
        for name in (base, *by_rules)
        for players in sizes
    ]
    top = element(
        "thead",
        element("tr", corner, *names, role="row"),
        element("tr", *heads, role="row", class_="of"),
        role="rowgroup",
    )
    groups = [*similar_measures(variants)]
    if any(ORDER in variant.changes for variant in variants):
        groups.append(SimilarMeasures("order", "Order of the bots", "", [ORDER]))
    bodies = [_group(measures, base, group, by_rules, sizes) for group in groups]
    name = "Changes" if number == 0 else f"Changes, part {number + 1}"
    table = element("table", top, *bodies, class_="matrix wide-m", role="table", aria_label=name)
    return element("div", table, class_="tw")


def _group(
    measures: DealRatios,
    base: str,
    group: SimilarMeasures,
    by_rules: dict[str, dict[int, Variant]],
    sizes: Sequence[int],
) -> Markup:
    counts = f"{listed([str(size) for size in sizes])} players"
    title = element(
        "th",
        group.title,
        element("span", f"change in {group.unit}" if group.unit else "", class_="unit"),
        element("span", counts, class_="phone"),
        scope="rowgroup",
        role="rowheader",
        colspan=1 + len(sizes) * (1 + len(by_rules)),
    )
    rows = [_row(measures, base, key, by_rules, sizes) for key in group.measures]
    top = element("tr", title, role="row", class_="group")
    return element("tbody", top, *rows, role="rowgroup")


def _row(
    measures: DealRatios,
    base: str,
    key: str,
    by_rules: dict[str, dict[int, Variant]],
    sizes: Sequence[int],
) -> Markup:
    text = "The same order" if key == ORDER else label(measures, key)
    cells = [element("th", text, scope="row", role="rowheader", class_="measure")]
    for players in sizes:
        level = next(
            (
                _level(changes[players].changes[key])
                for changes in by_rules.values()
                if players in changes and key in changes[players].changes
            ),
            UNKNOWN,
        )
        kind = "num base g1" if players == sizes[0] else "num base"
        cells.append(_td(level, kind, base if players == sizes[0] else None))
    for name, changes in by_rules.items():
        for players in sizes:
            variant = changes.get(players)
            is_mirrored = key == LAST_SEAT and players == 2
            change = variant.changes.get(key) if variant and not is_mirrored else None
            first = players == sizes[0]
            cells.append(_cell(text, name, variant, change, first))
    return element("tr", *cells, role="row")


def _td(content: object, kind: str, name: str | None, title: str | None = None) -> Markup:
    return element("td", content, role="cell", class_=kind, data_l=name, title=title)


def _level(change: Change) -> str:
    value = change.data["baseline_value"]
    if value is None:
        return UNKNOWN
    return plain(value, 1) if change.data["kind"] == COUNT else percent(value, 0)


def _cell(
    text: str, name: str, variant: Variant | None, change: Change | None, first: bool
) -> Markup:
    group, label_ = (" g1", name) if first else ("", None)
    if change is None or variant is None:
        return _td(UNKNOWN, f"vd same{group}", label_)
    by = change.by
    if by is None or by.mean is None:
        cell_content = join_markup(element("b", change.sign or UNKNOWN), hidden(f" {change.word}"))
        title = f"{text}, {variant.name}: {change.word}{_chance(change)}"
        return _td(cell_content, f"vd {change.kind}{group}", label_, title)
    number = signed(by.mean, 1 if abs(by.mean) < _LARGE else 0)
    sign = "" if change.kind in ("up", "down") else f"{change.sign} "
    content = join_markup(
        element("span", sign, class_="sign", aria_hidden="true"),
        element("b", number),
        hidden(f", {change.word}"),
    )
    ends = ""
    if by.low is not None and by.high is not None:
        ends = f" ({signed(by.low)} to {signed(by.high)})"
    title = (
        f"{text}, {variant.name}: {signed(by.mean)}{ends}{change.unit}; {change.word}"
        f"{_chance(change)}"
    )
    return _td(content, f"vd {change.kind}{group}", label_, title)


def _chance(change: Change) -> str:
    p = change.data["p_corrected"]
    return "" if p is None else f"; corrected p {'' if p < 0.0001 else '= '}{p_value(p, 0.0001)}"
