"""Bots as arguments: names, files, programs, and classes defined by the caller."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from cantstop_arena.api.bot_classes import write_bot_file
from cantstop_arena.bots.bot_paths import DEFAULT_FOLDER
from cantstop_arena.bots.bot_start import Isolation, check_sandbox, checked_isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import A_NAME, MAX_NAME_LENGTH
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.game_api.bot_options import find_faults, options_of
from cantstop_arena.games.registry import built_in, game_named
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference, entrant_with
from cantstop_arena.tournaments.file.entrant_reader import EntrantReader
from cantstop_arena.tournaments.file.entrants import (
    ALL,
    Entrant,
    isolated,
    name_refusal,
    needed_path,
)
from cantstop_arena.tournaments.file.pattern_entrants import (
    Field,
    Pattern,
    PatternReader,
    all_refusal,
    excludes,
    is_excluded_text,
    is_pattern,
    pattern_takes,
)
from cantstop_arena.tournaments.file.yaml_reader import Reader, dump

Builder: TypeAlias = Callable[..., Any]
"""A class or a function that takes a bot's options and returns an object with its decisions."""


@dataclass(frozen=True)
class BotArgument:
    """A bot with its options and, where `as_` is given, the name under which it plays.

    Created by `bot`.
    """

    what: "str | Path | Builder"
    options: Mapping[str, Any] = field(default_factory=dict)
    as_: str | None = None
    isolate: Isolation = Isolation.NONE
    command: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    processes: int | None = None


Isolate: TypeAlias = bool | Literal["processes"]
"""True: in the sandbox; "processes": in a process of its own."""
AnyBot: TypeAlias = "str | Path | Builder | BotArgument | Mapping[str, Any]"
"""A mapping has the keys of a bot in a tournament file: {"bot": "rule28", "as": "mine"}."""


def bot(
    what: "str | Path | Builder" = "",
    /,
    *,
    as_: str | None = None,
    isolate: Isolate = False,
    command: Sequence[str] = (),
    needs: Sequence[str | Path] = (),
    processes: int | None = None,
    **options: Any,
) -> BotArgument:
    """A bot with options, for a tournament: `bot("glenn-aloi", weights="linear")`.

    `what` is a name that `arena bots` lists, the path of a bot's file, or a class (or function)
    that takes the options and returns an object with the game's decisions as methods. The *source*
    of a class, with everything of yours that it refers to, is written to a file and runs in other
    processes, so its side effects are not visible in this one. `as_` is the name under which the
    bot plays. `isolate=True` lets it play in the sandbox, where it can read its own files and
    `needs`, and `isolate="processes"` in a process of its own. `command` starts a program in any
    language, which may start so many `processes`. Raises BotError for options that a built-in bot,
    class or function does not have; those of files are checked where they play.
    """
    _check_options(what, plain_value(options))
    needed = tuple(map(str, needs))
    isolation = checked_isolation(isolate)
    return BotArgument(what, options, as_, isolation, tuple(command), needed, processes)


def catalogue_of(given: Mapping[str, Any], first: "AnyBot" = "") -> Catalogue:
    """The catalogue for the keywords `game`, `bots_folder`, `results` and `isolate`.

    `isolate` is for all foreign bots. Raises UsageError, about the `first` bot, where there is no
    sandbox.
    """
    isolation = checked_isolation(given["isolate"])
    _check_sandbox(first, isolation)
    folder, game, results = Path(given["bots_folder"]), game_named(given["game"]), given["results"]
    return Catalogue(folder, game, results=Path(results), isolation=isolation)


def _check_options(what: "str | Path | Builder", options: Mapping[str, Any]) -> None:
    """Raise BotError for options that no bot of this name has in any built-in game."""
    if not options:
        return
    if not isinstance(what, str | Path):
        with suppress(TypeError, ValueError):  # no function: `entrant_of` says so
            if faults := find_faults(options_of(what), options):
                raise BotError("; ".join(message for _, message in faults))
        return
    games = [game for game in map(game_named, built_in()) if str(what) in game.bots]
    errors = []
    for game in games:
        try:
            entrant_with(str(what), options, Catalogue(DEFAULT_FOLDER, game))
        except BotError as error:
            errors.append(error)
    if games and len(errors) == len(games):
        raise errors[0]


