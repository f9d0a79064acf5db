"""All tables of a tournament as text, for people or for programs."""

from collections.abc import Callable, Container, Mapping, Sequence

from msgspec.structs import replace

from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table
from cantstop_arena.tables.differences import differences
from cantstop_arena.tables.differences import pairs as difference_pairs
from cantstop_arena.tables.faults import faults
from cantstop_arena.tables.formats import (
    LATEX,
    MARKDOWN,
    TEXT,
    all_as_csv,
    all_as_json,
    draw_all,
    markdown,
)
from cantstop_arena.tables.names import TABLES
from cantstop_arena.tables.narrow import fitted, table_width
from cantstop_arena.tables.pair_tables import crosstable, fit, pairs
from cantstop_arena.tables.seats import following, predecessors, seats
from cantstop_arena.tables.standings import standings_by_field, standings_data
from cantstop_arena.tables.styles import styles
from cantstop_arena.texts import printable

PREAMBLE = "% In the preamble: \\usepackage{booktabs}\n\n"
WRITERS: Mapping[str, Callable[[Sequence[Table]], str]] = {
    "text": lambda tables: draw_all(tables, TEXT) + "\n",
    "markdown": lambda tables: draw_all(tables, MARKDOWN) + "\n",
    "csv": all_as_csv,
    "json": all_as_json,
    "latex": lambda tables: PREAMBLE + draw_all(tables, LATEX) + "\n",
}


def as_format(
    analysis: Analysis,
    form: str,
    chosen: Container[str] = TABLES,
    before: Sequence[Table] = (),
    headline: str = "",
) -> str:
    """The text of the chosen tables in one of the FORMATS, for files and pipes.

    Tables `before` those of the tournament are chosen by their names, too. The `headline` is the
    first line of text, the heading of Markdown, and the first key of JSON.
    """
    if form in ("csv", "json"):
        tables = [table for table in for_programs(analysis) if table.name in chosen]
    else:
        tables = for_people(analysis, chosen=chosen)
    tables = [*(table for table in before if table.name in chosen), *tables]
    if form == "json":
        return all_as_json(tables, headline)
    return _below(headline, WRITERS[form](tables), form)


def terminal_text(
    analysis: Analysis,
    chosen: Container[str] = TABLES,
    coloured: bool = False,
    width: int = 0,
    headline: str = "",
) -> str:
    """The text of the chosen tables for a terminal of `width` columns; 0 means any width."""
    tables = [fitted(table, width) for table in for_people(analysis, width, chosen)]
    return _below(headline, draw_all(tables, TEXT, coloured) + "\n", "text")


def _below(headline: str, text: str, form: str) -> str:
    """Text below its headline, in the formats for people to read."""
    if not headline or form not in ("text", "markdown"):
        return text
    line = f"{printable(headline)}." if form == "text" else f"# {markdown(headline)}"
    return f"{line}\n\n{text}"


def for_people(analysis: Analysis, width: int = 0, chosen: Container[str] = TABLES) -> list[Table]:
    """The chosen tables that have rows, for people; no command that replays a game stands twice.

    A square of bots by bots, wider than `width` columns with its errors, is without them.
    """
    first = standings_by_field(analysis)
    noted = first[-1].notes if first[-1].name in chosen else ()
    blamed = [faults(analysis, noted)] if analysis.results.faults else []
    if analysis.is_solo:
        matrix = differences(analysis)
        matrix = matrix if _fits(matrix, width) else differences(analysis, errors=False)
        tables = _solo_tables(analysis, matrix, blamed)
    else:
        scores = crosstables_by_field(analysis, width)
        followers = predecessors(analysis)
        followers = followers if _fits(followers, width) else predecessors(analysis, errors=False)
        tables = _rating_tables(analysis, scores, followers, fit(analysis), blamed)
    return [table for table in (*first, *tables) if table.rows and table.name in chosen]


def crosstables_by_field(analysis: Analysis, width: int = 0) -> list[Table]:
    """The square of scores of each field; wider than `width` columns, without errors."""
    squares = []
    for number, field in enumerate(analysis.fields, start=1):
        square = crosstable(field)
        square = square if _fits(square, width) else crosstable(field, errors=False)
        suffix = f" of field {number}" if len(analysis.fields) > 1 else ""
        squares.append(replace(square, title=square.title + suffix))
    return squares


def for_programs(analysis: Analysis) -> list[Table]:
    """All tables for programs: squares of bots by bots have a row for each pair."""
    if analysis.is_solo:
        tables = _solo_tables(analysis, difference_pairs(analysis), [faults(analysis)])
    else:
        residuals = fit(analysis, maximum=None)
        tables = _rating_tables(
            analysis, [pairs(analysis)], following(analysis), residuals, [faults(analysis)]
        )
    return [standings_data(analysis), *tables]


def _solo_tables(analysis: Analysis, matrix: Table, blamed: Sequence[Table]) -> list[Table]:
    """The tables below the standings, of bots that play alone."""
    return [matrix, *_styles(analysis), *blamed]


def _rating_tables(
    analysis: Analysis,
    scores: Sequence[Table],
    followers: Table,
    residuals: Table,
    blamed: Sequence[Table],
) -> list[Table]:
    """The tables below the standings, of bots that meet."""
    return [
        *scores,
        seats(analysis),
        *([followers] if analysis.results.predecessors else ()),
        *_styles(analysis),
        residuals,
        *blamed,
    ]


def _styles(analysis: Analysis) -> list[Table]:
    """How each bot plays, if the game has rates that say it."""
    return [styles(analysis)] if analysis.results.counts.rates else []


def _fits(table: Table, width: int) -> bool:
    return not width or table_width(table) <= width
