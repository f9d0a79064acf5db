"""Reads the list of bots in a file: names, paths, patterns, programs, each with its options."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from cantstop_arena.bots.bot_start import ISOLATE_VALUES, Isolation, check_sandbox, isolation_of
from cantstop_arena.bots.known_bot import (
    A_NAME,
    MAX_NAME_LENGTH,
    RESERVED,
    BotDescription,
    is_printed_well,
)
from cantstop_arena.bots.versions import PREVIOUS, version_in
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.bot_options import with_options
from cantstop_arena.texts import in_a_line, look_key
from cantstop_arena.tournaments.file.entrants import (
    ALL,
    Entrant,
    command_of,
    find_bot,
    name_refusal,
    needed_path,
    needs,
    program_spec,
    usual_name,
)
from cantstop_arena.tournaments.file.pattern_entrants import (
    Field,
    Pattern,
    PatternReader,
    Refusal,
    all_refusal,
    excludes,
    is_excluded_text,
    is_pattern,
    pattern_takes,
)
from cantstop_arena.tournaments.file.yaml_reader import (
    Entry,
    Node,
    Reader,
    converted_losslessly,
    is_list,
    is_mapping,
    line_and_column,
    node_text,
    quoted,
)

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue

MAX_SWEPT = 1000  # entrants that one entry makes
PROCESSES = range(1, 10_000)  # that a program may start
A_BOT = (
    "a bot must be a name, a path, {bot: NAME OR PATH, as: NAME, OPTION: VALUE}"
    " or {command: [PROGRAM, WORD], as: NAME}"
)


class EntrantReader(msgspec.Struct, frozen=True):
    """Reads the list of bots, the value of a `key`.

    `isolate` is that of the file. Foreign bots are isolated like `foreign` at least, whatever the
    file says. Patterns leave out the built-in bots for which there is a `refusal`.
    """

    reader: Reader
    catalogue: Catalogue
    folder: Path
    isolate: Isolation = Isolation.NONE
    foreign: Isolation = Isolation.NONE
    refusal: Refusal = lambda bot: None
    key: str = "bots"

    def read(self, entry: Entry | None, players: int, exclude: Entry | None = None) -> Field:
        """All entrants that can be read; problems are added to the reader."""
        excluded = self._excluded(exclude)
        if entry is None:
            message = f"{self.key} are missing; write {self.key}: [NAME, NAME]"
            self.reader.complain(self.reader.root, message)
            return Field(())
        nodes = self._nodes(entry.value)
        self._check_sandboxes(nodes)
        patterns = {node: pattern for node in nodes if (pattern := self._pattern(node))}
        texts = [self.reader.plain(node) for node in excluded]
        matching = PatternReader(self.catalogue, self.folder, texts, [self._file], self.refusal)
        matching.describe_isolated([*patterns.values()])
        entrants = self._named_entrants([node for node in nodes if node not in patterns])
        self._check_excluded(excluded, entrants)
        playing = [*chain.from_iterable(entrants.values())]
        entrants |= zip(patterns, matching.read([*patterns.values()], playing), strict=True)
        notices = {node: text for node in patterns if (text := matching.notice(patterns[node]))}
        count = sum(len(entrants[node]) or node not in patterns for node in nodes)
        if (nodes or is_list(entry.value)) and count < players:
            self.reader.complain(entry.key, f"{needs(players)}, not {count}")
            for left_out in matching.left_out:
                self.reader.complain(entry.value, left_out.text)
            for node, text in notices.items():
                self.reader.complain(node, text)
        return Field(
            tuple(chain.from_iterable(entrants[node] for node in nodes)),
            tuple(matching.left_out),
            tuple(self.reader.located(node, text) for node, text in notices.items()),
        )

    @property
    def _file(self) -> Path:
        return Path(self.reader.file).absolute()

    def _nodes(self, node: Node) -> list[Node]:
        """The entries of the list of bots; `bots: all` is one."""
        is_all = not is_list(node) and not is_mapping(node) and self.reader.plain(node) == ALL
        return [node] if is_all else self.reader.items(node, self.key)

    # Patterns

    def _pattern(self, node: Node) -> Pattern | None:
        """The pattern of an entry; None if it names a bot."""
        entries = self._entries(node)
        reference = self.reader.plain(entries["bot"].value) if "bot" in entries else None
        if not isinstance(reference, str) or "command" in entries:
            return None
        if not is_pattern(reference, self.folder, self.catalogue):
            return None
        if reference == ALL and (why := all_refusal(self.catalogue, self.folder)):
            self.reader.complain(entries["bot"].value, why)
        for key, entry in entries.items():
            if key not in ("bot", "isolate"):
                self.reader.complain(entry.key, pattern_takes(key))
        isolate = read_isolation(self.reader, entries.get("isolate"), self.isolate)
        return Pattern(reference, isolate, self.foreign)

    def _excluded(self, entry: Entry | None) -> list[Node]:
        """The names and patterns of `exclude`."""
        nodes = self.reader.items(entry.value, "exclude") if entry else []
        return [node for node in nodes if self.reader.text(node, "what is excluded") is not None]

    def _check_excluded(
        self, excluded: Sequence[Node], entrants: Mapping[Node, Sequence[Entrant]]
    ) -> None:
        """Complain about bots that an entry names, and `exclude` as well."""
        for node in excluded:
            text = self.reader.plain(node)
            if is_pattern(text, self.folder, self.catalogue):
                continue
            for entry, made in entrants.items():
                reference = self._name_in(self._entries(entry), "bot")
                if excludes(text, self.folder, reference, made):
                    where = f"line {line_and_column(entry)[0]} names"
                    self.reader.complain(node, is_excluded_text(text, where))

    # Named bots

    def _check_sandboxes(self, nodes: Sequence[Node]) -> None:
        """Raise UsageError for an isolated bot where there is no sandbox, before any is opened."""
        for node in nodes:
            entries = self._entries(node)
            check_sandbox(self._name_in(entries), self._isolation(entries))

    def _named_entrants(self, nodes: Sequence[Node]) -> dict[Node, Sequence[Entrant]]:
        """The entrants of entries that name a bot."""
        self._describe_isolated(nodes)
        entrants: dict[Node, Sequence[Entrant]] = {node: self._entrants(node) for node in nodes}
        self._check_names(entrants)
        return entrants

    def _describe_isolated(self, nodes: Sequence[Node]) -> None:
        """Describe isolated bots first: a file that is also named as plain is not opened before."""
        for node in nodes:
            entries = self._entries(node)
            is_isolated = self._isolation(entries) is Isolation.SANDBOX
            if is_isolated and "bot" in entries and "command" not in entries:
                reference = self.reader.plain(entries["bot"].value)
                with suppress(BotError, OSError):  # reported when the entry is read
                    self._find(str(reference), self._catalogue_for(entries))

    def _catalogue_for(self, entries: Mapping[str, Entry]) -> Catalogue:
        """The catalogue that describes the bot of these entries as it is isolated."""
        isolation = self._isolation(entries)
        return self.catalogue.isolated(isolation, self._needs(entries), [self._file])

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
        if own_name is not None and (why := name_refusal(own_name, bot)):
            self.reader.complain(node, why)
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

    def _name_in(self, entries: Mapping[str, Entry], *keys: str) -> str:
        """What the file calls the bot of these entries, for a message: by the first of the keys."""
        keys = keys or ("as", "bot", "command")
        nodes = (entries[key].value for key in keys if key in entries)
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

    def _check_names(self, entrants: Mapping[Node, Sequence[Entrant]]) -> None:
        before: dict[str, tuple[str, int]] = {}  # names and lines, by look_key
        for node, made in entrants.items():
            for entrant in made:
                key = look_key(entrant.name)
                if key in before:
                    name, line = before[key]
                    alike = "" if name == entrant.name else f", which looks like {entrant.name!r}"
                    text = f"line {line} has a bot called {name!r}{alike}"
                    self.reader.complain(node, f"{text}; give this one another name with as:")
                before.setdefault(key, (entrant.name, line_and_column(node)[0]))


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


def read_isolation(
    reader: Reader, entry: Entry | None, default: Isolation = Isolation.NONE
) -> Isolation:
    """The value of an entry `isolate`; an invalid one is reported."""
    if entry is None:
        return default
    isolation = isolation_of(reader.plain(entry.value))
    if isolation is None:
        reader.complain(
            entry.value, f"isolate must be {ISOLATE_VALUES}, not {node_text(entry.value)}"
        )
    return isolation or Isolation.NONE
