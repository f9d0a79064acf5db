"""The page of a comparison: verdicts first, then every change as an interval."""

import shlex
from collections.abc import Sequence
from math import ceil

from markupsafe import Markup

from cantstop_arena.comparisons.comparison_file import RESOLVED_FILE
from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.comparisons.statistics import NEGLIGIBLE, UNDECIDED
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Document, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.marks import drawing, interval, line
from cantstop_arena.pages.number_text import signed
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.comparison_headline import comparison_headline
from cantstop_arena.reports.page.comparison_data import (
    Change,
    Content,
    Variant,
    changes_text,
    label,
    notable_changes,
    similar_measures,
    value_text,
    variants_of,
)
from cantstop_arena.reports.page.effects_section import LOOKS, effects_section
from cantstop_arena.reports.page.facts import origin, source
from cantstop_arena.reports.page.verdicts_section import verdicts_section
from cantstop_arena.tables.column import Column, Table
from cantstop_arena.tables.notes import all_of
from cantstop_arena.texts import how_many, listed

COMMAND = shlex.join(["arena", "compare", RESOLVED_FILE, "--results", "again"])
MAX_IN_ROW, MAX_LINES = 4, 4  # cards in a row, and lines of a card


def document(content: Content, configuration: str) -> Document:
    """The page of a comparison, from the content of `comparison.json` and its YAML file."""
    game = game_named(content.get("game", DEFAULT))
    measures = DealRatios(game.counts)
    items = variants_of(content)
    seed = str(content["seed"])
    sections = [
        verdicts_section(content, measures, items),
        effects_section(content, measures, items),
        _text_section(content),
    ]
    return Document(
        title=content["name"],
        about=f"{game.title}: {all_of(content['bots'])}",
        answer=[_compared(content, items)],
        sections=[
            *(sections if items else ()),
            _rules(content),
            origin(COMMAND, RESOLVED_FILE, configuration, [("seed", seed)]),
        ],
        headline=comparison_headline(content),
        cards=_cards(content, measures, items),
        source=source(content["name"], seed, _played(items)),
    )


# The answer ---------------------------------------------------------------------------------


def _compared(content: Content, variants: Sequence[Variant]) -> str:
    if not variants:
        return "There is no rule set beside the baseline."
    return f"Each rule set against {content['baseline']}, in the same deals: {_played(variants)}."


def _played(variants: Sequence[Variant]) -> str:
    """The numbers of deals and games per rule set, or the total where they differ."""
    totals = {(variant.answer["deals"], variant.answer["games"]) for variant in variants}
    if len(totals) != 1:
        games = sum(variant.answer["games"] for variant in variants)
        return f"{how_many(games, 'game')} under the variants"
    [(deals, games)] = totals
    return f"{how_many(deals, 'deal')}, {how_many(games, 'game')} under each rule set"


# Cards --------------------------------------------------------------------------------------


def _cards(content: Content, measures: DealRatios, variants: Sequence[Variant]) -> Markup | None:
    """A card for each rule set: the same measures in all, each on one axis, and its verdicts."""
    if not variants:
        return None
    by_rules: dict[str, list[Variant]] = {}
    for variant in variants:
        by_rules.setdefault(variant.rules, []).append(variant)
    lines = [(key, _axis(variants, key)) for key in _card_measures(measures, variants)]
    cards = (
        element(
            "div",
            element("h2", name),
            element("p", changes_text(content, name), class_="altered"),
            element("ul", *(_card_line(measures, own, *line) for line in lines)),
            _tally(own),
        )
        for name, own in by_rules.items()
    )
    rows = ceil(len(by_rules) / MAX_IN_ROW)
    across = ceil(len(by_rules) / rows)
    grid = element("div", *cards, class_=f"cards across{across}")
    sizes = sorted({variant.players for variant in variants})
    which = ""
    if len(sizes) > 1:
        which = f"Lines from top to bottom: {listed([str(size) for size in sizes])} players. "
    note = f"{which}Each measure has one axis in all cards; the upright line is no change."
    return join_markup(grid, element("p", note, class_="note")) if lines else grid


