"""The reports as files, each written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.reports.crosstable import crosstable, pairs, scores_only
from cantstop_arena.reports.drawing import MARKDOWN, draw
from cantstop_arena.reports.fit import fit
from cantstop_arena.reports.lengths import lengths
from cantstop_arena.reports.model import Table
from cantstop_arena.reports.records import as_csv, as_json
from cantstop_arena.reports.seats import seats
from cantstop_arena.reports.standings import standings
from cantstop_arena.reports.styles import styles
from cantstop_arena.reports.summary import summary

PAGE = "report.html"
_LONGEST_DRAFT = 40  # of a file's name in that of its draft, which must not be too long itself
NOT_ALONE = (
    *("crosstable.csv", "crosstable.md", "pairs.csv"),
    *("fit.csv", "fit.md", "seats.csv", "seats.md"),
)


def write_reports(analysis: Analysis, folder: Path) -> list[Path]:
    """Write the reports into an existing folder; the paths of what was written, in order.

    The same results give the same bytes. What lies there of a tournament before goes: a page, and,
    as a single seat has none of them, the crosstable and the seats.
    """
    for stale in (PAGE, *NOT_ALONE):
        (folder / stale).unlink(missing_ok=True)
    written = []
    for name, text in _contents(analysis):
        written.append(folder / name)
        write_whole(folder / name, text)
    return written


def write_page(analysis: Analysis, folder: Path) -> Path:
    """Write the page of the tournament that lies in a folder, from its ledger and its analysis.

    The same results give the same bytes. Raises PageError where there is nothing to draw with.
    """
    from cantstop_arena.reports.page import make

    path = folder / PAGE
    write_whole(path, make.tournament_page(analysis, folder))
    return path


def _contents(analysis: Analysis) -> Iterator[tuple[str, str]]:
    yield from _both(standings(analysis))
    if not analysis.alone:
        yield "crosstable.csv", as_csv(scores_only(analysis))
        yield "crosstable.md", _markdown(crosstable(analysis))
        yield "pairs.csv", as_csv(pairs(analysis))
        yield from _both(fit(analysis, most=None))
        yield from _both(seats(analysis))
    yield from _both(styles(analysis))
    yield from _both(lengths(analysis))
    yield "summary.json", as_json(summary(analysis))


def _both(table: Table) -> Iterator[tuple[str, str]]:
    yield f"{table.name}.csv", as_csv(table)
    yield f"{table.name}.md", _markdown(table)


def _markdown(table: Table) -> str:
    return draw(table, MARKDOWN) + "\n"


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that nobody ever finds half of it: UTF-8, lines end with LF.

    What is there and is no ordinary file, such as /dev/stdout, is written to and not replaced.
    """
    data = text.encode("utf-8", errors="backslashreplace")
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    draft = path.with_name(f".{path.name[:_LONGEST_DRAFT]}.{os.getpid()}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        if error.filename:
            error.filename = str(path)  # nobody knows of the draft
        raise
    finally:
        with suppress(OSError):  # what went wrong is told already
            draft.unlink(missing_ok=True)
