"""Marks: the points for the levels that bots reach against the staff."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cantstop_arena.bots.versions import short_digest
from cantstop_arena.extensions.league.league_file import LOWER, Level, MarkRules
from cantstop_arena.extensions.league.rounds import LeagueTable, Threshold
from cantstop_arena.extensions.league.submissions import Submission
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, Table, estimate, number, percent_text, table_of

UNKNOWN = Estimate(None)


class LevelResult(msgspec.Struct, frozen=True):
    """A level, the score against its bot, and the points for it.

    `is_decided` is False while the interval of the score contains the threshold, and without games.
    """

    level: Level
    score: Estimate
    points: float
    is_decided: bool

    @property
    def is_close(self) -> bool:
        """Whether there are games, and they do not decide it."""
        return self.score.mean is not None and not self.is_decided


class Grade(msgspec.Struct, frozen=True):
    """The results of a bot for all levels."""

    results: tuple[LevelResult, ...] = ()

    @property
    def mark(self) -> float:
        """The points for all levels."""
        return _points(self.results)

    @property
    def is_decided(self) -> bool:
        """Whether all levels are decided."""
        return all(result.is_decided for result in self.results)

    def score(self, rival: str) -> Estimate:
        """The score against a bot of the staff."""
        scores = (result.score for result in self.results if result.level.against == rival)
        return next(scores, UNKNOWN)

    def points(self, rival: str) -> float:
        """The points for all levels against a bot of the staff."""
        return _points(result for result in self.results if result.level.against == rival)

    @property
    def remark(self) -> str:
        """The levels that the games do not decide: close: 44.1 to 45.6 around 45.0."""
        parts = [_close_text(result) for result in self.results if result.is_close]
        return "; ".join(parts)


def _points(results: Iterable[LevelResult]) -> float:
    """The sum of points, an integer where it is one."""
    points = sum(result.points for result in results)
    return int(points) if float(points).is_integer() else points


def _close_text(result: LevelResult) -> str:
    if result.score.low is None or result.score.high is None:
        return f"too few games against {result.level.against}"
    low, high = (percent_text(end, 1) for end in (result.score.low, result.score.high))
    return f"close: {low} to {high} around {percent_text(result.level.score, 1)}"


def thresholds(
    marks: MarkRules, participants: Sequence[int], numbers: Mapping[str, int]
) -> tuple[Threshold, ...]:
    """The thresholds of all levels for these bots; `numbers` are those of the staff, by name."""
    return tuple(
        Threshold(bot, numbers[level.against], level.score)
        for bot in participants
        for level in marks.levels
    )


def grade(marks: MarkRules, table: LeagueTable, bot: int, numbers: Mapping[str, int]) -> Grade:
    """The grade of a bot; of one without games, no points."""
    return Grade(
        tuple(
            _result(marks, level, table.against.get((bot, numbers[level.against]), UNKNOWN))
            for level in marks.levels
        )
    )


def no_grade(marks: MarkRules) -> Grade:
    """The grade of a participant of whom nothing plays: no points, and no level is decided."""
    return Grade(tuple(_without_games(level) for level in marks.levels))


def _without_games(level: Level) -> LevelResult:
    return LevelResult(level, UNKNOWN, 0.0, False)


def _result(marks: MarkRules, level: Level, score: Estimate) -> LevelResult:
    if score.mean is None:
        return _without_games(level)
    value = score.low if marks.rule == LOWER else score.mean
    points = level.points if value is not None and value >= level.score else 0.0
    is_decided = False
    if score.low is not None and score.high is not None:
        is_decided = not score.low < level.score < score.high
    return LevelResult(level, score, points, is_decided)


class MarkRow(msgspec.Struct, frozen=True):
    """A row of marks.csv: a participant, what plays, and the grade."""

    submission: Submission
    pseudonym: str
    grade: Grade
    same_as: str = ""
    """The participant who has handed in the same file before; empty if nobody has."""

    @property
    def remark(self) -> str:
        """What the instructor should know of this mark."""
        same = f"same file as {self.same_as}" if self.same_as else ""
        parts = (self.submission.remark, same, self.grade.remark)
        return "; ".join(part for part in parts if part)

    @property
    def version(self) -> str:
        """The version that plays; empty if none does."""
        active = self.submission.active
        return short_digest(active.submission.digest) if active else ""

    @property
    def submitted(self) -> str:
        """The day on which that version was seen first."""
        return self.submission.active.submission.day if self.submission.active else ""


def mark_table(marks: MarkRules, rows: Sequence[MarkRow]) -> Table:
    """The table of marks, with the columns of each bot of the staff that levels name."""
    columns = [
        Column("id", "id", of=lambda row: row.submission.participant.id),
        Column("name", "name", of=lambda row: row.submission.participant.name),
        Column("pseudonym", "pseudonym"),
        Column("version", "version"),
        Column("submitted", "submitted"),
        number("mark", "mark", 2, of=lambda row: row.grade.mark),
        Column("decided", "decided", of=lambda row: "yes" if row.grade.is_decided else "no"),
    ]
    for rival in marks.rivals:
        columns += _columns_of(rival)
    return table_of("marks", "Marks", [*columns, Column("remark", "remark")], rows)


def _columns_of(rival: str) -> list[Column]:
    return [
        estimate(
            f"{rival}_score",
            f"{rival} %",
            2,
            percent=True,
            stem=rival,
            of=lambda row: row.grade.score(rival),
        ),
        number(f"{rival}_points", f"{rival} points", 2, of=lambda row: row.grade.points(rival)),
    ]
