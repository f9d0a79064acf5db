"""The sections of a run's page on its judged decisions."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from cantstop_arena.pages.document import Listing, Section
from cantstop_arena.tournaments.tournament import RESOLVED
from cantstop_arena.views.cantstop.drawing import LEGEND
from cantstop_arena.views.cantstop.judging.judged_runs import StoredJudgements, stored_in
from cantstop_arena.views.cantstop.judging.judgement_report import (
    ABOUT,
    TITLE,
    best_and_worst,
    table_of,
    worst,
)

KEY = "judged"


def run_sections(folder: Path) -> Iterator[Section]:
    """Sections with the table and the worst decisions, if `arena judge` has stored them for a run;
    with a remedy when the file is damaged."""
    try:
        stored = stored_in(folder)
    except ValueError as error:
        command = shlex.join(["arena", "judge", str(folder)])
        yield Section(KEY, TITLE, [f"{error}; {command} writes it again."])
        return
    if stored and stored.judgements:
        yield _losses(stored)
        yield _worst(stored)


def _losses(stored: StoredJudgements) -> Section:
    paragraphs = [f"{ABOUT} Judged by {stored.judge}, {stored.deals:,} deals of each bot."]
    tables, finding = [table_of(stored.judgements)], best_and_worst(stored.judgements)
    return Section(KEY, TITLE, paragraphs, tables=tables, open=True, finding=finding)


def _worst(stored: StoredJudgements) -> Section:
    paragraphs = [f"{LEGEND} Commands replay their games in the folder of these results."]
    listings = [listing for bot in stored.judgements for listing in _mistake_listings(bot, stored)]
    title, finding = "The worst decisions", "Ten of each bot, drawn"
    return Section(
        f"{KEY}-worst", title, paragraphs, listings=listings, finding=finding, folded=True
    )


def _mistake_listings(bot: str, stored: StoredJudgements) -> Iterator[Listing]:
    mistakes = worst(bot, stored.judgements[bot], stored.rules, Path(RESOLVED))
    if mistakes:
        text = "\n\n".join(
            f"{mistake.text}\n\n{mistake.board}\n\n$ {mistake.command}" for mistake in mistakes
        )
        yield Listing(f"The worst decisions of {bot}", text, folded=True)
