"""For designers of games, in Python: what a game is like, and rules that meet targets."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from cantstop_arena.api.bot_arguments import AnyBot, Isolate, bots_in, catalogue_of, field_of
from cantstop_arena.api.keywords import FolderKeys, PoolKeys, Rules, keywords, run_options
from cantstop_arena.api.result_tables import ResultTable
from cantstop_arena.api.tournaments import rules_as_keys
from cantstop_arena.atomic_files import check_results_folder, write_result
from cantstop_arena.bots.bot_start import checked_isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.design import design_file
from cantstop_arena.extensions.design.design_tables import design_data, design_table, rounds_lines
from cantstop_arena.extensions.design.extension import DESIGN
from cantstop_arena.extensions.design.game_profile import GAMES, GameProfile, game_profile
from cantstop_arena.extensions.design.keys import DESIGN_FUNCTION, PROFILE_FUNCTION
from cantstop_arena.extensions.design.profile_report import (
    design_content,
    design_headline,
    profile_headline,
    write_design_page,
    write_profile_page,
)
from cantstop_arena.extensions.design.profile_tables import profile_data, profile_table
from cantstop_arena.extensions.design.rule_design import HOLDS, DesignTotals, search_rules
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.reports.tournament_files import PAGE
from cantstop_arena.tables.formats import as_csv, as_json
from cantstop_arena.tournaments.file.bot_references import suggesting_game
from cantstop_arena.tournaments.file.tournament_file import usual_players
from cantstop_arena.tournaments.file.yaml_reader import range_text
from cantstop_arena.tournaments.run import create_run_folder
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.tournaments.tournament import Overrides
from cantstop_arena.views.progress_lines import Progress, observer_for


class ProfileKeys(FolderKeys, total=False):
    """The keywords of `profile`."""

    game: str
    rules: Rules | None
    players: int | None
    games: int | None
    playouts: int
    seed: Seed | None
    workers: int | None
    progress: Progress


class DesignKeys(FolderKeys, PoolKeys, total=False):
    """The keywords of `design`."""

    seed: Seed | None
    isolate: Isolate
    progress: Progress
    page: bool


SEED = 1


class ProfileResults:
    """The profile of a game; `profile` has its rows, `command` plays the same games again."""

    def __init__(self, profile: GameProfile, command: str) -> None:
        self.profile = profile
        self.command = command

    @property
    def headline(self) -> str:
        """How much of a game is luck, in a sentence without its full stop."""
        return profile_headline(self.profile)

    @property
    def values(self) -> Mapping[str, Estimate]:
        """The value of each row, by key, with its interval; shares are from 0 to 1."""
        return {row.key: row.value for row in self.profile.rows}

    @property
    def table(self) -> ResultTable:
        """A row for each question."""
        return ResultTable(profile_data(self.profile), profile_table(self.profile))

    def write_page(self, file: Path | str) -> Path:
        """Write the page to a file. Raises PageError when a package is missing."""
        path = Path(file)
        write_profile_page(self.profile, self.command, path)
        return path

    def show(self) -> None:
        """Print the headline and the table."""
        print(f"{self.headline}.", self.table, sep="\n\n")

    def __repr__(self) -> str:
        return f"<profile of {self.profile.title}, {self.profile.rules}>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@keywords(ProfileKeys, PROFILE_FUNCTION)
def profile(bots: Sequence[AnyBot] = (), **given: Unpack[ProfileKeys]) -> ProfileResults:
    """What a game is like as some bots play it, as `arena profile` does.

    Without bots all play that come with the game. Bots from files run with your rights. Raises
    ArenaError, and Interrupted on Ctrl-C.
    """
    catalogue = catalogue_of({**given, "isolate": False})
    game = catalogue.game
    players = usual_players(game) if given["players"] is None else given["players"]
    if players not in game.players:
        raise UsageError(f"players must be {range_text(game.players)}, not {players}")
    rules = _rules(given["rules"], catalogue)
    named = bots_in(bots, "bots", catalogue) or own_bots(catalogue)
    with suggesting_game(named, catalogue):
        field = field_of(named, catalogue)
    if isolated_name := next(
        (each.name for each in field.entrants if each.isolate or each.command), None
    ):
        raise UsageError(
            f"{isolated_name} plays in another process; a profile plays bots in Python,"
            " not isolated"
        )
    games = GAMES if given["games"] is None else given["games"]
    seed = SEED if given["seed"] is None else given["seed"]
    with observed_by(observer_for(given["progress"], f"Profile of {game.title}")) as observer:
        return ProfileResults(
            game_profile(
                catalogue,
                field.entrants,
                rules,
                players,
                games,
                given["playouts"],
                seed,
                RunOptions(given["workers"]).pool_options,
                observer,
            ),
            _command(named, players, games, seed, given),
        )


def _command(
    bots: Sequence[AnyBot], players: int, games: int, seed: Seed, given: ProfileKeys
) -> str:
    """The command that plays the same games; empty where bots or rules are Python's."""
    names, rules = [bot for bot in bots if isinstance(bot, str)], given["rules"]
    if len(names) < len(bots) or not isinstance(rules, str | None):
        return ""
    command_line = ["arena", "profile", *names, "--game", str(given["game"])]
    command_line += ["--rules", rules] if rules else []
    command_line += ["--players", str(players), "--games", str(games)]
    command_line += ["--playouts", str(given["playouts"]), "--seed", str(seed)]
    return shlex.join(command_line)


