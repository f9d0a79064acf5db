"""Judgements as a page."""

from collections.abc import Mapping, Sequence

from cantstop_arena.documents.document import Document, Listing, Section, as_html
from cantstop_arena.documents.formats.model import Column, Table
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.views.cantstop.judging.judgement_text import Judgements, Shown, headers, rows

ABOUT = (
    "Losses a game against play without mistakes, in points of winning probability (alone, in"
    " turns); plus or minus is half of a 95% interval."
)


def judgements_page(
    found: Judgements, against: str, rules: RuleSet, mistakes: Mapping[str, Sequence[Shown]]
) -> str:
    """The page: the table first, then the worst decisions of each bot."""
    columns = [Column(f"column{place}", name) for place, name in enumerate(headers(found))]
    table = Table("judgements", "What decisions lose", columns, rows(found, against))
    first = Section("lost", "What decisions lose", [ABOUT], tables=[table], open=True)
    others = [_section(place, bot, shown) for place, (bot, shown) in enumerate(mistakes.items())]
    about = f"Can't Stop ({rules.name}), against {against}."
    return as_html(Document(" and ".join(found), about, (), [first, *others]))


def _section(place: int, bot: str, shown: Sequence[Shown]) -> Section:
    listings = [Listing(one.words, f"{one.board}\n\n$ {one.command}") for one in shown]
    words = [] if shown else [f"{bot} makes no mistake."]
    return Section(f"worst{place}", f"The worst decisions of {bot}", words, listings=listings)
