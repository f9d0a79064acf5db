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
        kept = stored_in(folder)
    except ValueError as error:
        command = shlex.join(["arena", "judge", str(folder)])
        yield Section(KEY, TITLE, [f"{error}; {command} writes it again."])
        return
    if kept and kept.judgements:
        yield _losses(kept)
        yield _worst(kept)


def _losses(kept: StoredJudgements) -> Section:
    words = [f"{ABOUT} Judged by {kept.judge}, {kept.deals:,} deals of each bot."]
    tables, finding = [table_of(kept.judgements)], best_and_worst(kept.judgements)
    return Section(KEY, TITLE, words, tables=tables, open=True, finding=finding)


def _worst(kept: StoredJudgements) -> Section:
    words = ["Commands replay their games in the folder of these results."]
    listings = [listing for bot in kept.judgements for listing in _drawn(bot, kept)]
    title, finding = "The worst decisions", "Ten of each bot, drawn"
    return Section(f"{KEY}-worst", title, words, listings=listings, finding=finding, folded=True)


def _drawn(bot: str, kept: StoredJudgements) -> Iterator[Listing]:
    shown = worst(bot, kept.judgements[bot], kept.rules, Path(RESOLVED))
    if shown:
        drawn = "\n\n".join(f"{one.text}\n\n{one.board}\n\n$ {one.command}" for one in shown)
        yield Listing(f"The worst decisions of {bot}", drawn, folded=True)