def _card_measures(measures: DealRatios, variants: Sequence[Variant]) -> list[str]:
    """The measures on all cards: the length of games, and those with the greatest effects."""
    effects: dict[str, float] = {}
    for variant in variants:
        for change in notable_changes(variant, measures):
            size = abs(change.data["effect_size"] or 0)
            effects[change.measure] = max(size, effects.get(change.measure, 0))
    length = measures.counts.length
    ranked = sorted(effects, key=lambda key: -effects[key])
    usual = [key for group in similar_measures(variants) for key in group.measures]
    keys = dict.fromkeys([length, *ranked, *usual])
    return [key for key in keys if _has_intervals(variants, key)][:MAX_LINES]


def _has_intervals(variants: Sequence[Variant], key: str) -> bool:
    having = [variant.changes[key] for variant in variants if key in variant.changes]
    return bool(having) and all(
        change.by is not None and change.by.low is not None and change.by.high is not None
        for change in having
    )


def _axis(variants: Sequence[Variant], key: str) -> Axis:
    changes = [variant.changes[key].by for variant in variants if key in variant.changes]
    return axis_around([0, *(end for by in changes if by for end in by)], pad=4, max_ticks=6)


def _card_line(measures: DealRatios, variants: Sequence[Variant], key: str, axis: Axis) -> Markup:
    changes = [variant.changes[key] for variant in variants if key in variant.changes]
    height = 14 * len(changes) + 4
    marks = [line(axis, 0, height, "zero")]
    for index, change in enumerate(changes):
        look = LOOKS.get(change.kind, "grey")
        marks.append(interval(axis, change.by or Estimate(None), 9 + 14 * index, look, 10))
    head = element(
        "span",
        element("span", label(measures, key)),
        " ",
        element("b", _range_text(changes)),
        class_="line",
    )
    return element("li", head, drawing(height, *marks))


def _range_text(changes: Sequence[Change]) -> str:
    """The changes with all numbers of players, the smallest by its size first."""
    values = sorted((change.by.mean for change in changes if change.by), key=lambda v: abs(v or 0))
    if not values:
        return ""
    unit = changes[0].unit
    decimals = 0 if abs(values[-1] or 0) >= 9.5 else 1
    ends = dict.fromkeys(signed(value or 0, decimals) for value in (values[0], values[-1]))
    return f"{' to '.join(ends)}{unit}"


def _tally(variants: Sequence[Variant]) -> Markup:
    changes = [change for variant in variants for change in variant.changes.values()]
    differ = sum(change.is_different for change in changes)
    open_ = sum(change.verdict == UNDECIDED for change in changes)
    negligible = sum(change.verdict == NEGLIGIBLE for change in changes)
    counts = (
        (differ, "different"),
        (open_, "inconclusive"),
        (negligible, "negligible"),
        (len(changes) - differ - open_ - negligible, "the same"),
    )
    parts = [join_markup(element("b", count), f" {what}") for count, what in counts if count]
    return element("p", Markup(" · ").join(parts), class_="tally")


# Sentences and rules ------------------------------------------------------------------------


def _text_section(content: Content) -> Section:
    texts = [answer["sentence"] for answer in content["answers"]]
    finding = "What each rule set changes, in a sentence"
    return Section("sentences", "In words", texts, finding=finding, folded=True)


def _rules(content: Content) -> Section:
    """The section of the rule sets' parameters, with notes on the games."""
    names = list(content["rules"])
    parameters = list(dict.fromkeys(key for rules in content["rules"].values() for key in rules))
    rows = [
        [key, *(value_text(content["rules"][name].get(key)) for name in names)]
        for key in parameters
    ]
    columns = [Column("parameter", "parameter"), *(Column(name, name) for name in names)]
    table = Table("rules", "Parameters of the rules", columns, rows)
    finding = "All parameters of all rule sets"
    notes = content["notes"]
    return Section(
        "rules", "Rules", notes, tables=[table], open=True, finding=finding, folded=not notes
    )
