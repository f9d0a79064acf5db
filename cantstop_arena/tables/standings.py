"""The standings: rank, rating or mean, group, faults and notes of each bot."""

from msgspec.structs import replace

from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import ELO_DECIMALS, Analysis
from cantstop_arena.tables.column import Column, Kind, Table, Value, estimate, number
from cantstop_arena.tables.differences import counted_unit, solo_difference
from cantstop_arena.tables.notes import (
    DISQUALIFIED,
    NOT_REPRODUCIBLE,
    OTHER_RIVALS,
    about_standings,
    fault_text,
    has_other_rivals,
    legend,
)

ELO = estimate("elo", "Elo", 1, fixed=ELO_DECIMALS)
_GROUP_COLUMN = Column("letters", "group", leave_out=3)
_RATING_COLUMNS = (
    ELO,
    number("games", leave_out=2),
    estimate("score", "score %", 2, percent=True, leave_out=4),
    _GROUP_COLUMN,
    number("superiority", "LOS vs next, %", 1, percent=True, chance=True, leave_out=1),
)
_NOTE_COLUMNS = (number("faults", optional=True), Column("note", "note", optional=True))


_FAULT_COLUMNS = (Column("first_fault", "first fault"), Column("replay", "replay"))


def standings(analysis: Analysis) -> Table:
    """A row for each bot, by Elo; bots that play alone by what they need for a game.

    The last rows are those of disqualified bots, without a rank and an estimate.
    """
    table = ranked_standings(analysis)
    return replace(table, rows=[*table.rows, *_disqualified_rows(analysis, table)])


def standings_data(analysis: Analysis) -> Table:
    """The standings for programs: if bots are disqualified, with columns of their first faults."""
    table = ranked_standings(analysis)
    if not analysis.results.disqualified:
        return table
    rows = [
        *([*row, "", ""] for row in table.rows),
        *(
            [*row, *_fault_cells(analysis, bot)]
            for bot, row in zip(
                analysis.results.disqualified, _disqualified_rows(analysis, table), strict=True
            )
        ),
    ]
    return replace(table, columns=(*table.columns, *_FAULT_COLUMNS), rows=rows)


def ranked_standings(analysis: Analysis) -> Table:
    """The standings without disqualified bots."""
    return Table(
        name="standings",
        title="Standings",
        columns=(
            number("rank"),
            Column("bot", "bot"),
            *(_solo_columns(analysis) if analysis.is_solo else _RATING_COLUMNS),
            *_NOTE_COLUMNS,
        ),
        rows=[_row(analysis, index) for index in range(len(analysis.ranking))],
        notes=[*legend(analysis), *about_standings(analysis)],
    )


def _disqualified_rows(analysis: Analysis, table: Table) -> list[list[Value]]:
    """A row for each disqualified bot: no game of it counts, and nothing is estimated."""
    empty: dict[str, Value] = {
        column.key: "" if column.kind is Kind.TEXT else None for column in table.columns
    }
    rows: list[list[Value]] = []
    for bot in analysis.results.disqualified:
        faults = analysis.faults_of[bot]
        cells: dict[str, Value] = {"bot": bot, "games": 0, "faults": faults, "note": DISQUALIFIED}
        rows.append([*(empty | cells).values()])
    return rows


def _fault_cells(analysis: Analysis, bot: str) -> list[Value]:
    first = analysis.first_fault_of.get(bot)
    return [fault_text(first), first.replay] if first else ["", ""]


def _solo_columns(analysis: Analysis) -> list[Column]:
    shows_best = analysis.optimal_mean is not None
    return [
        number("games"),
        per_game(analysis),
        *([above_best(analysis)] if shows_best else []),
        *([_GROUP_COLUMN, fewer_than_next(analysis)] if analysis.differences else []),
    ]


def above_best(analysis: Analysis) -> Column:
    """The column of how much more each bot needs than perfect play."""
    return estimate("above_optimal", f"{counted_unit(analysis)} above optimal", 3)


def fewer_than_next(analysis: Analysis) -> Column:
    """The column of how much less each bot needs than the bot below."""
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
    cells = (
        _solo_cells(analysis, bot, index)
        if analysis.is_solo
        else _rating_cells(analysis, bot, index)
    )
    return [rank, name, *cells, analysis.faults_of[name], note]


def _solo_cells(analysis: Analysis, bot: int, index: int) -> list[Value]:
    mean, best = analysis.means[bot], analysis.optimal_mean
    group_cells = (
        [analysis.groups[bot], ahead_alone(analysis, index)] if analysis.differences else []
    )
    above_cells = [] if best is None else [_above_optimal(mean, best)]
    return [analysis.games_of[bot], mean, *above_cells, *group_cells]


def ahead_alone(analysis: Analysis, index: int) -> Estimate | None:
    """How much less the bot at `index` of the standings needs for a game alone than the next bot.

    None for the last bot, and where the difference is not known.
    """
    bot, following = analysis.order[index], analysis.order[index + 1 : index + 2]
    return next((solo_difference(analysis, bot, next_bot) for next_bot in following), None)


def _above_optimal(mean: Estimate, best: float) -> Estimate:
    return Estimate(*(None if end is None else end - best for end in mean))


def _rating_cells(analysis: Analysis, bot: int, index: int) -> list[Value]:
    following = analysis.order[index + 1 : index + 2]
    superiority = [
        analysis.ratings.superiority(bot, next_bot)
        for next_bot in following
        if next_bot not in analysis.without_games
    ]
    return [
        analysis.elo[bot],
        analysis.games_of[bot],
        analysis.scores[bot],
        "" if bot in analysis.without_games else analysis.groups[bot],
        *(superiority or [None]),
    ]
