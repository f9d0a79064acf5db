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


def bots(context: click.Context, parameter: click.Parameter, match: str) -> Items:
    """Names of bots, versions of files behind an @; files where a path is begun."""
    if "/" in match or match.startswith("."):
        return [CompletionItem(match, type="file")]
    folder = context.params.get("bots_folder") or Path("bots")
    name, at, _ = match.partition("@")
    if at:
        return _matching(_versions(name, context.params.get("results") or RESULTS), match)
    return _matching([*_game(context).bots, *_files(folder)], match)


def _files(folder: Path) -> list[str]:
    from cantstop_arena.bots.bot_files import bot_files

    return [path.stem for path in bot_files(folder)]


def _versions(name: str, results: Path) -> list[str]:
    copies = stored_copies(results, f"{name}.py")
    return [f"{name}@{PREVIOUS}", *(version_name(name, copy.parent.name) for copy in copies)]


def rules(context: click.Context, parameter: click.Parameter, match: str) -> Items:
    """Names of rule sets."""
    return _matching(_game(context).rules.named, match)


def games(context: click.Context, parameter: click.Parameter, match: str) -> Items:
    """Names of games."""
    from cantstop_arena.games.registry import built_in

    return _matching(built_in(), match)


def results(context: click.Context, parameter: click.Parameter, match: str) -> Items:
    """Folders of results, and whatever else is a folder."""
    from cantstop_arena.tournaments.ledger.ledger import LEDGER

    matches = [str(path.parent) for path in RESULTS.glob(f"*/{LEDGER}")]
    return _matching(sorted(matches), match) or [CompletionItem(match, type="dir")]


def _game(context: click.Context) -> "Game":
    from cantstop_arena.games.registry import DEFAULT, game_named

    return game_named(context.params.get("game_name") or DEFAULT)


def _matching(arguments: Iterable[str], match: str) -> Items:
    return [CompletionItem(word) for word in dict.fromkeys(arguments) if word.startswith(match)]
