"""The bots that a plug-in holds: read from its hooks, checked, and ready to be built."""

import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import Any

import numpy as np
import pluggy
from numpy.typing import NDArray

from cantstop_arena.bot_sources.bot_files import Source, described, foreign_code
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.game_api.decisions import GAME_OVER, Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.options import Option, did_you_mean, find_faults, options_of
from cantstop_arena.games.registry import DEFAULT, game_called
from cantstop_arena.hookspecs import (
    PROJECT,
    Bot,
    BotFunctions,
    compile_options,
    compiled,
    memory_of,
)

REGISTERED = ("register_bots", "register_rules", "register_games")
GAME = "game"
"""What a file or a package says which game it plays by; the default is Can't Stop."""


RESERVED = ("bot", "command", "as", "isolate")
"""What a tournament file says of a bot besides its options, which have other names."""


@dataclass(frozen=True)
class Address:
    """What it takes to load a bot that was described: `digest` is that of its source texts."""

    name: str
    game: str
    origin: str
    digest: str
    source: Source | None = None
    package: str | None = None


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of a bot: its game, where it comes from, and its options.

    `origin` is "built-in", "package", "file" or "command"; `source` where the text of one from a
    file lies, `package` the entry point of one from a package, `digest` a hash of the source
    texts. A bot that `learns` keeps what it remembers from game to game.
    """

    name: str
    game: str = DEFAULT
    origin: str
    digest: str
    options: Mapping[str, Option]
    summary: str
    source: Source | None = None
    package: str | None = None
    learns: bool = False

    @property
    def address(self) -> Address:
        """Where processes find it."""
        return Address(self.name, self.game, self.origin, self.digest, self.source, self.package)

    @property
    def path(self) -> Path | None:
        """The file that it came from, if it has one of its own."""
        return self.source.path if self.source else None

    @property
    def defaults(self) -> dict[str, Any]:
        """Every option with its default."""
        return {name: option.default for name, option in self.options.items()}

    def check_options(self, given: Mapping[str, Any]) -> list[tuple[str, str]]:
        """What is wrong with given options, as (option, message) pairs."""
        return find_faults(self.options, given)


@dataclass(frozen=True, kw_only=True)
class Description(Known):
    """A bot that was looked at in another process.

    `lane` is "compiled" or "plain", with default options; where it cannot be built with them,
    `complaint` says why.
    """

    lane: str = ""
    complaint: str = ""


@dataclass(frozen=True, kw_only=True)
class BotSpec(Known):
    """A bot whose code is in this process, and can be built.

    `remake` runs a file again, for a maker.
    """

    maker: Callable[..., Any]
    remake: Callable[[], Callable[..., Any]] | None = None

    @property
    def decisions(self) -> Mapping[str, Decision]:
        """The decisions of its game."""
        return game_called(self.game).decisions

    def build(self, options: Mapping[str, Any]) -> Any:
        """The bot with these options. Raises BotError where its own code fails to build it."""
        try:
            with foreign_code():
                player = self.maker(**{**self.defaults, **self._typed(options)})
        except BotError:
            raise
        except BaseException as error:
            raise BotError(f"bot {self.name} cannot be built: {described(error)}") from error
        _check_lanes(player, self.name, self.decisions)
        return player

    def made_anew(self, options: Mapping[str, Any]) -> Any:
        """The bot again, without anything it kept. Raises whatever its own code does."""
        maker = self.maker if self.remake is None else self.remake()
        player = maker(**{**self.defaults, **self._typed(options)})
        return _with_memory(player, self.decisions)

    def description(self) -> Description:
        """What others may know of it."""
        known = {field.name: getattr(self, field.name) for field in fields(Known)}
        try:
            return Description(**known, lane=self.lane)
        except BotError as error:
            return Description(**known, complaint=str(error))

    def _typed(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Options with lists, as files have them, where the default is a tuple."""
        tuples = {name for name, default in self.defaults.items() if isinstance(default, tuple)}
        return {
            name: tuple(value) if name in tuples and isinstance(value, list) else value
            for name, value in options.items()
        }

    @cached_property
    def lane(self) -> str:
        """ "compiled" or "plain", with default options. Raises BotError like `build`."""
        return lane_of(self.build({}), self.decisions)


def lane_of(player: Any, decisions: Iterable[str]) -> str:
    """ "compiled" where a bot's functions are marked so, or "plain"."""
    marked = any(_is_marked(player, hook) for hook in decisions)
    return "compiled" if marked else "plain"


