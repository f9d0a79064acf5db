"""All tables of a tournament, in any form: for people, or for programs."""

from collections.abc import Callable, Container, Mapping, Sequence

from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table
from cantstop_arena.tables.crosstable import crosstable, pairs
from cantstop_arena.tables.data import all_as_csv, all_as_json
from cantstop_arena.tables.differences import differences
from cantstop_arena.tables.differences import pairs as difference_pairs
from cantstop_arena.tables.faults import faults
from cantstop_arena.tables.fit import fit
from cantstop_arena.tables.names import TABLES
from cantstop_arena.tables.predecessors import following, predecessors
from cantstop_arena.tables.seats import seats
from cantstop_arena.tables.standings import standings
from cantstop_arena.tables.styles import styles
from cantstop_arena.tables.text import LATEX, MARKDOWN, TEXT, draw, draw_all

PREAMBLE = "% In the preamble: \\usepackage{booktabs}\n\n"
WRITERS: Mapping[str, Callable[[Sequence[Table]], str]] = {
    "text": lambda tables: draw_all(tables, TEXT) + "\n",
    "markdown": lambda tables: draw_all(tables, MARKDOWN) + "\n",
    "csv": all_as_csv,
    "json": all_as_json,
    "latex": lambda tables: PREAMBLE + draw_all(tables, LATEX) + "\n",
}


def as_format(analysis: Analysis, form: str, chosen: Container[str] = TABLES) -> str:
    """The chosen tables in one of the FORMATS, for files and pipes."""
    tables = for_programs(analysis) if form in ("csv", "json") else for_people(analysis)
    return WRITERS[form]([table for table in tables if table.name in chosen])


def terminal_text(
    analysis: Analysis, chosen: Container[str] = TABLES, coloured: bool = False, width: int = 0
) -> str:
    """The chosen tables for a terminal that is `width` signs wide."""
    tables = [table for table in for_people(analysis, width) if table.name in chosen]
    return draw_all(tables, TEXT, coloured) + "\n"


def for_people(analysis: Analysis, width: int = 0) -> list[Table]:
    """The tables that have something to say, the crosstable's errors only where there is room."""
    if analysis.is_solo:
        isolated = differences(analysis)
        isolated = isolated if _fits(isolated, width) else differences(analysis, errors=False)
        tables = _alone(analysis, isolated)
    else:
        square = crosstable(analysis)
        square = square if _fits(square, width) else crosstable(analysis, errors=False)
        after = predecessors(analysis)
        after = after if _fits(after, width) else predecessors(analysis, errors=False)
        tables = _together(analysis, square, after, fit(analysis))
    return [table for table in tables if table.rows]


def for_programs(analysis: Analysis) -> list[Table]:
    """All tables, the crosstable pair by pair."""
    if analysis.is_solo:
        return _alone(analysis, difference_pairs(analysis))
    return _together(analysis, pairs(analysis), following(analysis), fit(analysis, maximum=None))


def _alone(analysis: Analysis, isolated: Table) -> list[Table]:
    return [standings(analysis), isolated, styles(analysis), faults(analysis)]


def _together(analysis: Analysis, scores: Table, after: Table, fitting: Table) -> list[Table]:
    return [
        standings(analysis),
        scores,
        seats(analysis),
        *([after] if analysis.results.predecessors else ()),
        styles(analysis),
        fitting,
        faults(analysis),
    ]


def _fits(table: Table, width: int) -> bool:
    return not width or len(draw(table, TEXT).partition("\n")[0]) <= width
