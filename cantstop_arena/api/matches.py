"""Matches of two bots, with a fixed number of games or a sequential test."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from msgspec.structs import replace

from cantstop_arena.api.bot_arguments import AnyBot, catalogue_of, entrant_of
from cantstop_arena.api.folders import folder_name
from cantstop_arena.api.keywords import MatchKeys, PairingKeys, RunKeys, keywords, only
from cantstop_arena.api.results import Results
from cantstop_arena.api.tournaments import (
    PlannedTournament,
    argument_errors,
    plan,
    renamed,
)
from cantstop_arena.atomic_files import write_result
from cantstop_arena.deals.payoff import PAYOFF
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.game import Game, score_of
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.labels import MAX_ELO
from cantstop_arena.ratings.sequential.sprt import Sprt, ended_by
from cantstop_arena.reports.match_report import (
    MatchFinding,
    finding,
    match_headline,
    match_json,
    match_text,
)
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tournaments.file.bot_references import suggesting_game
from cantstop_arena.tournaments.file.entrants import Entrant, with_distinct_names
from cantstop_arena.tournaments.file.keys import default_of
from cantstop_arena.tournaments.file.tournament_file import MAX_GAMES, seats_that_meet
from cantstop_arena.tournaments.ledger.read_ledger import MATCH
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.tournaments.schedule import MatchEnding

MAX_PAYOFF = 1e12  # of the hypotheses of a test


class MatchResults(Results):
    """The results of a match, with the outcome of its test."""

    def __init__(self, finding: MatchFinding, *results: Any) -> None:
        super().__init__(*results)
        self.finding = finding

    @property
    def headline(self) -> str:
        """The answer in a sentence without its full stop: the verdict of the test, or the score."""
        return match_headline(self.finding)

    @property
    def score(self) -> float | None:
        """The first bot's share of the points."""
        return self.finding.score.mean

    @property
    def elo(self) -> tuple[float | None, float | None, float | None]:
        """The first bot's advantage in Elo, and both ends of its interval; None: no bound."""
        mean, low, high = self.finding.elo
        return mean, low, high

    @property
    def payoff(self) -> Estimate | None:
        """The first bot's mean payoff a game, with its interval; None in a game without."""
        return self.finding.payoff

    @property
    def ahead(self) -> Estimate | None:
        """How much more that is than the second bot's."""
        return self.finding.ahead

    @property
    def accepted(self) -> int | None:
        """The accepted hypothesis, 0 or 1; None without a test or a decision."""
        return self.finding.accepted

    @property
    def verdict(self) -> str:
        """The result as text, as `arena match` prints it."""
        return match_text(self.finding)


@dataclass(frozen=True)
class PlannedMatch(PlannedTournament):
    """A match that can be played; it stops as soon as its `test`, if any, has decided."""

    test: Sprt | None = None

    @property
    def note(self) -> str:
        """What a user should know before the match; empty for two different bots."""
        first, second = self.tournament.entrants[0], self.tournament.entrants[-1]
        # All built-in bots have one digest, and so have all bots of a file.
        what = [(bot.bot.name, bot.bot.digest, bot.options) for bot in (first, second)]
        if what[0] != what[1]:
            return ""
        return (
            f"{first.name} and {second.name} are the same bot with the same options: whatever the"
            " score, neither is stronger."
        )

    @property
    def has_open_end(self) -> bool:
        """Whether a sequential test decides how many games are played."""
        return self.test is not None

    def ending(self) -> MatchEnding:
        """The decision of the test, or the end of all games."""
        return MatchEnding(self.tournament, self.test)

    def play(self, options: RunOptions, observer: RunObserver) -> MatchResults:
        """Play the missing games, and write the tables and `match.json`; a guest writes nothing."""
        ending = self.ending()
        totals = self.totals(options, observer, ending)
        first, second, *_ = (entrant.name for entrant in self.tournament.entrants)
        analysis = Analysis(replace(totals, until=ended_by(self.test), subject=first))
        match_finding = finding(
            (first, second),
            analysis,
            ending.counts.tolist(),
            self.test,
            ending.state,
            self.tournament.lineup_size,
            len(self.tournament.orders),
        )
        seed = totals.seed
        assert seed is not None, "a match is one tournament"
        if self.tournament.is_guest:
            return MatchResults(match_finding, analysis, None, self.setting(seed))
        text = match_json(match_finding, self.tournament.rules.name, seed)
        results = MatchResults(match_finding, analysis, self.folder, self.setting(seed))
        results.output_files.append(write_result(self.folder, MATCH, text))
        results.write_tables()
        return results


@keywords(PairingKeys)
def planned_match(
    a: AnyBot,
    b: AnyBot,
    *,
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    guest_of: Path | str | None = None,
    **given: Unpack[PairingKeys],
) -> PlannedMatch:
    """The match of two bots, in a folder named after them. Raises UsageError.

    With more than two `players` copies of the second bot fill the seats that remain. For
    `guest_of` see `match`.
    """
    if guest_of is not None:
        return _guest_match((a, b), Path(guest_of), (sprt, alpha, beta), given)
    catalogue = catalogue_of(given, a)
    players = seats_that_meet(given["players"], catalogue.game)
    unit = _unit(catalogue.game, given["score"])
    size = catalogue.game.lineup_size(players)
    test = _test(sprt, alpha, beta, size, len(catalogue.game.orders(players)), unit)
    games = MAX_GAMES if test and given["games"] is None else given["games"]
    with argument_errors(), suggesting_game((a, b), catalogue):
        first, second = with_distinct_names([entrant_of(bot, catalogue) for bot in (a, b)])
        seated = _seated(first, second, size)
        planned = plan({**given, "name": "match", "games": games}, seated, catalogue)
    name = folder_name(planned.tournament, 2, between="-vs-")
    match_plan = renamed(planned, name if size == 2 else f"{name}-{players}-players")
    return PlannedMatch(match_plan.tournament, catalogue, match_plan.folder, test)


