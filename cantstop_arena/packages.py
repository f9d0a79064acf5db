"""Entry points of installed packages; the files are not trusted, as anybody can write them.

`importlib.metadata` alone would wait for a pipe, fill the memory from a device, and leave a group
without a name unsaid. Its `EntryPoint` loads what is found here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from cantstop_arena.bounded_files import read_regular
from cantstop_arena.errors import BotError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_FILES = "*.*-info/entry_points.txt"
_Pairs: TypeAlias = "Sequence[tuple[str, str]]"
_MAX_SIZE = 1 << 20  # bytes of one entry_points.txt


def is_declared(group: str) -> bool:
    """Whether some package may declare entry points of a group, without parsing: quicker."""
    texts, malformed = _declarations()
    return any(group in text for _, text in texts) or bool(malformed)


def entry_points_of(group: str) -> tuple[list[EntryPoint], list[tuple[str, str]]]:
    """The entry points of a group, sorted by name, and (package, reason) of unreadable files."""
    points: list[EntryPoint] = []
    texts, unreadable = _declarations()
    malformed = list(unreadable)
    for package, text in texts:
        if group in text:
            try:
                points += _parsed_entry_points(text, group)
            except ValueError as error:
                malformed.append((package, _read_error(error)))
    return sorted(points, key=lambda point: point.name), malformed


def distribution_of(point: EntryPoint) -> str:
    """The name and the version of the distribution that declares an entry point, as "NAME VERSION".

    They are those of the folder of its metadata; empty if that has no version.
    """
    for package, text in _declarations()[0]:
        with suppress(ValueError):
            if point.group in text and point in _parsed_entry_points(text, point.group):
                name, _, remainder = package.rpartition(".")[0].partition("-")
                version = remainder.partition("-")[0]  # an .egg-info has that of Python, too
                return f"{re.sub(r'[-_.]+', '-', name).lower()} {version}" if version else ""
    return ""


def module_of(point: EntryPoint) -> str:
    """The dotted name of the module of an entry point."""
    return point.value.partition("[")[0].partition(":")[0].strip()


def load_entry_point(point: EntryPoint) -> Any:
    """The object that an entry point names.

    Raises BotError when the name is malformed, and whatever its import raises.
    """
    module, _, attributes = point.value.partition("[")[0].partition(":")  # without extras
    identifiers = [*module.split("."), *(attributes.split(".") if attributes else ())]
    if not all(word.strip().isidentifier() for word in identifiers):
        raise BotError(f"its entry point {point.value!r} names no module, nor module:object")
    return point.load()


def _parsed_entry_points(text: str, group: str) -> Iterator[EntryPoint]:
    """The entry points of a group in a file's text. Raises ValueError when it is malformed."""
    from configparser import ConfigParser, Error  # slow to import, as is importlib.metadata
    from importlib.metadata import EntryPoint

    parser = ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(" ".join(str(error).split())) from error
    if parser.has_section(group):
        yield from (EntryPoint(name, value, group) for name, value in parser.items(group))


def _declarations() -> tuple[_Pairs, _Pairs]:
    """(package, text of its entry_points.txt), the first of each name, and why others are unread.

    They are read again when a folder of the path has changed, as by an installation.
    """
    return _read_declarations(tuple((folder, _modified(folder)) for folder in sys.path))


def _modified(folder: str) -> int:
    """When a folder was last changed, in ns; 0 where there is none."""
    try:
        return Path(folder).stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


@lru_cache(maxsize=1)
def _read_declarations(folders: tuple[tuple[str, int], ...]) -> tuple[_Pairs, _Pairs]:
    texts: list[tuple[str, str]] = []
    malformed: list[tuple[str, str]] = []
    packages: set[str] = set()
    for file in (file for folder, _ in folders for file in Path(folder).glob(_FILES)):
        package = file.parent.name
        if (name := package.partition("-")[0].lower()) not in packages:
            packages.add(name)
            try:
                texts.append((package, read_regular(file, _MAX_SIZE).decode()))
            except (OSError, ValueError) as error:
                malformed.append((package, _read_error(error)))
    return texts, malformed


def _read_error(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or error
    return f"its entry_points.txt cannot be read: {reason}"
