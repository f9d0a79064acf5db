"""`arena bots`: the bots that can play here, and those that cannot."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from cantstop_arena.bots.bot_paths import RESULTS, bot_name
from cantstop_arena.bots.versions import StoredVersion, stored_versions, version_in
from cantstop_arena.cli import shell_complete as completing
from cantstop_arena.cli.commands.bots_check import check
from cantstop_arena.cli.commands.bots_compile import compile_bot
from cantstop_arena.cli.commands.bots_diff import diff
from cantstop_arena.cli.commands.bots_new import new
from cantstop_arena.cli.options import bots_option, catalogue_for, versions_option
from cantstop_arena.errors import OtherGameError, UsageError
from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import in_a_line
from cantstop_arena.views.command_options import (
    TEXT,
    TableOutput,
    format_option,
    format_options,
    print_plain_tables,
)

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.bots.known_bot import BotDescription
    from cantstop_arena.tables.column import Table


class BotGroup(click.Group):
    """A group of commands that also takes the name of a bot in place of a command."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name, or one that shows the bot of this name."""
        if command := super().get_command(context, name):
            return command

        @click.command(name)
        @click.argument("words", nargs=-1)
        @format_option
        def show(words: tuple[str, ...], form: str) -> None:
            if words:
                hint = did_you_mean(name, self.list_commands(context))
                raise UsageError(f"there is no command `arena bots {in_a_line(name)}`{hint}")
            chosen = {} if form == TEXT else {"form": form}
            _show(name, **{**context.params, **chosen})

        return show

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """Completions of commands, options and bots."""
        bot_names = completing.bots(context, self.params[0], incomplete)
        return [*super().shell_complete(context, incomplete), *bot_names]


@click.group(
    cls=BotGroup,
    invoke_without_command=True,
    short_help="List the bots, or show one: options, defaults, source.",
)
@format_options
@click.option("--game", "game_name", metavar="NAME", help="List only the bots of this game.")
@bots_option
@versions_option
@click.pass_context
def bots(
    context: click.Context,
    game_name: str | None,
    bots_folder: Path,
    results: Path,
    output: TableOutput,
) -> None:
    """List the bots: built in, from installed packages, and from the folder bots/.

    `arena bots NAME` shows one bot: its description, its options with their defaults, its source,
    and the versions of it that runs have stored. NAME may be a path or a version, too.
    """
    if context.invoked_subcommand is None:
        _list(output, bots_folder, game_name)


bots.add_command(check)
bots.add_command(compile_bot)
bots.add_command(diff)
bots.add_command(new)


def _list(output: TableOutput, bots_folder: Path, game_name: str | None) -> None:
    from msgspec.structs import asdict

    from cantstop_arena.bots.compiled_copies import outdated_text

    catalogues = _catalogues(bots_folder, game_name)
    descriptions = [bot for each in catalogues for bot in each.everything()[0]]
    broken = list(dict.fromkeys(bad for each in catalogues for bad in each.everything()[1]))
    if output.is_text and (note := catalogues[0].rights_note):
        click.echo(note, err=True)
    rows = [_row(bot) for bot in descriptions]
    failures = [asdict(bot) for bot in broken]
    if output.form == "json":
        click.echo(json.dumps({"bots": rows, "broken": failures}, indent=2))
        return
    notes = [*map(_failure_text, failures), *(outdated_text(bot.path) for bot in descriptions)]
    listed_rows = [_row(bot) | {"backend": _backend_text(bot)} for bot in descriptions]
    print_plain_tables([_table(listed_rows, [*filter(None, notes)])], output)


def _show(
    reference: str,
    form: str,
    game_name: str | None,
    bots_folder: Path,
    results: Path,
    **_: Any,
) -> None:
    """Print one bot, whatever game it plays, with its stored versions."""
    from cantstop_arena.bots.bot_text import bot_text
    from cantstop_arena.bots.compiled_copies import outdated_text
    from cantstop_arena.tournaments.file.bot_references import entrant_from_reference

    if form not in (TEXT, "json"):
        raise UsageError(f"--format {form} is for lists; one bot is printed as text or json")
    version = version_in(reference)
    name = version.bot if version else reference
    catalogues = _catalogues(bots_folder, game_name, results)
    playing = (each for each in catalogues if each.has(name) or each.file_of(name))
    catalogue = next(playing, catalogues[0])
    try:
        bot = entrant_from_reference(reference, catalogue).bot
    except OtherGameError as error:  # only a file's text names its game
        games = {each.game.name: each for each in catalogues}
        if error.games[0] not in games:
            raise
        catalogue = games[error.games[0]]
        bot = entrant_from_reference(reference, catalogue).bot
    versions = stored_versions(results, bot_name(bot.path)) if bot.path else []
    if form == "json":
        click.echo(
            json.dumps(_row(bot) | {"versions": list(map(_version_row, versions))}, indent=2)
        )
    else:
        click.echo(bot_text(bot, catalogue.game, versions), nl=False)
        if text := outdated_text(bot.path):
            click.echo(f"\n{text}")


def _version_row(version: "StoredVersion") -> dict[str, Any]:
    time, runs = version.time.isoformat(timespec="seconds"), [str(run) for run in version.runs]
    return {"digest": version.digest, "time": time, "runs": runs}


def _catalogues(
    bots_folder: Path, game_name: str | None, results: Path = RESULTS
) -> "list[Catalogue]":
    """The catalogue of one game, or those of all games."""
    from cantstop_arena.bots.catalogue import Catalogue

    if game_name is not None:
        return [catalogue_for(bots_folder, game_name, results)]
    return Catalogue(bots_folder, results=results).of_all_games()


def _row(bot: "BotDescription") -> dict[str, Any]:
    return {
        "name": bot.name,
        "game": bot.game,
        "origin": short_path(bot.location),
        "lane": bot.backend,
        "summary": bot.summary,
        "options": bot.defaults,
    }


def _backend_text(bot: "BotDescription") -> str:
    """Whether the bot is compiled; of a plain one also the speedup, if it has been measured."""
    from cantstop_arena.bots.bot_text import backend_text
    from cantstop_arena.check.compiled_version import stored_speedup
    from cantstop_arena.games.registry import game_named

    speedup, backend = stored_speedup(bot), backend_text(bot, game_named(bot.game))
    return f"{backend} ({speedup} as fast compiled)" if speedup else backend


def _table(rows: list[dict[str, Any]], notes: list[str]) -> "Table":
    """A row for each bot."""
    from cantstop_arena.tables.column import Column, Table

    headings = ("name", "game", "origin", "backend", "summary")
    columns = [Column(heading, heading) for heading in headings]
    cells = [[in_a_line(row[heading]) for heading in headings] for row in rows]
    return Table("bots", "", columns, cells, notes)


def _failure_text(failure: dict[str, str]) -> str:
    """Which plug-in cannot be used, and why."""
    origin = short_path(failure["origin"])
    reason = failure["reason"].partition("\n")[0]
    return in_a_line(f"Cannot be used: {failure['name']} ({origin}): {reason}")
