"""Tournaments, defined in Python or read from files."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from msgspec.structs import replace

from cantstop_arena.api.bot_arguments import (
    AnyBot,
    bots_in,
    catalogue_of,
    field_of,
    field_of_bots,
    plain_value,
)
from cantstop_arena.api.folders import digest_name, few_names, folder_name
from cantstop_arena.api.keywords import (
    FileKeys,
    PairingKeys,
    RunFileKeys,
    RunKeys,
    TournamentFileKeys,
    TournamentKeys,
    keywords,
    only,
    run_options,
)
from cantstop_arena.api.results import Results, Source
from cantstop_arena.bots.bot_start import checked_isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import refusal_of
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import ConfigError, FaultError, UsageError
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.reports.tournament_files import delete_reports
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.duration import duration_text
from cantstop_arena.tournaments.file import tournament_file
from cantstop_arena.tournaments.file.bot_references import suggesting_game
from cantstop_arena.tournaments.file.entrants import (
    Entrant,
    with_distinct_names,
)
from cantstop_arena.tournaments.file.keys import keys_of_file
from cantstop_arena.tournaments.file.pattern_entrants import Field
from cantstop_arena.tournaments.file.tournament_file import seats_that_meet
from cantstop_arena.tournaments.file.yaml_reader import dump
from cantstop_arena.tournaments.ledger.read_ledger import MATCH
from cantstop_arena.tournaments.run import delete_records, plan_run, run_tournament
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.tournaments.schedule import Ending
from cantstop_arena.tournaments.tournament import RESOLVED, Overrides, Tournament
from cantstop_arena.views.progress_lines import observer_for

if TYPE_CHECKING:
    from cantstop_arena.tournaments.openings import Openings

OF_BOTS = ("bots", "isolate", "exclude")
_PLAN_KEYS = [key.name for key in keys_of_file("tournament") if key.name not in OF_BOTS]
_PLACEHOLDER = "tournament"  # the name until the digest of the tournament is computed


@dataclass(frozen=True)
class PlannedTournament:
    """A tournament that can be played, with its results in `folder`."""

    tournament: Tournament
    catalogue: Catalogue
    folder: Path

    @property
    def name(self) -> str:
        """The name of the tournament."""
        return self.tournament.name

    @property
    def text(self) -> str:
        """The tournament file with the same content."""
        return dump(self.tournament.as_file(Path()))

    @keywords(RunKeys)
    def run(self, **given: Unpack[RunKeys]) -> Results:
        """Play the missing games, write the files of the results, and return the results.

        `page` also writes `report.html`. Stored games of the same tournament are continued;
        `fresh` discards them. Raises ArenaError, and Interrupted on Ctrl-C.
        """
        observer = observer_for(given["progress"], self.name)
        results = self.play(run_options(given), observer)
        if results.folder is None:
            return results
        results.record_games()
        if given["page"]:
            results.write_page()
        return results

    def play(self, options: RunOptions, observer: RunObserver) -> Results:
        """Play the missing games, and write the tables."""
        outcome = self.totals(options, observer)
        (self.folder / MATCH).unlink(missing_ok=True)  # of a match of this name
        results = Results(Analysis(outcome), self.folder, self.setting(outcome.seed))
        results.write_tables()
        return results

    def totals(
        self, options: RunOptions, observer: RunObserver, ending: Ending | None = None
    ) -> TournamentTotals:
        """Play the missing games, up to an `ending` if one is given; the results of all games."""
        pools = options.pool_options
        with observed_by(observer):
            for text in self.tournament.messages:
                observer.on_notice(text)
            try:
                return run_tournament(
                    self.tournament,
                    self.catalogue,
                    self.folder,
                    pools,
                    observer,
                    options.fresh,
                    ending=ending,
                )
            except FaultError:
                if not self.tournament.is_guest:
                    self._delete_results()
                raise

    def _delete_results(self) -> None:
        """Delete what an earlier run has written: it is no result of this one."""
        delete_reports(self.folder)
        delete_records(self.folder)
        (self.folder / MATCH).unlink(missing_ok=True)

    @property
    def has_open_end(self) -> bool:
        """Whether the number of its games depends on the results."""
        return self.tournament.until is not None

    def ending(self) -> Ending | None:
        """When its run ends; None: as the tournament says."""
        return None

    def announce(self, observer: RunObserver, options: RunOptions) -> str:
        """Tell the observer what a run would play; nothing is written.

        The result is a sentence about how long that takes, measured by a second of play; empty if
        nothing is missing.
        """
        for text in self.tournament.messages:
            observer.on_notice(text)
        ending, fresh = self.ending(), options.fresh
        missing = plan_run(self.tournament, self.catalogue, self.folder, observer, fresh, ending)
        if self.has_open_end:
            return ""
        return duration_text(missing, self.catalogue, options.pool_options, observer)

    def setting(self, seed: Seed | None) -> Source:
        """The source for replays of its games, with this seed."""
        tournament = self.tournament if seed is None else replace(self.tournament, seed=seed)
        return partial(_setting, tournament, self.catalogue)


def _setting(tournament: Tournament, catalogue: Catalogue) -> tuple[Tournament, Catalogue]:
    return tournament, catalogue.playing(tournament.game)


@keywords(TournamentKeys, players=None)
def tournament(bots: Sequence[AnyBot] | str, **given: Unpack[TournamentKeys]) -> PlannedTournament:
    """A tournament of bots; the other arguments are the keys of a tournament file.

    A bot is a name or a path, with options after a colon, the result of `bot`, a class of yours, or
    a pattern like `bots/*.py`; `"all"` are those of the bots folder and of packages. `rules` are a
    name, a mapping with a `base`, or a rule set. Without a `name` the folder below `results` is
    named after the names of the bots and the setting, so that an edited bot finds the games of the
    others. Raises UsageError with every problem of the arguments.
    """
    game, name = game_named(given["game"]), given["name"]
    catalogue = Catalogue(Path(given["bots_folder"]), game, results=Path(given["results"]))
    if name:
        catalogue = catalogue.with_arrivals(
            tournament_file.arrivals_in(catalogue.results / str(name))
        )
    with argument_errors():
        field = field_of(bots, catalogue, given["isolate"], given["exclude"] or ())
        planned = plan({**given, "name": name or _PLACEHOLDER}, field.entrants, catalogue)
    planned = dataclasses.replace(planned, tournament=planned.tournament.with_field(field))
    if name:
        return planned
    unnamed = planned.tournament
    return renamed(planned, digest_name(few_names(unnamed), [unnamed], unnamed.has_random_seed))


def plan(
    keys: Mapping[str, Any], entrants: Sequence[Entrant], catalogue: Catalogue
) -> PlannedTournament:
    """The tournament of these entrants with those of the `keys` that a file has; None is no key."""
    named = {key: keys[key] for key in _PLAN_KEYS if keys.get(key) is not None}
    if not isinstance(named.get("rules", ""), str):
        named["rules"] = rules_as_keys(named["rules"], catalogue)
    present = {key: plain_value(value) for key, value in named.items()}
    if "openings" in present:
        present["openings"] = openings_from_here(present["openings"])
    source = catalogue.results / str(present["name"]) / RESOLVED
    tournament = tournament_file.tournament_from_keys(present, entrants, catalogue, source)
    return PlannedTournament(tournament, catalogue, source.parent)


def renamed(planned: PlannedTournament, name: str) -> PlannedTournament:
    """A copy with another name, and the folder of that name."""
    folder = planned.catalogue.results / name
    tournament = replace(planned.tournament, name=name, source=folder / RESOLVED)
    return PlannedTournament(tournament, planned.catalogue, folder)


@keywords(TournamentFileKeys)
def from_file(file: Path | str, **given: Unpack[TournamentFileKeys]) -> PlannedTournament:
    """The tournament of a file; the games, the seed and other keywords override the file's.

    Raises ConfigError with every problem of the file.
    """
    catalogue = Catalogue(Path(given["bots_folder"]), results=Path(given["results"]))
    overrides = replace(overrides_of(given), score=given["score"])
    tournament = tournament_file.read(Path(file), catalogue, overrides)
    return PlannedTournament(tournament, catalogue, catalogue.results / tournament.name)


def overrides_of(given: FileKeys) -> Overrides:
    """What is said beside a file. Raises UsageError."""
    isolation = checked_isolation(given["isolate"])
    return Overrides(
        given["games"],
        given["seed"],
        isolation,
        given["luck_removed"],
        _openings_of(given["openings"]),
    )


def _openings_of(value: Any) -> "Openings | None":
    """The openings of a keyword, if there are any. Raises UsageError."""
    if value is None:
        return None
    from cantstop_arena.tournaments.openings import openings_in

    return openings_in(value, Path())


def openings_from_here(openings: Any) -> Any:
    """The value of the keyword `openings`, as a file in any folder has it."""
    if isinstance(openings, Mapping) and isinstance(openings.get("file"), str):
        return {**openings, "file": str(Path(openings["file"]).absolute())}
    return openings


@keywords(RunFileKeys)
def run(file: Path | str, **given: Unpack[RunFileKeys]) -> Results:
    """Play the tournament of a file, as `arena run` does; see `PlannedTournament.run`."""
    return from_file(file, **only(TournamentFileKeys, given)).run(**only(RunKeys, given))


@contextmanager
def argument_errors() -> Iterator[None]:
    """Convert a ConfigError to a UsageError without lines and columns, as there is no file."""
    try:
        yield
    except ConfigError as error:
        raise UsageError("\n".join(problem.message for problem in error.problems)) from None


def rules_as_keys(rules: Any, catalogue: Catalogue) -> Mapping[str, Any]:
    """A rule set as the mapping of a tournament file."""
    if isinstance(rules, Mapping):
        return {key: plain_value(value) for key, value in rules.items()}
    if not isinstance(rules, type(catalogue.game.rules.default)):
        raise UsageError(f"rules must be a name, a mapping or a rule set, not {rules!r:.60}")
    return catalogue.game.rules.as_dict(rules)


@keywords(PairingKeys)
def gauntlet(
    challenger: AnyBot, against: Sequence[AnyBot] = (), **given: Unpack[PairingKeys]
) -> PlannedTournament:
    """The tournament of a challenger against a field of bots, which do not play each other.

    The default field are all built-in bots that can play under these rules. `isolate` is for all
    bots from files and packages. Raises UsageError.
    """
    catalogue = catalogue_of(given, challenger)
    players = seats_that_meet(given["players"], catalogue.game)
    size = catalogue.game.lineup_size(players)
    with argument_errors():
        rivals = bots_in(against, "against", catalogue) or [*catalogue.game.bots]
        with suggesting_game((challenger, *rivals), catalogue):
            field = field_of_bots([challenger, *rivals], catalogue)
        field = field._replace(entrants=_without_repetitions(field.entrants))
        _check_field(field, size)
        planned = plan({**given, "name": "gauntlet"}, field.entrants, catalogue)
    planned = dataclasses.replace(planned, tournament=planned.tournament.with_field(field))
    if not against:
        planned = _without_refused(planned)
        _check_field(Field(planned.tournament.entrants), size)
    first = planned.tournament.entrants[0].name
    planned = dataclasses.replace(planned, tournament=planned.tournament.as_gauntlet(first))
    return renamed(planned, folder_name(planned.tournament, 1, before="gauntlet-"))


def _without_repetitions(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """The entrants of a challenger and of its field; of the same bot the first."""
    first: dict[str, Entrant] = {}
    for entrant in with_distinct_names(entrants):
        first.setdefault(entrant.name, entrant)
    return tuple(first.values())


def _check_field(field: Field, size: int) -> None:
    if len(field.entrants) < size:
        needed = how_many(size - 1, "other bot")
        name = field.entrants[0].name
        message = f"{name} needs {needed} to play against; add bots with --against"
        raise UsageError("\n".join([message, *field.messages]))


def _without_refused(planned: PlannedTournament) -> PlannedTournament:
    """A copy without the bots of the field that cannot play under these rules."""
    base = planned.tournament
    first, *field = base.entrants
    allowed = [
        entrant
        for entrant in field
        if not refusal_of(entrant.bot.address, base.game, base.rules, base.players)
    ]
    return dataclasses.replace(planned, tournament=replace(base, entrants=(first, *allowed)))
