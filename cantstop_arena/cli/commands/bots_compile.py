"""`arena bots compile`: the compiled version of a plain Python bot, if it plays the same games."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
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
    file is written. After an edit of NAME the command renews the file, unless that was edited, too.
    """
    from cantstop_arena.bots.bot_files import read_source
    from cantstop_arena.bots.compiled_copies import marked_text, path_of_copy
    from cantstop_arena.check.compiled_version import compiled_text

    catalogue = catalogue_for(bots_folder, game_name)
    bot = catalogue.find(name)
    plain = _file_of(bot, catalogue)
    path, source = path_of_copy(plain), read_source(plain)
    text = marked_text(compiled_text(source, catalogue.game.decisions), plain, source)
    with _replaced(path, text):
        comparison = _comparison_text(catalogue, bot, path)
    click.echo(f"{short_path(str(path))} is the compiled version of {name}. {comparison}")


@contextmanager
def _replaced(path: Path, text: str) -> Iterator[None]:
    """A context in which a compiled copy has a new text; after an error it has the old one.

    Raises UsageError when there is a file that `arena bots compile` did not write.
    """
    from cantstop_arena.atomic_files import draft_of
    from cantstop_arena.bots.compiled_copies import read_copy

    def write(content: bytes) -> None:
        with draft_of(path) as draft:
            draft.write_bytes(content)

    copy = read_copy(path)
    if os.path.lexists(path) and (copy is None or copy.is_edited):
        what = "has been edited" if copy else "is no file that `arena bots compile` wrote"
        way = "move or delete it, then compile again"
        raise UsageError(f"{short_path(str(path))} {what}; it was not changed: {way}")
    former = path.read_bytes() if copy else None
    write(text.encode())
    try:
        yield
    except BaseException:
        if former is None:
            path.unlink(missing_ok=True)
        else:
            write(former)
        raise


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
    from cantstop_arena.check.compiled_version import compare, speedup_text

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
        f" it is {speedup_text(comparison.speedup)} as fast."
    )
