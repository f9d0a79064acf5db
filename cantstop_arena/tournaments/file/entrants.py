"""The bots of a tournament file: found by name or path, with their options, under unique names."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_paths import (
    FOLDER_FILE,
    bot_name,
    bot_path,
    own_file,
    real_path,
)
from cantstop_arena.bots.describe import describe_command
from cantstop_arena.bots.isolation import VALUES, Isolation, check_sandbox, isolation_of
from cantstop_arena.bots.known_bot import (
    A_NAME,
    MAX_NAME_LENGTH,
    RESERVED,
    BotDescription,
    is_printed_well,
)
from cantstop_arena.bots.versions import PREVIOUS, version_in, version_name
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import digest_of_path, files_among, with_options
from cantstop_arena.texts import in_a_line, shortened
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Reader,
    converted_losslessly,
    is_list,
    is_mapping,
    node_text,
    quoted,
)
from cantstop_arena.tournaments.file.yaml_text import Node, line_and_column

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue

MAX_SWEPT = 1000  # entrants that one entry makes
PROCESSES = range(1, 10_000)  # that a program may start
A_BOT = (
    "a bot must be a name, a path, {bot: NAME OR PATH, as: NAME, OPTION: VALUE}"
    " or {command: [PROGRAM, WORD], as: NAME}"
)


class Entrant(msgspec.Struct, frozen=True, dict=True):
    """A bot under the name it plays by, with all its options.

    Unless `isolate` is NONE it plays in a separate process; a program in any language always does.
    Such a program is started by its `command`, in which files are absolute paths, and may start so
    many `processes` (0: the default). In the sandbox it can read `needs`, absolute paths.
    `reference` is how a file names it where that can mean another bot tomorrow: `patient@previous`.
    """

    name: str
    bot: BotDescription
    options: Mapping[str, Any]
    isolate: Isolation = Isolation.NONE
    command: tuple[str, ...] = ()
    reference: str = ""
    needs: tuple[Path, ...] = ()
    processes: int = 0

    def as_file(self, folder: Path) -> dict[str, Any]:
        """The entrant as an entry of a tournament file in `folder`."""
        if self.command:
            command = [
                _path_from(folder, Path(w)) if os.path.isfile(w) else w for w in self.command
            ]
            processes = {"processes": self.processes} if self.processes else {}
            return {"command": command, "as": self.name, **self._keys(folder), **processes}
        bot = {"bot": self._reference(folder), "as": self.name}
        return {**bot, **self._keys(folder), **self.options}

    def _keys(self, folder: Path) -> dict[str, Any]:
        """The keys that say how it is isolated, where they are needed."""
        isolated = {} if self.isolate.key is None else {"isolate": self.isolate.key}
        needs = [_path_from(folder, path) for path in self.needs]
        return {**isolated, **({"needs": needs} if needs else {})}

    def in_own_process(self) -> Entrant:
        """The entrant as it plays when its code disturbs a process that it shares."""
        return replace(self, isolate=Isolation.PROCESSES)

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

    def _reference(self, folder: Path) -> str:
        path = self.bot.path if self.bot.origin == "file" else None
        # A file can register bots under other names than its own; these are found by name only.
        if path is None or bot_name(path) != self.bot.name:
            return self.bot.name
        reference = _path_from(folder, bot_path(path))
        return f"./{reference}" if is_bot_name(reference) else reference


class EntrantReader(msgspec.Struct, frozen=True):
    """Reads the list of bots, the value of a `key`.

    `isolate` is that of the file. Foreign bots are isolated like `foreign` at least, whatever the
    file says.
    """

    reader: Reader
    catalogue: Catalogue
    folder: Path
    isolate: Isolation = Isolation.NONE
    foreign: Isolation = Isolation.NONE
    key: str = "bots"

    def read(self, entry: Entry | None, players: int) -> tuple[Entrant, ...]:
        """All entrants that can be read; problems are added to the reader."""
        if entry is None:
            message = f"{self.key} are missing; write {self.key}: [NAME, NAME]"
            self.reader.complain(self.reader.root, message)
            return ()
        nodes = self.reader.items(entry.value, self.key)
        isolations = {}
        for node in nodes:
            entries = self._entries(node)
            isolations[node] = self._isolation(entries)
            check_sandbox(self._name_in(entries), isolations[node])
        self._describe_isolated([n for n in nodes if isolations[n] is Isolation.SANDBOX])
        entrants: list[tuple[Node, Entrant | None]] = []
        for node in nodes:
            made: Sequence[Entrant | None] = self._entrants(node) or [None]
            entrants += [(node, entrant) for entrant in made]
        if is_list(entry.value) and len(entrants) < players:
            self.reader.complain(entry.key, f"{needs(players)}, not {len(entrants)}")
        self._check_names(entrants)
        return tuple(entrant for _, entrant in entrants if entrant)

    def _describe_isolated(self, nodes: Sequence[Node]) -> None:
        """Describe isolated bots first: a file that is also named as plain is not opened before."""
        for node in nodes:
            entries = self._entries(node)
            if "bot" in entries and "command" not in entries:
                reference = self.reader.plain(entries["bot"].value)
                with suppress(BotError, OSError):  # reported when the entry is read
                    self._find(str(reference), self._catalogue_for(entries))

    def _catalogue_for(self, entries: Mapping[str, Entry]) -> Catalogue:
        """The catalogue that describes the bot of these entries as it is isolated."""
        file = Path(self.reader.file).absolute()
        return self.catalogue.isolated(self._isolation(entries), self._needs(entries), [file])

    def _entrants(self, node: Node) -> list[Entrant]:
        """The entrants of an entry: one, or one for each value of a list; none if invalid."""
        entries = self._entries(node)
        isolate = self._isolation(entries)
        needs = self._needs(entries)
        command = self._command(entries["command"].value) if "command" in entries else ()
        bot = program_spec(command, self.catalogue.game.name) if command else None
        processes = self.reader.integer(entries.get("processes"), "processes", PROCESSES, 0)
        if "processes" in entries and "command" not in entries:
            self.reader.complain(entries["processes"].key, "processes are for programs: command:")
        if "bot" in entries and "command" not in entries:
            bot = self._bot(entries["bot"].value, self._catalogue_for(entries))
        own_name = self.reader.text(entries["as"].value, "as") if "as" in entries else None
        name = own_name if "as" in entries or bot is None else self._usual_name(bot, entries)
        if bot is None or name is None:
            self._check_name(node, name)
            return []
        given = self._given(bot, entries)
        swept = _swept(bot, given)
        reference = self._moving_reference(entries)
        if prod(map(len, swept.values())) > MAX_SWEPT:
            message = f"these lists make more than {MAX_SWEPT:,} bots"
            self.reader.complain(entries[next(iter(swept))].key, message)
            return []
        entrants = []
        for chosen in _combined(swept):
            options = self._checked(bot, entries, given | chosen)
            own_name = with_options(name, chosen)
            self._check_name(node, own_name)
            entrants.append(
                Entrant(own_name, bot, options, isolate, command, reference, needs, processes)
            )
        return entrants

    def _isolation(self, entries: Mapping[str, Entry]) -> Isolation:
        """How the bot of these entries is isolated; a program always is."""
        isolation = read_isolation(self.reader, entries.get("isolate"), self.isolate)
        if self.foreign and isolation is not Isolation.SANDBOX and not self._is_built_in(entries):
            return self.foreign
        is_program = "command" in entries and isolation is Isolation.NONE
        return Isolation.SANDBOX_IF_ANY if is_program else isolation

    def _is_built_in(self, entries: Mapping[str, Entry]) -> bool:
        """Whether the bot of these entries is built in, as its name says."""
        if "bot" not in entries or "command" in entries:
            return False
        return self.reader.plain(entries["bot"].value) in [*self.catalogue.game.bots]

    def _name_in(self, entries: Mapping[str, Entry]) -> str:
        """What the file calls the bot of these entries, for a message."""
        nodes = (entries[key].value for key in ("as", "bot", "command") if key in entries)
        name = next(map(self.reader.plain, nodes), "")
        parts = name if isinstance(name, list) else [name]
        return in_a_line(" ".join(map(str, parts)), MAX_NAME_LENGTH)

    def _needs(self, entries: Mapping[str, Entry]) -> tuple[Path, ...]:
        """The paths that the bot needs; invalid ones are reported."""
        if "needs" not in entries:
            return ()
        value = entries["needs"].value
        nodes = self.reader.items(value, "needs") if is_list(value) else [value]
        paths = []
        for node in nodes:
            text = self.reader.text(node, "a path of needs")
            path = None if text is None else needed_path(text, self.folder)
            if path is None:
                self.reader.complain(node, f"there is no file or folder {node_text(node)}")
            else:
                paths.append(path)
        return tuple(paths)

    def _moving_reference(self, entries: Mapping[str, Entry]) -> str:
        """The reference to a bot if it means another one after the next edit; else empty."""
        reference = str(self.reader.plain(entries["bot"].value)) if "bot" in entries else ""
        version = version_in(reference)
        return reference if version and version.version == PREVIOUS else ""

    def _check_name(self, node: Node, name: str | None) -> None:
        if name is not None and not is_printed_well(name):
            self.reader.complain(node, f"the name of a bot {A_NAME}, not {quoted(name)}")

    def _usual_name(self, bot: BotDescription, entries: Mapping[str, Entry]) -> str:
        reference = self.reader.plain(entries["bot"].value) if "bot" in entries else None
        return usual_name(str(reference), bot)

    def _entries(self, node: Node) -> Mapping[str, Entry]:
        """The entries of a bot; a single word is a bot without other entries."""
        if is_list(node):
            self.reader.complain(node, f"{A_BOT}, not a list")
            return {}
        if not is_mapping(node):
            return {"bot": Entry(node, node)}
        entries = self.reader.mapping(node, "a bot")
        if not {"bot", "command"} & set(entries):
            self.reader.complain(node, f"{A_BOT}; here bot: is missing")
        if {"bot", "command"} <= set(entries):
            self.reader.complain(entries["command"].key, "a bot has either bot: or command:")
        return entries

    def _command(self, node: Node) -> tuple[str, ...]:
        """The words of a command, files as absolute paths; empty when it cannot be started."""
        nodes = self.reader.items(node, "command") if is_list(node) else [node]
        texts = [self.reader.text(word, "a word of a command") for word in nodes]
        command = command_of([word for word in texts if word is not None], self.folder)
        if not texts or not all(texts):
            self.reader.complain(node, "command must be a list like [./mybot, --fast]")
            return ()
        if shutil.which(command[0]) is None:
            self.reader.complain(
                node, f"{quoted(texts[0] or '')} is no program that can be started"
            )
            return ()
        return command

    def _bot(self, node: Node, catalogue: Catalogue) -> BotDescription | None:
        reference = self.reader.text(node, "a bot's name or path")
        if reference is None:
            return None
        try:
            return self._find(reference, catalogue)
        except BotError as error:
            self.reader.complain(node, str(error))
        except OSError as error:
            message = f"{quoted(reference)} cannot be looked for: {error.strerror}"
            self.reader.complain(node, message)
        return None

    def _find(self, reference: str, catalogue: Catalogue) -> BotDescription:
        if not (reference.isprintable() and reference.strip()):
            raise BotError(f"no bot can be called {quoted(reference)}")
        return find_bot(reference, self.folder, catalogue)

    def _given(self, bot: BotDescription, entries: Mapping[str, Entry]) -> dict[str, Any]:
        """The options in an entry."""
        return {
            option: converted_losslessly(self.reader.plain(entry.value), bot.defaults.get(option))
            for option, entry in entries.items()
            if option not in RESERVED
        }

    def _checked(
        self, bot: BotDescription, entries: Mapping[str, Entry], given: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """All options with their values; the given ones are checked."""
        for option, message in bot.check_options(given):
            blamed = entries.get(option) or entries.get("bot") or entries["command"]
            self.reader.complain(blamed.key, message)
        return {**bot.defaults, **given}

    def _check_names(self, entrants: Sequence[tuple[Node, Entrant | None]]) -> None:
        lines: dict[str, int] = {}
        for node, entrant in entrants:
            if entrant and entrant.name in lines:
                before = f"line {lines[entrant.name]} has a bot called {entrant.name!r}"
                self.reader.complain(node, f"{before}; give this one another name with as:")
            elif entrant:
                lines[entrant.name] = line_and_column(node)[0]


def _swept(bot: BotDescription, given: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The options with a list of values to try; options that take lists are left out."""
    return {
        key: [converted_losslessly(value, bot.defaults[key]) for value in values]
        for key, values in given.items()
        if isinstance(values, list) and values and _takes_no_list(bot, key)
    }


