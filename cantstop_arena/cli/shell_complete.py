"""Shell completion for names of bots, rules, games and results.

To be quick it neither runs bot files nor searches installed packages.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from cantstop_arena.bots.bot_paths import RESULTS, bot_files, bot_name
from cantstop_arena.bots.versions import PREVIOUS, stored_versions, version_name

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game

Items = list[CompletionItem]


def bots(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Names of bots, versions of bot files after an @, or files after the start of a path."""
    if "/" in incomplete or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    folder = context.params.get("bots_folder") or Path("bots")
    name, at, _ = incomplete.partition("@")
    if at:
        return _matching(_versions(name, context.params.get("results") or RESULTS), incomplete)
    return _matching([*_game(context).bots, *_files(folder)], incomplete)


def _files(folder: Path) -> list[str]:
    return [bot_name(file) for file in bot_files(folder)]


def _versions(name: str, results: Path) -> list[str]:
    versions = stored_versions(results, name)
    return [f"{name}@{PREVIOUS}", *(version_name(name, each.digest) for each in versions)]


def rules(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Names of rule sets."""
    return _matching(_game(context).rules.named, incomplete)


def games(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Names of games."""
    from cantstop_arena.games.registry import built_in

    return _matching(built_in(), incomplete)


def results(context: click.Context, parameter: click.Parameter, incomplete: str) -> Items:
    """Results folders that match, or any folder when none does."""
    from cantstop_arena.tournaments.ledger.ledger import LEDGER

    folders = [str(path.parent) for path in RESULTS.glob(f"*/{LEDGER}")]
    return _matching(sorted(folders), incomplete) or [CompletionItem(incomplete, type="dir")]


def _game(context: click.Context) -> "Game":
    from cantstop_arena.games.registry import DEFAULT, game_named

    return game_named(context.params.get("game_name") or DEFAULT)


def _matching(names: Iterable[str], incomplete: str) -> Items:
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]
