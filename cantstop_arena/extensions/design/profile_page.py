"""The page of `arena profile`: what a game is like, its shares as dots on one axis."""

from collections.abc import Iterator, Sequence

from markupsafe import Markup
from msgspec.structs import replace

from cantstop_arena.extensions.design.game_profile import GameProfile, ProfileRow
from cantstop_arena.extensions.design.profile_report import profile_headline
from cantstop_arena.extensions.design.profile_tables import extent, profile_table
from cantstop_arena.extensions.design.quantities import LUCK
from cantstop_arena.pages.axes import Axis, axis_around
from cantstop_arena.pages.document import Document, Fact, Figure, Section
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, name_cell, row_table
from cantstop_arena.pages.marks import drawing, grid, interval, scale
from cantstop_arena.pages.number_text import error_of, number_with_error, percent, plain
from cantstop_arena.reports.page.facts import MIDDLE, marked_axis, origin, source
from cantstop_arena.reports.page.standings_section import ROW_HEIGHT
from cantstop_arena.texts import capitalised, how_many

_FACTS = (
    (LUCK, "Luck", "of a single game"),
    ("ladder", "Ladder", "from the weakest bot to the best"),
    ("lowest", "Drama", "lowest chance of the later winner"),
    ("weight", "Decision weight", "best move above the second, in chances to win"),
)
_CAPTION = "Dot: value; band: 95% interval. Percent of what the row says."


def document(profile: GameProfile, command: str) -> Document:
    """The page of a profile; `command` plays it again."""
    shares = [row for row in profile.rows if row.percent and row.value.mean is not None]
    sections = [_shares_section(shares)] if shares else []
    if len(shares) < len(profile.rows):
        sections.append(_other_section(profile))
    if command:
        sections.append(_origin(profile, command))
    return Document(
        title=profile.title,
        about=f"a profile, {profile.rules} rules, {how_many(profile.players, 'player')}",
        answer=[f"{profile.notes[0]} {extent(profile)}", *profile.notes[1:]],
        sections=sections,
        headline=profile_headline(profile),
        facts=list(_facts(profile)),
        source=source(f"profile of {profile.title}", profile.seed, how_many(profile.games, "game")),
    )


def _facts(profile: GameProfile) -> Iterator[Fact]:
    rows = {row.key: row for row in profile.rows}
    for key, label, note in _FACTS:
        if (row := rows.get(key)) is None or row.value.mean is None:
            continue
        multiplier = 100 if row.percent else 1
        error = error_of(row.value, row.decimals, multiplier)
        value = percent(row.value.mean, row.decimals) if row.percent else plain(row.value.mean, 0)
        unit = "" if row.percent else " Elo"
        plot = _luck_plot(row) if key == LUCK else None
        yield Fact(label, value, f"{error}{unit}".lstrip(), note, plot)


def _luck_plot(row: ProfileRow) -> Markup:
    axis = _axis([row])
    return marked_axis(axis, [interval(axis, row.value.scaled(100), MIDDLE)], [], "%")


def _axis(rows: Sequence[ProfileRow]) -> Axis:
    """An axis from 0 to 100%, and further if an interval reaches beyond."""
    return axis_around([0, 100, *(end for row in rows for end in row.value.scaled(100))])


def _shares_section(rows: Sequence[ProfileRow]) -> Section:
    axis = _axis(rows)
    ticks = axis.ticks(5)
    heads = [
        Head("Measure", "bot", sorts=False),
        Head("95% interval", "plot", sorts=False, axis=scale(axis, ticks, "%")),
        Head("Value", sorts=False),
    ]
    body = [
        HtmlRow(
            [
                name_cell(capitalised(row.label), kind="bot measure"),
                Cell(
                    drawing(
                        ROW_HEIGHT,
                        *grid(axis, ticks, ROW_HEIGHT, 0),
                        interval(axis, row.value.scaled(100), ROW_HEIGHT / 2),
                    ),
                    "plot",
                ),
                Cell(number_with_error(row.value, row.decimals, 100), label="Value, %"),
            ]
        )
        for row in rows
    ]
    figure = Figure(row_table("rows profile", "Shares", heads, body), _CAPTION)
    return Section("shares", "Shares", figures=[figure], finding=_finding(rows))


def _finding(rows: Sequence[ProfileRow]) -> str:
    """The share that is known best after luck, as a sentence."""
    by_key = {row.key: row for row in rows}
    for key, text in (
        ("decided", "A game is decided after {} of its length"),
        ("first_seat", "The first seat wins {}"),
        ("unfinished", "{} of the games are unfinished"),
    ):
        if row := by_key.get(key):
            return text.format(percent(row.value.mean or 0, row.decimals))
    return "Shares in percent"


def _other_section(profile: GameProfile) -> Section:
    """The rows that are no shares, each with decimals of its own."""
    rows = [row for row in profile.rows if not row.percent]
    table = profile_table(profile, rows)
    return Section("numbers", "Numbers", tables=[table], open=True, finding="Numbers of a game")


def _origin(profile: GameProfile, command: str) -> Section:
    """The command; a profile has no file."""
    section = origin(command, "", "", [("seed", profile.seed)])
    text = "The number of workers changes nothing. This command plays the same games again:"
    return replace(section, listings=section.listings[:1], paragraphs=[text])
