"""`arena bots diff`: what differs between two bots, or two versions of a bot."""

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.bots.bot_paths import bot_path
from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import bots_option, catalogue_for, game_option, versions_option
from cantstop_arena.errors import BotError
from cantstop_arena.texts import printable

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue


@click.command(short_help="Show what differs between two versions of a bot.")
@click.argument("a", shell_complete=shell_complete.bots)
@click.argument("b", shell_complete=shell_complete.bots)
@game_option
@bots_option
@versions_option
def diff(a: str, b: str, game_name: str, bots_folder: Path, results: Path) -> None:
    """Print the differences from A to B, names, paths or versions of bots, as a unified diff.

    \b
    arena bots diff patient@previous patient
    arena bots diff patient@08df1c2 patient@4b79489
    """
    catalogue = catalogue_for(bots_folder, game_name, results)
    old_texts, new_texts = _texts(a, catalogue), _texts(b, catalogue)
    lines = [
        line
        for name in sorted({*old_texts, *new_texts})
        for line in _differences(a, b, name, old_texts.get(name), new_texts.get(name))
    ]
    click.echo("\n".join(map(printable, lines)) if lines else f"{a} and {b} are the same.")


def _texts(reference: str, catalogue: "Catalogue") -> Mapping[str, bytes]:
    """The texts of a bot's files by path; the name of the bot's own file or folder is left out."""
    from cantstop_arena.tournaments.file.entrants import find_bot

    bot = find_bot(reference, Path(), catalogue)
    if bot.source is None:
        raise BotError(f"{reference} does not come from a file; only bots from files have a source")
    own = bot_path(bot.source.path).name
    texts = bot.source.texts()
    return {name.removeprefix(own).removeprefix("/"): text for name, text in texts.items()}


def _differences(a: str, b: str, name: str, old: bytes | None, new: bytes | None) -> Iterator[str]:
    from cantstop_arena.bots.bot_files import lines_of

    if old == new:
        return
    old_name, new_name = (f"{bot}/{name}" if name else bot for bot in (a, b))
    try:
        old_lines, new_lines = lines_of(old), lines_of(new)
    except UnicodeDecodeError:
        yield f"{old_name} and {new_name} differ; they are not UTF-8 text"
        return
    yield from difflib.unified_diff(old_lines, new_lines, old_name, new_name, lineterm="")
