"""What shells are told when a word is completed: names of bots, rules, games, results.

Nothing of it runs a bot's file, or looks into packages: completion must be quick.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from cantstop_arena.bots.versions import PREVIOUS, RESULTS, stored_copies, version_name

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game

Items = list[CompletionItem]


def bots(context: click.Context, parameter: click.Parameter, begun: str) -> Items:
    """Names of bots, versions of files behind an @; files where a path is begun."""
    if "/" in begun or begun.startswith("."):
        return [CompletionItem(begun, type="file")]
    folder = context.params.get("bots_folder") or Path("bots")
    name, at, _ = begun.partition("@")
    if at:
        return _matching(_versions(name, context.params.get("results") or RESULTS), begun)
    return _matching([*_game(context).bots, *_files(folder)], begun)


def _files(folder: Path) -> list[str]:
    from cantstop_arena.bots.bot_files import bot_files

    return [path.stem for path in bot_files(folder)]


def _versions(name: str, results: Path) -> list[str]:
    copies = stored_copies(results, f"{name}.py")
    return [f"{name}@{PREVIOUS}", *(version_name(name, copy.parent.name) for copy in copies)]


def rules(context: click.Context, parameter: click.Parameter, begun: str) -> Items:
    """Names of rule sets."""
    return _matching(_game(context).rules.named, begun)


def games(context: click.Context, parameter: click.Parameter, begun: str) -> Items:
    """Names of games."""
    from cantstop_arena.games.registry import built_in

    return _matching(built_in(), begun)


def results(context: click.Context, parameter: click.Parameter, begun: str) -> Items:
    """Folders of results, and whatever else is a folder."""
    from cantstop_arena.tournaments.ledger.ledger import LEDGER

    found = [str(path.parent) for path in RESULTS.glob(f"*/{LEDGER}")]
    return _matching(sorted(found), begun) or [CompletionItem(begun, type="dir")]


def _game(context: click.Context) -> "Game":
    from cantstop_arena.games.registry import DEFAULT, game_named

    return game_named(context.params.get("game_name") or DEFAULT)


def _matching(words: Iterable[str], begun: str) -> Items:
    return [CompletionItem(word) for word in dict.fromkeys(words) if word.startswith(begun)]
