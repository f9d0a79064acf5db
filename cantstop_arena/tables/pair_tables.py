"""Tables of pairs of bots: every bot's score against every other, and how well the model fits.

Scores are a square for people, and pair by pair for programs. The fit has the largest residuals,
and notes on cycles and on the sensitivity to the field.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model_fit.residuals import Residual, Residuals
from cantstop_arena.ratings.significance import SIGNIFICANT
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Kind, OnPage, Table, estimate, number, table_of

# Scores

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
            for part in analysis.fields
            for name, cells in _square(part)
            for rival, cell in zip(part.names, cells, strict=True)
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


# The fit of the model

MAX_PAIRS = 5


def fit(analysis: Analysis, maximum: int | None = MAX_PAIRS) -> Table:
    """A row for each of at most `maximum` pairs, the worst predicted first; None means all."""
    return residual_table(analysis, analysis.residuals.pairs[:maximum])


def residual_table(analysis: Analysis, pairs: Sequence[Residual]) -> Table:
    """A row for each of these pairs."""
    return table_of(
        name="fit",
        title="Model fit: largest residuals",
        columns=residual_columns(analysis.results.bots),
        records=pairs,
        notes=list(_notes(analysis)),
    )


def residual_columns(names: Sequence[str]) -> list[Column]:
    """The columns of a pair of bots with these names."""
    return [
        Column("bot", "bot", of=lambda pair: names[pair.first]),
        Column("against", "against", of=lambda pair: names[pair.second]),
        number(
            "score",
            "score %",
            1,
            percent=True,
            of=attrgetter("observed"),
            page=OnPage(2, "Score"),
        ),
        number("predicted", "predicted %", 1, percent=True, page=OnPage(3, "Predicted")),
        number(
            "deviation",
            "standard errors",
            1,
            of=attrgetter("deviate"),
            page=OnPage(4, "Std. errors"),
        ),
        number("p", "p", 3, chance=True, of=attrgetter("p_value"), page=OnPage(5, "p")),
    ]


def _notes(analysis: Analysis) -> Iterator[str]:
    residuals = analysis.residuals
    if residuals.pairs:
        significant = sum(pair.p_value < SIGNIFICANT for pair in residuals.pairs)
        text = f"significantly off for {significant} of {len(residuals.pairs)} pairs"
        yield f"The predicted score is {text}; p is corrected for their number."
    if text := cyclic(residuals):
        yield text
    yield from (cycle.text(analysis.results.bots) for cycle in residuals.cycles)
    if text := sensitivity(analysis):
        yield text


def cyclic(residuals: Residuals) -> str:
    """A sentence with the cyclic share and its interval; empty where it is not known."""
    if residuals.cyclic_share is None:
        return ""
    share, low, high = (100 * value for value in residuals.cyclic_share)
    return (
        f"The cyclic share is {share:.1f}% ({low:.1f} to {high:.1f}; 0% for bots on a line, 100%"
        " for rock, paper, scissors)."
    )


def sensitivity(analysis: Analysis) -> str:
    """A sentence on how far the Elo depends on the other bots; empty where it is not known."""
    bot_moves = [
        (move, bot)
        for bot, extremes in enumerate(analysis.leave_one_out)
        if extremes
        for move in extremes
    ]
    if not bot_moves:
        return ""
    bots = analysis.results.bots
    (points, left_out), bot = max(bot_moves, key=lambda item: abs(item[0].points))
    return (
        f"Leaving out any one bot moves the Elo of the others by {abs(points):.1f} at most"
        f" ({bots[bot]}, without {bots[left_out]})."
    )
