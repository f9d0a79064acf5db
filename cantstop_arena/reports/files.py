"""The reports as files, each written whole or not at all."""

import csv
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, fields
from io import StringIO
from pathlib import Path

from cantstop_arena.outcomes import Results
from cantstop_arena.reports.standings import (
    SoloStanding,
    Standing,
    against,
    solo_standings,
    standings,
)
from cantstop_arena.reports.summary import summary
from cantstop_arena.reports.tables import MARKDOWN, crosstable_table, standings_table


def write_reports(results: Results, folder: Path) -> list[Path]:
    """Write the reports into an existing folder; the paths of what was written, in order.

    The same results give the same bytes. A single seat has no crosstable, nor is one left there
    from a tournament before.
    """
    for stale in ("crosstable.csv", "crosstable.md"):
        (folder / stale).unlink(missing_ok=True)
    written = []
    for name, text in _contents(results):
        written.append(folder / name)
        write_whole(folder / name, text)
    return written


def _contents(results: Results) -> Iterator[tuple[str, str]]:
    yield "standings.csv", standings_csv(results)
    yield "standings.md", standings_table(results, MARKDOWN) + "\n"
    if results.players > 1:
        yield "crosstable.csv", crosstable_csv(results)
        yield "crosstable.md", crosstable_table(results, MARKDOWN) + "\n"
    yield "summary.json", summary_json(results)


def standings_csv(results: Results) -> str:
    """The standings; Elo with two decimals, scores as parts of 1, empty where there is nothing."""
    if results.players == 1:
        solo = solo_standings(results)
        return _csv(_headings(SoloStanding), (astuple(row) for row in solo))
    rows = [{**asdict(row), "elo": f"{row.elo:.2f}"} for row in standings(results)]
    return _csv(_headings(Standing), (row.values() for row in rows))


def crosstable_csv(results: Results) -> str:
    """The scores of the row's bot against the column's, as parts of 1, the diagonal empty."""
    rows = against(results)
    return _csv(["bot", *(bot for bot, _ in rows)], ([bot, *cells] for bot, cells in rows))


def summary_json(results: Results) -> str:
    return json.dumps(summary(results), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _headings(row: type[Standing] | type[SoloStanding]) -> list[str]:
    return [column.name for column in fields(row)]


def _csv(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(rows)
    return text.getvalue()


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that nobody ever finds half of it: UTF-8, lines end with LF."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(text.encode("utf-8", errors="backslashreplace"))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
