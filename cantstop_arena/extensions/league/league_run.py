"""A run of a league: submissions are checked, missing games are played, bots are ranked."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from math import inf
from pathlib import Path
from typing import NamedTuple

import msgspec

from cantstop_arena.atomic_files import check_results_folder, create_below, refuse_link
from cantstop_arena.bots.bot_start import check_sandbox
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.versions import short_digest
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.league.extension import LEAGUE_FILE
from cantstop_arena.extensions.league.grading import Grade, MarkRow, grade, no_grade, thresholds
from cantstop_arena.extensions.league.league_file import League
from cantstop_arena.extensions.league.played_games import (
    LeagueGames,
    open_games,
    version_key,
)
from cantstop_arena.extensions.league.rounds import (
    BUDGET,
    DONE,
    TIME,
    LeagueTable,
    RoundField,
    RoundOpening,
    affordable_base,
    deals_of_round,
    play_rounds,
)
from cantstop_arena.extensions.league.secrets import pseudonyms, season_seed
from cantstop_arena.extensions.league.standings import (
    LeagueRow,
    PastStandings,
    compared_with,
    past_days,
)
from cantstop_arena.extensions.league.submission_store import copied_store, open_store
from cantstop_arena.extensions.league.submissions import (
    Active,
    Submission,
    SubmissionReader,
    about_submissions,
    same_files,
)
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.sequential.confidence import FIRST_LOOK
from cantstop_arena.tables.plan_text import lineup_noun
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.duration import LineupGames
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.read_ledger import copied_ledger
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import LOGS
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.tournament import COPIES, RESOLVED, Tournament

MAX_LISTED = 6  # names of open bots in a line
Echo = Callable[[str], None]


class LeagueStandings(msgspec.Struct, frozen=True):
    """The standings of a league after a run, and all that its files and pages have.

    `days` are the standings of earlier days, `since` those with which these are compared.
    """

    league: League
    folder: Path
    now: datetime
    rows: Sequence[LeagueRow]
    marks: Sequence[MarkRow]
    table: LeagueTable
    days: Sequence[PastStandings]
    since: PastStandings | None
    played: int = 0


class PlayedRounds(NamedTuple):
    """What the rounds have shown, the Elo of each bot, and how many games were played."""

    table: LeagueTable
    elo: Sequence[Estimate]
    played: int


class LeaguePlan(msgspec.Struct, frozen=True):
    """What a run would do: the new versions that it would check, and the games it would begin with.

    `stored` of all `groups` have the base rounds in the ledger, others miss some of their games.
    """

    new: Sequence[str]
    submissions: Sequence[Submission]
    players: int
    groups: int
    stored: int
    missing: Sequence[LineupGames]

    @property
    def games(self) -> int:
        """The number of games of the base rounds that are missing."""
        return sum(each.games for each in self.missing)


def run_league(
    league: League,
    catalogue: Catalogue,
    results: Path,
    options: PoolOptions,
    observer: RunObserver,
    echo: Echo,
    now: datetime,
    seconds: float = inf,
) -> LeagueStandings:
    """Check what is new, play what the standings lack, and return them.

    After so many `seconds` no further round begins. `echo` gets sentences about what happens.
    Raises UsageError, LedgerError, WorkerPoolError and the like.
    """
    end = time.monotonic() + seconds
    folder = results / league.name
    _refuse_without_sandbox(league)
    _create(folder)
    with open_store(folder) as store:
        seed = store.seed(league.seed)
        reader = SubmissionReader(league, catalogue, store, seed, now, observer, folder)
        submissions = reader.read()
        for text in _about(league, submissions):
            echo(text)

        def play(field: LeagueField, is_time_up: Callable[[], bool], echo: Echo) -> PlayedRounds:
            tournament = field.tournament(folder, seed)
            with open_games(tournament, catalogue, folder, options, observer, is_time_up) as games:
                plan = _plan(field, games, submissions)
                echo(f"{league.name}: {_plan_text(plan)}")
                observer.on_whole(plan.games)

                def begin(opening: RoundOpening) -> None:
                    echo(field.text_of(opening))
                    observer.on_whole(opening.games)

                table = play_rounds(field.of_rounds, league.rounds, games, begin)
                return PlayedRounds(table, field.elo(table, games), games.played)

        field = LeagueField(league, submissions)
        table, elo, played = play(field, lambda: time.monotonic() >= end, echo)
        late = {field.entrants[bot].name for bot in table.provisional}
        before = [
            reader.earlier(each) if each.participant.id in late else each for each in submissions
        ]
        if before != submissions:
            # A new version that lacks its base rounds takes nothing from the one before.
            earlier_field = LeagueField(league, before)
            earlier = play(earlier_field, lambda: True, lambda _: None)
            if len(earlier.table.provisional) < len(late):
                field, submissions, (table, elo, _) = earlier_field, before, earlier
        echo(ending_text(league, table))
    names = pseudonyms(seed, (each.id for each in league.participants))
    days = past_days(folder, now.date())
    since = compared_with(days, now.date(), league.arrows)
    rows = field.rows(table, elo, names if league.hide else {}, since)
    marks = _mark_rows(league, submissions, rows, names)
    return LeagueStandings(league, folder, now, rows, marks, table, days, since, played)


def plan_league(
    league: League, catalogue: Catalogue, results: Path, observer: RunObserver, now: datetime
) -> LeaguePlan:
    """What a run would do; nothing is checked, played or written."""
    folder = results / league.name
    _refuse_without_sandbox(league)
    with copied_store(folder) as store:
        seed = store.seed(league.seed)
        reader = SubmissionReader(league, catalogue, store, seed, now, observer, folder, False)
        submissions = reader.read()
    field = LeagueField(league, submissions)
    options = PoolOptions(1, "fork")
    with (
        copied_ledger(folder, fresh=False) as copy,
        open_games(
            field.tournament(folder, seed), catalogue, copy, options, observer, lambda: True
        ) as games,
    ):
        return _plan(field, games, submissions)


def _refuse_without_sandbox(league: League) -> None:
    for participant in league.participants[:1]:
        check_sandbox(participant.id, league.isolate)


def _create(folder: Path) -> None:
    check_results_folder(folder)
    create_below(folder.parent, folder)
    for name in (LEDGER, LEAGUE_FILE, COPIES, LOGS):
        refuse_link(folder / name)


class LeagueField:
    """The bots of a league that play, those of the staff among them, in the order of versions.

    So their standings depend on what they are, not on names or on who came first.
    """

    def __init__(self, league: League, submissions: Sequence[Submission]) -> None:
        self.league = league
        self.actives: Mapping[str, Active] = {
            each.active.entrant.name: each.active for each in submissions if each.active
        }
        entrants = [*(active.entrant for active in self.actives.values()), *league.staff]
        self.entrants: Sequence[Entrant] = sorted(entrants, key=lambda e: (version_key(e), e.name))
        size = league.game.lineup_size(league.players)
        if len(self.entrants) < size:
            have = how_many(len(self.entrants), "bot")
            raise UsageError(f"{league.name}: a game needs {size} bots, and {have} can play")
        self.numbers = {entrant.name: number for number, entrant in enumerate(self.entrants)}
        self.orders = len(league.game.orders(league.players))
        participants = [self.numbers[name] for name in self.actives]
        marked = thresholds(league.marks, sorted(participants), self.numbers)
        self.of_rounds = RoundField(len(self.entrants), size, self.orders, marked)
        self.deals = deals_of_round(self.of_rounds, league.rounds)
        self.base = affordable_base(self.of_rounds, league.rounds)

    @property
    def games_of_base(self) -> int:
        """The games of a lineup in the base rounds."""
        return self.base * self.deals * self.orders

    def tournament(self, folder: Path, seed: Seed) -> Tournament:
        """The tournament of all lineups, with the base rounds and the dice of the season."""
        league = self.league
        return Tournament(
            name=league.name,
            game=league.game,
            rules=league.rules,
            players=league.players,
            games=self.games_of_base,
            seed=season_seed(seed, league.season),
            policy=league.policy,
            entrants=tuple(self.entrants),
            source=folder / RESOLVED,
            hidden=(league.source.absolute(), folder.absolute()),
        )

    def elo(self, table: LeagueTable, games: LeagueGames) -> Sequence[Estimate]:
        """The Elo of each bot, from the base rounds of those that are not provisional."""
        bots = [bot for bot in table.ranking if bot not in table.provisional]
        deals = min((table.rounds[bot] for bot in bots), default=min(table.rounds)) * self.deals
        deals = min(deals, self.base * self.deals)
        return games.elo(deals, bots or table.ranking) if deals else []

    def text_of(self, opening: RoundOpening) -> str:
        """The line about a further round."""
        names = [self.entrants[bot].name for bot in opening.bots]
        more = f", {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
        listed = f"{', '.join(names[:MAX_LISTED])}{more}"
        return (
            f"Round {opening.number}: {len(names)} open ({listed});"
            f" playing {how_many(opening.games, 'game')}."
        )

    def rows(
        self,
        table: LeagueTable,
        elo: Sequence[Estimate],
        public: Mapping[str, str],
        since: PastStandings | None,
    ) -> list[LeagueRow]:
        """The rows of the standings; `public` are the pseudonyms, if pages have them."""
        full = {each.id: each.name for each in self.league.participants}
        rows = []
        for rank, bot in enumerate(table.ranking, 1):
            entrant = self.entrants[bot]
            name, active = entrant.name, self.actives.get(entrant.name)
            before = since.ranks.get(name) if since else None
            rows.append(
                LeagueRow(
                    rank,
                    name,
                    public.get(name, name),
                    full.get(name, ""),
                    active is None,
                    table.scores[bot],
                    elo[bot] if elo else Estimate(None),
                    table.rounds[bot],
                    table.letters[bot],
                    bot in table.provisional,
                    short_digest(active.submission.digest) if active else "",
                    active.submission.day if active else "",
                    None if before is None else before - rank,
                    grade(self.league.marks, table, bot, self.numbers) if active else Grade(),
                )
            )
        return rows


def _plan(field: LeagueField, games: LeagueGames, submissions: Sequence[Submission]) -> LeaguePlan:
    groups, deals = field.of_rounds.groups, field.base * field.deals
    counts = {group: games.missing({group: deals}) * field.orders for group in groups}
    missing = [LineupGames(games.tournament, *each) for each in counts.items() if each[1]]
    new = [each.participant.id for each in submissions if each.is_new]
    stored = len(groups) - len(missing)
    return LeaguePlan(new, submissions, field.of_rounds.players, len(groups), stored, missing)


def _plan_text(plan: LeaguePlan) -> str:
    """The sentence about the base rounds that a run begins with."""
    pairings = f"{plan.groups:,} {lineup_noun(plan.players, plan.groups)}"
    if not plan.games:
        return f"all {pairings} have the base rounds in the ledger."
    games = how_many(plan.games, "game")
    if not plan.stored:
        return f"playing the base rounds of {pairings} ({games})."
    return f"{plan.stored:,} of {pairings} are in the ledger; playing the base rounds ({games})."


def plan_lines(league: League, plan: LeaguePlan) -> Iterator[str]:
    """The lines of a dry run."""
    if plan.new:
        yield f"{league.name}: to check: {', '.join(plan.new)}."
    for each in plan.submissions:
        if each.problem:
            yield f"{league.name}: {each.participant.id}: {each.remark}."
    yield f"{league.name}: {_plan_text(plan)}"


def _about(league: League, submissions: Sequence[Submission]) -> Iterator[str]:
    counts = f"{how_many(len(league.participants), 'participant')}, {len(league.staff)} staff"
    first, *failures = about_submissions(submissions)
    yield f"{league.name}: {counts}. {first}".rstrip()
    yield from failures


def ending_text(league: League, table: LeagueTable) -> str:
    """The sentence on how the rounds have ended."""
    points = f"{100 * league.rounds.precision:g} point"
    points += "" if league.rounds.precision == 0.01 else "s"
    neighbours = f"{how_many(table.decided, 'pair')} of neighbours {_are(table.decided)} decided"
    counts = f"{neighbours}, {table.tied:,} {_are(table.tied)} tied within {points}"
    if table.close:
        counts += f", {table.close:,} {_are(table.close)} still open"
    reason = {TIME: "the time is up", BUDGET: "the budget is used up"}.get(
        table.ended, "no pair is open" if not table.close else "all rounds are played"
    )
    text = f"Round {table.steps}: {reason}: {counts}."
    if table.provisional:
        text += f" {how_many(len(table.provisional), 'bot')} {_are(len(table.provisional))}"
        text += " provisional."
    keys = {DONE: "rounds.games or rounds.most", BUDGET: "budget"}.get(table.ended)
    if keys and all(score.low is None for score in table.scores):
        text += (
            f" Scores have no intervals, and marks are undecided, before a pairing has {FIRST_LOOK}"
            f" deals: raise {keys}."
        )
    return text


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _mark_rows(
    league: League,
    submissions: Sequence[Submission],
    rows: Sequence[LeagueRow],
    names: Mapping[str, str],
) -> list[MarkRow]:
    """A row for each participant, by id."""
    grades = {row.name: row.grade for row in rows}
    copies = same_files([each.active for each in submissions if each.active])
    nothing = no_grade(league.marks)
    return [
        MarkRow(
            each,
            names[each.participant.id],
            grades.get(each.participant.id, nothing),
            copies.get(each.participant.id, ""),
        )
        for each in submissions
    ]
