"""The reports of a tournament as files, each written atomically."""

from collections.abc import Iterator
from pathlib import Path

from cantstop_arena.atomic_files import write_result
from cantstop_arena.reports.summary import summary
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table
from cantstop_arena.tables.data import as_csv, as_json
from cantstop_arena.tables.differences import differences
from cantstop_arena.tables.differences import pairs as difference_pairs
from cantstop_arena.tables.lineups import MANY_BOTS, lineups
from cantstop_arena.tables.pair_tables import crosstable, fit, pairs, scores_only
from cantstop_arena.tables.seats import following, predecessors, seats
from cantstop_arena.tables.standings import standings, standings_data
from cantstop_arena.tables.styles import lengths, styles
from cantstop_arena.tables.text import MARKDOWN, draw

PAGE = "report.html"
CONTENT = "comparison.json"  # in the folder of a comparison
DESIGN = "design.json"  # in that of a design
_ALWAYS = (
    *("standings.csv", "standings.md", "styles.csv", "styles.md"),
    *("lengths.csv", "lengths.md", "summary.json"),
)
NOT_ALONE = (
    *("crosstable.csv", "crosstable.md", "pairs.csv", "lineups.csv"),
    *("fit.csv", "fit.md", "seats.csv", "seats.md"),
    *("predecessors.csv", "predecessors.md"),
)
ONLY_ALONE = ("differences.csv", "differences.md")


def write_reports(analysis: Analysis, folder: Path) -> list[Path]:
    """Write the reports into an existing folder; return the paths of the files, in order.

    Equal results give equal bytes. Files of an earlier tournament are deleted: the page, and the
    reports that only solo or only multi-player tournaments have.
    """
    for stale in (PAGE, *NOT_ALONE, *ONLY_ALONE):
        (folder / stale).unlink(missing_ok=True)
    paths = []
    for name, text in _contents(analysis):
        paths.append(write_result(folder, name, text))
    return paths


def delete_reports(folder: Path) -> None:
    """Delete the page and the reports of an earlier run: a run that a fault ends has none."""
    for name in (PAGE, *_ALWAYS, *NOT_ALONE, *ONLY_ALONE):
        (folder / name).unlink(missing_ok=True)


def write_page(analysis: Analysis, folder: Path) -> Path:
    """Write the page of the tournament in a folder, from its ledger and its analysis.

    Equal results give equal bytes. Raises PageError where a package that draws pages is missing.
    """
    from cantstop_arena.reports import write_page as make

    return write_result(folder, PAGE, make.tournament_page(analysis, folder))


def _contents(analysis: Analysis) -> Iterator[tuple[str, str]]:
    yield "standings.csv", as_csv(standings_data(analysis))
    yield "standings.md", _markdown(standings(analysis))
    if not analysis.is_solo:
        yield "crosstable.csv", as_csv(scores_only(analysis))
        yield "crosstable.md", _markdown(crosstable(analysis))
        yield "pairs.csv", as_csv(pairs(analysis))
        if len(analysis.order) > MANY_BOTS:
            yield "lineups.csv", as_csv(lineups(analysis))
        yield from _both(fit(analysis, maximum=None))
        yield from _both(seats(analysis))
    elif analysis.differences:
        yield "differences.csv", as_csv(difference_pairs(analysis))
        yield "differences.md", _markdown(differences(analysis))
    if analysis.results.predecessors:
        yield "predecessors.csv", as_csv(following(analysis))
        yield "predecessors.md", _markdown(predecessors(analysis))
    yield from _both(styles(analysis))
    yield from _both(lengths(analysis))
    yield "summary.json", as_json(summary(analysis))


def _both(table: Table) -> Iterator[tuple[str, str]]:
    yield f"{table.name}.csv", as_csv(table)
    yield f"{table.name}.md", _markdown(table)


def _markdown(table: Table) -> str:
    return draw(table, MARKDOWN) + "\n"
