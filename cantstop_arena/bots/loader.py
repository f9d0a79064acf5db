"""Loading bots into this process: built-in bots, installed packages, files in a folder.

All of them implement the hooks of `hookspecs`. pluggy registers and checks them; their functions
are then called directly, since a hook call costs more than many a decision.
"""

import importlib
import inspect
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

from cantstop_arena import hookspecs
from cantstop_arena.bots.bot_files import (
    BotFile,
    BotSource,
    digest_of,
    exception_line,
    foreign_code,
    sources_of,
)
from cantstop_arena.bots.bot_paths import bot_name, bot_path, file_in
from cantstop_arena.bots.known_bot import BotAddress, KnownBot, LoadedBot, check_names
from cantstop_arena.bots.plugin_bots import (
    batch_function,
    family,
    game_of,
    hook_complaint,
    single_bot,
)
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.packages import entry_points_of, load_entry_point
from cantstop_arena.games.registry import game_named
from cantstop_arena.hookspecs import BATCH_HOOK, PROJECT, BatchHooks

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Bot = TypeVar("Bot", bound=KnownBot)


class _Manager(pluggy.PluginManager):
    """A plug-in manager that accepts a bot's functions by name, with or without `@hookimpl`."""

    def __init__(self, game: Game) -> None:
        super().__init__(PROJECT)
        self._game = game
        self._functions = game.functions
        self.add_hookspecs(hookspecs)
        self.add_hookspecs(_namespace(game))

    def parse_hookimpl_opts(self, plugin: Any, name: str) -> Any:
        options = super().parse_hookimpl_opts(plugin, name)
        is_batch_hook = name == BATCH_HOOK and batch_function(plugin, self._game) is not None
        is_hook = name in self._functions and inspect.isfunction(getattr(plugin, name, None))
        is_hook = is_hook or is_batch_hook
        return {} if options is None and is_hook else options


def _namespace(game: Game) -> type:
    """A class with the hooks of a game as static methods, for pluggy."""
    hooks = {hook.__name__: staticmethod(hook) for hook in (*game.hooks, game.listener)}
    return type("Hooks", (BatchHooks,), hooks)


def plugin_manager(game: Game) -> pluggy.PluginManager:
    """A new plug-in manager for the hooks of a game."""
    return _Manager(game)


def is_built_in(name: str, game: Game) -> bool:
    """Whether a built-in bot of the game has this name; - and _ count as the same character."""
    return name.replace("_", "-") in {bot.replace("_", "-") for bot in game.bots}


