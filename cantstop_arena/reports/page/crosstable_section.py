"""The crosstable: which pairings are decided, the map of scores, and differences of Elo."""

from collections.abc import Sequence
from itertools import combinations

from cantstop_arena.pages.document import Section
from cantstop_arena.pages.heat_map import MAX_WITH_NUMBERS, heat_map
from cantstop_arena.pages.number_text import (
    likelihood,
    percent,
    share_ends,
    signed,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Kind, Table, number

_EVEN = 0.5


def crosstable_section(analysis: Analysis) -> Section:
    """The section of the crosstable, for tournaments in which bots have met."""
    finding, paragraphs = _finding(analysis)
    fields = [field for field in analysis.fields if len(field.order) > 1]
    tables = [_differences(field) for field in fields if len(field.order) <= MAX_WITH_NUMBERS]
    figures = [heat_map(field) for field in fields]
    return Section("crosstable", "Crosstable", paragraphs, figures, tables, finding=finding)


# The finding --------------------------------------------------------------------------------


def _finding(analysis: Analysis) -> tuple[str, list[str]]:
    pairs = [
        (first, second, cell)
        for first, second in combinations(analysis.order, 2)
        if (cell := analysis.against[first][second]) and cell.mean is not None
    ]
    decided = [
        (cell.mean or 0) > _EVEN for first, second, cell in pairs if analysis.decided[first][second]
    ]
    won, lost = decided.count(True), decided.count(False)
    if len(pairs) == 1:
        outcome = "decided, as ranked" if won else "decided, against the ranking"
        return f"The only pairing is {outcome if decided else 'not decided'}", []
    if not decided:
        return f"None of {len(pairs):,} pairings is decided", []
    whom = f"{lost:,} of them against the ranking" if lost else "all as ranked"
    finding = f"{won + lost:,} of {len(pairs):,} pairings are decided, {whom}"
    return finding, _undecided(
        analysis, [pair for pair in pairs if not analysis.decided[pair[0]][pair[1]]], len(pairs)
    )


def _undecided(
    analysis: Analysis, pairs: Sequence[tuple[int, int, Estimate]], tested: int
) -> list[str]:
    if not pairs:
        return []
    if len(pairs) > 1:
        corrected = f", or is close to it after correction for {tested:,} pairings"
        return [f"In {len(pairs):,} the 95% interval of the score includes 50%{corrected}."]
    [(first, second, cell)] = pairs
    names = analysis.results.bots
    close = f"{names[first]} against {names[second]} is too close to call"
    ends = share_ends(cell)
    return [f"{close}: {percent(cell.mean or 0)}{f' ({ends})' if ends else ''}."]


# Differences --------------------------------------------------------------------------------


def _differences(analysis: Analysis) -> Table:
    """A table of Elo differences, row less column, and likelihoods of superiority."""
    columns = [Column("place", "#", Kind.NUMBER), Column("bot", "bot")]
    columns += [number(name, str(at)) for at, name in enumerate(analysis.names, start=1)]
    rows = [
        (
            rank,
            analysis.results.bots[bot],
            *(_ahead(analysis, bot, rival) for rival in analysis.order),
        )
        for rank, bot in enumerate(analysis.order, start=1)
    ]
    note = "Elo of the row's bot less that of the column's; in brackets the LOS, in this field."
    return Table("differences", "Elo differences and LOS", columns, rows, [note])


def _ahead(analysis: Analysis, bot: int, rival: int) -> str | None:
    difference = analysis.ratings.difference(bot, rival)
    if bot == rival or difference is None:
        return None
    return f"{signed(difference.ahead.points)} ({likelihood(difference.superiority)})"
