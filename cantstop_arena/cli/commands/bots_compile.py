"""`arena bots compile`: the compiled version of a plain Python bot, if it plays the same games."""

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


@click.command("compile", short_help="Write the compiled version of a plain Python bot.")
@click.argument("name", shell_complete=shell_complete.bots)
@game_option
@bots_option
def compile_bot(name: str, game_name: str, bots_folder: Path) -> None:
    """Write NAME_compiled.py, the compiled version of the plain Python bot NAME, beside its file.

    First both versions play the same deals. When their games differ, or when compilation fails, no
    file is written.
    """
    from cantstop_arena.bots.bot_files import read_source
    from cantstop_arena.check.compiled_version import compiled_text

    catalogue = catalogue_for(bots_folder, game_name)
    bot = catalogue.find(name)
    plain = _file_of(bot, catalogue)
    path = plain.with_name(f"{plain.stem}_compiled.py")
    write_new(path, compiled_text(read_source(plain), catalogue.game.decisions))
    try:
        comparison = _comparison_text(catalogue, bot, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    click.echo(f"{short_path(str(path))} is the compiled version of {name}. {comparison}")


def _file_of(bot: "BotDescription", catalogue: "Catalogue") -> Path:
    """The file of the bot. Raises UsageError when the bot cannot be compiled."""
    if bot.backend == "compiled":
        raise UsageError(f"{bot.name} is compiled already")
    if bot.path is None:
        raise UsageError(
            f"{bot.name} has no file of its own, and the compiled version is written beside it"
        )
    if bot.learns:
        raise UsageError(f"{bot.name} learns from game to game, and compiled bots cannot learn")
    if catalogue.game.bot_template(compiled=True) is None:
        raise UsageError(f"bots that play {catalogue.game.title} cannot be compiled")
    return bot.path


def _comparison_text(catalogue: "Catalogue", bot: "BotDescription", path: Path) -> str:
    """How many games were equal, and the speedup. Raises BotError when a game differs."""
    from cantstop_arena.check.compiled_version import compare

    try:
        comparison = compare(catalogue, bot, catalogue.load_file(path))
    except BotError:
        compare(catalogue, bot)  # raises the error with the lines of the plain file
        raise
    if comparison.difference:
        order = "first the plain version, then the compiled one"
        raise BotError(
            f"{bot.name} plays differently when compiled: {comparison.difference} ({order})"
        )
    return (
        f"Both play the same games ({comparison.games} compared);"
        f" it is {comparison.speedup:,.0f} times as fast."
    )
