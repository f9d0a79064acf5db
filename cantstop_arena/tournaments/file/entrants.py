"""Entrants: bots found by name or path, with their options, under the names they play by."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_paths import (
    ENDINGS,
    FOLDER_FILE,
    bot_files,
    bot_name,
    bot_path,
    is_bot_name,
    own_file,
    path_from,
    real_path,
)
from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.describe import describe_command
from cantstop_arena.bots.known_bot import (
    A_NAME,
    MAX_NAME_LENGTH,
    BotDescription,
    is_printed_well,
)
from cantstop_arena.bots.origins import Origin
from cantstop_arena.bots.versions import (
    is_digest,
    short_digest,
    stored_hint,
    version_in,
    version_name,
)
from cantstop_arena.bounded_files import digest_of_path
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import did_you_mean, files_among
from cantstop_arena.texts import look_key, shortened
from cantstop_arena.tournaments.file.yaml_reader import quoted

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue


_ENTRY = "bot"  # the usual name in folders of submissions


class Entrant(msgspec.Struct, frozen=True, dict=True):
    """A bot under the name it plays by, with all its options.

    Unless `isolate` is NONE it plays in a separate process; a program in any language always does.
    Such a program is started by its `command`, in which files are absolute paths, and may start so
    many `processes` (0: the default). In the sandbox it can read `needs`, absolute paths.
    `reference` is how a file names it where that can mean another bot tomorrow: `patient@previous`.
    `own_name` is what its dice follow from, if that is not its bot's name: see `source_name`.
    """

    name: str
    bot: BotDescription
    options: Mapping[str, Any]
    isolate: Isolation = Isolation.NONE
    command: tuple[str, ...] = ()
    reference: str = ""
    needs: tuple[Path, ...] = ()
    processes: int = 0
    own_name: str = ""

    def as_file(self, folder: Path, copies: str = "") -> dict[str, Any]:
        """The entrant as an entry of a tournament file in `folder`.

        An earlier version is named by its copy in the folder's `copies`, wherever else there are
        some.
        """
        if self.command:
            command = [path_from(folder, Path(w)) if os.path.isfile(w) else w for w in self.command]
            processes = {"processes": self.processes} if self.processes else {}
            return {"command": command, "as": self.name, **self._keys(folder), **processes}
        bot = {"bot": self._reference(folder, copies), "as": self.name}
        return {**bot, **self._keys(folder), **self.options}

    def _keys(self, folder: Path) -> dict[str, Any]:
        """The keys that say how it is isolated, where they are needed."""
        isolated = {} if self.isolate.key is None else {"isolate": self.isolate.key}
        needs = [path_from(folder, path) for path in self.needs]
        return {**isolated, **({"needs": needs} if needs else {})}

    def in_own_process(self) -> Entrant:
        """The entrant as it plays when its code disturbs a process that it shares."""
        return replace(self, isolate=Isolation.PROCESSES)

    @property
    def source_name(self) -> str:
        """Its name in its source: not what it plays as, so that this changes nobody's dice.

        Where all participants' files are called `bot.py`, their folders have the names.
        """
        path = self.bot.path
        if self.own_name or path is None or self.bot.name != _ENTRY or is_digest(path.parent.name):
            return self.own_name or self.bot.name
        return bot_path(path).parent.name

    @property
    def dice_name(self) -> str:
        """What its dice follow from: its name in its source, and chosen options."""
        return self.bot.dice_name(self.source_name, self.options)

    @cached_property
    def files(self) -> Mapping[str, str]:
        """Digests of the files that it plays with, by option, and of `needs`; computed once."""
        needs = {f"needs {number}": digest_of_path(path) for number, path in enumerate(self.needs)}
        return {**files_among(self.bot.options, self.options), **needs}

    @property
    def named_files(self) -> tuple[Path, ...]:
        """The files that the user names in options: defaults are of the bot's own choice."""
        options = [option for option in self.bot.options.values() if option.is_file]
        values = (self.options[option.name] for option in options)
        named = (value for value, o in zip(values, options, strict=True) if value != o.default)
        return tuple(Path(value).absolute() for value in named if value)

    def _reference(self, folder: Path, copies: str) -> str:
        path = self.bot.path
        # A file can register bots under other names than its own; these are found by name only.
        if path is None or not self.bot.is_alone:
            return self.bot.name
        *_, digest, name = bot_path(path).parts
        if copies and is_digest(digest):
            return f"{copies}/{digest}/{name}"
        reference = path_from(folder, bot_path(path))
        return f"./{reference}" if is_bot_name(reference) else reference


def isolated(entrant: Entrant, isolation: Isolation) -> Entrant:
    """The entrant with this isolation, unless the user has said how it is isolated."""
    is_open = entrant.isolate in (Isolation.NONE, Isolation.SANDBOX_IF_ANY)
    return replace(entrant, isolate=isolation) if is_open and isolation else entrant


def foreign_isolated(entrant: Entrant, isolation: Isolation) -> Entrant:
    """The entrant with this isolation if it comes from a file or a package, or is a program."""
    return isolated(entrant, isolation) if entrant.bot.origin.is_foreign else entrant


def needed_path(text: str, folder: Path) -> Path | None:
    """The path that an entry of `needs` names, from `folder`; None if it is no file or folder."""
    if "\0" in text:
        return None
    path = real_path(Path(text).expanduser() if text[:1] == "~" else folder / text)
    return path if os.path.isfile(path) or os.path.isdir(path) else None  # noqa: PTH112 - long


