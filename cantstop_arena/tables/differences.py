"""Bots that play alone, pair by pair: how much less one needs than the other in the same deals."""

from itertools import combinations

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.solo import SoloDifference
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Kind, Table, estimate, number

NAME, TITLE = "differences", "Differences"
COVERED = "Intervals cover 95%."
WITHOUT_ERRORS = "There is no room for the intervals here; --wide prints them."


def differences(analysis: Analysis, errors: bool = True) -> Table:
    """A square of differences for people, rows and columns in the order of the standings.

    It has no rows where no differences are known.
    """
    kind = Kind.ESTIMATE if errors else Kind.NUMBER
    rival_columns = [
        Column(name, str(index), kind, 2) for index, name in enumerate(analysis.names, start=1)
    ]
    order = analysis.order if analysis.differences else []
    numbered_bots = [
        (index, bot, analysis.results.bots[bot]) for index, bot in enumerate(order, start=1)
    ]
    return Table(
        NAME,
        TITLE,
        columns=[Column("place", "", Kind.NUMBER), Column("bot", "bot"), *rival_columns],
        rows=[
            (index, name, *(solo_difference(analysis, bot, rival) for rival in analysis.order))
            for index, bot, name in numbered_bots
        ],
        notes=[_legend(analysis), COVERED if errors else WITHOUT_ERRORS],
    )


def pairs(analysis: Analysis) -> Table:
    """A row for each two bots with deals in common, the better one first, for programs."""
    solo_differences, bots = analysis.differences, analysis.results.bots
    rows = [
        (bots[bot], bots[rival], difference.deals, _estimate_of(difference), difference.p)
        for bot, rival in combinations(analysis.order, 2)
        if solo_differences and (difference := solo_differences.between(bot, rival))
    ]
    return Table(
        NAME,
        TITLE,
        columns=pair_columns(counted_unit(analysis)),
        rows=rows,
        notes=[_legend(analysis), COVERED],
    )


def pair_columns(unit: str) -> list[Column]:
    """The columns of `pairs`; what is counted has this name."""
    return [
        Column("bot", "bot"),
        Column("against", "against"),
        number("deals"),
        estimate("fewer", f"{unit} fewer", 3),
        number("p", "p", 4, chance=True),
    ]


def solo_difference(analysis: Analysis, bot: int, rival: int) -> Estimate | None:
    """How much less `bot` needs for a game than `rival`; None where that is not known."""
    difference = analysis.differences.between(bot, rival) if analysis.differences else None
    return _estimate_of(difference) if difference else None


def counted_unit(analysis: Analysis) -> str:
    """What is counted of bots that play alone, in plural ("turns"); the fewer the better."""
    return analysis.results.counts.alone.replace("_", " ")


def _estimate_of(difference: SoloDifference) -> Estimate:
    return Estimate(difference.mean, difference.low, difference.high)


def _legend(analysis: Analysis) -> str:
    return (
        f"How many {counted_unit(analysis)} fewer than the column's bot the row's bot needs for a"
        " game: the mean over the deals that both played."
    )
