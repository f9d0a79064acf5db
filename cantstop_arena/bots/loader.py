"""Loading bots into this process: built-in bots, installed packages, files in a folder.

All of them implement the hooks of `hookspecs`. pluggy registers and checks them; their functions
are then called directly, since a hook call costs more than many a decision.

The bots of a plug-in, a module or an entry point, are read from its hooks, and checked.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    digest_of_package,
    exception_line,
    foreign_code,
)
from cantstop_arena.bots.bot_paths import bot_name, bot_path, file_in
from cantstop_arena.bots.known_bot import (
    BotAddress,
    KnownBot,
    LoadedBot,
    check_backends,
    check_names,
)
from cantstop_arena.bots.origins import Origin
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.game_api.batches import DEFAULT_ROWS
from cantstop_arena.game_api.bot_options import Option, did_you_mean, options_of
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.hookspecs import BATCH_HOOK, PROJECT, BatchHooks, Bot, BotFunctions
from cantstop_arena.packages import entry_points_of, load_entry_point
from cantstop_arena.processes.system import short_path
from cantstop_arena.table.batched_bot import BatchedBot

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


AnyBot = TypeVar("AnyBot", bound=KnownBot)


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
        self._files: dict[tuple[BotSource, str], list[LoadedBot]] = {}
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
        return self.load_file(file_in(self.folder, name) or self.folder / f"{name}.py", game)

    def load_file(self, path: Path, game: Game | None = None) -> LoadedBot:
        """The one bot of a file. Raises BotError, with the reason, unless there is exactly one."""
        return only_bot(self.bots_of(BotSource.at(path), game), path)

    def bots_of(self, source: BotSource, game: Game | None = None) -> list[LoadedBot]:
        """All bots of a file, of this game if the file names none (see `game_of`).

        Raises BotError, with the reason, if it cannot be used.
        """
        game = game or game_named(DEFAULT)
        if (source, game.name) not in self._files:
            file = BotFile(source)
            bots = self._register_file(file, game)
            self._files[source, game.name] = self._files[file.source, game.name] = bots
        return list(self._files[source, game.name])

    def bots_of_package(self, point: str) -> list[LoadedBot]:
        """All bots of an entry point. Raises BotError, with the reason, if it cannot be used."""
        if point not in self._points:
            self._points[point] = self._register_package(point)
        return list(self._points[point])

    def open(self, address: BotAddress) -> LoadedBot:
        """The bot at an address. Raises BotError if it is missing or its digest has changed."""
        bot = next((bot for bot in self._bots_at(address) if bot.name == address.name), None)
        location = address.source.path if address.source else address.package
        if bot is None:
            raise BotError(f"{location} no longer holds a bot {address.name!r}")
        if bot.digest != address.digest:
            raise BotError(
                f"bot {address.name} has changed since the run started; run the command again"
            )
        return bot

    def _bots_at(self, address: BotAddress) -> list[LoadedBot]:
        if address.source:
            return self.bots_of(address.source, game_named(address.game))
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
        make_bot = partial(LoadedBot, origin=Origin.BUILT_IN, digest=_digest_of_built_in(game))
        bots = self._register(module, name, make_bot, game=game)
        return next(bot for bot in bots if bot.name == name)

    def _register_package(self, name: str) -> list[LoadedBot]:
        try:
            point = entry_point(name)
            with foreign_code():
                plugin = load_entry_point(point)
            digest = digest_of_package(point)
        except BotError:
            raise
        except BaseException as error:
            raise BotError(exception_line(error)) from error
        make_bot = partial(LoadedBot, origin=Origin.PACKAGE, package=name, digest=digest)
        return self._register(plugin, name, make_bot, game=game_of(plugin))

    def _register_file(self, file: BotFile, game: Game) -> list[LoadedBot]:
        module = file.load()
        make_bot = partial(
            LoadedBot, origin=Origin.FILE, source=file.source, digest=file.source.digest
        )
        game = game_of(module, game)
        return self._register(module, bot_name(file.path), make_bot, file.run, game=game)

    def _register(
        self,
        plugin: Any,
        name: str,
        make_bot: Callable[..., LoadedBot],
        run_module: Callable[[], Any] | None = None,
        *,
        game: Game,
    ) -> list[LoadedBot]:
        """Register a plug-in and return its bots. Raises BotError if they are not valid."""
        manager = _Manager(game)  # of this plug-in alone: several can have its name
        try:
            manager.register(plugin)
            manager.check_pending()
        except pluggy.PluginValidationError as error:
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


def only_bot(bots: Sequence[AnyBot], path: Path) -> AnyBot:
    """The one bot of a file's bots. Raises BotError if there are none or several."""
    if len(bots) > 1:
        names = ", ".join(bot.name for bot in bots)
        raise BotError(f"{bot_path(path)} holds several bots ({names}): use their names")
    if not bots:
        raise BotError(f"{bot_path(path)} holds no bot")
    return bots[0]