def find_bot(reference: str, folder: Path, catalogue: Catalogue) -> BotDescription:
    """The bot of a name, or of a path from `folder`. Raises BotError when there is none.

    The reference may name an earlier version of a bot from a file (see `bots.versions`).
    """
    if version := version_in(reference):
        return catalogue.version(_file_of(version.bot, folder, catalogue), version.version)
    if is_bot_name(reference):
        return catalogue.find(reference)
    file = own_file(folder / reference)
    if file is None:
        hint = stored_hint(catalogue.results, bot_name(Path(reference)))
        raise BotError(f"{_missing(reference, folder)}{hint}")
    if is_program(file):
        entry = f"{{command: [{reference}], as: NAME}}"
        raise BotError(f"{reference} is a program, not a Python file; write {entry}")
    return catalogue.load_file(real_path(file))


_NO_VERSIONS = ": only bots from files have earlier versions"


def _file_of(reference: str, folder: Path, catalogue: Catalogue) -> Path:
    """The present or former path of a bot's own file. Raises BotError for other bots."""
    if not is_bot_name(reference):
        former = reference if reference.endswith(ENDINGS) else f"{reference}.py"
        file = own_file(folder / reference)
        if file and is_program(file):
            raise BotError(f"{reference} is a program{_NO_VERSIONS}")
        return real_path(file or folder / former)
    if catalogue.has(reference):
        conflict = catalogue.name_conflict(reference)
        raise BotError(conflict or f"{reference} is no file{_NO_VERSIONS}")
    return real_path(catalogue.file_of(reference) or catalogue.folder / f"{reference}.py")


def usual_name(reference: str, bot: BotDescription) -> str:
    """The default name of an entrant: the bot's name, with the version in the reference if any."""
    return version_name(bot.name, bot.digest) if version_in(reference) else bot.name


def is_program(file: Path) -> bool:
    """Whether a file is a program in any language: one that can be executed, not *.py, *.onnx."""
    return file.suffix not in ENDINGS and os.access(file, os.X_OK)


def command_of(arguments: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The words of a command; files, from `folder`, become absolute paths."""
    return tuple(_file_or_word(word, folder) for word in arguments)


def _file_or_word(word: str, folder: Path) -> str:
    path = folder / word
    return str(real_path(path)) if "\0" not in word and os.path.isfile(path) else word


ALL = "all"  # the reference to every bot


def name_refusal(name: str, bot: BotDescription) -> str:
    """Why a user cannot call a bot by this name; empty if that is possible.

    Commands would read some names as references to something else.
    """
    if not is_printed_well(name):
        return f"the name of a bot {A_NAME}, not {quoted(name)}"
    is_version = "@" in name and not name.startswith(version_name(bot.name, bot.digest))
    is_path = name.startswith(("./", "../", "/", "~/"))
    meanings = {"every bot": name == ALL, "a version": is_version, "a path": is_path}
    meaning = next((text for text, holds in meanings.items() if holds), "")
    return f"the name {quoted(name)} means {meaning} in commands; choose another" if meaning else ""


def with_distinct_names(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """These entrants; of different bots with alike names all but the first get their path added.

    The same bot with the same options has the same name.
    """
    by_name: dict[str, list[Entrant]] = {}
    for entrant in entrants:
        by_name.setdefault(look_key(entrant.name), []).append(entrant)
    return tuple(
        replace(entrant, name=_name_with_path(entrant, by_name[look_key(entrant.name)]))
        for entrant in entrants
    )


def _name_with_path(entrant: Entrant, namesakes: Sequence[Entrant]) -> str:
    """The name of an entrant, with the end of its path if it is not the first of its namesakes."""
    own = _parts_of(entrant)
    if own == _parts_of(namesakes[0]):
        return entrant.name
    others = {_parts_of(namesake) for namesake in namesakes} - {own}
    ends = (own[-depth:] for depth in range(1, len(own) + 1))
    end = next((end for end in ends if all(other[-len(end) :] != end for other in others)), own)
    origin = "/".join(end) or entrant.bot.origin
    name = f"{entrant.name} ({origin})"
    short = f"{entrant.name} ({short_digest(entrant.bot.digest)})"
    return name if len(name) <= MAX_NAME_LENGTH else short


def _parts_of(entrant: Entrant) -> tuple[str, ...]:
    """The parts of the path of an entrant's file; none for a bot without a file."""
    program = next((path for path in map(Path, entrant.command) if path.is_absolute()), None)
    path = bot_path(entrant.bot.path) if entrant.bot.path else program
    return path.parts if path else ()


def program_spec(command: Sequence[str], game: str) -> BotDescription:
    """The description of a program in any language that plays a game."""
    return BotDescription(
        name=Path(next((word for word in command if os.path.isfile(word)), command[0])).name,
        game=game,
        origin=Origin.PROGRAM,
        digest=describe_command(command),
        options={},
        summary="",
    )


def needs(players: int) -> str:
    """The message how many bots are needed."""
    if players == 1:
        return "1 player needs at least 1 bot"
    return f"{players} players need at least {players} bots"


_MAX_REFERENCE_LENGTH = 200  # characters, in the message about a missing file


def _missing(reference: str, folder: Path) -> str:
    if own_file(Path(reference)):
        right = path_from(folder, Path(reference))
        return f"{reference} is in this folder, not beside the tournament file; write {right}"
    path = folder / shortened(reference, _MAX_REFERENCE_LENGTH)
    if os.path.isdir(folder / reference):  # noqa: PTH112 - a name can be too long
        return f"there is no file {path / FOLDER_FILE}, so this folder is no bot"
    there = [bot_path(file).name for file in bot_files(path.parent)]
    return f"there is no file {path}{did_you_mean(path.name, there)}"
