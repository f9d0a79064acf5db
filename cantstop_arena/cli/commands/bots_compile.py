"""`arena bots compile`: the compiled version of a plain Python bot, if it plays the same games."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.bots.bot_paths import FOLDER_FILE, bot_name, bot_path, is_in_folder
from cantstop_arena.bots.versions import version_in
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

    NAME may be a path. If the bot is a folder, the folder NAME_compiled is written.
    First both versions play the same deals. If their games differ, if the bot makes faults, or
    if compilation fails, no file is written.
    After an edit of NAME the command renews the compiled version, unless it was edited as well.
    """
    from cantstop_arena.bots.bot_files import BotSource
    from cantstop_arena.bots.compiled_copies import path_of_copy, texts_of_copy
    from cantstop_arena.check.compiled_version import compiled_text, optional_decisions
    from cantstop_arena.tournaments.file.entrants import find_bot

    catalogue = catalogue_for(bots_folder, game_name)
    if version_in(name):
        raise UsageError(f"{name} is a stored version; only the present bot can be compiled")
    bot = find_bot(name, Path(), catalogue)
    source = BotSource.at(_file_of(bot, catalogue))
    path, texts = path_of_copy(source.path), source.texts()
    compiled = compiled_text(
        texts[source.name], catalogue.game.decisions, optional_decisions(catalogue.game)
    )
    with _replaced(path, texts_of_copy(source.path, texts, compiled)):
        comparison = _comparison_text(catalogue, bot, path)
    click.echo(f"{short_path(str(bot_path(path)))} is the compiled version of {name}. {comparison}")


@contextmanager
def _replaced(path: Path, texts: Mapping[Path, bytes]) -> Iterator[None]:
    """A context in which a compiled copy has new texts; after an error it has the old ones.

    Raises UsageError when something stands there that `arena bots compile` did not write.
    """
    from cantstop_arena.bots.compiled_copies import read_copy

    copy = read_copy(path)
    if copy and copy.is_edited:
        raise _in_the_way(bot_path(path), "has been edited")
    if obstacle := next(filter(os.path.lexists, _other_paths(path, copy is not None)), None):
        kind = "folder" if obstacle.is_dir() else "file"
        raise _in_the_way(obstacle, f"is no {kind} that `arena bots compile` wrote")
    former = copy.texts if copy else {}
    root = bot_path(path).parent
    try:
        _write(texts, former, root)
        yield
    except BaseException:
        _write(former, texts, root)
        raise


def _other_paths(path: Path, is_copy: bool) -> Iterator[Path]:
    """Where a bot of the same name would be that is no compiled copy with this own file."""
    if not is_copy:
        yield bot_path(path)
    file = bot_path(path).with_name(f"{bot_name(path)}.py")
    yield file if is_in_folder(path) else path.with_name(bot_name(path)) / FOLDER_FILE


def _in_the_way(obstacle: Path, what: str) -> UsageError:
    way = "move or delete it, then compile again"
    return UsageError(f"{short_path(str(obstacle))} {what}; it was not changed: {way}")


def _write(texts: Mapping[Path, bytes], former: Mapping[Path, bytes], root: Path) -> None:
    """Write files below `root` in place of the former ones, and remove folders left empty."""
    from cantstop_arena.atomic_files import write_atomically

    for path in former.keys() - texts.keys():
        path.unlink(missing_ok=True)
        for folder in path.relative_to(root).parents[:-1]:
            with suppress(OSError):  # it holds something else, or is gone
                (root / folder).rmdir()
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)


def _file_of(bot: "BotDescription", catalogue: "Catalogue") -> Path:
    """The own file of the bot. Raises UsageError when the bot cannot be compiled."""
    if bot.backend == "compiled":
        raise UsageError(f"{bot.name} is compiled already")
    if bot.backend == "batched":
        raise UsageError(
            f"{bot.name} decides for many games at once, and only functions for the decisions of"
            " one game are compiled"
        )
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
