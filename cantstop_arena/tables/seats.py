"""Share of the wins and effect in Elo of each seat, and the first-player advantage.

`predecessors` has the effect of sitting right after each bot on a count that the game names
(`Counts.followed`).
"""

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.predecessor_sums import MeanCount
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import student_quantile
from cantstop_arena.tables.analysis import Analysis, of_points
from cantstop_arena.tables.column import (
    Column,
    OnPage,
    Table,
    estimate,
    estimate_text,
    number,
    signed_text,
    table_of,
)
from cantstop_arena.tables.standings import ELO, payoff_column


class Seat(msgspec.Struct, frozen=True):
    """A row: a seat, from 1 on in order of play.

    It has its share of the wins, its effect in Elo, and its mean payoff, if the game has any.
    """

    seat: int
    score: Estimate
    elo: Estimate
    payoff: Estimate

    @property
    def percent(self) -> Estimate:
        """Its share of the wins in percent."""
        return self.score.scaled(100)


_SCORE_ON_PAGE = OnPage(order=2, decimals=1, sort=lambda seat: seat.percent.mean)
COLUMNS = (
    number("seat"),
    estimate("score", "score %", 2, percent=True, page=_SCORE_ON_PAGE),
    replace(ELO, page=OnPage(order=3)),
)


def seats(analysis: Analysis) -> Table:
    """A row for each seat, in order of play."""
    paid = analysis.results.payoff
    rows = zip(analysis.seats, analysis.seat_payoffs, strict=True)
    return table_of(
        name="seats",
        title="Seats",
        columns=[*COLUMNS[:1], payoff_column(paid), *COLUMNS[1:]] if paid else COLUMNS,
        records=[
            Seat(seat, *estimates, payoff)
            for seat, (estimates, payoff) in enumerate(rows, start=1)
            if analysis.games
        ],
        notes=_first_player(analysis),
    )


def _first_player(analysis: Analysis) -> list[str]:
    first = analysis.ratings.first_seat
    if first is None or first.low is None or first.high is None:
        return []
    comparison = "" if analysis.results.players == 2 else ", compared with the mean of the others"
    advantage = estimate_text(of_points(first), 1, unit=" Elo")
    return [f"The first player's advantage is {advantage}{comparison}."]


_DECIMALS = 2


def predecessors(analysis: Analysis, errors: bool = True) -> Table:
    """A row for each bot: the effect of sitting after it, and what each other bot counts there."""
    counted, names, order = _count_name(analysis), analysis.results.bots, analysis.order
    make_column = [estimate, number][not errors]
    columns = [
        Column("after", "after"),
        estimate("more", f"{counted} more", _DECIMALS),
        *(
            make_column(f"{counted} of {names[bot]}", names[bot], decimals=_DECIMALS)
            for bot in order
        ),
    ]
    rows = [
        (
            names[bot],
            effect(analysis, bot),
            *(_count_after(analysis, follower, bot, errors) for follower in order),
        )
        for bot in (order if analysis.results.predecessors else ())
    ]
    return Table("predecessors", "Sitting after", columns, rows, notes(analysis))


def following(analysis: Analysis) -> Table:
    """The counts for programs: a row for each bot and each bot that it sits after."""
    names, order = analysis.results.bots, analysis.order
    columns = [Column("bot", "bot"), Column("after", "after")]
    pairs = [
        (follower, predecessor)
        for follower in order
        for predecessor in order
        if follower != predecessor
    ]
    rows = [
        (names[follower], names[predecessor], _count_after(analysis, follower, predecessor))
        for follower, predecessor in (pairs if analysis.results.predecessors else ())
    ]
    counted = _count_name(analysis)
    return Table(
        "predecessors", "Sitting after", [*columns, estimate(counted, counted, _DECIMALS)], rows
    )


def effects(analysis: Analysis) -> Table:
    """The effect of sitting right after each bot, for programs."""
    names, order = analysis.results.bots, analysis.order
    rows = [(names[bot], effect(analysis, bot)) for bot in order]
    columns = [Column("after", "after"), estimate("more", "more", _DECIMALS)]
    return Table("effects", "", columns, rows if analysis.results.predecessors else ())


def effect(analysis: Analysis, bot: int) -> Estimate:
    """How much more per game bots count right after `bot` than with it elsewhere at the table."""
    sums = analysis.results.predecessors
    return _estimate(sums.effect(bot)) if sums else Estimate(None)


def _count_after(
    analysis: Analysis, follower: int, predecessor: int, errors: bool = True
) -> Estimate | float | None:
    sums = analysis.results.predecessors
    if sums is None or follower == predecessor:
        return None
    count = sums.after(follower, predecessor)
    return _estimate(count) if errors else count and count.mean


def _estimate(count: MeanCount | None) -> Estimate:
    if count is None or count.error is None:
        return Estimate(count and count.mean)
    half_width = student_quantile(count.degrees_of_freedom) * count.error
    return Estimate(count.mean, count.mean - half_width, count.mean + half_width)


def _count_name(analysis: Analysis) -> str:
    return analysis.results.counts.followed


# Sentences -------------------------------------------------------------------------------------


def notes(analysis: Analysis) -> list[str]:
    """Sentences on the best and the worst bot to sit after, and on the first in the standings."""
    if not analysis.results.predecessors:
        return []
    bot_effects = [(bot, effect(analysis, bot)) for bot in analysis.order]
    estimated = [(bot, gain) for bot, gain in bot_effects if gain.low is not None]
    if not estimated:
        return [_LEGEND]
    best = max(estimated, key=lambda item: item[1].mean or 0)[0]
    worst = min(estimated, key=lambda item: item[1].mean or 0)[0]
    bots_with_notes = dict.fromkeys([best, worst, estimated[0][0]])
    return [*(_note(analysis, bot) for bot in bots_with_notes), _LEGEND]


_LEGEND = (
    "More: how much more a game those count who sit right after the bot than with it elsewhere at"
    " the table, among the same bots on the same deals. Then what each bot counts right after it."
    " Intervals cover 95%, deals being the units."
)


def _note(analysis: Analysis, bot: int) -> str:
    gain, name = effect(analysis, bot), analysis.results.bots[bot]
    assert gain.mean is not None and gain.low is not None and gain.high is not None
    amount = estimate_text(gain.unsigned, _DECIMALS)
    is_first = bot == analysis.order[0] and len(analysis.fields) == 1
    first = ", the first in the standings," if is_first else ""
    counted = _count_name(analysis)
    if gain.low > 0:
        return f"To sit right after {name}{first} brings {amount} {counted} a game."
    if gain.high < 0:
        return f"To sit right after {name}{first} costs {amount} {counted} a game."
    return (
        f"The data do not show whether sitting right after {name}{first} brings or costs {counted}"
        f" ({estimate_text(gain, _DECIMALS, number_text=signed_text)} a game)."
    )