def entry_point(name: str) -> "EntryPoint":
    """The arena's entry point of this name. Raises BotError if no installed package has it."""
    points = [point for point in entry_points_of(PROJECT)[0] if point.name == name]
    if not points:
        raise BotError(f"no installed package offers {name!r} any more")
    if len(points) > 1:
        raise BotError(f"{len(points)} installed packages offer {name!r}; uninstall all but one")
    return points[0]


REGISTERED = ("register_bots", "register_rules", "register_games")
_BATCH = Decision(BATCH_HOOK, ("batch",), Any, Any)
_BATCH_SETTINGS = {"rows": DEFAULT_ROWS, "temperature": 0.0}
"""The settings of bots with `decide(batch)`, and their defaults."""
GAME = "game"
"""The attribute of a plug-in that names its game."""


def game_of(plugin: Any, usual: Game | None = None) -> Game:
    """The game that a plug-in names; else the `usual` one, that of the tournament or command.

    A plug-in that names none plays the default game if it has a larger share of its decisions.
    Raises BotError for an unknown game.
    """
    if not hasattr(plugin, GAME):
        default = game_named(DEFAULT)
        if usual is None or usual is default:
            return default
        return max(usual, default, key=lambda game: _share_of_decisions(plugin, game))
    name = getattr(plugin, GAME)
    if not isinstance(name, str):
        raise BotError(f"{GAME} must be the name of a game, not {name!r:.60}")
    try:
        return game_named(name)
    except UsageError as error:
        raise BotError(str(error)) from error


def _share_of_decisions(plugin: Any, game: Game) -> float:
    """The share of a game's decisions that a plug-in's functions take, or its classes' methods."""
    owners = (plugin, *filter(inspect.isclass, list(vars(plugin).values())))
    required = [decision for decision in game.decisions.values() if not decision.optional]
    taken = [
        decision
        for decision in required
        if any(
            _parameters(getattr(owner, decision.name, None), len(decision.parameters))
            == decision.parameters
            for owner in owners
        )
    ]
    return len(taken) / len(required) if required else 0.0


def single_bot(
    plugin: Any,
    game: Game,
    name: str,
    make_bot: Callable[..., LoadedBot],
    run_module: Callable[[], Any] | None,
) -> Iterator[LoadedBot]:
    """The bot whose decisions are a module's functions; none if it registers something instead.

    Raises BotError when functions or their arguments are missing or wrong.
    """
    if batch_function(plugin, game) is not None:
        yield _batched_bot(plugin, game, name, make_bot, run_module)
        return
    functions = {hook: getattr(plugin, hook, None) for hook in game.functions}
    defined = {hook: function for hook, function in functions.items() if function is not None}
    if not defined and any(hasattr(plugin, hook) for hook in REGISTERED):
        return
    if missing := _missing(game, defined):
        raise BotError(_missing_text(missing, plugin) + _game_hint(game, defined, plugin))
    for hook, function in defined.items():
        _check_arguments(game.functions[hook], function)
    options_by_hook = {
        hook: options_of(function, len(game.functions[hook].parameters))
        for hook, function in defined.items()
    }
    option_names = {hook: tuple(options) for hook, options in options_by_hook.items()}

    def maker_of(plugin: Any) -> Callable[..., Any]:
        return partial(_functions_with_options, plugin, option_names)

    bot = make_bot(
        name=name,
        options={
            key: option for options in options_by_hook.values() for key, option in options.items()
        },
        summary=_first_line(plugin.__doc__),
        maker=maker_of(plugin),
        learns=getattr(plugin, "learns", False) is True,
        remake=(lambda: maker_of(run_module())) if run_module else None,
    )
    check_backends(bot.build({}), name, game.decisions)
    yield bot