def marked(player: Any, decisions: Iterable[str]) -> BotFunctions:
    """A plain bot as if its functions were marked `@compiled`; it stays as it is.

    Raises BotError where they are no functions of Python.
    """
    found = {hook: getattr(player, hook, None) for hook in decisions}
    return BotFunctions(**{hook: _marked(hook, one) for hook, one in found.items() if one})


def _marked(hook: str, function: Any) -> Any:
    """A copy with the mark, with the same options."""
    inner = _inner(function)
    if not isinstance(inner, types.FunctionType):
        raise BotError(f"{hook} is no function, and only functions can be compiled")
    parts = inner.__code__, inner.__globals__, inner.__name__, inner.__defaults__
    copy = compiled(types.FunctionType(*parts, inner.__closure__))
    return partial(copy, **function.keywords) if isinstance(function, partial) else copy


def _is_marked(player: Any, hook: str) -> bool:
    return compile_options(_inner(getattr(player, hook, None))) is not None


def game_of(plugin: Any) -> Game:
    """The game that a plug-in says its bots play. Raises BotError where it is unknown."""
    named = getattr(plugin, GAME, DEFAULT)
    if not isinstance(named, str):
        raise BotError(f"{GAME} must be the name of a game, not {named!r:.60}")
    try:
        return game_called(named)
    except UsageError as error:
        raise BotError(str(error)) from error


def check_names(options: Mapping[str, Option]) -> None:
    """Refuse options that a tournament file could not tell from its own words. Raises BotError."""
    if taken := next((name for name in options if name in RESERVED), None):
        words = ", ".join(RESERVED)
        raise BotError(f"an option must not be called {taken!r}: {words} say something else")


def single_bot(
    plugin: Any,
    game: Game,
    name: str,
    make: Callable[..., BotSpec],
    run: Callable[[], Any] | None,
) -> Iterator[BotSpec]:
    """The bot that a module is by its functions, if it has any for decisions."""
    functions = {hook: getattr(plugin, hook, None) for hook in game.functions}
    there = {hook: function for hook, function in functions.items() if function is not None}
    if not there and any(hasattr(plugin, hook) for hook in REGISTERED):
        return
    if missing := _missing(game, there):
        raise BotError(_lacking(missing, plugin))
    for hook, function in there.items():
        _check_arguments(game.functions[hook], function)
    own = {
        hook: options_of(function, len(game.functions[hook].parameters))
        for hook, function in there.items()
    }
    taken = {hook: tuple(options) for hook, options in own.items()}

    def maker_of(plugin: Any) -> Callable[..., Any]:
        return partial(_bound, plugin, taken)

    spec = make(
        name=name,
        options={key: option for options in own.values() for key, option in options.items()},
        summary=_first_line(plugin.__doc__),
        maker=maker_of(plugin),
        learns=getattr(plugin, "learns", False) is True,
        remake=(lambda: maker_of(run())) if run else None,
    )
    _check_lanes(spec.build({}), name, game.decisions)
    yield spec


def _missing(game: Game, there: Mapping[str, Any]) -> list[str]:
    """The decisions that a bot of the game has to take, and does not."""
    return [hook for hook, one in game.decisions.items() if hook not in there and not one.optional]


def _bound(plugin: Any, taken: Mapping[str, tuple[str, ...]], **options: Any) -> BotFunctions:
    """A bot file's functions with its options filled in, each with those it takes."""
    bound = {}
    for hook, names in taken.items():
        function = getattr(plugin, hook)
        mine = {name: options[name] for name in names}
        bound[hook] = partial(function, **mine) if mine else function
    return BotFunctions(**bound)


def family(
    plugin: Any,
    game: Game,
    name: str,
    make: Callable[..., BotSpec],
    run: Callable[[], Any] | None,
) -> Iterator[BotSpec]:
    """The bots that a module registers."""
    if not hasattr(plugin, "register_bots"):
        return
    try:
        with foreign_code():
            bots = list(plugin.register_bots())
    except BotError:
        raise
    except BaseException as error:
        raise BotError(f"register_bots of {name} fails: {described(error)}") from error
    for bot in bots:
        if not isinstance(bot, Bot) or not isinstance(bot.name, str) or not callable(bot.build):
            raise BotError(f"register_bots of {name} must return Bot(name, build), not {bot!r:.80}")
        yield make(
            name=bot.name,
            options=options_of(bot.build),
            summary=_first_line(bot.build.__doc__),
            maker=partial(_built, game, bot),
            learns=getattr(bot.build, "learns", getattr(plugin, "learns", False)) is True,
            remake=partial(_remade, run, game, bot.name) if run else None,
        )


