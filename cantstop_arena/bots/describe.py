"""Descriptions of bot files and packages: written by processes that run them, checked here."""

import hashlib
import json
import os
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from math import isfinite
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, TypeVar

import msgspec

from cantstop_arena.bots import bot_files, file_imports
from cantstop_arena.bots.bot_files import BotSource, digest_of_package, exception_line
from cantstop_arena.bots.known_bot import (
    MAX_NAME_LENGTH,
    PRINTED_BACKENDS,
    BotDescription,
    check_names,
    is_printed_well,
)
from cantstop_arena.bots.loader import Loader, entry_point
from cantstop_arena.bots.origins import Origin
from cantstop_arena.bounded_files import digest_of_file
from cantstop_arena.errors import BotError, RulesError, UsageError
from cantstop_arena.game_api.bot_options import MAX_DEPTH, Option, Search, is_plain
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.hookspecs import BATCH_HOOK, PROJECT
from cantstop_arena.packages import entry_points_of, load_entry_point
from cantstop_arena.processes import system
from cantstop_arena.processes.forking_sandbox import serve_forks
from cantstop_arena.processes.isolated_call import IsolatedCall, Raised
from cantstop_arena.processes.sandbox import TEXTS
from cantstop_arena.texts import in_a_line

DESCRIBING = f"{__name__}:{serve_forks.__name__}"
"""The entry of a sandbox in which many files are described."""

_MAX_COMPLAINT_LENGTH = 1000
_MAX_OPTIONS = 1000
_EXIT_SECONDS = 2.0  # added to MAX_IMPORT_SECONDS, for code that ignores its process's own limit
_TUPLE = "tuple"  # the key of a tuple's items, as messages have only lists
_Data = TypeVar("_Data")


class PackageContents(msgspec.Struct, frozen=True):
    """The bots and rule sets that an entry point of a package offers."""

    bots: Sequence[BotDescription]
    rules: Sequence[Any]
    game: str = DEFAULT


Choice: TypeAlias = bool | int | str | None


class OptionData(msgspec.Struct, frozen=True):
    """An option of a bot; tuples in its default are `{"tuple": items}`, as messages have none."""

    name: str
    default: Any
    search: tuple[list[int | float], list[int | float]] | None
    choices: list[Choice]
    is_file: bool


class BotData(msgspec.Struct, frozen=True):
    """A bot of a file or a package."""

    name: str
    game: str
    options: list[OptionData]
    summary: str
    learns: bool
    backend: str
    complaint: str


class FileDescribed(msgspec.Struct, tag=True, frozen=True):
    """The bots of a file, and the files beside it that they need."""

    bots: list[BotData]
    beside: list[str]


class PackageDescribed(msgspec.Struct, tag=True, frozen=True):
    """The bots and the rule sets of an entry point, and its game."""

    bots: list[BotData]
    rules: list[dict[str, Any]]
    game: str


class PackagesListed(msgspec.Struct, tag=True, frozen=True):
    """The entry points with their values, and malformed packages with the reasons."""

    points: list[tuple[str, str]]
    malformed: list[tuple[str, str]]


# --- Calls in other processes ---------------------------------------------------------------------


def about_file(source: BotSource, game: str, display_folder: str | None = None) -> IsolatedCall:
    """The call that describes a bot file, of this game if it names none.

    Its source must have a digest. With a `display_folder` the call is for the sandbox, and messages
    name the files as if they were in that folder.
    """
    path = source.path.absolute() if display_folder is None else TEXTS / source.name
    keywords = {"path": os.fsencode(path), "digest": source.digest, "game": game}
    return _call("describe_file", {**keywords, "display_folder": display_folder or ""})


def about_texts(
    source: BotSource, texts: Mapping[str, bytes], game: str, display_folder: str
) -> IsolatedCall:
    """The call that describes a bot file by texts that the call brings along."""
    keywords = {"name": source.name, "digest": source.digest, "game": game}
    return _call("describe_texts", {**keywords, "display_folder": display_folder, "texts": texts})


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


