"""The row of judged decisions in lists of results."""

from collections.abc import Iterator
from pathlib import Path

from cantstop_arena.errors import ArenaError
from cantstop_arena.extensions.strength.extension import JUDGED
from cantstop_arena.extensions.strength.judging.judgement_page import run_sections
from cantstop_arena.reports.result_rows import (
    ResultRow,
    about_game,
    report_address,
    unreadable,
    when_written,
)
from cantstop_arena.tournaments.ledger.read_ledger import load_results_with_aims


def rows(path: Path) -> Iterator[ResultRow]:
    """The row of the judged decisions of a run; none where they are those of other results."""
    when = when_written(path / JUDGED)
    try:
        results = load_results_with_aims(path)
        sections = [*run_sections(path)]
    except ArenaError as error:
        yield unreadable(path, "judged", when, error)
        return
    if not sections:
        return
    finding = sections[0].finding or " ".join(map(str, sections[0].paragraphs))
    bots = len(results.bots)
    yield ResultRow(
        path.name, "judged", about_game(results), finding, bots, 0, when, report_address(path)
    )