@keywords(MatchKeys)
def match(
    a: AnyBot,
    b: AnyBot,
    *,
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    guest_of: Path | str | None = None,
    **given: Unpack[MatchKeys],
) -> MatchResults:
    """Let two bots play each other, every deal in all orders, as `arena match` does.

    With `sprt=(0, 5)` they play until a sequential probability ratio test has decided whether the
    first is as strong as the second or 5 Elo stronger; in a game that is scored by payoff, whether
    it gets as much as the second or 5 more a game. `isolate` is for all bots from files and
    packages. `guest_of` is the folder of a tournament's results: the match has its seed and rules,
    and adds its games to that ledger, where the tournament finds them; no file is written. Raises
    ArenaError, and Interrupted on Ctrl-C.
    """
    pairing = only(PairingKeys, given)
    planned = planned_match(a, b, sprt=sprt, alpha=alpha, beta=beta, guest_of=guest_of, **pairing)
    check_fresh(planned, bool(given["fresh"]))
    match_results = planned.run(**only(RunKeys, given))
    assert isinstance(match_results, MatchResults)
    return match_results


def check_fresh(planned: PlannedMatch, fresh: bool) -> None:
    """Raise UsageError for a guest that would begin a new ledger."""
    if fresh and planned.tournament.is_guest:
        raise UsageError(
            f"fresh would remove the games of {planned.folder}; a guest only adds some"
        )


def _guest_match(
    bots: tuple[AnyBot, AnyBot],
    folder: Path,
    test: tuple[tuple[float, float] | None, float, float],
    given: PairingKeys,
) -> PlannedMatch:
    """The match of two bots that adds its games to the results of a tournament."""
    from cantstop_arena.tournaments.guests import Host

    host = Host(folder, catalogue_of({**given, "results": folder.parent}, bots[0]))
    setting, size = host.query.setting, host.query.players
    if size != 2:
        raise UsageError(f"a match in {folder} needs tables of two, not of {size}")
    if given["players"] is not None:
        host.check("players", given["players"], setting.players)
    unit = _unit(host.catalogue.game, given["score"])
    sprt = _test(*test, size, len(host.query.orders), unit)
    chosen = {key: of for key, of in given.items() if of not in (None, default_of(key))}
    own_game = host.query.setting.game
    host.check("game", chosen.get("game", own_game), own_game)
    games = MAX_GAMES if sprt else host.games
    with argument_errors():
        entrants = [
            host.entrant(bot) if isinstance(bot, str) else entrant_of(bot, host.catalogue)
            for bot in bots
        ]
        first, second = with_distinct_names(entrants)
        seated = _seated(first, second, size)
        planned = plan({"games": games, **host.keys, **chosen}, seated, host.catalogue)
    tournament = host.guest(planned.tournament)
    return PlannedMatch(tournament, host.catalogue, folder, sprt)


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, Sequence)
        and len(value) == 2
        and all(isinstance(number, int | float) for number in value)
    )


def _seated(first: Entrant, second: Entrant, size: int) -> list[Entrant]:
    """A lineup of the first bot, and as often as needed of the second one, under other names."""
    copies = ["", " again", *(f" again {number}" for number in range(2, size))]
    if first.name != second.name:
        return [first, *(_copy(second, copy) for copy in copies[: size - 1])]
    return [_copy(first, copy) for copy in copies[:size]]


def _copy(entrant: Entrant, suffix: str) -> Entrant:
    return replace(entrant, name=f"{entrant.name}{suffix}") if suffix else entrant


def _test(
    sprt: tuple[float, float] | None,
    alpha: float,
    beta: float,
    players: int,
    games: int,
    unit: str,
) -> Sprt | None:
    if sprt is None:
        return None
    limit = MAX_PAYOFF if unit else MAX_ELO
    if not (_is_pair(sprt) and -limit <= sprt[0] < sprt[1] <= limit):
        text = f"{sprt[0]:g} {sprt[1]:g}" if _is_pair(sprt) else f"{sprt!r:.60}"
        raise UsageError(
            f"sprt needs two numbers from -{limit:.12g} to {limit:.12g}, the lower one first,"
            f" not {text}"
        )
    low, high = sprt
    if not (0 < alpha < 0.5 and 0 < beta < 0.5):
        raise UsageError(f"alpha and beta must be between 0 and 0.5, not {alpha:g} and {beta:g}")
    return Sprt(low, high, alpha, beta, players, games, unit)


def _unit(game: Game, score: str | None) -> str:
    """The unit of a test's hypotheses, if they are about payoffs; empty if they are Elo."""
    by_payoff = (score or score_of(game)) == PAYOFF
    return game.payoff.units if game.payoff and by_payoff else ""