def batch_function(player: Any, game: Game) -> Any:
    """The function `decide(batch)` of a module or an object; None where there is none.

    Another function of this name, in a bot that has the hooks of its game, is its own affair.
    """
    function = getattr(player, BATCH_HOOK, None)
    if BATCH_HOOK in game.functions or not callable(function):
        return None
    if hasattr(function, f"{PROJECT}_impl") or _parameters(function, 1) == _BATCH.parameters:
        return function
    is_bot = any(callable(getattr(player, hook, None)) for hook in (*game.functions, *REGISTERED))
    return None if is_bot else function


def _parameters(function: Any, count: int) -> tuple[str, ...]:
    """The names of the first parameters of a function, or after `self` of a method."""
    try:
        names = [name for name in inspect.signature(function).parameters if name != "self"]
    except (TypeError, ValueError):  # it is no function, or not written in Python
        return ()
    return tuple(names[:count])


def _batched_bot(
    plugin: Any,
    game: Game,
    name: str,
    make_bot: Callable[..., LoadedBot],
    run_module: Callable[[], Any] | None,
) -> LoadedBot:
    """The bot of a module with `decide(batch)`. Raises BotError if it is not valid."""
    _check_arguments(_BATCH, plugin.decide)
    options = options_of(plugin.decide, len(_BATCH.parameters))
    names = tuple(options)
    for key, default in _BATCH_SETTINGS.items():
        if key not in options:
            options[key] = Option(key, getattr(plugin, key, default))
    _check_batched(plugin, game, name, getattr(plugin, "learns", False) is True)

    def maker_of(plugin: Any) -> Callable[..., Any]:
        return partial(_batched_with_options, plugin, game, names)

    bot = make_bot(
        name=name,
        options=options,
        summary=_first_line(plugin.__doc__),
        maker=maker_of(plugin),
        remake=(lambda: maker_of(run_module())) if run_module else None,
    )
    bot.build({})
    return bot


def _batched_with_options(
    plugin: Any, game: Game, names: Sequence[str], /, **options: Any
) -> BatchedBot:
    """The function of a bot's file, bound to the options that it takes."""
    values = {name: options[name] for name in names}
    decide = partial(plugin.decide, **values) if values else plugin.decide
    return BatchedBot(game, decide, options["rows"], options["temperature"])


def _check_batched(player: Any, game: Game, name: str, learns: bool) -> None:
    """Raise BotError for what goes with batches in no bot: other hooks, and learning."""
    for hook in game.functions:
        if callable(getattr(player, hook, None)):
            raise BotError(
                f"{name}: {BATCH_HOOK}(batch) takes all decisions; leave out {hook}, or rename"
                f" {BATCH_HOOK} if it is a function of your own"
            )
    if learns:
        raise BotError(f"{name}: a bot with {BATCH_HOOK}(batch) has no memory, so it cannot learn")


def _missing(game: Game, defined: Mapping[str, Any]) -> list[str]:
    """The names of the required decisions of a game that are not defined."""
    return [
        hook
        for hook, decision in game.decisions.items()
        if hook not in defined and not decision.optional
    ]


def _functions_with_options(
    plugin: Any, option_names: Mapping[str, tuple[str, ...]], /, **options: Any
) -> BotFunctions:
    """A bot file's functions, each bound to the options that it takes."""
    functions = {}
    for hook, names in option_names.items():
        function = getattr(plugin, hook)
        values = {name: options[name] for name in names}
        functions[hook] = partial(function, **values) if values else function
    return BotFunctions(**functions)


def family(
    plugin: Any,
    game: Game,
    name: str,
    make_bot: Callable[..., LoadedBot],
    run_module: Callable[[], Any] | None,
) -> Iterator[LoadedBot]:
    """The bots that a module registers with `register_bots`.

    Raises BotError when that fails, or returns anything but bots.
    """
    if not hasattr(plugin, "register_bots"):
        return
    try:
        with foreign_code():
            bots = list(plugin.register_bots())
    except BotError:
        raise
    except BaseException as error:
        raise BotError(f"register_bots of {name} fails: {exception_line(error)}") from error
    for bot in bots:
        if not isinstance(bot, Bot) or not isinstance(bot.name, str) or not callable(bot.build):
            raise BotError(f"register_bots of {name} must return Bot(name, build), not {bot!r:.80}")
        yield make_bot(
            name=bot.name,
            options=options_of(bot.build),
            summary=_first_line(bot.build.__doc__),
            maker=partial(_built_functions, game, bot),
            learns=getattr(bot.build, "learns", getattr(plugin, "learns", False)) is True,
            remake=partial(_maker_from_new_module, run_module, game, bot.name)
            if run_module
            else None,
        )


