"""Descriptions of bot files and packages: written by processes that run them, checked here."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from cantstop_arena.bots import bot_files, file_imports
from cantstop_arena.bots.bot_files import BotSource, digest_of, exception_line, sources_of
from cantstop_arena.bots.known_bot import (
    MAX_NAME_LENGTH,
    BotDescription,
    check_names,
    is_printed_well,
)
from cantstop_arena.bots.loader import Loader, entry_point
from cantstop_arena.errors import ERROR, BotError, RulesError, UsageError
from cantstop_arena.game_api.bot_options import Option, Search, is_plain
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.packages import entry_points_of, load_entry_point
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.hookspecs import PROJECT
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall
from cantstop_arena.texts import in_a_line

_MAX_COMPLAINT_LENGTH = 1000
_MAX_FILES = 1000
_EXIT_SECONDS = 2.0  # added to MAX_IMPORT_SECONDS, for code that ignores its process's own limit
_TUPLE = "tuple"  # the key of a tuple's items, as JSON has only lists


class PackageContents(msgspec.Struct, frozen=True):
    """The bots and rule sets that an entry point of a package offers."""

    bots: Sequence[BotDescription]
    rules: Sequence[Any]
    game: str = DEFAULT


# --- Calls in other processes ---------------------------------------------------------------------


def about_file(source: BotSource) -> IsolatedCall:
    """The call that describes a bot file; its source must have a digest."""
    keywords = {"path": str(source.path.absolute()), "digest": source.digest}
    return _call("describe_file", keywords)


def about_package(point: str) -> IsolatedCall:
    """The call that describes an entry point."""
    return _call("describe_package", {"point": point})


def about_packages() -> IsolatedCall:
    """The call that lists the entry points."""
    return _call("list_packages", {})


def _call(function: str, keywords: Mapping[str, Any]) -> IsolatedCall:
    return IsolatedCall(
        f"{__name__}:{function}", keywords, bot_files.MAX_IMPORT_SECONDS + _EXIT_SECONDS
    )


# --- Checking their results -----------------------------------------------------------------------


def bots_of_file(source: BotSource, data: object) -> list[BotDescription]:
    """The bots of a file, from the result of its call. Raises BotError if it cannot be used."""
    fields = _checked_data(data, "does not import: ")
    names = _texts(fields.get("beside"))[: bot_files.MAX_BESIDE]
    beside = tuple(name for name in names if _stays_below(name))
    all_beside = (*source.files_beside, *beside)
    full_source = BotSource(source.path, all_beside).identified() if beside else source
    return [
        _bot(bot, "file", full_source.digest, source=full_source)
        for bot in _list(fields.get("bots"))
    ]


def offer_of_package(point: str, data: object) -> PackageContents:
    """The contents of an entry point, from the result of its call.

    Raises BotError if it cannot be used.
    """
    fields = _checked_data(data, "")
    files = [Path(name) for name in _texts(fields.get("files"))[:_MAX_FILES]]
    digest = digest_of(files)
    bots = [_bot(bot, "package", digest, package=point) for bot in _list(fields.get("bots"))]
    game = _game(fields.get("game"))
    return PackageContents(
        bots, [_rules(game, rules) for rules in _list(fields.get("rules"))], game.name
    )


def points_of_packages(data: object) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The entry points with their values, and malformed packages with the reasons."""
    fields = _checked_data(data, "")
    points = {_line(name): _line(value) for name, value in _pairs(fields.get("points"))}
    return points, [
        (_line(name), _line(reason)) for name, reason in _pairs(fields.get("malformed"))
    ]


def _checked_data(data: object, prefix: str) -> Mapping[str, Any]:
    if isinstance(data, CallFailed):
        raise BotError(f"{prefix}it {data}")
    if not isinstance(data, dict):
        raise _invalid_description()
    if isinstance(complaint := data.get(ERROR), str):
        raise BotError(in_a_line(complaint, _MAX_COMPLAINT_LENGTH))
    return data


def _invalid_description() -> BotError:
    reason = "the file printed or returned something unexpected"
    return BotError(f"does not import: its description is invalid ({reason})")


def _list(data: object) -> list[Any]:
    if not isinstance(data, list):
        raise _invalid_description()
    return data


def _texts(data: object) -> list[str]:
    return [text for text in _list(data) if isinstance(text, str)]


def _pairs(data: object) -> list[list[str]]:
    return [pair for pair in _list(data) if len(_texts(pair)) == 2]


def _line(text: str) -> str:
    return in_a_line(text, MAX_REPORT_LENGTH)


def _stays_below(name: str) -> bool:
    """Whether a path is relative and stays below its folder."""
    path = Path(name)
    return "\0" not in name and not path.is_absolute() and ".." not in path.parts


def _bot(data: object, origin: str, digest: str, **source_fields: Any) -> BotDescription:
    if not isinstance(data, dict) or not isinstance(name := data.get("name"), str):
        raise _invalid_description()
    if not is_printed_well(name):
        raise BotError(f"holds a bot whose name cannot be used: {name!r:.{MAX_NAME_LENGTH}}")
    options = {option.name: option for option in map(_option, _list(data.get("options")))}
    game = _game(data.get("game"))
    check_names(options)
    return BotDescription(
        name=name,
        game=game.name,
        origin=origin,
        digest=digest,
        options=options,
        summary=_line(str(data.get("summary", ""))),
        learns=data.get("learns") is True,
        backend="compiled" if data.get("lane") == "compiled" else "plain",
        complaint=in_a_line(str(data.get("complaint", "")), _MAX_COMPLAINT_LENGTH),
        **source_fields,
    )


