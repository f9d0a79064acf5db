"""The standings of a league: rows, tables and files, and how they compare with earlier days."""

import csv
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from io import StringIO
from pathlib import Path

import msgspec

from cantstop_arena.deals.payoff import WINS_ONLY
from cantstop_arena.extensions.league.grading import Grade
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import letters_in
from cantstop_arena.tables.column import Column, Table, estimate, number, table_of

DAYS = "days"  # folder of the standings of each day
UP, DOWN, SAME, NEW = "\u25b2", "\u25bc", "=", "new"


class LeagueRow(msgspec.Struct, frozen=True):
    """A bot of the standings.

    `name` is its folder's, `public_name` what pages call it, `full_name` that of the roster. `gain`
    is how many ranks it has gained since the earlier standings; None if it was not there. Bots of
    the staff have no grade.
    """

    rank: int
    name: str
    public_name: str
    full_name: str
    is_staff: bool
    score: Estimate
    elo: Estimate
    rounds: int
    letters: str
    is_provisional: bool
    version: str
    submitted: str
    gain: int | None = None
    grade: Grade = Grade()

    @property
    def since(self) -> str:
        """An arrow with the number of ranks gained or lost; empty for the staff."""
        if self.is_staff:
            return ""
        if self.gain is None:
            return NEW
        return f"{UP if self.gain > 0 else DOWN} {abs(self.gain)}" if self.gain else SAME

    @property
    def groups(self) -> list[str]:
        """Its letters one by one; behind z they have numbers, as in a1."""
        return letters_in(self.letters)

    @property
    def mark(self) -> float | None:
        """The points of a participant."""
        return None if self.is_staff else self.grade.mark

    @property
    def pseudonym(self) -> str:
        """What pages call it; empty where that is its name."""
        return self.public_name if self.public_name != self.name else ""

    @property
    def notes(self) -> list[str]:
        """Words about the row: whose bot it is, and what limits its meaning."""
        notes = {"staff": self.is_staff, "provisional": self.is_provisional}
        return [note for note, holds in notes.items() if holds]

    @property
    def note(self) -> str:
        """The notes as a text."""
        return ", ".join(self.notes)


class PastStandings(msgspec.Struct, frozen=True):
    """The standings of a day: rank, Elo and version of each bot, by name."""

    day: date
    ranks: Mapping[str, int]
    elo: Mapping[str, float]
    versions: Mapping[str, str]


def standings_table(
    rows: Sequence[LeagueRow], has_marks: bool, since: date | None, has_payoffs: bool
) -> Table:
    """The standings for people; arrows are `since` a day."""
    by_wins = WINS_ONLY.format("Bots are ranked", "marks are for scores")
    columns = [
        number("rank"),
        *([Column("since", f"since {short_day(since)}")] if since else []),
        Column("name", "name"),
        estimate("score", "score %", 2, percent=True),
        estimate("elo", "Elo", 1),
        Column("letters", "group", leave_out=3),
        number("rounds", "rounds", leave_out=2),
        Column("version", "version", leave_out=1),
        *([number("mark", "marks", _decimals(rows))] if has_marks else []),
        Column("note", "note", optional=True),
    ]
    return table_of("standings", "Standings", columns, rows, [by_wins] if has_payoffs else [])


def _decimals(rows: Sequence[LeagueRow]) -> int:
    """The decimals of marks: none where all points are integers."""
    return 0 if all(float(row.mark or 0).is_integer() for row in rows) else 2


def standings_data(rows: Sequence[LeagueRow]) -> Table:
    """The standings for programs, as standings.csv and the files of days have them."""
    columns = [
        number("rank"),
        Column("id", "id", of=lambda row: row.name),
        Column("name", "name", of=lambda row: row.full_name),
        Column("pseudonym", "pseudonym"),
        estimate("score", "score", 4),
        estimate("elo", "elo", 1, fixed=1),
        number("rounds"),
        Column("group", "group", of=lambda row: row.letters),
        Column("version", "version"),
        Column("submitted", "submitted"),
        number("mark", decimals=2),
        Column("note", "note"),
    ]
    return table_of("standings", "Standings", columns, rows)


def short_day(day: date) -> str:
    """A day as in 16 Nov."""
    return f"{day.day} {day:%b}"


def past_days(folder: Path, before: date) -> list[PastStandings]:
    """The standings of the days before one, the oldest first; damaged files are left out."""
    days = []
    for path in sorted((folder / DAYS).glob("*.csv")):
        try:
            day = date.fromisoformat(path.stem)
            if day < before:
                days.append(_past(day, path.read_text("utf-8")))
        except (ValueError, KeyError, OSError):
            continue
    return days


def _past(day: date, text: str) -> PastStandings:
    rows = list(csv.DictReader(StringIO(text)))
    names = [row["id"].removeprefix("'") for row in rows]
    by_name = list(zip(names, rows, strict=True))
    return PastStandings(
        day,
        {name: int(row["rank"]) for name, row in by_name},
        {name: float(row["elo"]) for name, row in by_name if row["elo"]},
        {name: row["version"] for name, row in by_name},
    )


def compared_with(days: Sequence[PastStandings], today: date, age: int) -> PastStandings | None:
    """The newest standings that are at least `age` days old; if there are none, the oldest."""
    old = [day for day in days if day.day <= today - timedelta(days=age)]
    return old[-1] if old else next(iter(days), None)
