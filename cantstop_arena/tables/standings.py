"""The standings: rank, rating or mean, group, faults and notes of each bot."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import ELO_DECIMALS, Analysis
from cantstop_arena.tables.column import (
    Column,
    Kind,
    OnPage,
    Table,
    Value,
    estimate,
    number,
    percent_text,
    table_of,
)
from cantstop_arena.tables.differences import counted_unit, solo_difference
from cantstop_arena.tables.notes import (
    DISQUALIFIED,
    NOT_REPRODUCIBLE,
    OTHER_RIVALS,
    UPSET,
    about_standings,
    contradiction,
    fault_text,
    has_other_rivals,
    legend,
    repeated_text,
)


class Standing(msgspec.Struct, frozen=True):
    """A row of the standings: the bot at this index, from 0 on; of a field by its number."""

    analysis: Analysis
    index: int
    field: int | None = None

    @property
    def rank(self) -> int | None:
        """Its rank from 1 on; None without games."""
        return self.analysis.ranking[self.index][0]

    @property
    def number(self) -> int:
        """Its number in the tournament."""
        return self.analysis.order[self.index]

    @property
    def bot(self) -> str:
        """Its name."""
        return self.analysis.names[self.index]

    @property
    def below(self) -> int | None:
        """The number of the bot below; None for the last one."""
        following = self.analysis.order[self.index + 1 : self.index + 2]
        return following[0] if following else None

    @property
    def rated_below(self) -> int | None:
        """The number of the bot below, if that has played."""
        return None if self.below in self.analysis.without_games else self.below

    @property
    def elo(self) -> Estimate:
        """Its Elo."""
        return self.analysis.elo[self.number]

    @property
    def games(self) -> int:
        """The number of its games."""
        return self.analysis.games_of[self.number]

    @property
    def drawn(self) -> float:
        """The share of its games that all seats won."""
        return self.analysis.drawn_of[self.number] / max(1, self.games)

    @property
    def games_and_repeated(self) -> str:
        """The number of its games, and of those that were asked for where some are alike."""
        return repeated_text(self.games, self.analysis.alike_of[self.number])

    @property
    def score(self) -> Estimate:
        """Its share of the wins."""
        return self.analysis.scores[self.number]

    @property
    def payoff(self) -> Estimate:
        """Its mean payoff a game."""
        return self.analysis.payoffs[self.number]

    @property
    def score_mark(self) -> str:
        """The mark of a score that does not compare with the others, else empty."""
        return OTHER_RIVALS if has_other_rivals(self.analysis, self.number) else ""

    @property
    def letters(self) -> str:
        """The letters of its groups."""
        is_unrated = not self.analysis.is_solo and self.number in self.analysis.without_games
        return "" if is_unrated else self.analysis.groups[self.number]

    @property
    def superiority(self) -> float | None:
        """The likelihood that it is better than the bot below; None where that is not known."""
        if self.rated_below is None:
            return None
        return self.analysis.superiority(self.number, self.rated_below)

    @property
    def order_mark(self) -> str:
        """The mark of a bot that did not do better in its games with the bot below, else empty."""
        if self.rated_below is None:
            return ""
        return UPSET if contradiction(self.analysis, self.number, self.rated_below) else ""

    @property
    def per_game(self) -> Estimate:
        """What it needs for a game alone."""
        return self.analysis.means[self.number]

    @property
    def above_optimal(self) -> Estimate:
        """How much more than perfect play it needs for a game alone."""
        best = self.analysis.optimal_mean or 0.0
        return Estimate(*(None if end is None else end - best for end in self.per_game))

    @property
    def fewer_than_next(self) -> Estimate | None:
        """How much less than the bot below it needs for a game alone; None where unknown."""
        return (
            None if self.below is None else solo_difference(self.analysis, self.number, self.below)
        )

    @property
    def ahead_of_next(self) -> Estimate | None:
        """How much better its mean payoff is than that of the bot below; None where unknown."""
        means = self.analysis.mean_payoffs
        if self.rated_below is None or means is None:
            return None
        ahead = means.ahead(self.number, self.rated_below)
        return None if ahead is None else ahead.estimate

    @property
    def faults(self) -> int:
        """The number of its faults."""
        return self.analysis.faults_of[self.bot]

    @property
    def note(self) -> str:
        """What limits the meaning of its row."""
        notes = {
            NOT_REPRODUCIBLE: self.bot in self.analysis.results.irreproducible,
            f"{OTHER_RIVALS} other rivals": bool(self.score_mark),
        }
        return "; ".join(note for note, holds in notes.items() if holds)


class Disqualified(msgspec.Struct, frozen=True):
    """The row of a disqualified bot: no game of it counts, and nothing is estimated."""

    analysis: Analysis
    bot: str
    rank: None = None
    games: int = 0
    note: str = DISQUALIFIED

    @property
    def faults(self) -> int:
        """The number of its faults."""
        return self.analysis.faults_of[self.bot]

    @property
    def first_fault(self) -> str:
        """Kind and message of its first fault."""
        first = self.analysis.first_fault_of.get(self.bot)
        return fault_text(first) if first else ""

    @property
    def replay(self) -> str:
        """The command that replays the game of its first fault."""
        first = self.analysis.first_fault_of.get(self.bot)
        return first.replay if first else ""

    def values(self, columns: Sequence[Column]) -> list[Value]:
        """What it has of the columns; nothing in the others."""
        return [getattr(self, column.key, _nothing(column)) for column in columns]


def _nothing(column: Column) -> str | None:
    return "" if column.kind is Kind.TEXT else None


GROUP_ORDER = 5  # the place on the page of the groups, which are drawn

FIELD, RANK, BOT = number("field"), number("rank"), Column("bot", "bot")
ELO = estimate("elo", "Elo", 1, fixed=ELO_DECIMALS)
_GAMES = number("games", page=OnPage(order=8, kind="num gm"))
_GROUP = Column("letters", "group", leave_out=3)
NOTES = (number("faults", optional=True), Column("note", "note", optional=True))
_FIRST_FAULTS = (
    Column("first_fault", "first fault", of=lambda standing: ""),
    Column("replay", "replay", of=lambda standing: ""),
)


def standings(analysis: Analysis) -> Table:
    """A row for each bot, by Elo; bots that play alone by what they need for a game.

    Bots that never met stand in several fields, which have a column. The last rows are those of
    disqualified bots, without a rank and an estimate.
    """
    table = _with_disqualified(ranked_standings(analysis), analysis)
    return _with_repeated(table) if analysis.results.repeated else table


def _with_repeated(table: Table) -> Table:
    """The standings with the games that were asked for, where some of them are alike."""
    position = [column.key for column in table.columns].index("games")
    rows = [list(row) for row in table.rows]
    for row, record in zip(rows, table.records, strict=True):
        row[position] = getattr(record, "games_and_repeated", str(record.games))
    columns = [*table.columns]
    columns[position] = replace(columns[position], kind=Kind.TEXT)
    return replace(table, columns=columns, rows=rows)


def standings_data(analysis: Analysis) -> Table:
    """The standings for programs: if bots are disqualified, with columns of their first faults."""
    more = _FIRST_FAULTS if analysis.results.disqualified else ()
    return _with_disqualified(ranked_standings(analysis, more), analysis)


def ranked_standings(analysis: Analysis, more: Sequence[Column] = ()) -> Table:
    """The standings without disqualified bots, with more columns on the right."""
    columns = (
        _solo_columns(analysis) if analysis.is_solo else rating_columns(analysis.results.players)
    )
    if analysis.results.drawn:
        position = [column.key for column in columns].index("score") + 1
        columns.insert(position, number("drawn", "drawn %", 1, percent=True))
    if paid := analysis.results.payoff:
        columns = [payoff_column(paid), *columns]
    return table_of(
        name="standings",
        title="Standings",
        columns=(*field_column(analysis), RANK, BOT, *columns, *NOTES, *more),
        records=rows_of(analysis),
        notes=[*legend(analysis), *about_standings(analysis)],
    )


def field_column(analysis: Analysis) -> Sequence[Column]:
    """The column of the fields, where bots form several."""
    return [FIELD] if len(analysis.fields) > 1 else []


def rows_of(analysis: Analysis) -> list[Standing]:
    """The rows of all bots, field after field, and then those without games."""
    is_single = len(analysis.fields) == 1
    rows = [
        Standing(part, index, None if is_single else number)
        for number, part in enumerate(analysis.fields, start=1)
        for index in range(len(part.ranking))
    ]
    return [*rows, *(Standing(analysis, at) for at in range(len(rows), len(analysis.ranking)))]


def standings_by_field(analysis: Analysis) -> list[Table]:
    """The standings for people: a table for each field, and one of those that are in none."""
    table = standings(analysis)
    if len(analysis.fields) == 1:
        return [table]
    numbers = [getattr(record, "field", None) for record in table.records]
    tables = []
    for field in dict.fromkeys(numbers):
        title = f"Standings of field {field}" if field else "Without games"
        at = [index for index, own in enumerate(numbers) if own == field]
        rows, records = [table.rows[index][1:] for index in at], [table.records[i] for i in at]
        tables.append(Table(table.name, title, table.columns[1:], rows, (), records))
    return [*tables[:-1], replace(tables[-1], notes=table.notes)]


def _with_disqualified(table: Table, analysis: Analysis) -> Table:
    records = [Disqualified(analysis, bot) for bot in analysis.results.disqualified]
    rows = [*table.rows, *(record.values(table.columns) for record in records)]
    return replace(table, rows=rows, records=[*table.records, *records])


def rating_columns(players: int) -> list[Column]:
    """The columns of bots that meet at tables of so many players."""
    even = percent_text(1 / players, 1).removesuffix(".0")
    return [
        replace(ELO, page=OnPage(order=3, kind="num elo", labelled=False)),
        replace(_GAMES, leave_out=2),
        estimate(
            "score",
            "score %",
            2,
            percent=True,
            leave_out=4,
            page=OnPage(
                order=4,
                decimals=1,
                kind="num score",
                about=f"Share of the wins; even: {even}%",
                mark=lambda standing: standing.score_mark,
            ),
        ),
        _GROUP,
        number(
            "superiority",
            "LOS vs next, %",
            1,
            percent=True,
            chance=True,
            leave_out=1,
            page=OnPage(
                order=7,
                heading="LOS",
                kind="num los",
                about="Likelihood that it is better than the bot below",
                mark=lambda standing: standing.order_mark,
                sort=lambda standing: -1 if standing.superiority is None else standing.superiority,
            ),
        ),
    ]


def payoff_column(payoff: Payoff) -> Column:
    """The column of mean payoffs."""
    page = OnPage(order=2, kind="num score", about="Mean payoff of a game")
    return estimate("payoff", f"{payoff.units} a game", 3, page=page)


def _solo_columns(analysis: Analysis) -> list[Column]:
    """The columns of bots that play alone."""
    if analysis.by_payoff and (paid := analysis.results.payoff):
        return [_GAMES, _GROUP, estimate("ahead_of_next", f"{paid.units} ahead of next", 3)]
    unit = counted_unit(analysis)
    above_optimal = estimate("above_optimal", f"{unit} above optimal", 3)
    on_page = OnPage(order=6, heading="Ahead", decimals=2, kind="num score")
    ahead = estimate("fewer_than_next", f"{unit} fewer than next", 3, page=on_page)
    return [
        _GAMES,
        per_game(analysis),
        *([] if analysis.optimal_mean is None else [above_optimal]),
        *([_GROUP, ahead] if analysis.differences else []),
    ]


def per_game(analysis: Analysis) -> Column:
    """The column of what each bot needs for a game alone."""
    count = analysis.results.counts.alone
    return estimate(
        f"{count}_per_game",
        f"{counted_unit(analysis)} per game",
        3,
        stem=count,
        of=lambda standing: standing.per_game,
        page=OnPage(order=3, decimals=2, kind="num elo", labelled=False),
    )
