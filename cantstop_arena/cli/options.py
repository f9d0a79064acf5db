"""Options that several commands share, and the run that they start.

`print_tables` prints a tournament's tables, with colours and in the width of a terminal.
"""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from cantstop_arena.bots.bot_paths import RESULTS
from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.terminal.tty import coloured
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.processes import shutdown
from cantstop_arena.tables.names import TABLES
from cantstop_arena.tournaments.file.keys import BY_NAME, KEYS, Command, Key
from cantstop_arena.views.command_options import Decorator, TableOutput, key_option, print_text

if TYPE_CHECKING:
    from cantstop_arena.api.histories import MissingGames
    from cantstop_arena.api.results import Results
    from cantstop_arena.api.tournaments import PlannedTournament
    from cantstop_arena.bots.bot_start import Isolation
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.cli.terminal.progress_screen import RunScreen
    from cantstop_arena.comparisons.comparison_results import ComparisonTotals
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.tables.column import Table
    from cantstop_arena.tournaments.run_options import RunOptions
_COMPLETIONS = {"game": shell_complete.games, "rules": shell_complete.rules}


class Given(NamedTuple):
    """The values of the options that a command shares with others, by what they are about.

    `tournament` are keywords of the function that plans what is played, and `run` those of
    `RunOptions`.
    """

    tournament: dict[str, Any]
    run: dict[str, Any]
    tables: TableOutput
    quiet: bool
    page: bool
    dry_run: bool

    @property
    def aside(self) -> bool:
        """Whether messages stand beside the output: that is tables for programs."""
        return not (self.tables.is_text or self.dry_run)

    @property
    def run_options(self) -> "RunOptions":
        """The options of the run."""
        from cantstop_arena.tournaments.run_options import RunOptions

        return RunOptions(**self.run)


def option(key: Key | str, command: str = "", **changes: Any) -> Decorator:
    """The option of a key, with completion in the shell; see `key_option`."""
    name = key if isinstance(key, str) else key.name
    return key_option(key, command, shell_complete=_COMPLETIONS.get(name), **changes)


def options(command: Command) -> Decorator:
    """Add the options that `command` shares with others; its function gets them as `given`."""
    return options_of([key for key in KEYS if command in key.commands], command)


def options_of(keys: Sequence[Key], command: str = "") -> Decorator:
    """Add the options of keys to a command; its function gets them as `given`."""

    def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def called(**arguments: Any) -> Any:
            return function(given=_given(arguments), **arguments)

        decorated: Callable[..., Any] = called
        for key in reversed(keys):
            decorated = option(key, command)(decorated)
        return decorated

    def _given(arguments: dict[str, Any]) -> Given:
        groups: dict[str, dict[str, Any]] = {"tournament": {}, "run": {}, "output": {}}
        for key in keys:
            groups[key.group][key.name] = arguments.pop(_parameter(key.cli))
        output_values = groups["output"]
        tables = TableOutput(
            output_values["form"], output_values.get("chosen", ()), output_values.get("wide", False)
        )
        page = output_values.get("page", False)
        dry_run = output_values.get("dry_run", False)
        return Given(
            groups["tournament"], groups["run"], tables, output_values["quiet"], page, dry_run
        )

    return with_options


def _parameter(declarations: tuple[str, ...]) -> str:
    """The name under which click hands on the value of an option."""
    last = declarations[-1].partition("/")[0]
    return last.lstrip("-").replace("-", "_")


bots_option = option("bots_folder")
game_option = option("game")
rules_option = option("rules")
isolate_option = option("isolate")
workers_option = option("workers")
versions_option = option("results", "tune")


def seed_option(default: str) -> Decorator:
    """The option for the seed, a number or a text as in a file; `default` ends its help text."""
    return option("seed", help=f"{BY_NAME['seed'].help} {default}")


def play_and_write(
    planned: "PlannedTournament",
    given: Given,
    screen: "RunScreen",
    show: "Callable[[Results], None]",
) -> "Results":
    """Play, print the results, and name the folder; the page comes last, as it is slow."""
    from cantstop_arena.bots.compiled_copies import outdated_text

    shutdown.announce_resume()
    for path in dict.fromkeys(entrant.bot.path for entrant in planned.tournament.entrants):
        if path and (text := outdated_text(path)):
            screen.on_notice(text)
    results = planned.play(given.run_options, screen)
    screen.echo("")
    show(results)
    if results.folder is None:
        screen.echo(f"\nAdded to the games of {planned.folder}")
        return results
    results.record_games()
    page = None
    if given.page:
        with screen.reporting_page_error():
            page = results.write_page()
    screen.echo_folder(planned.folder, page)
    return results


def announce(
    planned: "PlannedTournament | MissingGames", given: Given, screen: "RunScreen"
) -> ExitCode:
    """Print what would be played, and how long that takes."""
    if text := planned.announce(screen, given.run_options):
        screen.echo(text)
    return ExitCode.DONE


def exit_code_of(results: "Results | ComparisonTotals") -> ExitCode:
    """The exit code of a command that has finished with these results."""
    return ExitCode.DISQUALIFIED if results.disqualified else ExitCode.DONE


def catalogue_for(
    bots_folder: Path,
    game_name: str,
    results: Path = RESULTS,
    isolation: "Isolation | None" = None,
) -> "Catalogue":
    """The catalogue of a game's bots, with earlier versions of them from `results`.

    Its foreign bots are isolated like this. Raises UsageError for an unknown game.
    """
    from cantstop_arena.bots.bot_start import Isolation
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.games.registry import game_named

    isolation = isolation or Isolation.NONE
    return Catalogue(bots_folder, game_named(game_name), results=results, isolation=isolation)


def print_tables(
    analysis: "Analysis", output: TableOutput, before: "Sequence[Table]" = (), answer: str = ""
) -> None:
    """Print the chosen tables; those `before` the tournament's are chosen by name, too.

    The `answer` to the command's question is printed first, in a line; without a choice of tables
    it is by default that of the tournament.
    """
    from cantstop_arena.reports.headline import headline
    from cantstop_arena.tables import all_tables

    chosen = output.chosen or TABLES
    first = answer or ("" if output.chosen else headline(analysis))
    if output.is_text:
        text = all_tables.terminal_text(analysis, chosen, coloured(), output.width, first)
        if sys.stdout.isatty():
            click.echo(text, nl=False, color=True)
        else:
            print_text(text)
    else:
        print_text(all_tables.as_format(analysis, output.form, chosen, before, first))
