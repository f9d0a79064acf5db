"""The standings: who is ahead, by how much, and what should be known about a bot."""

from cantstop_arena.documents.analysis import ELO_DECIMALS, Analysis
from cantstop_arena.documents.formats.model import Column, Estimate, Table, Value, estimate, number
from cantstop_arena.documents.tables.notes import LEGEND, NOT_REPRODUCIBLE, about_standings

ELO = estimate("elo", "Elo", 1, fixed=ELO_DECIMALS)
_RATED = (
    ELO,
    number("games"),
    estimate("score", "score %", 2, percent=True),
    Column("letters", "group"),
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
            *(_columns_alone(analysis) if analysis.alone else _RATED),
            *_REMARKS,
        ),
        rows=[_row(analysis, place) for place in range(len(analysis.places))],
        notes=about_standings(analysis) if analysis.alone else [LEGEND, *about_standings(analysis)],
    )


def _columns_alone(analysis: Analysis) -> list[Column]:
    known = analysis.best_alone is not None
    return [number("games"), per_game(analysis), *([above_best(analysis)] if known else [])]


def above_best(analysis: Analysis) -> Column:
    """The column of what each bot needs more than perfect play."""
    count = analysis.results.counts.alone.replace("_", " ")
    return estimate("above_optimal", f"{count} above optimal", 3)


def per_game(analysis: Analysis) -> Column:
    """The column of what each bot needs for a game alone."""
    count = analysis.results.counts.alone
    return estimate(f"{count}_per_game", f"{count.replace('_', ' ')} per game", 3, stem=count)


def _row(analysis: Analysis, place: int) -> list[Value]:
    rank, bot = analysis.places[place]
    name = analysis.results.bots[bot]
    note = NOT_REPRODUCIBLE if name in analysis.results.irreproducible else ""
    numbers = _alone(analysis, bot) if analysis.alone else _rated(analysis, bot, place)
    return [rank, name, *numbers, analysis.faults_of[name], note]


def _alone(analysis: Analysis, bot: int) -> list[Value]:
    mean, best = analysis.means[bot], analysis.best_alone
    return [analysis.games_of[bot], mean, *([] if best is None else [_above(mean, best)])]


def _above(mean: Estimate, best: float) -> Estimate:
    return Estimate(*(None if end is None else end - best for end in mean))


def _rated(analysis: Analysis, bot: int, place: int) -> list[Value]:
    following = analysis.order[place + 1 : place + 2]
    superior = [
        analysis.ratings.superiority(bot, other)
        for other in following
        if other not in analysis.idle
    ]
    return [
        analysis.elo[bot],
        analysis.games_of[bot],
        analysis.scores[bot],
        "" if bot in analysis.idle else analysis.ratings.letters[bot],
        *(superior or [None]),
    ]