def _game(data: object) -> Game:
    if not isinstance(data, str):
        raise _invalid_description()
    try:
        return game_named(data)
    except UsageError as error:
        raise BotError(str(error)) from error


def _option(data: object) -> Option:
    if not isinstance(data, dict) or not isinstance(name := data.get("name"), str):
        raise _invalid_description()
    default, choices = _default_from_data(data.get("default")), _list(data.get("choices"))
    if not (name.isidentifier() and is_plain(default) and all(map(_is_choice, choices))):
        raise _invalid_description()
    search, is_file = _search(data.get("search")), data.get("is_file") is True
    return Option(name, default, tuple(choices), search, is_file)


def _search(data: object) -> Search | None:
    """The search space of an option, or None; numbers become tuples, never arrays."""
    if data is None:
        return None
    start, steps = (_numbers(numbers) for numbers in (_list(data) or [[], []])[:2])
    return Search(start, steps)


def _numbers(data: object) -> tuple[float, ...]:
    numbers = _list(data)
    if not all(type(number) in (int, float) and isfinite(number) for number in numbers):
        raise _invalid_description()
    return tuple(numbers)


def _rules(game: Game, data: object) -> Any:
    if not isinstance(data, dict) or not isinstance(name := data.get("name"), str):
        raise _invalid_description()
    try:
        changes = {key: data[key] for key in data if key != "name"}
        return game.rules.derive(game.rules.default, changes, _line(name))
    except (RulesError, TypeError) as error:
        raise BotError(f"offers rules that make no sense: {_line(str(error))}") from error


def _default_from_data(value: Any) -> Any:
    """The default of an option from JSON data, with its tuples."""
    if isinstance(value, dict):
        return tuple(_default_from_data(item) for item in _list(value.get(_TUPLE)))
    return [_default_from_data(item) for item in value] if isinstance(value, list) else value


def _is_choice(choice: object) -> bool:
    return choice is None or type(choice) in (bool, int, str)


# --- Functions called in other processes ----------------------------------------------------------


def describe_file(path: str, digest: str) -> Mapping[str, Any]:
    """The bots of a file as data, or the error that makes it unusable."""
    loader = Loader(Path())
    file_imports.note_reading()
    try:
        source = BotSource.at(Path(path), digest)
        bots = loader.bots_of(source)
        return {
            "bots": [_bot_as_data(bot.description()) for bot in bots],
            "beside": bot_files.files_beside(source),
        }
    except BaseException as error:
        return {ERROR: exception_report(error)}


def describe_package(point: str) -> Mapping[str, Any]:
    """The contents of an entry point as data, or the error that makes it unusable."""
    loader = Loader(Path())
    try:
        plugin = load_entry_point(entry_point(point))
        game, rule_sets = loader.rules_of_package(point)
        hooks = (*game.decisions, "register_bots")
        has_bots = any(hasattr(plugin, hook) for hook in hooks) or not rule_sets
        bots = loader.bots_of_package(point) if has_bots else []
        return {
            "bots": [_bot_as_data(bot.description()) for bot in bots],
            "rules": [{**game.rules.as_dict(rules), "name": rules.name} for rules in rule_sets],
            "game": game.name,
            "files": [str(file) for file in sources_of(plugin)],
        }
    except BaseException as error:
        return {ERROR: exception_report(error)}


def list_packages() -> Mapping[str, Any]:
    """The entry points of installed packages, and malformed packages, as data."""
    points, malformed = entry_points_of(PROJECT)
    return {"points": [[point.name, point.value] for point in points], "malformed": malformed}


def _bot_as_data(bot: BotDescription) -> Mapping[str, Any]:
    options = [
        {
            "name": option.name,
            "default": _default_as_data(option.default),
            "search": option.search and [[*option.search.start], [*option.search.steps]],
            "choices": [choice for choice in option.choices if _is_choice(choice)],
            "is_file": option.is_file,
        }
        for option in bot.options.values()
    ]
    summary = in_a_line(bot.summary, MAX_REPORT_LENGTH)
    data = {"name": bot.name, "options": options, "summary": summary, "learns": bot.learns}
    return {**data, "game": bot.game, "lane": bot.backend, "complaint": bot.complaint}


def _default_as_data(value: object) -> object:
    """The default of an option as JSON data."""
    if isinstance(value, tuple):
        return {_TUPLE: [_default_as_data(item) for item in value]}
    return [_default_as_data(item) for item in value] if isinstance(value, list) else value


# --- Programs -------------------------------------------------------------------------------------


def describe_command(argv: Sequence[str]) -> str:
    """A digest of a command: its arguments, or the contents of those that are files."""
    text = json.dumps([_content_digest(argument) or argument for argument in argv])
    return hashlib.sha256(text.encode()).hexdigest()


def _content_digest(argument: str) -> str | None:
    if not os.path.isfile(argument):
        return None
    return hashlib.sha256(Path(argument).read_bytes()).hexdigest()


MAX_REPORT_LENGTH = 500  # characters


def exception_report(error: BaseException) -> str:
    """A bot's exception in one line; only its class if its text cannot be computed."""
    try:
        return str(error) if isinstance(error, BotError) else exception_line(error)
    except BaseException:
        return type(error).__name__
