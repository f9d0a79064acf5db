"""The profile of a game as a table."""

from collections.abc import Sequence

from cantstop_arena.extensions.design.game_profile import GameProfile, ProfileRow
from cantstop_arena.tables.column import Column, Kind, Table, Value, estimate, interval_texts
from cantstop_arena.tables.formats import value_text
from cantstop_arena.texts import how_many

NAME = "profile"


def profile_table(profile: GameProfile, chosen: Sequence[ProfileRow] | None = None) -> Table:
    """The rows for people: each value has decimals of its own, and shares are in percent.

    A part of the rows can be `chosen`; then the table has no notes.
    """
    columns = [Column("label", "measure"), Column("value", "value")]
    rows = [[_label(row), _value_text(row)] for row in chosen or profile.rows]
    notes = () if chosen else (extent(profile), *profile.notes)
    return Table(NAME, _title(profile), columns, rows, notes)


def profile_data(profile: GameProfile) -> Table:
    """The rows for programs: raw numbers, shares from 0 to 1."""
    columns = [Column("row", "row"), Column("label", "label"), estimate("value", "value", 4)]
    rows: list[list[Value]] = [[row.key, row.label, row.value] for row in profile.rows]
    return Table(NAME, _title(profile), columns, rows)


def _title(profile: GameProfile) -> str:
    seats = how_many(profile.players, "seat")
    return f"{profile.title} ({profile.rules}), {seats}: {', '.join(profile.bots)}"


def extent(profile: GameProfile) -> str:
    """How much was played."""
    played = how_many(profile.games, "game")
    if not profile.analysed:
        return f"{played} played."
    analysed = how_many(profile.analysed, "game")
    return f"{played} played, {analysed} analysed by {how_many(profile.playouts, 'playout')}."


def _label(row: ProfileRow) -> str:
    return f"{row.label}, %" if row.percent else row.label


def _value_text(row: ProfileRow) -> str:
    """The value with its interval, or, where there is no value, what the interval says."""
    if row.value.mean is None:
        return interval_texts(row.value, row.decimals)[1]
    return value_text(_column(row), row.value)


def _column(row: ProfileRow) -> Column:
    return Column(row.key, row.label, Kind.ESTIMATE, row.decimals, percent=row.percent)