def own_bots(catalogue: Catalogue) -> list[AnyBot]:
    """The usual bots of a game, else all that come with it or with a package."""
    if catalogue.game.usual_bots:
        return [*catalogue.game.usual_bots]
    return [bot.name for bot in catalogue.everything()[0] if not bot.path]


def _rules(given: Any, catalogue: Catalogue) -> Any:
    """The rule set of a name, of a mapping with a `base`, or itself. Raises UsageError."""
    if given is None or isinstance(given, str):
        return catalogue.rules_called(given)
    keys = dict(rules_as_keys(given, catalogue))
    base, name = catalogue.rules_called(keys.pop("base", None)), keys.pop("name", None)
    return catalogue.game.rules.derive(base, keys, name)


class DesignResults:
    """The rules that a design has tried; its table is in `folder`, as design.csv.

    `file` is that of the design, `configuration` its content.
    """

    def __init__(self, totals: DesignTotals, folder: Path, file: Path, configuration: str) -> None:
        self.totals = totals
        self.folder = folder
        self.file = file
        self.configuration = configuration

    @property
    def table(self) -> ResultTable:
        """A row for each rule set that was tried, the most promising first."""
        return ResultTable(design_data(self.totals), design_table(self.totals))

    @property
    def headline(self) -> str:
        """Which rules meet the targets, in a sentence without its full stop."""
        return design_headline(self.totals)

    @property
    def rules(self) -> Sequence[Mapping[str, Any]]:
        """The parameters of the rules that hold, the deepest within their targets first."""
        return [dict(each.changes) for each in self.totals.with_verdict(HOLDS)]

    @property
    def command(self) -> str:
        """The command that plays the same games again."""
        return shlex.join(["arena", "design", str(self.file), "--seed", str(self.totals.seed)])

    def write_page(self) -> Path:
        """Write `report.html` into the folder. Raises PageError when a package is missing."""
        return write_design_page(
            self.totals, self.command, self.file.name, self.configuration, self.folder
        )

    def show(self) -> None:
        """Print the headline, and the rules that hold or are open."""
        print(f"{self.headline}.", "\n".join(rounds_lines(self.totals)), self.table, sep="\n\n")

    def __repr__(self) -> str:
        return f"<{self.totals.name}: {len(self.rules)} of {len(self.totals.judged)} hold>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


@keywords(DesignKeys, DESIGN_FUNCTION)
def design(file: Path | str, **given: Unpack[DesignKeys]) -> DesignResults:
    """Search for rules that meet the targets of a file, as `arena design` does.

    `isolate` is for all bots from files and packages. With `page`, `report.html` is written, too.
    Raises ArenaError, and Interrupted on Ctrl-C.
    """
    catalogue = Catalogue(Path(given["bots_folder"]), results=Path(given["results"]))
    overrides = Overrides(seed=given["seed"], isolate=checked_isolation(given["isolate"]))
    path = Path(file)
    planned = design_file.read(path, catalogue, overrides)
    configuration = path.read_text("utf-8")
    folder = catalogue.results / planned.name
    check_results_folder(folder)
    with observed_by(observer_for(given["progress"], planned.name)) as observer:
        options = run_options(given).pool_options
        totals = search_rules(planned, catalogue, options, observer)
    create_run_folder(folder.parent, folder)
    write_result(folder, "design.csv", as_csv(design_data(totals)))
    write_result(folder, DESIGN, as_json(design_content(totals)))
    (folder / PAGE).unlink(missing_ok=True)  # that of an earlier result
    results = DesignResults(totals, folder, path, configuration)
    if given["page"]:
        results.write_page()
    return results
