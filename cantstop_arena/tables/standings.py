"""The standings: who is ahead, by how much, and what should be known about a bot."""

from cantstop_arena.tables.analysis import ELO_DECIMALS, Analysis
from cantstop_arena.tables.column import Column, Estimate, Table, Value, estimate, number
from cantstop_arena.tables.differences import counted_unit, solo_difference
from cantstop_arena.tables.notes import (
    NOT_REPRODUCIBLE,
    OTHER_RIVALS,
    about_standings,
    has_other_rivals,
    legend,
)

ELO = estimate("elo", "Elo", 1, fixed=ELO_DECIMALS)
_GROUP = Column("letters", "group")
_RATED = (
    ELO,
    number("games"),
    estimate("score", "score %", 2, percent=True),
    _GROUP,
    number("superiority", "LOS vs next, %", 1, percent=True, chance=True),
)
_REMARKS = (number("faults", optional=True), Column("note", "note", optional=True))


def standings(analysis: Analysis) -> Table:
    """The bots by Elo, alone by what they need for a game."""
    return Table(
        name="standings",
        title="Standings",
        columns=(
            number("rank"),
            Column("bot", "bot"),
            *(_columns_alone(analysis) if analysis.is_solo else _RATED),
            *_REMARKS,
        ),
        rows=[_row(analysis, index) for index in range(len(analysis.ranking))],
        notes=[*legend(analysis), *about_standings(analysis)],
    )


def _columns_alone(analysis: Analysis) -> list[Column]:
    shows_best = analysis.best_alone is not None
    return [
        number("games"),
        per_game(analysis),
        *([above_best(analysis)] if shows_best else []),
        *([_GROUP, fewer_than_next(analysis)] if analysis.differences else []),
    ]


def above_best(analysis: Analysis) -> Column:
    """The column of what each bot needs more than perfect play."""
    return estimate("above_optimal", f"{counted_unit(analysis)} above optimal", 3)


def fewer_than_next(analysis: Analysis) -> Column:
    """The column of what each bot needs less than the one below."""
    return estimate("fewer_than_next", f"{counted_unit(analysis)} fewer than next", 3)


def per_game(analysis: Analysis) -> Column:
    """The column of what each bot needs for a game alone."""
    count = analysis.results.counts.alone
    return estimate(f"{count}_per_game", f"{counted_unit(analysis)} per game", 3, stem=count)


def _row(analysis: Analysis, index: int) -> list[Value]:
    rank, bot = analysis.ranking[index]
    name = analysis.results.bots[bot]
    notes = {
        NOT_REPRODUCIBLE: name in analysis.results.irreproducible,
        f"{OTHER_RIVALS} other rivals": has_other_rivals(analysis, bot),
    }
    note = "; ".join(note for note, holds in notes.items() if holds)
    numbers = _alone(analysis, bot, index) if analysis.is_solo else _rated(analysis, bot, index)
    return [rank, name, *numbers, analysis.faults_of[name], note]


def _alone(analysis: Analysis, bot: int, index: int) -> list[Value]:
    mean, best = analysis.means[bot], analysis.best_alone
    isolated = [analysis.groups[bot], ahead_alone(analysis, index)] if analysis.differences else []
    above = [] if best is None else [_above(mean, best)]
    return [analysis.games_of[bot], mean, *above, *isolated]


def ahead_alone(analysis: Analysis, index: int) -> Estimate | None:
    """How much less than the one below the bot in this place needs for a game alone."""
    bot, following = analysis.order[index], analysis.order[index + 1 : index + 2]
    return next((solo_difference(analysis, bot, other) for other in following), None)


def _above(mean: Estimate, best: float) -> Estimate:
    return Estimate(*(None if end is None else end - best for end in mean))


def _rated(analysis: Analysis, bot: int, index: int) -> list[Value]:
    following = analysis.order[index + 1 : index + 2]
    superior = [
        analysis.ratings.superiority(bot, other)
        for other in following
        if other not in analysis.without_games
    ]
    return [
        analysis.elo[bot],
        analysis.games_of[bot],
        analysis.scores[bot],
        "" if bot in analysis.without_games else analysis.groups[bot],
        *(superior or [None]),
    ]
