"""Model fit: the largest residuals, and notes on cycles and sensitivity to the field."""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from cantstop_arena.ratings.model_fit.residuals import Residual, Residuals
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, OnPage, Table, number, table_of

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