def _takes_no_list(bot: BotDescription, option: str) -> bool:
    return option in bot.defaults and not isinstance(bot.defaults[option], (list, tuple))


def _combined(swept: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Every combination of one value for each option."""
    for values in product(*swept.values()):
        yield dict(zip(swept, values, strict=True))


def isolated(entrant: Entrant, isolation: Isolation) -> Entrant:
    """The entrant with this isolation, unless the user has said how it is isolated."""
    is_open = entrant.isolate in (Isolation.NONE, Isolation.SANDBOX_IF_ANY)
    return replace(entrant, isolate=isolation) if is_open and isolation else entrant


def foreign_isolated(entrant: Entrant, isolation: Isolation) -> Entrant:
    """The entrant with this isolation if it comes from a file or a package, or is a program."""
    return entrant if entrant.bot.origin == "built-in" else isolated(entrant, isolation)


def read_isolation(
    reader: Reader, entry: Entry | None, default: Isolation = Isolation.NONE
) -> Isolation:
    """The value of an entry `isolate`; an invalid one is reported."""
    if entry is None:
        return default
    isolation = isolation_of(reader.plain(entry.value))
    if isolation is None:
        reader.complain(entry.value, f"isolate must be {VALUES}, not {node_text(entry.value)}")
    return isolation or Isolation.NONE


def needed_path(text: str, folder: Path) -> Path | None:
    """The path that an entry of `needs` names, from `folder`; None if there is nothing."""
    if "\0" in text:
        return None
    path = real_path(Path(text).expanduser() if text[:1] == "~" else folder / text)
    return path if os.path.exists(path) else None  # noqa: PTH110 - a name can be too long


def is_bot_name(reference: str) -> bool:
    """Whether it is a name and no path."""
    return "/" not in reference and not reference.endswith(".py")


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
        raise BotError(_missing(reference, folder))
    if is_program(file):
        entry = f"{{command: [{reference}], as: NAME}}"
        raise BotError(f"{reference} is a program, not a Python file; write {entry}")
    return catalogue.load_file(real_path(file))


def _file_of(reference: str, folder: Path, catalogue: Catalogue) -> Path:
    """The present or former path of a bot's own file. Raises BotError for other bots."""
    if not is_bot_name(reference):
        former = reference if reference.endswith(".py") else f"{reference}.py"
        return real_path(own_file(folder / reference) or folder / former)
    if catalogue.has(reference):
        raise BotError(f"{reference} is no file: only bots from files have earlier versions")
    return real_path(catalogue.file_of(reference) or catalogue.folder / f"{reference}.py")


def usual_name(reference: str, bot: BotDescription) -> str:
    """The default name of an entrant: the bot's name, with the version in the reference if any."""
    return version_name(bot.name, bot.digest) if version_in(reference) else bot.name


def is_program(file: Path) -> bool:
    """Whether a file is a program in any language: one that can be executed, and is not *.py."""
    return file.suffix != ".py" and os.access(file, os.X_OK)


def command_of(words: Sequence[str], folder: Path) -> tuple[str, ...]:
    """The words of a command; files, from `folder`, become absolute paths."""
    return tuple(_file_or_word(word, folder) for word in words)


def _file_or_word(word: str, folder: Path) -> str:
    path = folder / word
    return str(real_path(path)) if "\0" not in word and os.path.isfile(path) else word


def with_distinct_names(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """These entrants; of different bots with one name, all but the first get their path added.

    The same bot with the same options has the same name.
    """
    by_name: dict[str, list[Entrant]] = {}
    for entrant in entrants:
        by_name.setdefault(entrant.name, []).append(entrant)
    return tuple(
        replace(entrant, name=_name_with_path(entrant, by_name[entrant.name]))
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
    return name if len(name) <= MAX_NAME_LENGTH else f"{entrant.name} ({entrant.bot.digest[:7]})"


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
        origin="command",
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
        right = _path_from(folder, Path(reference))
        return f"{reference} is in this folder, not beside the tournament file; write {right}"
    path = folder / shortened(reference, _MAX_REFERENCE_LENGTH)
    if os.path.isdir(folder / reference):  # noqa: PTH112 - a name can be too long
        return f"there is no file {path / FOLDER_FILE}, so this folder is no bot"
    return f"there is no file {path}"


def _path_from(folder: Path, path: Path) -> str:
    return Path(os.path.relpath(real_path(path), os.path.realpath(folder))).as_posix()
