"""What a bot's process sees in the sandbox: Python, its game, its own files, and what it needs."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import MAX_BESIDE, BotSource, read_source
from cantstop_arena.bots.bot_paths import bot_name, bot_path, is_in_folder
from cantstop_arena.bots.bot_start import BotStart, Isolation, sandbox_refusal
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.bots.versions import is_digest
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import GROUP, built_in
from cantstop_arena.hookspecs import PROJECT
from cantstop_arena.native.code_cache import cache_root, readable_folder
from cantstop_arena.packages import entry_points_of, module_of
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.child_start import Policy
from cantstop_arena.processes.sandbox import (
    TEXTS,
    NoSandbox,
    Sandbox,
    SandboxView,
    python_view,
)
from cantstop_arena.processes.system import short_path

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DEFAULT_MEMORY = 2 << 30
"""Bytes that an isolated bot may use where the user gives no limit."""
MAX_BYTES_BESIDE = 1 << 28
"""Bytes of files beside an isolated bot that are shown to it unasked."""
DEFAULT_PROCESSES = 64
"""Processes and threads that a program may start where the user gives no number."""


def start_here(start: BotStart) -> tuple[BotStart, SandboxView | None]:
    """How the process is started on this machine, with its view if it plays in the sandbox.

    Raises BotError when it must play there, and there is none, or its files cannot be read.
    """
    if start.isolation is Isolation.PROCESSES:
        return start, None
    try:
        Sandbox.here()
    except NoSandbox as error:
        if start.isolation is Isolation.SANDBOX:
            raise BotError(sandbox_refusal(_name_of(start), str(error))) from None
        return start, None
    return _start_in_sandbox(start), _view_of(start)


def _name_of(start: BotStart) -> str:
    return Path(start.command[0]).name if start.command else start.bot.name


def _start_in_sandbox(start: BotStart) -> BotStart:
    """The start with the paths in the sandbox, and with limits that hold there."""
    limits = replace(start.limits, memory=start.limits.memory or DEFAULT_MEMORY)
    if start.command:
        processes = limits.processes or DEFAULT_PROCESSES
        return replace(start, limits=replace(limits, processes=processes))
    return replace(
        start,
        bot=_address_inside(start.bot),
        folder=TEXTS,
        display_folder=display_folder(start.bot.source) if start.bot.source else "",
        limits=limits,
    )


def _address_inside(bot: BotAddress) -> BotAddress:
    if bot.source is None:
        return bot
    source = replace(bot.source, path=TEXTS / bot.source.name, copies=None)
    return replace(bot, source=source)


def display_folder(source: BotSource) -> str:
    """The folder in which messages from the sandbox name the files of a bot."""
    return short_path(f"{source.folder}{os.sep}")


def _view_of(start: BotStart) -> SandboxView:
    bot = None if start.command else start.bot
    named = _command_files(start.command) if start.command else ()
    own = (each for path in (*named, *start.needs) for each in (path.absolute(), path.resolve()))
    view = base_view(bot.package if bot else None, start.hidden)
    return replace(
        view,
        visible=(*view.visible, *own),
        texts=texts_of(bot.source, start.needs) if bot and bot.source else {},
        stored_code=_stored_code([start.bot.game]),
        folder=start.cwd.absolute(),
        has_proc=bool(start.command),
    )


def base_view(package: str | None, hidden: Iterable[Path] = ()) -> SandboxView:
    """What the bots of a package see, or with None those of files, before their own texts."""
    base = python_view(("cantstop_arena", *_game_packages(), *_editable_packages(package)))
    games = (*built_in(), *(point.name for point in _points(GROUP)))
    covered = (*hidden, *_other_packages(package))
    return replace(base, covered=covered, stored_code=_stored_code(games))


def describing_policy(view: SandboxView) -> Policy:
    """How a process starts that describes or checks a bot in the sandbox."""
    return Policy(view, memory=DEFAULT_MEMORY)


def file_policy(
    source: BotSource, needs: Iterable[Path] = (), hidden: Iterable[Path] = ()
) -> Policy:
    """How a process starts that runs a bot's file, which it finds below TEXTS. Raises BotError."""
    view = base_view(None, hidden)
    texts = texts_of(source, needs)
    return describing_policy(replace(view, visible=(*view.visible, *needs), texts=texts))


def listing_policy(hidden: Iterable[Path]) -> Policy:
    """How a process starts that describes files, given by content, each in a fork of its own."""
    limits = ChildLimits(processes=DEFAULT_PROCESSES)
    return replace(describing_policy(base_view(None, hidden)), limits=limits)


def _stored_code(games: Iterable[str]) -> dict[str, Path]:
    """The compiled code of games, each in the folder of its name."""
    folders = {game: readable_folder(cache_root(), game) for game in games}
    return {game: folder for game, folder in folders.items() if folder}


# --- Files ----------------------------------------------------------------------------------------


def _command_files(argv: Sequence[str]) -> Iterator[Path]:
    """The program and the files that the words of a command name."""
    if program := which(argv[0]):
        yield Path(program)
    yield from (Path(word) for word in argv if os.path.isfile(word))


