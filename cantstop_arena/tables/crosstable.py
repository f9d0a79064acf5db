"""Every bot's score against every other: as a square for people, pair by pair for programs."""

from collections.abc import Sequence

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Kind, Table, estimate, number

EVEN = 0.5
NAME, TITLE = "crosstable", "Crosstable"
WITHOUT_ERRORS = "There is no room for the errors here; --wide prints them."


def crosstable(analysis: Analysis, errors: bool = True) -> Table:
    """A square of scores, rows and columns in the order of the standings.

    Columns are headed by position in that order, as there is little room for names. Of a gauntlet
    of two seats, the challenger's scores alone are known: they are a row each. Without any game of
    two bots there is no row.
    """
    if (challenger := _only_challenger(analysis)) is not None:
        return _challenger_scores(analysis, challenger)
    kind = Kind.ESTIMATE if errors else Kind.NUMBER
    rival_columns = [
        Column(name, str(index), kind, 1, percent=True, middle=EVEN)
        for index, name in enumerate(analysis.names, start=1)
    ]
    square = _square(analysis)
    is_empty = not any(cell and cell.mean is not None for _, cells in square for cell in cells)
    rows = [(index, name, *cells) for index, (name, cells) in enumerate(square, start=1)]
    return Table(
        NAME,
        TITLE,
        columns=[Column("place", "", Kind.NUMBER), Column("bot", "bot"), *rival_columns],
        rows=[] if is_empty else rows,
        notes=[_legend(analysis)] if errors else [_legend(analysis), WITHOUT_ERRORS],
    )


def _only_challenger(analysis: Analysis) -> int | None:
    """The challenger, where no other two bots have met; else None."""
    results = analysis.results
    if results.challenger and results.challenger in results.bots and results.players == 2:
        return results.bots.index(results.challenger)
    return None


def _challenger_scores(analysis: Analysis, challenger: int) -> Table:
    """The challenger's row of the square, printed downwards: names fit beside the scores."""
    name = analysis.results.bots[challenger]
    return Table(
        NAME,
        TITLE,
        columns=[
            Column("place", "", Kind.NUMBER),
            Column("against", "against"),
            estimate("score", "score %", 1, percent=True, middle=EVEN),
        ],
        rows=[
            (rank, analysis.results.bots[rival], cell)
            for rank, rival in enumerate(analysis.order, start=1)
            if (cell := analysis.against[challenger][rival]) and cell.mean is not None
        ],
        notes=[f"Score of {name} against each bot of the field, in percent."],
    )


def scores_only(analysis: Analysis) -> Table:
    """The square for programs: scores without errors, under the names of the bots."""
    return Table(
        NAME,
        TITLE,
        columns=[Column("bot", "bot"), *(number(name) for name in analysis.names)],
        rows=[(name, *(cell and cell.mean for cell in cells)) for name, cells in _square(analysis)],
    )


PAIR_COLUMNS = (
    Column("bot", "bot"),
    Column("against", "against"),
    estimate("score", "score %", 2, percent=True),
)


def pairs(analysis: Analysis) -> Table:
    """A row with the score of each bot against each bot that it met."""
    return Table(
        NAME,
        TITLE,
        columns=PAIR_COLUMNS,
        rows=[
            (name, rival, cell)
            for name, cells in _square(analysis)
            for rival, cell in zip(analysis.names, cells, strict=True)
            if cell
        ],
        notes=[_legend(analysis)],
    )


def _square(analysis: Analysis) -> list[tuple[str, Sequence[Estimate | None]]]:
    return [
        (analysis.results.bots[bot], [analysis.against[bot][rival] for rival in analysis.order])
        for bot in analysis.order
    ]


def _legend(analysis: Analysis) -> str:
    base = " of the games that one of the two won" if analysis.results.players > 2 else ""
    return f"Score of the row's bot against the column's, in percent{base}."
