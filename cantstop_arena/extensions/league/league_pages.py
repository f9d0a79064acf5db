"""The public pages of a league: the standings, and a page for each participant.

They have no seed, no dice and no replays, and with `hide` no names either: a message about a
submission is without the paths that name its folder.
"""

from collections.abc import Sequence
from urllib.parse import quote

import msgspec
from markupsafe import Markup

from cantstop_arena.bots.versions import short_digest
from cantstop_arena.extensions.league.grading import LevelResult, MarkRow
from cantstop_arena.extensions.league.league_chart import chart
from cantstop_arena.extensions.league.league_file import LOWER
from cantstop_arena.extensions.league.league_files import INDEX
from cantstop_arena.extensions.league.league_run import LeagueStandings, ending_text
from cantstop_arena.extensions.league.league_summary import LeagueSummary, ParticipantSummary
from cantstop_arena.extensions.league.secrets import without_names
from cantstop_arena.extensions.league.standings import LeagueRow, short_day
from cantstop_arena.games.registry import game_named
from cantstop_arena.pages.axes import axis_around
from cantstop_arena.pages.document import Document, Fact, Figure, Section, as_html
from cantstop_arena.pages.elements import element, hidden, join_markup
from cantstop_arena.pages.html_table import Cell, Head, HtmlRow, row_table, slot
from cantstop_arena.pages.marks import drawing, grid, interval, scale
from cantstop_arena.pages.number_text import (
    UNKNOWN,
    number_with_error,
    percent,
    with_error,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.column import Column, Table, estimate, number
from cantstop_arena.texts import capitalised, how_many, ordinal

ROW_HEIGHT = 34
_CAPTION = (
    "Dot: estimate; band: 95% interval, valid after any number of rounds. Bots that share a letter"
    " are not significantly different."
)
_RANKING = (
    "Rank is by score: the mean over all games, with equal weight for each opponent. Elo is"
    " computed from the base rounds, which all have played.",
    "Each deal is played in every seating. A bot that is not significantly different from its"
    " neighbour in the ranking plays one round more against everybody, until it is, or both are"
    " tied.",
    "A fault loses its game. A version plays when its check has passed; until then the last one"
    " that has.",
)


class Pages(msgspec.Struct, frozen=True):
    """The pages of some standings."""

    standings: LeagueStandings

    @property
    def about(self) -> str:
        """Game, rules and numbers, in a line."""
        league = self.standings.league
        bots = how_many(len(league.participants), "participant")
        staff = f", {how_many(len(league.staff), 'bot')} of the staff" if league.staff else ""
        season = f", season {league.season}" if league.season > 1 else ""
        title = game_named(league.game.name).title
        return f"{title}, {league.rules.name} rules{season}; {bots}{staff}"

    @property
    def source(self) -> str:
        """The citation below each figure."""
        standings = self.standings
        games = how_many(standings.table.games, "game")
        return f"{standings.league.name}, {games}; {standings.now.date().isoformat()}"

    def file_of(self, row: LeagueRow) -> str:
        """The name of a participant's page."""
        return page_name(row.public_name)

    # Standings -----------------------------------------------------------------------------

    def index(self) -> Document:
        """The page of the standings."""
        standings = self.standings
        sections = [self._standings()]
        if waiting := [each for each in standings.marks if each.submission.active is None]:
            sections.append(self._waiting(waiting))
        if standings.days:
            sections.append(self._over_time())
        rules = list(_RANKING)
        if standings.league.marks.levels:
            rules.append(self._mark_text())
        sections.append(Section("rules", "How it works", rules, folded=True))
        return Document(
            standings.league.name,
            self.about,
            [capitalised(ending_text(standings.league, standings.table).partition(": ")[2])],
            sections,
            self.headline,
            self._facts(),
            source=self.source,
        )

    @property
    def headline(self) -> str:
        """Who leads the participants, and whether that is sure."""
        rows = [row for row in self.standings.rows if not (row.is_staff or row.is_provisional)]
        if not rows or rows[0].score.mean is None:
            return "No standings yet"
        first, level = rows[0], _level_with_first(rows)
        if not level:
            return f"{first.public_name} leads"
        return f"{first.public_name} leads, not significantly ahead of {level[0].public_name}"

    def _facts(self) -> list[Fact]:
        standings = self.standings
        best = next((row for row in standings.rows if not row.is_staff), None)
        ahead = [row for row in standings.rows if not row.is_staff and row.score.mean is not None]
        facts = [Fact("Games", f"{standings.table.games:,}", "", "that the standings take")]
        if best and best.score.mean is not None:
            score = with_error(best.score, 1, 100).split(" ", 1)
            note = f"of {best.public_name}, against everybody"
            facts.append(Fact("Best score", f"{score[0]}%", score[-1], note))
        facts.append(Fact("Ranked", f"{len(ahead)}", "", "bots of participants"))
        decided = standings.table.decided
        pairs = decided + standings.table.tied + standings.table.close
        note = "neighbours in the ranking are significantly different"
        return [*facts, Fact("Decided", f"{decided} of {pairs}", "", note)]

    def _mark_text(self) -> str:
        marks = self.standings.league.marks
        levels = (
            f"{level.points:g} points for {percent(level.score)} against {level.against}"
            for level in marks.levels
        )
        what = "the lower end of the interval" if marks.rule == LOWER else "the score"
        return f"Marks: {', '.join(levels)}. {what.capitalize()} has to reach it."

    def _standings(self) -> Section:
        rows = self.standings.rows
        ends = [100 * end for row in rows for end in row.score if end is not None]
        axis = axis_around(ends or [0, 100])
        ticks = axis.ticks(5)
        since = self.standings.since
        arrow = f"Since {short_day(since.day)}" if since else ""
        heads = [
            Head(join_markup(hidden("Rank"), "#"), "rank num"),
            *([Head(arrow, "since")] if arrow else []),
            Head("Bot", "bot"),
            Head("Score % with 95% interval", "plot", sorts=False, axis=scale(axis, ticks)),
            Head(slot("Score %"), "num elo"),
            Head(slot("Elo"), "num score"),
            Head("Group", "grp", sorts=False),
            Head("Version", "version"),
        ]
        cells = []
        for row in rows:
            best = "best" if row is rows[0] else ""
            percents = row.score.scaled(100)
            marks = [*grid(axis, ticks, ROW_HEIGHT), interval(axis, percents, ROW_HEIGHT / 2, best)]
            own = [
                Cell(str(row.rank), "rank num", row.rank),
                *([Cell(row.since, f"since {_way(row)}", row.gain)] if arrow else []),
                Cell(self._name(row), "bot", heads_row=True),
                Cell(drawing(ROW_HEIGHT, *marks), "plot"),
                Cell(number_with_error(row.score, 2, 100), "num elo", row.score.mean, "Score %"),
                Cell(number_with_error(row.elo, 0), "num score", row.elo.mean, "Elo"),
                Cell(", ".join(row.groups) or UNKNOWN, "grp", label="Group"),
                _version_cell(row),
            ]
            cells.append(HtmlRow(own, "staff" if row.is_staff else None))
        table = row_table("standings league", "Standings", heads, cells)
        figure = Figure(table, _CAPTION, self._notes(), _STYLE)
        return Section("standings", "Standings", figures=[figure])

    def _notes(self) -> list[str]:
        notes = []
        if self.standings.since:
            notes.append(f"Arrows: ranks since {self.standings.since.day.isoformat()}.")
        if any(row.is_provisional for row in self.standings.rows):
            notes.append("Provisional bots have not played the base rounds yet.")
        return notes

    def _name(self, row: LeagueRow) -> Markup:
        name = element("bdi", row.public_name)
        linked = name if row.is_staff else element("a", name, href=quote(self.file_of(row)))
        marks = (element("span", note, class_="flag") for note in row.notes)
        return join_markup(linked, *marks)

    def _waiting(self, waiting: Sequence[MarkRow]) -> Section:
        """The participants without a version that plays, with links to the pages that say why."""
        heads = [Head("Bot", "bot"), Head("Check", "why", sorts=False)]
        rows = []
        for marks in waiting:
            name = self.public_name(marks)
            link = element("a", element("bdi", name), href=quote(page_name(name)))
            cells = [Cell(link, "bot", heads_row=True), Cell(self._check(marks).finding, "why")]
            rows.append(HtmlRow(cells, None))
        table = row_table("waiting league", "Not playing yet", heads, rows)
        finding = f"{how_many(len(rows), 'participant')} without a bot that plays"
        text = "The page of each says why, and what to do."
        return Section("waiting", "Not playing yet", figures=[Figure(table, text)], finding=finding)

    def _over_time(self) -> Section:
        standings = self.standings
        figure = chart(standings.days, standings.rows, standings.now.date())
        return Section("days", "Day by day", figures=[figure])

    # A participant -------------------------------------------------------------------------

    def participant(self, marks: MarkRow) -> Document:
        """The page of a participant."""
        row = self._row_of(marks)
        check, steps = self._check(marks), self._next_steps(marks, row)
        sections = [check, Section("next", "What to do next", steps)]
        if row and row.grade.results:
            sections.insert(0, self._levels(row))
        if marks.submission.versions:
            sections.append(self._versions(marks, marks.submission.participant.id, row))
        name = self.public_name(marks)
        return Document(
            name,
            f"in {self.standings.league.name}",
            [],
            sections,
            self._rank_text(row, name),
            _own_facts(row),
            _back(),
            self.source,
        )

    def summary(self, marks: MarkRow) -> ParticipantSummary:
        """What the page of a participant says first."""
        row, name, check = self._row_of(marks), self.public_name(marks), self._check(marks)
        return ParticipantSummary(
            name,
            page_name(name),
            self._rank_text(row, name),
            [(fact.label, fact.value, fact.error, fact.note) for fact in _own_facts(row)],
            check.finding,
            check.paragraphs,
            self._next_steps(marks, row),
        )

    def _row_of(self, marks: MarkRow) -> LeagueRow | None:
        identity = marks.submission.participant.id
        return next((each for each in self.standings.rows if each.name == identity), None)

    def public_name(self, marks: MarkRow) -> str:
        """What the pages call a participant."""
        hide = self.standings.league.hide
        return marks.pseudonym if hide else marks.submission.participant.id

    def _rank_text(self, row: LeagueRow | None, name: str) -> str:
        if row is None or row.score.mean is None:
            return f"{name} has no place yet"
        provisional = ", provisional" if row.is_provisional else ""
        return f"{name} is {ordinal(row.rank)} of {len(self.standings.rows)}{provisional}"

    def _levels(self, row: LeagueRow) -> Section:
        total = sum(level.points for level in self.standings.league.marks.levels)
        finding = f"{row.grade.mark:g} of {total:g} points"
        columns = [
            Column("against", "against"),
            estimate("score", "score %", 1, percent=True),
            number("level", "needed %", 1, percent=True),
            Column("points", "points"),
            Column("note", "note", optional=True),
        ]
        rows = [_level_row(result) for result in row.grade.results]
        table = Table("levels", "Against the staff", columns, rows)
        return Section("levels", "Marks", tables=[table], open=True, finding=finding)

    def _check(self, marks: MarkRow) -> Section:
        submission = marks.submission
        if not submission.problem:
            active = submission.active
            assert active is not None
            version = short_digest(active.submission.digest)
            text = f"Version {version} of {active.submission.day} has passed, and plays."
            return Section("check", "Check", [text], finding="The check has passed")
        paragraphs = [self._problem(marks)]
        if submission.active:
            earlier = submission.active.submission
            version = short_digest(earlier.digest)
            paragraphs.append(f"Version {version} of {earlier.day} plays.")
        is_missing = submission.problem.startswith("no ")
        finding = "No file to play" if is_missing else "The newest version does not play"
        return Section("check", "Check", paragraphs, finding=finding)

    def _problem(self, marks: MarkRow) -> str:
        """Why the newest version of a participant does not play, as a sentence."""
        submission, folder = marks.submission, self.standings.league.folder
        text = without_names(submission.problem, submission.participant.id, folder)
        return capitalised(f"{text}.")

    def _next_steps(self, marks: MarkRow, row: LeagueRow | None) -> list[str]:
        """What a participant can do: correct the bot, or reach the next level or rank."""
        entry, rows = self.standings.league.entry, self.standings.rows
        if marks.submission.problem:
            has_file = not marks.submission.problem.startswith("no ")
            first = "Correct it and hand it in again" if has_file else f"Hand in {entry}"
            return [f"{first}. Before that, arena bots check {entry} says whether it passes."]
        if row is None or row.score.mean is None:
            return ["The next run of the league plays its games."]
        steps = []
        if missing := [result for result in row.grade.results if not result.points]:
            next_level = min(missing, key=lambda each: each.level.score - (each.score.mean or 0))
            level, score = next_level.level, with_error(next_level.score, 1, 100)
            steps.append(
                f"{level.points:g} points more are for {percent(level.score)} against"
                f" {level.against}; the score is {score} now."
            )
        if row.rank > 1:
            above = rows[row.rank - 2]
            differs = "" if {*row.groups}.isdisjoint(above.groups) else "not "
            steps.append(
                f"Next in the ranking is {above.public_name}, which is {differs}significantly"
                " better."
            )
        return steps or ["It leads: nothing is left to do but to stay there."]

    def _versions(self, marks: MarkRow, identity: str, row: LeagueRow | None) -> Section:
        standings = self.standings
        last: dict[str, tuple[str, int, float | None]] = {}
        for day in standings.days:
            if identity in day.ranks:
                entry = (day.day.isoformat(), day.ranks[identity], day.elo.get(identity))
                last[day.versions[identity]] = entry
        if row:
            last[row.version] = (standings.now.date().isoformat(), row.rank, row.elo.mean)
        columns = [
            Column("version", "version"),
            Column("since", "since"),
            Column("check", "check"),
            number("rank", "last rank"),
            number("elo", "last Elo", 0),
            Column("on", "on"),
        ]
        rows = []
        for each in marks.submission.versions:
            version = short_digest(each.digest)
            on, rank, elo = last.get(version, ("", None, None))
            rows.append([version, each.day, each.verdict, rank, elo, on])
        table = Table("versions", "Versions", columns, rows)
        finding = how_many(len(rows), "version")
        return Section("versions", "Versions", tables=[table], open=True, finding=finding)


def pages(standings: LeagueStandings) -> dict[str, str]:
    """The pages as HTML, by file name."""
    made = Pages(standings)
    documents = {INDEX: made.index()}
    for marks in standings.marks:
        documents[page_name(made.public_name(marks))] = made.participant(marks)
    return {name: as_html(document) for name, document in documents.items()}


def summary(standings: LeagueStandings) -> LeagueSummary:
    """What arena serve says of a league and its participants."""
    made = Pages(standings)
    return LeagueSummary(
        standings.league.game.name,
        made.about,
        made.headline,
        len(standings.rows),
        standings.table.games,
        standings.now.timestamp(),
        {each.submission.participant.id: made.summary(each) for each in standings.marks},
    )


def page_name(public_name: str) -> str:
    """The file name of a participant's page."""
    return f"{public_name.replace(' ', '-')}.html"


def _level_with_first(rows: Sequence[LeagueRow]) -> list[LeagueRow]:
    return [row for row in rows[1:] if set(row.groups) & set(rows[0].groups)]


def _version_cell(row: LeagueRow) -> Cell:
    """The version of a participant's bot, and its date."""
    if row.is_staff:
        return Cell("", "version")
    return Cell(f"{row.version} · {row.submitted}", "version", label="Version")


def _way(row: LeagueRow) -> str:
    """The CSS class of an arrow."""
    if row.is_staff or row.gain in (None, 0):
        return ""
    return "up" if (row.gain or 0) > 0 else "down"


def _own_facts(row: LeagueRow | None) -> list[Fact]:
    if row is None or row.score.mean is None:
        return []
    return [
        _fact("Score", row.score, 2, 100, "%", "against everybody"),
        _fact("Elo", row.elo, 0, 1, "", "from the base rounds"),
        Fact("Rounds", f"{row.rounds}", "", "played against everybody"),
        Fact(
            "Group",
            ", ".join(row.groups) or UNKNOWN,
            "",
            "of bots that are not significantly different",
        ),
    ]


def _fact(label: str, value: Estimate, decimals: int, scale_by: int, unit: str, note: str) -> Fact:
    if value.mean is None:
        return Fact(label, UNKNOWN, "", note)
    figure, _, error = with_error(value, decimals, scale_by).partition(" ")
    return Fact(label, f"{figure}{unit}", error, note)


def _level_row(result: LevelResult) -> list[str | float | Estimate | None]:
    note = "close" if result.is_close else ""
    level = result.level
    return [level.against, result.score, level.score, f"{result.points:g}", note]


def _back() -> Markup:
    return element("p", element("a", "All standings", href=INDEX), class_="answer")


_STYLE = """
.league .since { white-space: nowrap; color: var(--faint); font-size: 0.8125rem; }
.league .since.up { color: var(--accent); background: none; }
.league .since.down { color: var(--warm); background: none; }
.league .version { white-space: nowrap; color: var(--faint); font-size: 0.8125rem; }
.league tr.staff th.bot { font-weight: 400; font-style: italic; }
.league .why { text-align: left; white-space: normal; }
@container tw (max-width: 60rem) { .league .version { display: none; } }
@container tw (max-width: 40rem) {
  .league td.since { order: 2; flex: 0 0 2.5rem; }
  .league td.version { display: inline; order: 5; font-size: 0.75rem; }
}
"""