class Loader:
    """Loads bots and rule sets into this process, which their code may crash or corrupt.

    The arena's own process does not load bots of files and packages; it uses the descriptions of
    its `Catalogue`. A file is read at its first use.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._managers: dict[str, pluggy.PluginManager] = {}
        self._files: dict[BotSource, list[LoadedBot]] = {}
        self._points: dict[str, list[LoadedBot]] = {}
        self._built_in: dict[tuple[str, str], LoadedBot] = {}

    def built_in(self, game: Game) -> list[LoadedBot]:
        """The bots that come with a game."""
        return [self.built_in_bot(name, game) for name in game.bots]

    def built_in_bot(self, name: str, game: Game) -> LoadedBot:
        """A bot that comes with a game, loaded alone, as some bots import large modules."""
        if (game.name, name) not in self._built_in:
            self._built_in[game.name, name] = self._load_built_in(name, game)
        return self._built_in[game.name, name]

    def find(self, name: str, game: Game) -> LoadedBot:
        """The built-in bot of this name, else that of a file in the folder. Raises BotError."""
        if name in game.bots:
            return self.built_in_bot(name, game)
        return self.load_file(file_in(self.folder, name) or self.folder / f"{name}.py")

    def load_file(self, path: Path) -> LoadedBot:
        """The one bot of a file. Raises BotError, with the reason, unless there is exactly one."""
        return only_bot(self.bots_of(BotSource.at(path)), path)

    def bots_of(self, source: BotSource) -> list[LoadedBot]:
        """All bots of a file. Raises BotError, with the reason, if it cannot be used."""
        if source not in self._files:
            file = BotFile(source)
            self._files[source] = self._files[file.source] = self._register_file(file)
        return list(self._files[source])

    def bots_of_package(self, point: str) -> list[LoadedBot]:
        """All bots of an entry point. Raises BotError, with the reason, if it cannot be used."""
        if point not in self._points:
            self._points[point] = self._register_package(point)
        return list(self._points[point])

    def open(self, address: BotAddress) -> LoadedBot:
        """The bot at an address. Raises BotError if it is missing or its digest has changed."""
        bot = next((bot for bot in self._bots_at(address) if bot.name == address.name), None)
        location = address.source.path if address.source else f"the {address.origin}"
        if bot is None:
            raise BotError(f"{location} no longer holds a bot {address.name!r}")
        if bot.digest != address.digest:
            raise BotError(
                f"bot {address.name} has changed since the run started; run the command again"
            )
        return bot

    def _bots_at(self, address: BotAddress) -> list[LoadedBot]:
        if address.source:
            return self.bots_of(address.source)
        if address.package:
            return self.bots_of_package(address.package)
        game = game_named(address.game)
        return [self.built_in_bot(address.name, game)] if address.name in game.bots else []

    def rules_of_package(self, point: str) -> tuple[Game, list[Any]]:
        """The game of an entry point, and its rule sets."""
        plugin = load_entry_point(entry_point(point))
        register_rules = getattr(plugin, "register_rules", None)
        return game_of(plugin), list(register_rules()) if callable(register_rules) else []

    def _load_built_in(self, name: str, game: Game) -> LoadedBot:
        module = importlib.import_module(game.bots[name])
        make_bot = partial(LoadedBot, origin="built-in", digest=_digest_of_built_in(game))
        bots = self._register(module, name, make_bot, game=game)
        return next(bot for bot in bots if bot.name == name)

    def _register_package(self, name: str) -> list[LoadedBot]:
        try:
            with foreign_code():
                plugin = load_entry_point(entry_point(name))
            digest = digest_of(sources_of(plugin))
        except BotError:
            raise
        except BaseException as error:
            raise BotError(exception_line(error)) from error
        make_bot = partial(LoadedBot, origin="package", package=name, digest=digest)
        return self._register(plugin, name, make_bot)

    def _register_file(self, file: BotFile) -> list[LoadedBot]:
        module = file.load()
        make_bot = partial(LoadedBot, origin="file", source=file.source, digest=file.source.digest)
        return self._register(module, bot_name(file.path), make_bot, file.run)

    def _register(
        self,
        plugin: Any,
        name: str,
        make_bot: Callable[..., LoadedBot],
        run_module: Callable[[], Any] | None = None,
        game: Game | None = None,
    ) -> list[LoadedBot]:
        """Register a plug-in and return its bots. Raises BotError if they are not valid."""
        game = game or game_of(plugin)
        manager = self._managers.setdefault(game.name, plugin_manager(game))
        try:
            manager.register(plugin)
            manager.check_pending()
        except pluggy.PluginValidationError as error:
            if manager.is_registered(plugin):
                manager.unregister(plugin)
            raise BotError(hook_complaint(error, plugin, game)) from error
        make_bot = partial(make_bot, game=game.name)
        bots = [
            *single_bot(plugin, game, name, make_bot, run_module),
            *family(plugin, game, name, make_bot, run_module),
        ]
        for bot in bots:
            check_names(bot.options)
        return bots


@cache
def _digest_of_built_in(game: Game) -> str:
    """The digest of all sources in the folders of the game's bots, which share much code."""
    folders = {Path(str(find_spec(module).origin)).parent for module in game.bots.values()}  # type: ignore[union-attr]
    return digest_of(path for folder in folders for path in folder.glob("*.py"))


def only_bot(bots: Sequence[Bot], path: Path) -> Bot:
    """The one bot of a file's bots. Raises BotError if there are none or several."""
    if len(bots) > 1:
        names = ", ".join(bot.name for bot in bots)
        raise BotError(f"{bot_path(path)} holds several bots ({names}): use their names")
    if not bots:
        raise BotError(f"{bot_path(path)} holds no bot")
    return bots[0]


def entry_point(name: str) -> "EntryPoint":
    """The arena's entry point of this name. Raises BotError if no installed package has it."""
    point = next((point for point in entry_points_of(PROJECT)[0] if point.name == name), None)
    if point is None:
        raise BotError(f"no installed package offers {name!r} any more")
    return point
