"""`arena bots compile`: the compiled version of a plain bot, if it plays the same games."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.commands.bots_new import write_new
from cantstop_arena.cli.options import bots_option, catalogue_for, game_option
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.processes.system import short_path

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.bots.known_bot import BotDescription


@click.command("compile", short_help="Write the compiled version of a plain bot.")
@click.argument("name", shell_complete=shell_complete.bots)
@game_option
@bots_option
def compile_bot(name: str, game_name: str, bots_folder: Path) -> None:
    """Write NAME_compiled.py beside the file of the plain bot NAME: the same bot, compiled.

    Both play the same games first. Where they do not, or it does not compile, nothing is written.
    """
    from cantstop_arena.bots.bot_files import read_source
    from cantstop_arena.check.compiled_version import compiled_text

    catalogue = catalogue_for(bots_folder, game_name)
    bot = catalogue.find(name)
    plain = _file_of(bot, catalogue)
    path = plain.with_name(f"{plain.stem}_compiled.py")
    write_new(path, compiled_text(read_source(plain), catalogue.game.decisions))
    try:
        text = _played(catalogue, bot, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    click.echo(f"{short_path(str(path))} is {name}, compiled. {text}")


def _file_of(bot: "BotDescription", catalogue: "Catalogue") -> Path:
    """The file of a bot that can be compiled. Raises UsageError for any other."""
    if bot.backend == "compiled":
        raise UsageError(f"{bot.name} is compiled already")
    if bot.path is None:
        raise UsageError(
            f"{bot.name} has no file of its own, beside which another could be written"
        )
    if bot.learns:
        raise UsageError(f"{bot.name} learns from game to game, which no compiled bot can")
    if catalogue.game.bot_template(compiled=True) is None:
        raise UsageError(f"bots that play {catalogue.game.title} cannot be compiled")
    return bot.path


def _played(catalogue: "Catalogue", bot: "BotDescription", path: Path) -> str:
    """What came of the games of both. Raises BotError where they are not the same."""
    from cantstop_arena.check.compiled_version import compare

    try:
        comparison = compare(catalogue, bot, catalogue.load_file(path))
    except BotError:
        compare(catalogue, bot)  # which says what is wrong by the lines of the plain file
        raise
    if comparison.difference:
        text = "the first time is plain Python, the second machine code"
        raise BotError(
            f"{bot.name} plays otherwise when compiled: {comparison.difference} ({text})"
        )
    times = f"{comparison.speedup:,.0f} times as fast"
    return f"They play the same games ({comparison.games}), this one {times}."
