"""Judgements as a page."""

from collections.abc import Sequence

from cantstop_arena.documents.document import Document, Listing, Section, as_html
from cantstop_arena.documents.formats.model import Column, Table, number
from cantstop_arena.views.cantstop.judging.judgement_text import (
    Judgements,
    Shown,
    headers,
    rows,
    worst,
)
from cantstop_arena.views.cantstop.judging.planned import Planned

TITLE = "What decisions lose"
ABOUT = (
    "Losses a game against play without mistakes, in points of winning probability (alone, in"
    " turns); plus or minus is half of a 95% interval."
)


def judgements_page(found: Judgements, planned: Planned) -> str:
    """The page: the table first, then the worst decisions of each bot."""
    rules, rival = planned.bots.rules, planned.rival
    tables = [table_of(found, rival)]
    sections = [Section("lost", TITLE, [ABOUT], tables=tables, open=True)]
    for place, (bot, judgement) in enumerate(found.items()):
        sections.append(_section(place, bot, worst(bot, judgement, rules, planned.file)))
    about = f"Can't Stop ({rules.name}), against {rival}."
    return as_html(Document(" and ".join(found), about, (), sections))


def table_of(found: Judgements, rival: str = "") -> Table:
    """What each bot loses."""
    names = headers(found, rival)
    numbers = [number(f"column{place}", name) for place, name in enumerate(names[1:], start=1)]
    columns = [Column("column0", names[0]), *numbers]
    return Table("judgements", TITLE, columns, rows(found, rival))


def _section(place: int, bot: str, shown: Sequence[Shown]) -> Section:
    listings = [Listing(one.words, f"{one.board}\n\n$ {one.command}") for one in shown]
    words = [] if shown else [f"{bot} makes no mistake."]
    return Section(f"worst{place}", f"The worst decisions of {bot}", words, listings=listings)
