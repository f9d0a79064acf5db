"""The page of a comparison: verdicts first, then every change as an interval."""

import shlex
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from cantstop_arena.comparisons.comparison_file import RESOLVED_FILE
from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.comparisons.statistics import NEGLIGIBLE, UNDECIDED
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.pages.document import Document, Section
from cantstop_arena.pages.elements import element, join_markup
from cantstop_arena.pages.number_text import signed
from cantstop_arena.reports.comparison_headline import comparison_headline
from cantstop_arena.reports.page.comparison_data import (
    Content,
    Variant,
    changes_text,
    label,
    notable_changes,
    value_text,
    variants_of,
)
from cantstop_arena.reports.page.effects_section import effects_section
from cantstop_arena.reports.page.facts import origin, source
from cantstop_arena.reports.page.verdicts_section import verdicts_section
from cantstop_arena.tables.column import Column, Table
from cantstop_arena.tables.notes import all_of
from cantstop_arena.texts import how_many

COMMAND = shlex.join(["arena", "compare", RESOLVED_FILE, "--results", "again"])
MAX_NAMED = 3  # variants in the headline, and changes on a card


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
    """A card for each variant: its rules, its greatest changes and its tally of verdicts."""
    if not variants:
        return None
    cards = (
        element(
            "div",
            element("h2", variant.name),
            element("p", changes_text(content, variant.rules), class_="altered"),
            element("ul", *(element("li", text) for text in _greatest(variant, measures))),
            _tally(variant),
        )
        for variant in variants
    )
    return element("div", *cards, class_="cards")


def _greatest(variant: Variant, measures: DealRatios) -> Iterator[str]:
    changes = list(notable_changes(variant, measures))[:MAX_NAMED]
    for change in changes:
        by = change.by
        size = f"{signed(by.mean)}{change.unit}" if by and by.mean is not None else change.verdict
        levels = " to ".join(change.level(key) for key in ("baseline_value", "value"))
        yield f"{label(measures, change.measure)} {size}, from {levels}"
    if not changes:
        yield "No difference was found"


def _tally(variant: Variant) -> Markup:
    changes = variant.changes.values()
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
