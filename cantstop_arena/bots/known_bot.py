"""Bots in three forms: their addresses, their descriptions, and bots whose code is loaded.

The functions of a bot are compiled or plain, may have a memory, and may be inside wrappers.
"""

import inspect
import json
import types
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cantstop_arena.bots.bot_files import BotSource, exception_line, foreign_code
from cantstop_arena.bots.bot_paths import NET, bot_name, bot_path
from cantstop_arena.bots.origins import Origin
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import Option, find_faults
from cantstop_arena.game_api.decisions import GAME_OVER, Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.hookspecs import BATCH_HOOK, BotFunctions, compile_options, compiled, memory_of
from cantstop_arena.processes.interpreter_guard import InterpreterGuard
from cantstop_arena.table.batched_bot import BatchedBot

RESERVED = ("bot", "command", "as", "isolate", "needs", "processes")
"""Keys of a bot in a tournament file that are not options; no option may have such a name."""

_HARMLESS = "is_harmless"  # attribute of a LoadedBot whose file has changed nothing
MAX_NAME_LENGTH = 60
A_NAME = f"must be 1 to {MAX_NAME_LENGTH} printable characters, with no space at either end"


def is_printed_well(name: str) -> bool:
    """Whether a bot can have this name."""
    return 0 < len(name) <= MAX_NAME_LENGTH and name.isprintable() and name == name.strip()


class BotAddress(msgspec.Struct, frozen=True):
    """The data by which a process loads a described bot; `digest` is that of its source texts."""

    name: str
    game: str
    origin: Origin
    digest: str
    source: BotSource | None = None
    package: str | None = None