def _maker_from_new_module(
    run_module: Callable[[], Any], game: Game, name: str
) -> Callable[..., Any]:
    bot = next(bot for bot in run_module().register_bots() if bot.name == name)
    return partial(_built_functions, game, bot)


def _built_functions(game: Game, bot: Bot, /, **options: Any) -> BotFunctions:
    player = bot.build(**options)
    if (decide := batch_function(player, game)) is not None:
        _check_batched(player, game, bot.name, getattr(player, "learns", False) is True)
        _check_arguments(_BATCH, decide)
        settings: dict[str, Any] = {
            key: getattr(player, key, usual) for key, usual in _BATCH_SETTINGS.items()
        }
        return BatchedBot(game, decide, **settings)
    functions = {hook: getattr(player, hook, None) for hook in game.functions}
    defined = {hook: function for hook, function in functions.items() if callable(function)}
    if missing := _missing(game, defined):
        raise BotError(f"bot {bot.name} has no {' and no '.join(missing)}")
    return BotFunctions(**defined)


def _check_arguments(decision: Decision, function: Any) -> None:
    if not callable(function):
        raise BotError(f"{decision.name} is no function")
    expected = decision.parameters
    parameters = list(inspect.signature(function).parameters.values())
    required = tuple(
        parameter.name for parameter in parameters if parameter.default is parameter.empty
    )
    first = tuple(parameter.name for parameter in parameters[: len(expected)])
    if required != expected or first != expected:
        names = ", ".join(parameter.name for parameter in parameters)
        must = f"must take ({', '.join(expected)}), then options"
        hint = ""
        if first == expected and required[: len(expected)] == expected:
            option = required[len(expected)]
            hint = f"; the option {option} needs a default, such as {option}=0"
        raise BotError(f"{decision.name} {must}; it takes ({names}){hint}")


def _missing_text(hooks: Sequence[str], plugin: Any) -> str:
    names = [name for name in vars(plugin) if inspect.isfunction(vars(plugin)[name])]
    texts = [
        f"{hook}{did_you_mean(hook, names)}".replace("did you mean", "is it") for hook in hooks
    ]
    return f"lacks {' and '.join(texts)}{_class_hint(hooks, plugin)}"


def _game_hint(game: Game, defined: Mapping[str, Any], plugin: Any) -> str:
    """How a file of functions that all have other names says which game they play."""
    if defined or hasattr(plugin, GAME) or not any(map(inspect.isfunction, vars(plugin).values())):
        return ""
    return (
        f'; a bot of another game than {game.name} names it: game = "NAME"; or name it in the'
        " tournament's file, game: NAME, or the command, --game NAME"
    )


def _class_hint(hooks: Sequence[str], plugin: Any) -> str:
    """How to register the class of a module that has these methods; empty if there is none."""
    classes = (value for value in vars(plugin).values() if inspect.isclass(value))
    own_classes = (each for each in classes if each.__module__ == plugin.__name__)
    name = next((each.__name__ for each in own_classes if set(hooks) <= set(dir(each))), None)
    if name is None:
        return ""
    return (
        f"; class {name} has them: register it with"
        f' def register_bots(): return [cantstop_arena.Bot("NAME", {name})]'
    )


def hook_complaint(error: pluggy.PluginValidationError, plugin: Any, game: Game) -> str:
    """pluggy's complaint about a misspelled hook or a wrong argument, in one line."""
    functions = game.functions
    hooks = [*game.functions, BATCH_HOOK, *REGISTERED]
    for name, function in list(vars(plugin).items()):
        if hasattr(function, f"{PROJECT}_impl") and name not in hooks:
            code = inspect.unwrap(function).__code__
            where = f"{short_path(code.co_filename)}:{code.co_firstlineno}"
            there_is = f"there is no hook {name!r}{did_you_mean(name, hooks)} ({where})"
            return f"{there_is}; the hooks of {game.name} are {', '.join(hooks)}"
        if name == BATCH_HOOK and batch_function(plugin, game) is not None:
            functions = {**functions, BATCH_HOOK: _BATCH}
        if name in functions and inspect.isfunction(function):
            try:
                _check_arguments(functions[name], function)
            except BotError as complaint:
                return str(complaint)
    return " ".join(str(error).split())


def _first_line(docstring: object) -> str:
    return inspect.cleandoc(docstring).partition("\n")[0] if isinstance(docstring, str) else ""