def _remade(run: Callable[[], Any], game: Game, name: str) -> Callable[..., Any]:
    bot = next(bot for bot in run().register_bots() if bot.name == name)
    return partial(_built, game, bot)


def _built(game: Game, bot: Bot, **options: Any) -> BotFunctions:
    built = bot.build(**options)
    found = {hook: getattr(built, hook, None) for hook in game.functions}
    there = {hook: function for hook, function in found.items() if callable(function)}
    if missing := _missing(game, there):
        raise BotError(f"bot {bot.name} has no {' and no '.join(missing)}")
    return BotFunctions(**there)


def _with_memory(player: Any, decisions: Iterable[str]) -> Any:
    """A compiled bot that plays as plain Python, with the memory that it has when compiled."""
    functions = {hook: getattr(player, hook, None) for hook in decisions}
    size = memory_of(_inner(function) for function in functions.values())
    if not size:
        return player
    memory = np.zeros(size)
    return BotFunctions(
        **{hook: _shown(function, memory) for hook, function in functions.items() if function}
    )


def _shown(function: Callable[..., Any], memory: NDArray[np.float64]) -> Callable[..., Any]:
    """A function that shows its bot the memory as well."""

    @wraps(innermost(function))
    def decide(view: Any, *others: Any) -> Any:
        return function(view._replace(memory=memory), *others)

    return decide


def place_of(function: Any) -> str:
    """The file and line where a bot's function begins; empty where it is not written in Python."""
    code = getattr(innermost(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        return ""
    return f"{code.co_filename}:{code.co_firstlineno}"


def innermost(function: Any) -> Any:
    """What somebody wrote, below options, objects and decorators."""
    function = _inner(function)
    try:
        return inspect.unwrap(getattr(function, "__func__", function))
    except ValueError:  # it says that it decorates itself
        return function


def _inner(function: Any) -> Any:
    return function.func if isinstance(function, partial) else function


def _check_lanes(player: Any, name: str, decisions: Iterable[str]) -> None:
    there = [hook for hook in decisions if hasattr(player, hook)]
    marked = [hook for hook in there if _is_marked(player, hook)]
    if marked and len(marked) < len(there):
        both = "both functions" if len(there) == 2 else "all functions"
        raise BotError(f"{name}: only {marked[0]} is @compiled; mark {both}, or neither")
    if marked and hasattr(player, GAME_OVER):
        raise BotError(f"{name}: {GAME_OVER} is for plain bots; compiled ones remember no game")


def _check_arguments(decision: Decision, function: Any) -> None:
    if not callable(function):
        raise BotError(f"{decision.name} is no function")
    wanted = decision.parameters
    parameters = list(inspect.signature(function).parameters.values())
    required = tuple(item.name for item in parameters if item.default is item.empty)
    first = tuple(item.name for item in parameters[: len(wanted)])
    if required != wanted or first != wanted:
        told, must = ", ".join(item.name for item in parameters), ", ".join(wanted)
        raise BotError(f"{decision.name} must take ({must}), then options; it takes ({told})")


def _lacking(hooks: Sequence[str], plugin: Any) -> str:
    names = [name for name in vars(plugin) if inspect.isfunction(vars(plugin)[name])]
    told = [f"{hook}{did_you_mean(hook, names)}".replace("did you mean", "is it") for hook in hooks]
    return f"lacks {' and '.join(told)}"


def hook_complaint(error: pluggy.PluginValidationError, plugin: Any, game: Game) -> str:
    """pluggy's complaint about a misspelled hook or a wrong argument, in one sentence."""
    hooks = [*game.functions, *REGISTERED]
    for name, function in list(vars(plugin).items()):
        if hasattr(function, f"{PROJECT}_impl") and name not in hooks:
            return f"there is no hook {name!r}{did_you_mean(name, hooks)}"
        if name in game.functions and inspect.isfunction(function):
            try:
                _check_arguments(game.functions[name], function)
            except BotError as complaint:
                return str(complaint)
    return " ".join(str(error).split())


def _first_line(doc: object) -> str:
    return inspect.cleandoc(doc).partition("\n")[0] if isinstance(doc, str) else ""
