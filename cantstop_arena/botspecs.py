"""The bots that a plug-in holds: read from its hooks, checked, and ready to be built."""

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pluggy

from cantstop_arena import hookspecs
from cantstop_arena.botfiles import Source, described, foreign_code
from cantstop_arena.errors import BotError
from cantstop_arena.hookspecs import PROJECT, Bot, Player, compile_options
from cantstop_arena.options import Option, did_you_mean, find_faults, options_of

DECISIONS: Mapping[str, tuple[str, ...]] = {
    "choose_move": ("turn", "moves"),
    "roll_again": ("turn",),
}


RESERVED = ("bot", "command", "as", "isolate")
"""What a tournament file says of a bot besides its options, which have other names."""


@dataclass(frozen=True)
class Address:
    """What it takes to load a bot that was described: `digest` is that of its source texts."""

    name: str
    origin: str
    digest: str
    source: Source | None = None
    package: str | None = None


@dataclass(frozen=True, kw_only=True)
class Known:
    """What is known of a bot: where it comes from, and its options.

    `origin` is "built-in", "package", "file" or "command"; `source` where the text of one from a
    file lies, `package` the entry point of one from a package, `digest` a hash of the source
    texts. A bot that `learns` keeps what it remembers from game to game.
    """

    name: str
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
        return Address(self.name, self.origin, self.digest, self.source, self.package)

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

    maker: Callable[..., Player]
    remake: Callable[[], Callable[..., Player]] | None = None

    def build(self, options: Mapping[str, Any]) -> Player:
        """The bot with these options. Raises BotError where its own code fails to build it."""
        try:
            with foreign_code():
                player = self.maker(**{**self.defaults, **self._typed(options)})
        except BotError:
            raise
        except BaseException as error:
            raise BotError(f"bot {self.name} cannot be built: {described(error)}") from error
        _check_lanes(player, self.name)
        return player

    def made_anew(self, options: Mapping[str, Any]) -> Player:
        """The bot again, without anything it kept. Raises whatever its own code does."""
        maker = self.maker if self.remake is None else self.remake()
        return maker(**{**self.defaults, **self._typed(options)})

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
        return lane_of(self.build({}))


def lane_of(player: Player) -> str:
    """ "compiled" where a bot's functions are marked so, or "plain"."""
    return "plain" if compile_options(_inner(player.choose_move)) is None else "compiled"


def check_names(options: Mapping[str, Option]) -> None:
    """Refuse options that a tournament file could not tell from its own words. Raises BotError."""
    if taken := next((name for name in options if name in RESERVED), None):
        words = ", ".join(RESERVED)
        raise BotError(f"an option must not be called {taken!r}: {words} say something else")


def single_bot(
    plugin: Any, name: str, make: Callable[..., BotSpec], run: Callable[[], Any] | None
) -> Iterator[BotSpec]:
    functions: dict[str, Any] = {hook: getattr(plugin, hook, None) for hook in DECISIONS}
    missing = [hook for hook, function in functions.items() if function is None]
    if len(missing) == 2 and hasattr(plugin, "register_bots"):
        return
    if len(missing) == 2 and hasattr(plugin, "register_rules"):
        return
    if missing:
        raise BotError(_missing(missing, plugin))
    for hook, function in functions.items():
        _check_arguments(hook, function)
    options = {
        key: option
        for hook, function in functions.items()
        for key, option in options_of(function, len(DECISIONS[hook])).items()
    }
    taken = {
        hook: tuple(options_of(function, len(DECISIONS[hook])))
        for hook, function in functions.items()
    }

    def maker_of(plugin: Any) -> Callable[..., Player]:
        return partial(_bound, plugin, taken)

    spec = make(
        name=name,
        options=options,
        summary=_first_line(plugin.__doc__),
        maker=maker_of(plugin),
        learns=getattr(plugin, "learns", False) is True,
        remake=(lambda: maker_of(run())) if run else None,
    )
    _check_lanes(spec.build({}), name)
    yield spec


def _bound(plugin: Any, taken: Mapping[str, tuple[str, ...]], **options: Any) -> Player:
    """A bot file's functions with its options filled in, each with those it takes."""
    bound = {}
    for hook, names in taken.items():
        function = getattr(plugin, hook)
        mine = {name: options[name] for name in names}
        bound[hook] = partial(function, **mine) if mine else function
    return Player(**bound)


def family(
    plugin: Any, name: str, make: Callable[..., BotSpec], run: Callable[[], Any] | None
) -> Iterator[BotSpec]:
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
            maker=partial(_built, bot),
            learns=getattr(bot.build, "learns", getattr(plugin, "learns", False)) is True,
            remake=partial(_remade, run, bot.name) if run else None,
        )


def _remade(run: Callable[[], Any], name: str) -> Callable[..., Player]:
    bot = next(bot for bot in run().register_bots() if bot.name == name)
    return partial(_built, bot)


def _built(bot: Bot, **options: Any) -> Player:
    built = bot.build(**options)
    missing = [hook for hook in DECISIONS if not callable(getattr(built, hook, None))]
    if missing:
        raise BotError(f"bot {bot.name} has no {' and no '.join(missing)}")
    return Player(built.choose_move, built.roll_again)


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


def _check_lanes(player: Player, name: str) -> None:
    marked = {
        hook: compile_options(_inner(getattr(player, hook))) is not None for hook in DECISIONS
    }
    if len(set(marked.values())) == 2:
        only = next(hook for hook, compiled in marked.items() if compiled)
        raise BotError(f"{name}: only {only} is @compiled; mark both functions, or neither")


def _check_arguments(hook: str, function: Any) -> None:
    if not callable(function):
        raise BotError(f"{hook} is no function")
    wanted = DECISIONS[hook]
    parameters = list(inspect.signature(function).parameters.values())
    required = tuple(item.name for item in parameters if item.default is item.empty)
    first = tuple(item.name for item in parameters[: len(wanted)])
    if required != wanted or first != wanted:
        told = ", ".join(item.name for item in parameters)
        raise BotError(f"{hook} must take ({', '.join(wanted)}), then options; it takes ({told})")


def _missing(hooks: list[str], plugin: Any) -> str:
    names = [name for name in vars(plugin) if inspect.isfunction(vars(plugin)[name])]
    told = [f"{hook}{did_you_mean(hook, names)}".replace("did you mean", "is it") for hook in hooks]
    return f"lacks {' and '.join(told)}"


def hook_complaint(error: pluggy.PluginValidationError, plugin: Any) -> str:
    """pluggy's complaint about a misspelled hook or a wrong argument, in one sentence."""
    for name, function in list(vars(plugin).items()):
        if hasattr(function, f"{PROJECT}_impl") and not hasattr(hookspecs, name):
            hooks = [*DECISIONS, "register_bots", "register_rules"]
            return f"there is no hook {name!r}{did_you_mean(name, hooks)}"
        if name in DECISIONS and inspect.isfunction(function):
            try:
                _check_arguments(name, function)
            except BotError as complaint:
                return str(complaint)
    return " ".join(str(error).split())


def _first_line(doc: object) -> str:
    return inspect.cleandoc(doc).partition("\n")[0] if isinstance(doc, str) else ""
