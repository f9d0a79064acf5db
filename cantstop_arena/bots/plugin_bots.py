"""The bots that a plug-in holds: read from its hooks, and checked."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pluggy

from cantstop_arena.bots.bot_files import exception_line, foreign_code
from cantstop_arena.bots.bot_functions import check_backends
from cantstop_arena.bots.known_bot import LoadedBot
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.game_api.bot_options import did_you_mean, options_of
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.hookspecs import PROJECT, Bot, BotFunctions

REGISTERED = ("register_bots", "register_rules", "register_games")
GAME = "game"
"""What a file or a package says which game it plays by; the default is Can't Stop."""


def game_of(plugin: Any) -> Game:
    """The game that a plug-in says its bots play. Raises BotError where it is unknown."""
    named = getattr(plugin, GAME, DEFAULT)
    if not isinstance(named, str):
        raise BotError(f"{GAME} must be the name of a game, not {named!r:.60}")
    try:
        return game_named(named)
    except UsageError as error:
        raise BotError(str(error)) from error


def single_bot(
    plugin: Any,
    game: Game,
    name: str,
    make: Callable[..., LoadedBot],
    run: Callable[[], Any] | None,
) -> Iterator[LoadedBot]:
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
    check_backends(spec.build({}), name, game.decisions)
    yield spec


def _missing(game: Game, there: Mapping[str, Any]) -> list[str]:
    """The decisions that a bot of the game has to take, and does not."""
    return [
        hook
        for hook, decision in game.decisions.items()
        if hook not in there and not decision.optional
    ]


def _bound(plugin: Any, taken: Mapping[str, tuple[str, ...]], **options: Any) -> BotFunctions:
    """A bot file's functions with its options filled in, each with those it takes."""
    bound = {}
    for hook, names in taken.items():
        function = getattr(plugin, hook)
        entries = {name: options[name] for name in names}
        bound[hook] = partial(function, **entries) if entries else function
    return BotFunctions(**bound)


def family(
    plugin: Any,
    game: Game,
    name: str,
    make: Callable[..., LoadedBot],
    run: Callable[[], Any] | None,
) -> Iterator[LoadedBot]:
    """The bots that a module registers."""
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
    entries = {hook: getattr(built, hook, None) for hook in game.functions}
    there = {hook: function for hook, function in entries.items() if callable(function)}
    if missing := _missing(game, there):
        raise BotError(f"bot {bot.name} has no {' and no '.join(missing)}")
    return BotFunctions(**there)


def _check_arguments(decision: Decision, function: Any) -> None:
    if not callable(function):
        raise BotError(f"{decision.name} is no function")
    expected = decision.parameters
    parameters = list(inspect.signature(function).parameters.values())
    required = tuple(item.name for item in parameters if item.default is item.empty)
    first = tuple(item.name for item in parameters[: len(expected)])
    if required != expected or first != expected:
        text, must = ", ".join(item.name for item in parameters), ", ".join(expected)
        raise BotError(f"{decision.name} must take ({must}), then options; it takes ({text})")


def _lacking(hooks: Sequence[str], plugin: Any) -> str:
    names = [name for name in vars(plugin) if inspect.isfunction(vars(plugin)[name])]
    texts = [
        f"{hook}{did_you_mean(hook, names)}".replace("did you mean", "is it") for hook in hooks
    ]
    return f"lacks {' and '.join(texts)}"


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
