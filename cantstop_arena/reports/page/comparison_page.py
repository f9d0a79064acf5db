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
from cantstop_arena.pages.number_text import plain, signed
from cantstop_arena.reports.page.comparison_data import (
    Change,
    Content,
    Variant,
    changes_text,
    described_changes,
    label,
    standing_out,
    variants,
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
    """The page of what `comparison.json` says; `configuration` is the file that asked for it."""
    game = game_named(content.get("game", DEFAULT))
    questions = DealRatios(game.counts)
    found = variants(content)
    seed = str(content["seed"])
    sections = [
        verdicts_section(content, questions, found),
        effects_section(content, questions, found),
        _sentences(content),
    ]
    return Document(
        title=content["name"],
        about=f"{game.title}: {all_of(content['bots'])}",
        answer=[_compared(content, found)],
        sections=[
            *(sections if found else ()),
            _rules(content),
            origin(COMMAND, RESOLVED_FILE, configuration, [("seed", seed)]),
        ],
        headline=_headline(content, questions, found),
        cards=_cards(content, questions, found),
        source=source(content["name"], seed, _played(found)),
    )


# The answer ---------------------------------------------------------------------------------


def _headline(content: Content, questions: DealRatios, found: Sequence[Variant]) -> str:
    base, key = content["baseline"], questions.counts.length
    if not found:
        return "Nothing was compared"
    lengths = [(one.name, one.changes[key]) for one in found if key in one.changes]
    sets = f"{how_many(len({one.rules for one in found}), 'rule set')} against {base}"
    if len(found) > MAX_NAMED or len(lengths) < len(found):
        return sets
    if not any(change.is_different for _, change in lengths):
        return f"{sets}: no clear change in the length of games"
    return f"Games are {all_of([f'{_longer(change)} with {name}' for name, change in lengths])}"


def _longer(change: Change) -> str:
    by = change.by
    if not change.is_different or by is None or by.mean is None:
        same = change.verdict != UNDECIDED
        return "about as long" if same else "not clearly longer or shorter"
    return f"{plain(abs(by.mean))}% {'longer' if change.is_more else 'shorter'}"


def _compared(content: Content, found: Sequence[Variant]) -> str:
    if not found:
        return "There is no rule set beside the baseline."
    return f"Each rule set against {content['baseline']}, in the same deals: {_played(found)}."


def _played(found: Sequence[Variant]) -> str:
    """How much was played, where it is the same for all."""
    told = {(one.answer["deals"], one.answer["games"]) for one in found}
    if len(told) != 1:
        games = sum(one.answer["games"] for one in found)
        return f"{how_many(games, 'game')} under the variants"
    [(deals, games)] = told
    return f"{how_many(deals, 'deal')}, {how_many(games, 'game')} under each rule set"


# Cards --------------------------------------------------------------------------------------


def _cards(content: Content, questions: DealRatios, found: Sequence[Variant]) -> Markup | None:
    """For each variant what it alters, its greatest changes, and how many there are."""
    if not found:
        return None
    cards = (
        element(
            "div",
            element("h2", one.name),
            element("p", changes_text(content, one.rules), class_="altered"),
            element("ul", *(element("li", text) for text in _greatest(one, questions))),
            _tally(one),
        )
        for one in found
    )
    return element("div", *cards, class_="cards")


def _greatest(variant: Variant, questions: DealRatios) -> Iterator[str]:
    told = list(standing_out(variant, questions))[:MAX_NAMED]
    for change in told:
        by = change.by
        size = f"{signed(by.mean)}{change.unit}" if by and by.mean is not None else change.verdict
        levels = " to ".join(change.level(key) for key in ("baseline_value", "value"))
        yield f"{label(questions, change.measure)} {size}, from {levels}"
    if not told:
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


# The rest -----------------------------------------------------------------------------------


def _sentences(content: Content) -> Section:
    words = [answer["sentence"] for answer in content["answers"]]
    finding = "What each rule set changes, in a sentence"
    return Section("sentences", "In words", words, finding=finding, folded=True)


def _rules(content: Content) -> Section:
    """What the rule sets are, and what should be known of how the games went."""
    names = list(content["rules"])
    parameters = list(dict.fromkeys(key for rules in content["rules"].values() for key in rules))
    rows = [
        [key, *(described_changes(content["rules"][name].get(key)) for name in names)]
        for key in parameters
    ]
    columns = [Column("parameter", "parameter"), *(Column(name, name) for name in names)]
    table = Table("rules", "Parameters of the rules", columns, rows)
    finding = "All parameters of all rule sets"
    notes = content["notes"]
    return Section(
        "rules", "Rules", notes, tables=[table], open=True, finding=finding, folded=not notes
    )
