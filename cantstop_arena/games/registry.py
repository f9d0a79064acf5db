"""The registry of games: built in, and from installed packages.

A package adds games by an entry point of the group `cantstop_arena.games`: a module with the hook
`register_games`. Its code is trusted like the arena's: unlike bots, games run in every process.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from cantstop_arena.errors import UsageError
from cantstop_arena.extension_registry import game_modules
from cantstop_arena.packages import (
    distribution_of,
    entry_points_of,
    is_declared,
    load_entry_point,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from cantstop_arena.game_api.game import Game

GROUP = "cantstop_arena.games"
DEFAULT = "cantstop"
_CORE = {DEFAULT: "cantstop_arena.games.cantstop.game"}
_COMMANDS = {
    "odds": "cantstop_arena.views.cantstop.commands.odds_command:odds",
}
"""Commands of the built-in games, named here so that listing commands imports no game."""


def game_named(name: str) -> Game:
    """The game of this name. Raises UsageError when there is none, or it is broken."""
    if not isinstance(name, str):  # a caller of the Python API gave it
        raise UsageError(f"game must be the name of a game, like {DEFAULT!r}, not {name!r:.60}")
    if name in _CORE:
        return _built_in(name)  # without asking extensions: quicker
    if name in (modules := _built_in_modules()):
        return _built_in(name)
    games, broken = _installed()
    if name in games:
        return games[name]
    if name in broken:
        raise UsageError(f"game {name} cannot be used: {broken[name]}")
    from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH, did_you_mean

    names = [*modules, *games]
    hint = did_you_mean(name, names)
    raise UsageError(
        f"unknown game {name!r:.{MAX_QUOTE_LENGTH}}{hint}; games are {', '.join(names)}"
    )


def all_games() -> list[Game]:
    """Every game, the built-in ones first."""
    return [*map(_built_in, built_in()), *_installed()[0].values()]


def broken_games() -> Mapping[str, str]:
    """The reasons why games cannot be used, by entry point or package."""
    return _installed()[1]


def _built_in_modules(name: str = "") -> Mapping[str, str]:
    """The modules of the core's game and of those of extensions, by the game's name."""
    return _CORE if name in _CORE else {**_CORE, **game_modules()}


def _built_in(name: str) -> Game:
    game: Game = import_module(_built_in_modules(name)[name]).GAME
    copyreg.pickle(type(game), _pickled)
    return game


@cache
def _installed() -> tuple[Mapping[str, Game], Mapping[str, str]]:
    """The games of packages by name, and the reasons why others cannot be used."""
    offers: dict[str, list[tuple[str, Game]]] = {}
    points, malformed = entry_points_of(GROUP)
    broken = dict(malformed)
    for point in points:
        try:
            for game in _registered_games(point):
                offers.setdefault(game.name, []).append((point.name, game))
        except UsageError as error:
            broken[point.name] = str(error)
        except (Exception, SystemExit) as error:
            broken[point.name] = f"{type(error).__name__}: {error}"
    for name, namesakes in offers.items():
        if len(namesakes) > 1:
            packages = " and ".join(point for point, _ in namesakes)
            broken[name] = f"several packages offer it: {packages}; uninstall all but one"
    games = {name: game for name, [(_, game), *more] in offers.items() if not more}
    for game in games.values():
        copyreg.pickle(type(game), _pickled)
    return games, broken


def _pickled(game: Game) -> tuple[Callable[[str], Game], tuple[str]]:
    """How pickle stores a game, and deepcopy copies one: by its name, as caches know it."""
    return game_named, (game.name,)


def _registered_games(point: EntryPoint) -> Iterator[Game]:
    """The games that an entry point's module registers, found by pluggy.

    Raises TypeError when they are invalid, and whatever the module raises.
    """
    import pluggy

    from cantstop_arena import hookspecs
    from cantstop_arena.game_api.game import Game
    from cantstop_arena.games.validation import game_faults

    manager = pluggy.PluginManager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(load_entry_point(point), point.name)
    if not manager.hook.register_games.get_hookimpls():
        raise TypeError(f"{point.value} has no function register_games marked @hookimpl")
    for games in manager.hook.register_games():
        for game in games:
            if not isinstance(game, Game):
                raise TypeError(f"register_games must return games, not {game!r:.60}")
            if getattr(game, "name", None) in _built_in_modules():
                text = f"a game called {game.name} is already here (built in)"
                raise UsageError(f"{text}; choose another name")
            if problems := game_faults(game):
                raise TypeError("; ".join(problems))
            if not _has_own_edition(game):
                game.edition = distribution_of(point) or game.edition
            yield game


def _has_own_edition(game: Game) -> bool:
    """Whether the author of a game has set its edition."""
    from cantstop_arena.game_api.game import Game

    above = type(game).__mro__
    own = above[: above.index(Game)]
    return "edition" in vars(game) or any("edition" in vars(each) for each in own)


def built_in() -> list[str]:
    """The names of the built-in games."""
    return [*_built_in_modules()]


def command_names() -> list[str]:
    """The names of the games' own commands."""
    if not is_declared(GROUP):
        return [*_COMMANDS]
    return [*_COMMANDS, *(name for game in _installed()[0].values() for name in game.commands)]


def command_target(name: str) -> str | None:
    """The "module:object" of a game's own command; None if there is none of this name."""
    if name in _COMMANDS:
        return _COMMANDS[name]
    games = _installed()[0].values()
    return next((game.commands[name] for game in games if name in game.commands), None)