def bots_of_file(
    source: BotSource, answer: object, texts: Collection[str] | None = None
) -> list[BotDescription]:
    """The bots of a file, from the result of its call. Raises BotError if it cannot be used.

    Other files than `texts` cannot become a part of the bot, if these are given.
    """
    data = _usable(answer, FileDescribed, "does not import: ")
    beside = tuple(filter(_stays_below, data.beside[: bot_files.MAX_BESIDE]))
    if texts is not None:
        beside = tuple(name for name in beside if name in texts)
    all_beside = (*source.files_beside, *beside)
    full_source = BotSource(source.path, all_beside).identified() if beside else source
    return [_bot(bot, Origin.FILE, full_source.digest, source=full_source) for bot in data.bots]


def offer_of_package(point: str, answer: object) -> PackageContents:
    """The contents of an entry point, from the result of its call.

    Raises BotError if it cannot be used.
    """
    data = _usable(answer, PackageDescribed)
    digest = digest_of_package(entry_point(point))
    bots = [_bot(bot, Origin.PACKAGE, digest, package=point) for bot in data.bots]
    game = _game(data.game)
    return PackageContents(bots, [_rules(game, rules) for rules in data.rules], game.name)


def points_of_packages(answer: object) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """The entry points with their values, and malformed packages with the reasons.

    Raises BotError if they cannot be listed.
    """
    data = _usable(answer, PackagesListed)
    points = {_line(name): _line(value) for name, value in data.points}
    return points, [(_line(name), _line(reason)) for name, reason in data.malformed]


def _usable(answer: object, expected: type[_Data], prefix: str = "") -> _Data:
    """The data that a call has returned. Raises BotError when it has failed."""
    if isinstance(answer, expected):
        return answer
    if isinstance(answer, Raised):
        raise BotError(answer.reason)
    raise BotError(f"{prefix}it {answer}")


def _invalid_description() -> BotError:
    reason = "the file printed or returned something unexpected"
    return BotError(f"does not import: its description is invalid ({reason})")


def _line(text: str) -> str:
    return in_a_line(text, MAX_REPORT_LENGTH)


def _stays_below(name: str) -> bool:
    """Whether a path is relative and stays below its folder."""
    path = Path(name)
    return "\0" not in name and not path.is_absolute() and ".." not in path.parts


def _bot(data: BotData, origin: Origin, digest: str, **source_fields: Any) -> BotDescription:
    if not is_printed_well(data.name):
        raise BotError(f"holds a bot whose name cannot be used: {data.name!r:.{MAX_NAME_LENGTH}}")
    if len(data.options) > _MAX_OPTIONS:
        raise BotError(f"has more than {_MAX_OPTIONS:,} options")
    options = {option.name: option for option in map(_option, data.options)}
    game = _game(data.game)
    check_names(options)
    return BotDescription(
        name=data.name,
        game=game.name,
        origin=origin,
        digest=digest,
        options=options,
        summary=_line(data.summary),
        learns=data.learns,
        backend=data.backend if data.backend in PRINTED_BACKENDS else "plain",
        complaint=in_a_line(data.complaint, _MAX_COMPLAINT_LENGTH),
        **source_fields,
    )


def _game(name: str) -> Game:
    try:
        return game_named(name)
    except UsageError as error:
        raise BotError(str(error)) from error


def _option(data: OptionData) -> Option:
    default = _default_from_data(data.default)
    is_valid = data.name.isidentifier() and len(data.name) <= MAX_NAME_LENGTH and is_plain(default)
    if not is_valid or (data.is_file and not isinstance(default, str | None)):
        raise _invalid_description()
    return Option(data.name, default, tuple(data.choices), _search(data.search), data.is_file)


def _search(data: tuple[list[int | float], list[int | float]] | None) -> Search | None:
    """The search space of an option, or None; numbers become tuples, never arrays."""
    if data is None:
        return None
    if not all(map(isfinite, chain(*data))):
        raise _invalid_description()
    start, steps = data
    return Search(tuple(start), tuple(steps))


