"""Patterns of bots: `bots/*.py`, `submissions/*/bot.py`, `rule28*`, `all`; what they match."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from cantstop_arena.bots.bot_paths import (
    ENDINGS,
    FOLDER_FILE,
    bot_name,
    bot_path,
    file_in,
    is_bot_name,
    own_file,
    path_from,
    real_path,
)

if TYPE_CHECKING:
    from cantstop_arena.bots.catalogue import Catalogue

ALL = "all"


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
        return bool(Matcher(self._folder, self._catalogue).matches(pattern))

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
        return [str(folder / name) for name in ("*.py", f"*/{FOLDER_FILE}")]

    def _match_in_folder(self, path: Path) -> Match:
        return Match(bot_name(path), path_from(self._folder, bot_path(path)), path)

    def _matching_files(self, pattern: str) -> list[Match]:
        """The files of a pattern; those that are excluded do not change the names of others."""
        level = _fixed_parts(pattern)
        matches = []
        for file in filter(self._may_play(pattern), _files(pattern, self._folder)):
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
    for text in sorted(glob.glob(pattern, root_dir=folder, recursive=True)):  # noqa: PTH207
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