def plain_value(value: Any) -> Any:
    """A value with only the types of a tournament file: NumPy numbers and tuples are converted.

    Raises UsageError for a type that a tournament file cannot hold.
    """
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UsageError(
        f"{value!r:.60} cannot be stored in a tournament file:"
        " use numbers, strings, lists and dicts"
    )


def field_of(
    bots: Sequence[AnyBot] | str,
    catalogue: Catalogue,
    isolate: Isolate = False,
    exclude: Sequence[str] = (),
) -> Field:
    """The field of these bots, with distinct names. Raises BotError, UsageError."""
    items = [ALL] if isinstance(bots, str) and bots == ALL else bots_in(bots, "bots", catalogue)
    texts = items_of(exclude, "exclude", "names and patterns", catalogue.game.bots)
    field = field_of_bots(items, catalogue, checked_isolation(isolate), texts)
    names = [entrant.name for entrant in field.entrants]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(
            f"two bots have the name {twice!r}; rename one of them with bot(..., as_=NAME)"
        )
    return field


def field_of_bots(
    items: Sequence[AnyBot],
    catalogue: Catalogue,
    isolation: Isolation = Isolation.NONE,
    exclude: Sequence[str] = (),
) -> Field:
    """The field of bots and patterns, in their order. Raises BotError, UsageError."""
    for item in items:
        _check_sandbox(item, isolation)
    folder = Path()
    patterns = {
        number: pattern
        for number, item in enumerate(items)
        if (pattern := _pattern(item, catalogue, isolation))
    }
    matching = PatternReader(catalogue, folder, exclude)
    matching.describe_isolated([*patterns.values()])
    isolating = catalogue.isolated(isolation or catalogue.isolation)
    named = {  # isolated bots first: a file that is also named as plain is not opened before
        number: isolated(entrant_of(items[number], isolating), isolation)
        for number in sorted(range(len(items)), key=lambda n: not _is_isolated(items[n]))
        if number not in patterns
    }
    _check_excluded(exclude, [(str(items[n]), each) for n, each in named.items()], catalogue)
    matched = matching.read([*patterns.values()], [*named.values()])
    entrants: dict[int, Sequence[Entrant]] = {number: [each] for number, each in named.items()}
    entrants |= zip(patterns, matched, strict=True)
    return Field(
        tuple(entrant for number in range(len(items)) for entrant in entrants[number]),
        tuple(matching.left_out),
        tuple(filter(None, map(matching.notice, patterns.values()))),
    )


def _pattern(item: AnyBot, catalogue: Catalogue, isolation: Isolation) -> Pattern | None:
    """The pattern that an item is; None if it names a bot. Raises UsageError."""
    request = _argument_of(item)
    if not isinstance(request.what, str) or request.command:
        return None
    if not is_pattern(request.what, Path(), catalogue):
        return None
    if request.what == ALL and (why := all_refusal(catalogue, Path())):
        raise UsageError(why)
    given = {"as": request.as_, "needs": request.needs, "processes": request.processes}
    if key := next((key for key, value in {**given, **request.options}.items() if value), None):
        raise UsageError(pattern_takes(key))
    return Pattern(request.what, request.isolate or isolation, catalogue.isolation)


def _check_excluded(
    exclude: Sequence[str], named: Sequence[tuple[str, Entrant]], catalogue: Catalogue
) -> None:
    """Raise UsageError for a bot that is both named and excluded."""
    for text in exclude:
        if is_pattern(text, Path(), catalogue):
            continue
        if any(excludes(text, Path(), reference, [entrant]) for reference, entrant in named):
            raise UsageError(is_excluded_text(text, "bots name"))


def _argument_of(item: AnyBot) -> BotArgument:
    """A bot as `bot` returns it, also from the mapping of a tournament file. Raises UsageError."""
    if isinstance(item, BotArgument):
        return item
    if not isinstance(item, Mapping):
        return BotArgument(item)
    keys = {str(key): value for key, value in item.items()}
    if ("bot" in keys) is ("command" in keys):
        example = "{'bot': NAME OR PATH, 'as': NAME} or {'command': [PROGRAM], 'as': NAME}"
        raise UsageError(f"a bot in a mapping is {example}, not {item!r:.60}")
    for key in {"command", "needs"} & {*keys}:
        if isinstance(keys[key], str | Path):
            keys[key] = [keys[key]]
    return bot(keys.pop("bot", ""), as_=keys.pop("as", None), **keys)