def _rules(game: Game, data: Mapping[str, Any]) -> Any:
    if not isinstance(name := data.get("name"), str):
        raise _invalid_description()
    try:
        changes = {key: data[key] for key in data if key != "name"}
        return game.rules.derive(game.rules.default, changes, _line(name))
    except (RulesError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise BotError(f"offers rules that make no sense: {_line(str(error))}") from error


def _default_from_data(value: Any, depth: int = MAX_DEPTH) -> Any:
    """The default of an option with its tuples; anything may have been sent as it."""
    items = value.get(_TUPLE) if isinstance(value, dict) else value
    if not isinstance(items, list):
        return value
    if depth == 0:
        raise _invalid_description()
    values = [_default_from_data(item, depth - 1) for item in items]
    return tuple(values) if isinstance(value, dict) else values


# --- Functions called in other processes ----------------------------------------------------------


def describe_file(
    path: bytes, digest: str, game: str, display_folder: str
) -> FileDescribed | Raised:
    """The bots of a file, of this game if it names none, or the error that makes it unusable."""
    loader = Loader(Path())
    file_imports.note_reading()
    try:
        source = BotSource.at(Path(os.fsdecode(path)), digest)
        if display_folder:
            system.display_paths_in(source.folder, display_folder)
        loaded = loader.bots_of(source, game_named(game))
        bots = [_bot_as_data(bot.description()) for bot in loaded]
        return FileDescribed(bots, [*bot_files.files_beside(source)])
    except BaseException as error:
        return Raised(exception_report(error))


def describe_texts(
    name: str, digest: str, game: str, display_folder: str, texts: Mapping[str, bytes]
) -> FileDescribed | Raised:
    """The bots of the file `name`, given by its texts; they are written to a temporary folder."""
    with TemporaryDirectory() as folder:
        for file, text in texts.items():
            path = Path(folder, file)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        own_path = os.fsencode(Path(folder, name))
        return describe_file(own_path, digest, game, display_folder)


def describe_package(point: str) -> PackageDescribed | Raised:
    """The contents of an entry point, or the error that makes it unusable."""
    loader = Loader(Path())
    try:
        plugin = load_entry_point(entry_point(point))
        game, rule_sets = loader.rules_of_package(point)
        hooks = (*game.decisions, BATCH_HOOK, "register_bots")
        has_bots = any(hasattr(plugin, hook) for hook in hooks) or not rule_sets
        bots = loader.bots_of_package(point) if has_bots else []
        rules = [{**game.rules.as_dict(rules), "name": rules.name} for rules in rule_sets]
        described = [_bot_as_data(bot.description()) for bot in bots]
        return PackageDescribed(described, rules, game.name)
    except BaseException as error:
        return Raised(exception_report(error))


def list_packages() -> PackagesListed | Raised:
    """The entry points of installed packages, and malformed packages."""
    points, malformed = entry_points_of(PROJECT)
    return PackagesListed([(point.name, point.value) for point in points], malformed)


def _bot_as_data(bot: BotDescription) -> BotData:
    options = [
        OptionData(
            option.name,
            _default_as_data(option.default),
            _search_as_data(option.search),
            [choice for choice in option.choices if _is_choice(choice)],
            option.is_file,
        )
        for option in bot.options.values()
    ]
    summary = in_a_line(bot.summary, MAX_REPORT_LENGTH)
    return BotData(bot.name, bot.game, options, summary, bot.learns, bot.backend, bot.complaint)


def _search_as_data(search: Search | None) -> tuple[list[int | float], list[int | float]] | None:
    return ([*search.start], [*search.steps]) if search else None


def _is_choice(choice: object) -> bool:
    return choice is None or type(choice) in (bool, int, str)


def _default_as_data(value: object) -> object:
    """The default of an option as data of a message."""
    if isinstance(value, tuple):
        return {_TUPLE: [_default_as_data(item) for item in value]}
    return [_default_as_data(item) for item in value] if isinstance(value, list) else value


# --- Programs -------------------------------------------------------------------------------------


def describe_command(argv: Sequence[str]) -> str:
    """A digest of a command: its arguments, or the contents of those that are files."""
    text = json.dumps([digest_of_file(argument) or argument for argument in argv])
    return hashlib.sha256(text.encode()).hexdigest()


MAX_REPORT_LENGTH = 500  # characters


def exception_report(error: BaseException) -> str:
    """A bot's exception in one line; only its class if its text cannot be computed."""
    try:
        text = str(error) if isinstance(error, BotError) else exception_line(error)
        return text.encode(errors="backslashreplace").decode()  # a path may be no text
    except BaseException:
        return type(error).__name__
