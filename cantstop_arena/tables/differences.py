"""Bots that play alone, two by two: how much less one needs than another in the same deals."""

from itertools import combinations

from cantstop_arena.ratings.solo import SoloDifference
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Estimate, Kind, Table, estimate, number

NAME, TITLE = "differences", "Differences"
COVERED = "Intervals cover 95%."
WITHOUT_ERRORS = "The intervals are in differences.csv."


def differences(analysis: Analysis, errors: bool = True) -> Table:
    """A square for people, rows and columns as in the standings; empty where nothing is known."""
    kind = Kind.ESTIMATE if errors else Kind.NUMBER
    rivals = [Column(name, str(at), kind, 2) for at, name in enumerate(analysis.names, start=1)]
    order = analysis.order if analysis.differences else []
    positions = [(index, me, analysis.results.bots[me]) for index, me in enumerate(order, start=1)]
    return Table(
        NAME,
        TITLE,
        columns=[Column("place", "", Kind.NUMBER), Column("bot", "bot"), *rivals],
        rows=[
            (index, name, *(solo_difference(analysis, me, you) for you in analysis.order))
            for index, me, name in positions
        ],
        notes=[_legend(analysis), COVERED if errors else WITHOUT_ERRORS],
    )


def pairs(analysis: Analysis) -> Table:
    """A row for each two bots with deals in common, the better one first."""
    solo_differences, bots = analysis.differences, analysis.results.bots
    texts = [
        (bots[item], bots[other], less.deals, _estimate_of(less), less.p)
        for item, other in combinations(analysis.order, 2)
        if solo_differences and (less := solo_differences.between(item, other))
    ]
    return Table(
        NAME,
        TITLE,
        columns=[
            Column("bot", "bot"),
            Column("against", "against"),
            number("deals"),
            estimate("fewer", f"{counted_unit(analysis)} fewer", 3),
            number("p", "p", 4),
        ],
        rows=texts,
        notes=[_legend(analysis), COVERED],
    )


def solo_difference(analysis: Analysis, item: int, other: int) -> Estimate | None:
    """How much less `one` needs than the `other`, where that is known."""
    less = analysis.differences.between(item, other) if analysis.differences else None
    return _estimate_of(less) if less else None


def counted_unit(analysis: Analysis) -> str:
    """What bots that play alone need few of."""
    return analysis.results.counts.alone.replace("_", " ")


def _estimate_of(less: SoloDifference) -> Estimate:
    return Estimate(less.mean, less.low, less.high)


def _legend(analysis: Analysis) -> str:
    return (
        f"How many {counted_unit(analysis)} fewer than the column's bot the row's bot needs for a"
        " game: the mean over the deals that both played."
    )