def _is_isolated(item: AnyBot) -> bool:
    """Whether a bot is isolated of its own."""
    return _argument_of(item).isolate is Isolation.SANDBOX


def _check_sandbox(item: AnyBot, isolation: Isolation) -> None:
    """Raise UsageError for an isolated bot where there is no sandbox, before it is opened."""
    request = _argument_of(item)
    what: Any = request.what
    named = str(request.as_ or getattr(what, "__name__", what))
    check_sandbox(in_a_line(named, MAX_NAME_LENGTH), request.isolate or isolation)


def bots_in(argument: Any, key: str, catalogue: Catalogue) -> list[AnyBot]:
    """The bots of an argument that must be a list of them. Raises UsageError."""
    return items_of(argument, key, "bots", catalogue.game.bots)


def items_of(argument: Any, key: str, noun: str, names: Iterable[str]) -> list[Any]:
    """The items of an argument that must be a list; the example in a UsageError has `names`."""
    if isinstance(argument, Iterable) and not isinstance(argument, str | Mapping):
        return [str(item) if isinstance(item, str) else item for item in argument]  # NumPy's, too
    first = [argument] if isinstance(argument, str) else []
    example = [*dict.fromkeys([*first, *names])][:2]
    raise UsageError(f"{key} must be a list of {noun}, like {example}, not {argument!r:.60}")


def entrant_of(item: AnyBot, catalogue: Catalogue) -> Entrant:
    """The entrant for a bot. Raises BotError, UsageError."""
    if isinstance(item, str):
        return entrant_from_reference(item, catalogue)
    request = _argument_of(item)
    _check_sandbox(request, Isolation.NONE)
    request = dataclasses.replace(request, options=plain_value(request.options))
    needs = _needed(request)
    isolating = catalogue.isolated(request.isolate or catalogue.isolation, needs)
    entrant = _entrant(request, isolating)
    name: Any = request.as_
    if name is None:
        name = entrant.name
    elif not isinstance(name, str):
        raise UsageError(f"the name of a bot {A_NAME}, not {name!r:.60}")
    elif why := name_refusal(name, entrant.bot):
        raise UsageError(why)
    named = replace(entrant, name=name, needs=needs or entrant.needs)
    return isolated(named, request.isolate)


def _needed(request: BotArgument) -> tuple[Path, ...]:
    """The paths that a bot needs. Raises UsageError for one that is not there."""
    paths = {text: needed_path(text, Path()) for text in request.needs}
    if missing := next((text for text, path in paths.items() if path is None), None):
        raise UsageError(f"needs: there is no file or folder {missing!r:.60}")
    return tuple(path for path in paths.values() if path)


def _entrant(request: BotArgument, catalogue: Catalogue) -> Entrant:
    if request.command:
        if request.as_ is None:
            raise UsageError("a program needs a name: bot(command=[...], as_=NAME)")
        return _program(request, catalogue)
    if not isinstance(request.what, str | Path):
        path = write_bot_file(request.what, catalogue.results, catalogue.game.name)
        return entrant_with(str(path), request.options, catalogue, path.stem)
    if not str(request.what):
        raise UsageError("bot() needs a name, a path, a class or a command")
    if isinstance(request.what, str) and not request.options:
        return entrant_from_reference(request.what, catalogue)
    return entrant_with(str(request.what), request.options, catalogue)


def _program(request: BotArgument, catalogue: Catalogue) -> Entrant:
    processes = {} if request.processes is None else {"processes": request.processes}
    keys = {"bots": [{"command": list(request.command), "as": request.as_, **processes}]}
    reader = Reader(Path("bot"), dump(keys))
    entries = reader.mapping(reader.root, "a bot")
    field = EntrantReader(reader, catalogue, Path()).read(entries["bots"], 1)
    reader.finish()
    return field.entrants[0]
