"""Tournaments, defined in Python or read from files."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cantstop_arena.api.bot_arguments import (
    AnyBot,
    Isolate,
    bots_in,
    catalogue_of,
    entrant_of,
    entrants_of,
    plain_value,
)
from cantstop_arena.api.folders import digest_name, folder_name
from cantstop_arena.api.results import Results, Source
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import DEFAULT_FOLDER
from cantstop_arena.bots.versions import RESULTS
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import ConfigError, UsageError
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.file import tournament_file
from cantstop_arena.tournaments.file.bot_references import suggesting_game
from cantstop_arena.tournaments.file.entrants import (
    Entrant,
    with_distinct_names,
)
from cantstop_arena.tournaments.file.keys import check_seats
from cantstop_arena.tournaments.file.yaml_text import dump
from cantstop_arena.tournaments.run import run_until, with_stored_seed
from cantstop_arena.tournaments.run_observer import RunObserver, observed_by
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.tournaments.tournament import RESOLVED, Overrides, Tournament
from cantstop_arena.views.progress_lines import Progress, observer_for

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

    def without_luck(self) -> "PlannedTournament":
        """A copy with luck removed: the luck of rolls is subtracted from scores and Elo."""
        return dataclasses.replace(self, tournament=self.tournament.without_luck())

    def run(
        self,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        cluster_wait: float | None = None,
        start_method: str | None = None,
        memory: int | str | None = None,
        progress: Progress = False,
        fresh: bool = False,
        page: bool = False,
    ) -> Results:
        """Play the missing games, write the files of the results, and return the results.

        `page` also writes `report.html`. Stored games of the same tournament are continued;
        `fresh` discards them. Raises ArenaError, and Interrupted on Ctrl-C.
        """
        options = RunOptions(workers, start_method, memory, fresh, cluster, cluster_wait)
        results = self.play(options, observer_for(progress, self.name))
        results.record_games()
        if page:
            results.write_page()
        return results

    def play(self, options: RunOptions, observer: RunObserver) -> Results:
        """Play the missing games, and write the tables."""
        tournament = with_stored_seed(self.tournament, self.folder, options.fresh)
        pool_options = options.pool_options
        with observed_by(observer):
            outcome = run_until(
                tournament, self.catalogue, self.folder, pool_options, observer, options.fresh
            )
        results = Results(Analysis(outcome), self.folder, self.setting(outcome.seed))
        results.write_tables()
        return results

    def setting(self, seed: Seed | None) -> Source:
        """The source for replays of its games, with this seed."""
        tournament = self.tournament if seed is None else replace(self.tournament, seed=seed)
        return lambda: (tournament, self.catalogue.playing(tournament.game))


def tournament(
    bots: Sequence[AnyBot],
    *,
    games: int | None = None,
    players: int | None = None,
    rules: "str | Mapping[str, Any] | Any" = None,
    seed: Seed | None = None,
    name: str | None = None,
    game: str = DEFAULT,
    until: Mapping[str, float] | None = None,
    anchor: Mapping[str, float] | None = None,
    gauntlet: str | None = None,
    isolate: Isolate = False,
    luck_removed: bool = False,
    decision_limit: float | None = None,
    start_limit: float | None = None,
    game_limit: float | None = None,
    max_faults: int | None = None,
    on_fault: str | None = None,
    bots_folder: Path | str = DEFAULT_FOLDER,
    results: Path | str = RESULTS,
) -> PlannedTournament:
    """A tournament of bots; the other arguments are the keys of a tournament file.

    A bot is a name or a path, with options after a colon, the result of `bot`, or a class of
    yours. `rules` are a name, a mapping with a `base`, or a rule set. Without a `name` the folder
    below `results` is named after the content, so that the same tournament has the same folder.
    Raises UsageError with every problem of the arguments.
    """
    catalogue = Catalogue(Path(bots_folder), game_named(game), results=Path(results))
    keys = {
        "name": name or _PLACEHOLDER,
        "game": game,
        "rules": rules if isinstance(rules, str | None) else rules_as_keys(rules, catalogue),
        "players": players,
        "games": games,
        "until": until,
        "seed": seed,
        "anchor": anchor,
        "gauntlet": gauntlet,
        "luck_removed": luck_removed or None,
        "decision_limit": decision_limit,
        "start_limit": start_limit,
        "game_limit": game_limit,
        "max_faults": max_faults,
        "on_fault": on_fault,
    }
    with argument_errors():
        entrants = entrants_of(bots, catalogue, isolate)
        planned = plan(keys, entrants, catalogue)
    return planned if name else renamed(planned, digest_name(planned.tournament))


def plan(
    keys: Mapping[str, Any], entrants: Sequence[Entrant], catalogue: Catalogue
) -> PlannedTournament:
    """The tournament of these entrants with the keys of a tournament file; None is no key."""
    present = {key: plain_value(value) for key, value in keys.items() if value is not None}
    source = catalogue.results / str(present["name"]) / RESOLVED
    tournament = tournament_file.tournament_from_keys(present, entrants, catalogue, source)
    return PlannedTournament(tournament, catalogue, source.parent)


def renamed(planned: PlannedTournament, name: str) -> PlannedTournament:
    """A copy with another name, and the folder of that name."""
    folder = planned.catalogue.results / name
    tournament = replace(planned.tournament, name=name, source=folder / RESOLVED)
    return PlannedTournament(tournament, planned.catalogue, folder)


def from_file(
    file: Path | str,
    *,
    games: int | None = None,
    seed: Seed | None = None,
    bots_folder: Path | str = DEFAULT_FOLDER,
    results: Path | str = RESULTS,
) -> PlannedTournament:
    """The tournament of a file; `games` and `seed` override those of the file.

    Raises ConfigError with every problem of the file.
    """
    catalogue = Catalogue(Path(bots_folder), results=Path(results))
    tournament = tournament_file.read(Path(file), catalogue, Overrides(games, seed))
    return PlannedTournament(tournament, catalogue, catalogue.results / tournament.name)


def run(
    file: Path | str,
    *,
    games: int | None = None,
    seed: Seed | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    cluster_wait: float | None = None,
    start_method: str | None = None,
    memory: int | str | None = None,
    progress: Progress = False,
    fresh: bool = False,
    page: bool = False,
    bots_folder: Path | str = DEFAULT_FOLDER,
    results: Path | str = RESULTS,
) -> Results:
    """Play the tournament of a file, as `arena run` does; see `PlannedTournament.run`."""
    planned = from_file(file, games=games, seed=seed, bots_folder=bots_folder, results=results)
    return planned.run(
        workers=workers,
        cluster=cluster,
        cluster_wait=cluster_wait,
        start_method=start_method,
        memory=memory,
        progress=progress,
        fresh=fresh,
        page=page,
    )


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


def gauntlet(
    challenger: AnyBot,
    against: Sequence[AnyBot] = (),
    *,
    players: int = 2,
    games: int | None = None,
    rules: "str | Mapping[str, Any] | None" = None,
    seed: Seed | None = None,
    game: str = DEFAULT,
    isolate: Isolate = False,
    bots_folder: Path | str = DEFAULT_FOLDER,
    results: Path | str = RESULTS,
) -> PlannedTournament:
    """The tournament of a challenger against a field of bots, which do not play each other.

    The default field are all built-in bots that can play under these rules. `isolate` is for all
    bots from files and packages. Raises UsageError.
    """
    catalogue = catalogue_of(game, bots_folder, results, isolate, challenger)
    keys = {"name": "gauntlet", "game": game, "rules": rules, "games": games, "seed": seed}
    check_seats(players, catalogue.game)
    with argument_errors():
        entrants = _entrants(
            challenger, bots_in(against, "against", catalogue) or [*catalogue.game.bots], catalogue
        )
        _check_field(entrants, players)
        planned = plan({**keys, "players": players}, entrants, catalogue)
    if not against:
        planned = _without_refused(planned)
        _check_field(planned.tournament.entrants, players)
    first = planned.tournament.entrants[0].name
    planned = dataclasses.replace(planned, tournament=planned.tournament.as_gauntlet(first))
    return renamed(planned, folder_name(planned.tournament, 1, before="gauntlet-"))


def _entrants(
    challenger: AnyBot, field: Sequence[AnyBot], catalogue: Catalogue
) -> tuple[Entrant, ...]:
    """The entrants of the challenger and of the field; of the same bot the first."""
    bots = (challenger, *field)
    with suggesting_game(bots, catalogue):
        named = with_distinct_names([entrant_of(bot, catalogue) for bot in bots])
    entrants: dict[str, Entrant] = {}
    for entrant in named:
        entrants.setdefault(entrant.name, entrant)
    return tuple(entrants.values())


def _check_field(entrants: Sequence[Entrant], players: int) -> None:
    if len(entrants) < players:
        needed = how_many(players - 1, "other bot")
        name = entrants[0].name
        raise UsageError(f"{name} needs {needed} to play against; add bots with --against")


def _without_refused(planned: PlannedTournament) -> PlannedTournament:
    """A copy without the bots of the field that cannot play under these rules."""
    base = planned.tournament
    first, *field = base.entrants
    allowed = [
        entrant
        for entrant in field
        if not base.game.refusal(entrant.bot.name, base.rules, base.players)
    ]
    return dataclasses.replace(planned, tournament=replace(base, entrants=(first, *allowed)))
