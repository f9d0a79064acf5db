"""What was found of the decisions in a run, as sections of its page."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from cantstop_arena.pages.document import Listing, Section
from cantstop_arena.tournaments.tournament import RESOLVED
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
    """The table and the worst decisions, where `arena judge` has left them in the folder of a run;
    what to do where they are damaged."""
    try:
        stored_stored_judgements = stored_in(folder)
    except ValueError as error:
        command = shlex.join(["arena", "judge", str(folder)])
        yield Section(KEY, TITLE, [f"{error}; {command} writes it again."])
        return
    if stored_stored_judgements and stored_stored_judgements.judgements:
        yield _losses(stored_stored_judgements)
        yield _worst(stored_stored_judgements)


def _losses(stored: StoredJudgements) -> Section:
    arguments = [f"{ABOUT} Judged by {stored.judge}, {stored.deals:,} deals of each bot."]
    tables, finding = [table_of(stored.judgements)], best_and_worst(stored.judgements)
    return Section(KEY, TITLE, arguments, tables=tables, open=True, finding=finding)


def _worst(stored: StoredJudgements) -> Section:
    arguments = ["Commands replay their games in the folder of these results."]
    listings = [listing for bot in stored.judgements for listing in _mistake_listings(bot, stored)]
    title, finding = "The worst decisions", "Ten of each bot, drawn"
    return Section(
        f"{KEY}-worst", title, arguments, listings=listings, finding=finding, folded=True
    )


def _mistake_listings(bot: str, stored: StoredJudgements) -> Iterator[Listing]:
    items = worst(bot, stored.judgements[bot], stored.rules, Path(RESOLVED))
    if items:
        sample = "\n\n".join(
            f"{mistake.text}\n\n{mistake.board}\n\n$ {mistake.command}" for mistake in items
        )
        yield Listing(f"The worst decisions of {bot}", sample, folded=True)