class KnownBot(msgspec.Struct, frozen=True, kw_only=True):
    """The properties of a bot: its name, its game, its origin, and its options.

    `source` has the files of a bot from a file, `package` is the entry point of a bot from a
    package, `digest` a hash of the source texts. A bot that `learns` keeps its memory from game to
    game.
    """

    name: str
    game: str = DEFAULT
    origin: Origin
    digest: str
    options: Mapping[str, Option]
    summary: str
    source: BotSource | None = None
    package: str | None = None
    learns: bool = False

    @property
    def address(self) -> BotAddress:
        """The address by which other processes load this bot."""
        return BotAddress(self.name, self.game, self.origin, self.digest, self.source, self.package)

    @property
    def path(self) -> Path | None:
        """The bot's own file; None for a bot that is not from a file."""
        return self.source.path if self.source else None

    @property
    def location(self) -> str:
        """The path by which users know it, or its origin, for lists."""
        return str(bot_path(self.path)) if self.path else self.origin

    @property
    def is_alone(self) -> bool:
        """Whether its source names it: other sources can hold several bots."""
        return self.origin.has_path and (self.path is None or bot_name(self.path) == self.name)

    @property
    def defaults(self) -> dict[str, Any]:
        """Every option with its default."""
        return {name: option.default for name, option in self.options.items()}

    def dice_name(self, name: str, options: Mapping[str, Any]) -> str:
        """What the bot is called where dice are derived: its own `name`, and chosen options.

        So all its versions have one, wherever their files lie, and whatever they play as.
        """
        chosen = {
            key: Path(value).name if self.options[key].is_file and value else value
            for key, value in options.items()
            if key in self.options
            and value != self.options[key].default
            and json.dumps(value) != json.dumps(self.options[key].default)
        }
        return f"{name} {json.dumps(chosen, sort_keys=True)}" if chosen else name

    def check_options(self, options: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The faults in values of options, as (option, message) pairs."""
        return find_faults(self.options, options)


class BotDescription(KnownBot, frozen=True, kw_only=True):
    """A bot described by another process, without its code.

    `backend` is "compiled", "batched" or "plain", with default options; `complaint` is the reason
    if the bot cannot be built with them.
    """

    backend: str = ""
    complaint: str = ""


class LoadedBot(KnownBot, frozen=True, kw_only=True, dict=True):
    """A bot whose code is loaded in this process.

    `maker` builds it from its options; `remake` runs the bot's file again and returns a new maker.
    """

    maker: Callable[..., Any]
    remake: Callable[[], Callable[..., Any]] | None = None

    @cached_property
    def decisions(self) -> Mapping[str, Decision]:
        """The decisions of its game by name."""
        return game_named(self.game).decisions

    def build(self, options: Mapping[str, Any]) -> Any:
        """The bot with these options. Raises BotError when its own code fails to build it."""
        try:
            with foreign_code():
                player = self.maker(**{**self.defaults, **self._with_tuples(options)})
        except BotError:
            raise
        except BaseException as error:
            raise BotError(f"bot {self.name} cannot be built: {exception_line(error)}") from error
        check_backends(player, self.name, self.decisions)
        return player

    def fresh_instance(self, options: Mapping[str, Any]) -> Any:
        """A fresh instance of the bot, without memory. Raises whatever its own code raises.

        A batched bot has no memory, and may take long to build: it is always the same.
        """
        key = repr(options)
        if (player := self._batched.get(key)) is not None:
            return player
        if (arguments := self._arguments.get(key)) is None:
            arguments = self._arguments[key] = {**self.defaults, **self._with_tuples(options)}
        maker = self.maker if self.remake is None else self._maker_anew(self.remake)
        player = maker(**arguments)
        if isinstance(player, BatchedBot):
            self._batched[key] = player
        return with_memory(player, self.decisions)

    @cached_property
    def _batched(self) -> dict[str, BatchedBot]:
        """The instances of a batched bot by its options."""
        return {}

    @cached_property
    def _arguments(self) -> dict[str, dict[str, Any]]:
        """What its maker is called with, by the options: each game has a new instance."""
        return {}

    def _maker_anew(self, remake: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        """The maker of the file's next run, whose changes of the interpreter are undone.

        A guard takes a tenth of a plain game's time, so a file whose first run changed nothing runs
        without one; what it changes later is undone at the next block.
        """
        if self.__dict__.get(_HARMLESS):
            return remake()
        with InterpreterGuard() as guard:
            maker = remake()
        self.__dict__[_HARMLESS] = not guard.has_restored
        return maker

    def description(self) -> BotDescription:
        """The description of this bot, for processes that do not load it."""
        fields = {name: getattr(self, name) for name in KnownBot.__struct_fields__}
        try:
            return BotDescription(**fields, backend=self.backend)
        except BotError as error:
            return BotDescription(**fields, complaint=str(error))

    def _with_tuples(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options, with lists converted to tuples where the default is a tuple."""
        tuples = {name for name, default in self.defaults.items() if isinstance(default, tuple)}
        return {
            name: tuple(value) if name in tuples and isinstance(value, list) else value
            for name, value in options.items()
        }

    @cached_property
    def backend(self) -> str:
        """ "compiled", "batched" or "plain", with default options. Raises BotError like `build`."""
        return backend_of(self.build({}), self.decisions)


def check_names(options: Mapping[str, Option]) -> None:
    """Raise BotError for an option with a name in RESERVED."""
    if reserved := next((name for name in options if name in RESERVED), None):
        names = ", ".join(RESERVED)
        raise BotError(f"an option must not be called {reserved!r}: {names} say something else")


PRINTED_BACKENDS = {"compiled": "compiled", "batched": "batched", "plain": "python"}
"""The backends as tables print them, by their values in code and in JSON."""


def backend_of(player: Any, decisions: Iterable[str]) -> str:
    """ "batched" for a bot with `decide(batch)`, "compiled" if one of a bot's functions is marked
    `@compiled`, else "plain"."""
    if isinstance(player, BatchedBot):
        return "batched"
    marked = any(_is_marked(player, hook) for hook in decisions)
    return "compiled" if marked else "plain"


def functions_of(player: Any, decisions: Iterable[str]) -> dict[str, Any]:
    """The functions of a bot by name; of a batched bot the one that takes all decisions."""
    hooks = [BATCH_HOOK] if isinstance(player, BatchedBot) else decisions
    functions = {hook: getattr(player, hook, None) for hook in hooks}
    return {hook: function for hook, function in functions.items() if function is not None}


def as_compiled(player: Any, decisions: Iterable[str]) -> BotFunctions:
    """A copy of a plain bot whose functions are marked `@compiled`.

    Raises BotError when they are not Python functions.
    """
    functions = {hook: getattr(player, hook, None) for hook in decisions}
    return BotFunctions(
        **{hook: _marked_copy(hook, function) for hook, function in functions.items() if function}
    )


def _marked_copy(hook: str, function: Any) -> Any:
    """A copy of a function, marked `@compiled`, with the same options."""
    plain = _without_options(function)
    if not isinstance(plain, types.FunctionType):
        raise BotError(f"{hook} is no function, and only functions can be compiled")
    arguments = plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__
    copy = compiled(types.FunctionType(*arguments, plain.__closure__))
    return partial(copy, **function.keywords) if isinstance(function, partial) else copy


def _is_marked(player: Any, hook: str) -> bool:
    return compile_options(_without_options(getattr(player, hook, None))) is not None


def check_backends(player: Any, name: str, decisions: Iterable[str]) -> None:
    """Raise BotError when only some functions of a bot are compiled, or one has `game_over`."""
    defined = [hook for hook in decisions if hasattr(player, hook)]
    marked = [hook for hook in defined if _is_marked(player, hook)]
    if marked and len(marked) < len(defined):
        functions_text = "both functions" if len(defined) == 2 else "all functions"
        raise BotError(f"{name}: only {marked[0]} is @compiled; mark {functions_text}, or neither")
    if marked and hasattr(player, GAME_OVER):
        raise BotError(f"{name}: {GAME_OVER} is for plain bots; compiled ones remember no game")


def with_memory(player: Any, decisions: Iterable[str]) -> Any:
    """A compiled bot for play as plain Python; its views have the memory of compiled play."""
    functions = {hook: getattr(player, hook, None) for hook in decisions}
    if not (size := memory_of(functions.values())):
        return player
    memory = np.zeros(size)
    return BotFunctions(
        **{hook: _with_memory(function, memory) for hook, function in functions.items() if function}
    )


def _with_memory(function: Callable[..., Any], memory: NDArray[np.float64]) -> Callable[..., Any]:
    """The function, with the memory put into its view."""

    @wraps(innermost(function))
    def decide(view: Any, *moves: Any) -> Any:
        return function(view._replace(memory=memory), *moves)

    return decide


def source_line_of(function: Any) -> str:
    """The file and line where a bot's function begins; empty if it is not written in Python."""
    code = getattr(innermost(function), "__code__", None)
    if not isinstance(code, types.CodeType):
        return ""
    return f"{code.co_filename}:{code.co_firstlineno}"


def innermost(function: Any) -> Any:
    """The function as written, without options, bound objects and decorators."""
    function = _without_options(function)
    try:
        return inspect.unwrap(getattr(function, "__func__", function))
    except ValueError:  # `__wrapped__` leads back to the function itself
        return function


def _without_options(function: Any) -> Any:
    return function.func if isinstance(function, partial) else function


def refusal_of(bot: BotAddress, game: Game, rules: Any, players: int) -> str | None:
    """Why a bot cannot play under these rules, as text; None if nothing speaks against it.

    Built-in bots have reasons of their game; nets say in their files what they were trained for.
    Raises BotError when a net's file cannot be read.
    """
    if not bot.origin.is_foreign:
        return game.refusal(bot.name, rules, players)
    if bot.source is None or bot.source.path.suffix != NET:
        return None
    from cantstop_arena.bots.onnx_bots import file_refusal

    return file_refusal(bot.source, game, rules, players)


def check_playing(name: str, bot: BotAddress, game: Game, rules: Any, players: int) -> None:
    """Raise BotError for a bot that cannot play under these rules."""
    if why := refusal_of(bot, game, rules, players):
        raise BotError(f"bot {name} cannot play: {why}")
