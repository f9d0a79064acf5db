"""Patterns of bots (`bots/*.py`, `rule28*`, `all`), and the entrants that they match.

A named bot must work; what a pattern matches and cannot use is left out, and reported.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_paths import (
    ENDINGS,
    FOLDER_FILE,
    bot_name,
    bot_path,
    file_in,
    is_bot_name,
    own_file,
    own_files_called,
    path_from,
    real_path,
)
from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.known_bot import (
    A_NAME,
    BotAddress,
    BotDescription,
    is_printed_well,
)
from cantstop_arena.bots.loader import only_bot
from cantstop_arena.bounded_files import paths_matching
from cantstop_arena.deals.outcomes import LeftOut
from cantstop_arena.errors import BotError, OtherGameError
from cantstop_arena.texts import in_a_line, listed, look_key
from cantstop_arena.tournaments.file.entrants import ALL, Entrant

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue


def is_pattern(reference: str, folder: Path, catalogue: Catalogue) -> bool:
    """Whether it is a pattern, not the name of a bot or its path from `folder`."""
    if reference == ALL:
        return True
    if not (glob.has_magic(reference) and reference.isprintable()):
        return False
    if is_bot_name(reference):
        return not (catalogue.has(reference) or file_in(catalogue.folder, reference))
    return own_file(folder / reference) is None


searched_globs: dict[str, None] = {}
"""Where patterns were looked for in this process: globs of absolute paths, in order."""


class Match(NamedTuple):
    """A bot that a pattern matches: the name under which it would play, and where it is.

    `label` is what messages call it. Without a `path` it is found by its name.
    """

    name: str
    label: str
    path: Path | None = None

    @property
    def order(self) -> tuple[str, str]:
        """The key by which the bots of a pattern are sorted."""
        return self.name.casefold(), self.name


class Matcher:
    """Finds what patterns match: files from `folder`, and names in the catalogue.

    No file is opened, but those that may register bots under other names than their own. What
    `exclude` says, names and patterns, is left out.
    """

    def __init__(self, folder: Path, catalogue: Catalogue, exclude: Sequence[str] = ()) -> None:
        self._folder = folder
        self._catalogue = catalogue
        self._files: dict[str, list[Path]] = {}  # by pattern: a search can take seconds
        self._excluded_names = [text for text in exclude if is_bot_name(text)]
        self._excluded_files = {
            real_path(file)
            for text in exclude
            if not is_bot_name(text)
            for file in (*_files(text, folder), own_file(folder / text))
            if file
        }

    def matches(self, pattern: str) -> list[Match]:
        """What a pattern matches, in the order in which it plays."""
        searched_globs.update(dict.fromkeys(self._globs(pattern)))
        if pattern == ALL:
            packaged = [Match(name, name) for name in self._catalogue.packaged_names]
            matches = [*map(self._match_in_folder, self._catalogue.files), *packaged]
        elif is_bot_name(pattern):
            names = (name for name in self._catalogue.names if fnmatchcase(name, pattern))
            matches = [Match(name, name) for name in names]
        else:
            matches = self._matching_files(pattern)
        return sorted(filter(self._is_included, matches), key=lambda match: match.order)

    def matches_anything(self, pattern: str) -> bool:
        """Whether a pattern matches a bot, though it may be excluded."""
        matcher = Matcher(self._folder, self._catalogue)
        matcher._files = self._files
        return bool(matcher.matches(pattern))

    def is_name_excluded(self, name: str) -> bool:
        """Whether bots of this name are excluded."""
        return any(fnmatchcase(name, text) for text in self._excluded_names)

    def _is_included(self, match: Match) -> bool:
        if match.path and real_path(match.path) in self._excluded_files:
            return False
        return not self.is_name_excluded(match.name)

    def _may_play(self, pattern: str) -> Callable[[Path], bool]:
        """Whether a file may play: not a copy that a run has stored, unless the pattern says so."""
        results = self._catalogue.results.resolve()
        fixed = takewhile(lambda part: not glob.has_magic(part), PurePath(pattern).parts)
        is_there = self._folder.joinpath(*fixed).resolve().is_relative_to(results)
        return lambda file: is_there or not file.resolve().is_relative_to(results)

    def _globs(self, pattern: str) -> list[str]:
        """The globs of the files in which a bot of this pattern can appear."""
        if pattern != ALL and not is_bot_name(pattern):
            return [str(self._folder.absolute() / pattern)]
        folder = self._catalogue.folder.absolute()
        return [str(folder / name) for name in own_files_called("*")]

    def _match_in_folder(self, path: Path) -> Match:
        return Match(bot_name(path), path_from(self._folder, bot_path(path)), path)

    def _matching_files(self, pattern: str) -> list[Match]:
        """The files of a pattern; those that are excluded do not change the names of others."""
        level = _fixed_parts(pattern)
        matches = []
        if pattern not in self._files:
            self._files[pattern] = [*_files(pattern, self._folder)]
        for file in filter(self._may_play(pattern), self._files[pattern]):
            label = os.path.relpath(bot_path(file), self._folder)  # links are not followed
            parts = _parts(label)
            matches.append(Match(parts[max(-1 - level, -len(parts))], label, file))
        return _with_unique_names([*filter(self._is_included, matches)], level)


def _files(pattern: str, folder: Path) -> Iterator[Path]:
    """The own files of the bots that match a pattern of paths.

    As in lists of bots, names that begin with _ or a dot match only a pattern that says so.
    """
    last = PurePath(pattern).name
    # Path.glob refuses absolute patterns, and matches hidden files.
    for text in paths_matching(pattern, folder):
        path = folder / text
        is_hidden = path.name[:1] in ("_", ".") and not last.startswith(path.name[0])
        if is_hidden:
            continue
        if path.suffix in ENDINGS and not path.is_dir():
            yield path
        elif not last.endswith(ENDINGS) and (path / FOLDER_FILE).is_file():
            yield path / FOLDER_FILE


def _fixed_parts(pattern: str) -> int:
    """The number of parts of a path after the last that differs from match to match."""
    path = PurePath(pattern)
    parts = (path.parent if path.name == FOLDER_FILE else path).parts
    wild = [number for number, part in enumerate(parts) if glob.has_magic(part)]
    return len(parts) - 1 - max(wild, default=len(parts) - 1)


def _parts(label: str) -> tuple[str, ...]:
    """The folders on the way to a bot, and its name."""
    path = PurePath(label)
    name = path.stem if path.suffix in ENDINGS else path.name
    return (*path.parent.parts, name)


def _with_unique_names(matches: Sequence[Match], level: int) -> list[Match]:
    """The files of a pattern; those of one name are called by folders that differ, or paths."""
    named = [
        renamed
        for namesakes in _by_name(matches)
        for renamed in (namesakes if len(namesakes) == 1 else _by_folder(namesakes, level + 1))
    ]
    return [
        match if len(namesakes) == 1 else match._replace(name="/".join(_parts(match.label)))
        for namesakes in _by_name(named)
        for match in namesakes
    ]


def _by_name(matches: Iterable[Match]) -> Iterable[list[Match]]:
    by_name: dict[str, list[Match]] = {}
    for match in matches:
        by_name.setdefault(match.name, []).append(match)
    return by_name.values()


def _by_folder(matches: Sequence[Match], level: int) -> list[Match]:
    """Files of one name, called by the first folders above a level that differ, if any do."""
    paths = [_parts(match.label) for match in matches]
    for above in range(level, min(map(len, paths))):
        names = [path[-1 - above] for path in paths]
        if len({*names}) == len(names):
            return [match._replace(name=name) for match, name in zip(matches, names, strict=True)]
    return [*matches]


MAX_REASON_LENGTH = 500
_STRENGTH = (Isolation.SANDBOX, Isolation.SANDBOX_IF_ANY, Isolation.PROCESSES, Isolation.NONE)


class Field(NamedTuple):
    """The entrants of a tournament, what patterns leave out, and sentences for the user."""

    entrants: tuple[Entrant, ...]
    left_out: tuple[LeftOut, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def messages(self) -> Sequence[str]:
        """Sentences for the user: which bots are left out, and which patterns match nothing."""
        return [*(left_out.text for left_out in self.left_out), *self.notices]


class WithField(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament or a comparison: the bots that play, and what is known about its patterns.

    `left_out` are bots that a pattern matches, and that cannot play; `notices` are sentences for
    the user.
    """

    entrants: tuple[Entrant, ...]
    left_out: tuple[LeftOut, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def messages(self) -> Sequence[str]:
        """Sentences for the user: which bots are left out, and which patterns match nothing."""
        return Field(self.entrants, self.left_out, self.notices).messages

    def with_field(self, field: Field) -> Self:
        """A copy with another field."""
        left_out = (*self.left_out, *field.left_out)
        return replace(self, entrants=field.entrants, left_out=left_out, notices=field.notices)


Refusal: TypeAlias = Callable[[BotAddress], str | None]
"""Returns why a built-in bot or a net cannot play under the rules; None if it can."""


class Pattern(NamedTuple):
    """A pattern, how its bots are isolated, and how foreign ones are at least."""

    text: str
    isolate: Isolation = Isolation.NONE
    foreign: Isolation = Isolation.NONE

    @property
    def foreign_isolation(self) -> Isolation:
        """How its bots from files and packages are isolated."""
        is_open = self.foreign and self.isolate is not Isolation.SANDBOX
        return self.foreign if is_open else self.isolate

    def isolation_of(self, bot: BotDescription) -> Isolation:
        """How a bot is isolated that the pattern matches."""
        return self.foreign_isolation if bot.origin.is_foreign else self.isolate


def pattern_takes(key: str) -> str:
    """The message about a pattern with another key than `isolate`."""
    return f"a pattern takes isolate only, not {key!r}; list the bots that need it by name"


def all_refusal(catalogue: Catalogue, folder: Path) -> str:
    """The message about a bot of the name that means all bots; empty if there is none."""
    own = next((path for path in catalogue.files if bot_name(path) == ALL), None)
    if own is None:
        return ""
    means = f"{ALL!r} means every bot of {catalogue.folder}/"
    return f"{means}; for the bot of that name write {path_from(folder, bot_path(own))}"


def is_excluded_text(text: str, where: str) -> str:
    """The message about a bot that is excluded, and named as well."""
    return f"{text} is excluded, but {where} it; leave out one of the two"


def excludes(text: str, folder: Path, reference: str, entrants: Sequence[Entrant]) -> bool:
    """Whether a name or a path in `exclude` is that of entrants which have this reference."""
    file = None if is_bot_name(text) else own_file(folder / text)
    path = file and real_path(file)
    return text == reference or any(
        text == entrant.name or (path is not None and path == entrant.bot.path)
        for entrant in entrants
    )


class PatternReader:
    """Makes entrants of patterns; `left_out` has what they match that cannot play.

    A bot that several patterns match plays as the one says that isolates it most, else the first.
    `hidden` are paths that the sandbox does not show.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        folder: Path,
        exclude: Sequence[str] = (),
        hidden: Sequence[Path] = (),
        refusal: Refusal = lambda bot: None,
    ) -> None:
        self.matcher = Matcher(folder, catalogue, exclude)
        self.left_out: list[LeftOut] = []
        self._catalogue = catalogue
        self._hidden = hidden
        self._refusal = refusal

    def describe_isolated(self, patterns: Sequence[Pattern]) -> None:
        """Describe the bots of isolated patterns, before a file of theirs is opened as plain."""
        for pattern in patterns:
            if pattern.foreign_isolation is Isolation.SANDBOX:
                for match in self.matcher.matches(pattern.text):
                    with suppress(BotError):  # reported when the pattern is read
                        self._bots(match, pattern)

    def read(
        self, patterns: Sequence[Pattern], named: Sequence[Entrant]
    ) -> list[Sequence[Entrant]]:
        """The entrants of each pattern, beside those that are `named`."""
        order = sorted(
            range(len(patterns)),
            key=lambda number: _STRENGTH.index(patterns[number].foreign_isolation),
        )
        playing = _Playing(named)
        entrants = {number: [*self._entrants(patterns[number], playing)] for number in order}
        return [entrants[number] for number in range(len(patterns))]

    def notice(self, pattern: Pattern) -> str:
        """The sentence about a pattern that matches nothing; empty if it matches something."""
        if self.matcher.matches_anything(pattern.text):
            return ""
        return f"{pattern.text} matches no bot yet."

    def _entrants(self, pattern: Pattern, playing: _Playing) -> Iterator[Entrant]:
        if pattern.text == ALL:
            for package in self._catalogue.broken_packages:
                self._leave_out(package.name, package.reason)
        matches = self.matcher.matches(pattern.text)
        matches = [match for match in matches if match.path not in playing.files]
        files = (match.path for match in matches if match.path)
        self._isolating(pattern).describe(files)
        for match in matches:
            try:
                bots = self._bots(match, pattern)
            except BotError as error:
                self._leave_out(match.label, _reason(error, match, self._catalogue.game.name))
                continue
            for bot in bots:
                name = match.name if len(bots) == 1 else bot.name
                if _key(bot) in playing.bots or self.matcher.is_name_excluded(bot.name):
                    continue
                if why := self._problem(bot, name, pattern, playing):
                    self._leave_out(match.label, why)
                    continue
                entrant = Entrant(name, bot, bot.defaults, pattern.isolation_of(bot))
                playing.add(entrant)
                yield entrant

    def _bots(self, match: Match, pattern: Pattern) -> Sequence[BotDescription]:
        """The bots of a match, described as they are isolated. Raises BotError.

        Only in the folder of bots a file may hold several, as others cannot be named one by one.
        """
        if match.path is None:
            bot = self._isolating(pattern).find(match.name)
            return [bot]
        bots = self._isolating(pattern).bots_of(match.path)
        is_in_folder = real_path(match.path) in self._catalogue.files
        return bots if bots and is_in_folder else [only_bot(bots, match.path)]

    def _isolating(self, pattern: Pattern) -> Catalogue:
        return self._catalogue.isolated(pattern.foreign_isolation, (), self._hidden)

    def _problem(self, bot: BotDescription, name: str, pattern: Pattern, playing: _Playing) -> str:
        """Why a bot of a pattern cannot play; empty if it can."""
        if bot.complaint:
            return bot.complaint
        if why := self._refusal(bot.address):
            return f"it cannot play: {why}"
        if not is_printed_well(name):
            return f"its name {A_NAME}"
        if pattern.text == ALL and bot.path and self._catalogue.has(name):
            return self._catalogue.name_conflict(name)
        return f"the name {name} is taken" if look_key(name) in playing.names else ""

    def _leave_out(self, label: str, reason: str) -> None:
        left_out = LeftOut(in_a_line(label), in_a_line(reason, MAX_REASON_LENGTH).rstrip("."))
        if left_out not in self.left_out:
            self.left_out.append(left_out)


class _Playing:
    """The names, the bots and the files that play already."""

    def __init__(self, entrants: Sequence[Entrant]) -> None:
        self.names: set[str] = set()  # by look_key
        self.bots: set[tuple[object, ...]] = set()
        self.files = {Path(word) for entrant in entrants for word in entrant.command}
        for entrant in entrants:
            self.add(entrant)

    def add(self, entrant: Entrant) -> None:
        """Add an entrant."""
        self.names.add(look_key(entrant.name))
        self.bots.add(_key(entrant.bot))


def _key(bot: BotDescription) -> tuple[object, ...]:
    """What tells bots apart, whatever their names in a tournament."""
    return bot.path, bot.name


def _reason(error: BotError, match: Match, game: str) -> str:
    """Why a bot cannot be used, without the path of its file on this machine."""
    if isinstance(error, OtherGameError):
        return f"it plays {listed(error.games)}, not {game}"
    text = str(error).partition("\n")[0]
    if match.path:
        for path in (real_path(match.path), bot_path(real_path(match.path))):
            text = text.replace(str(path), match.label)
    return text.removeprefix(f"{match.label} ")