def texts_of(source: BotSource, needs: Iterable[Path] = ()) -> dict[str, bytes]:
    """The content of the bot's files, and of the private ones beside it, by relative path.

    Files beside it that it `needs` are among them. Raises BotError.
    """
    if is_in_folder(source.path):
        _refuse_links_out_of(source)
    files = _private_files(source, needs)
    texts: dict[str, bytes] = {}
    size = 0
    for name, path in files.items():
        texts[name] = read_source(path)
        size += len(texts[name])
        if size > MAX_BYTES_BESIDE:
            raise _too_much(source, f"{MAX_BYTES_BESIDE >> 20} MiB of files")
    return texts | dict(source.texts())


def _refuse_links_out_of(source: BotSource) -> None:
    """Raise BotError for a file in a bot's folder that is a link to one elsewhere."""
    own_folder = source.path.parent.resolve()
    for path in source.paths.values():
        if not path.resolve().is_relative_to(own_folder):
            raise BotError(
                f"{short_path(str(path))} is a link to a file outside of the bot's folder, which"
                " the sandbox does not show; put a copy there, or name that file in needs"
            )


def _private_files(source: BotSource, needs: Iterable[Path]) -> dict[str, Path]:
    """Files beside a bot that are nobody else's: `_*`, those in `_*` and in its own folder.

    And those that it `needs`; all files of a stored copy. A link could lead anywhere, so only the
    user can name it, as needed. Raises BotError when there are too many.
    """
    needed = (path for path in needs if path.is_relative_to(source.folder))
    own_folder = source.folder / bot_name(source.path)
    folders = [] if is_in_folder(source.path) else [own_folder, *source.folder.glob("_*")]
    if is_digest(source.folder.name):
        folders = [source.folder]
    files = [file for folder in folders for file in _files_in(folder)]
    files += [path for path in needed if path.is_file()]
    if len(files) > MAX_BESIDE:
        raise _too_much(source, f"{MAX_BESIDE} files")
    return {file.relative_to(source.folder).as_posix(): file for file in files}


def _too_much(source: BotSource, what: str) -> BotError:
    return BotError(
        f"{bot_path(source.path)} has more than {what} beside it; name a folder with them in needs"
    )


def _files_in(path: Path) -> Iterator[Path]:
    """The files in a folder that are neither hidden nor bytecode nor links; a file itself."""
    if path.is_symlink():
        return
    if path.is_file():
        yield path
    for parent, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name[0] != "." and name != "__pycache__"]
        files = (Path(parent, name) for name in names if name[0] != ".")
        yield from (file for file in files if not file.is_symlink())


# --- Packages -------------------------------------------------------------------------------------


class _DirectoryInfo(msgspec.Struct):
    editable: bool = False


class _DirectUrl(msgspec.Struct):
    """The content of direct_url.json of an installed package (PEP 610)."""

    dir_info: _DirectoryInfo = msgspec.field(default_factory=_DirectoryInfo)


def _game_packages() -> Iterator[str]:
    """The top-level packages of the installed games."""
    yield from (_top_level(point) for point in _points(GROUP))


def _editable_packages(package: str | None) -> Iterator[str]:
    """The top-level packages that are installed in editable form, but for those of other bots."""
    others = {_top_level(point) for point in _other_points(package)}
    yield from (name for name in _editable_names() if name not in others)


@cache
def _editable_names() -> tuple[str, ...]:
    from importlib.metadata import distributions  # slow to import

    names = []
    for distribution in distributions():
        try:
            record = distribution.read_text("direct_url.json") or "{}"
            is_editable = msgspec.json.decode(record, type=_DirectUrl).dir_info.editable
        except (OSError, ValueError, msgspec.ValidationError):
            continue
        if is_editable:
            points = (_top_level(point) for point in distribution.entry_points)
            listed = (distribution.read_text("top_level.txt") or "").split()
            names += [*listed, *points]
    return tuple(dict.fromkeys(names))


@cache
def _points(group: str) -> "tuple[EntryPoint, ...]":
    return tuple(entry_points_of(group)[0])


def _other_points(package: str | None) -> "list[EntryPoint]":
    """The entry points of bots that are not in this package, nor in a game's."""
    own = {module_of(point) for point in _points(PROJECT) if point.name == package}
    own |= {module_of(point) for point in _points(GROUP)}
    own_paths = {path for module in own for path in _paths_of(module)}
    return [
        point for point in _points(PROJECT) if own_paths.isdisjoint(_paths_of(module_of(point)))
    ]


def _other_packages(package: str | None) -> Iterator[Path]:
    """The files of packages of other bots."""
    for point in _other_points(package):
        yield from _paths_of(module_of(point))


def _top_level(point: "EntryPoint") -> str:
    return module_of(point).partition(".")[0]


@cache
def _paths_of(module: str) -> frozenset[Path]:
    """The folder or the files of the package of a module, found without running its code.

    In a namespace package, which several distributions share, of the part that holds the module.
    """
    name, *names = module.split(".")
    folders: Iterable[str] | None = None
    while True:
        spec = PathFinder.find_spec(name, None if folders is None else [*folders])
        if spec is None:
            return frozenset()
        folders = spec.submodule_search_locations
        if spec.origin or folders is None or not names:
            break
        name = names.pop(0)
    if folders is not None:
        return frozenset(Path(folder).resolve() for folder in folders)
    file = Path(spec.origin or os.devnull)
    return frozenset({file, *(file.parent / "__pycache__").glob(f"{file.stem}.*")})
