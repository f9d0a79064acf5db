"""What installed packages declare: entry points, read with care, as anybody can write them."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantstop_arena.errors import BotError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_DECLARATIONS = "*.*-info/entry_points.txt"
_LARGEST = 1 << 20  # bytes of declarations


def is_declared(group: str) -> bool:
    """Whether some package may declare entry points of a group: quicker than reading them."""
    return any(group in text for _, text in _readable([]))


def entry_points_of(group: str) -> tuple[list[EntryPoint], list[tuple[str, str]]]:
    """The entry points of a group, by name, and the packages that cannot be asked, and why."""
    matches: list[EntryPoint] = []
    malformed: list[tuple[str, str]] = []
    for package, text in _readable(malformed):
        if group in text:
            try:
                matches += _points(text, group)
            except ValueError as error:
                malformed.append((package, _unreadable(error)))
    return sorted(matches, key=lambda point: point.name), malformed


def load_entry_point(point: EntryPoint) -> Any:
    """What an entry point names. Raises BotError where it names nothing, or what its code does."""
    module, _, names = point.value.partition("[")[0].partition(":")  # without extras
    arguments = [*module.split("."), *(names.split(".") if names else ())]
    if not all(word.strip().isidentifier() for word in arguments):
        raise BotError(f"its entry point {point.value!r} names no module, nor module:object")
    return point.load()


def _points(text: str, group: str) -> Iterator[EntryPoint]:
    """The entry points of a group. Raises ValueError where the text is not what it should be."""
    from configparser import ConfigParser, Error  # they and metadata bring much with them
    from importlib.metadata import EntryPoint

    parser = ConfigParser(delimiters=("=",), interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except Error as error:
        raise ValueError(" ".join(str(error).split())) from error
    if parser.has_section(group):
        yield from (EntryPoint(name, value, group) for name, value in parser.items(group))


def _readable(malformed: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What packages declare, the first of each name; those that cannot be read are noted."""
    names: set[str] = set()
    for file in (file for folder in sys.path for file in Path(folder).glob(_DECLARATIONS)):
        package = file.parent.name
        if (name := package.partition("-")[0].lower()) not in names:
            names.add(name)
            try:
                yield package, _read(file)
            except (OSError, ValueError) as error:
                malformed.append((package, _unreadable(error)))


def _unreadable(error: Exception) -> str:
    reason = getattr(error, "strerror", None) or error
    return f"its entry_points.txt cannot be read: {reason}"


def _read(path: Path) -> str:
    """A text of sane size. Raises OSError or ValueError."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise ValueError("it is no regular file")
        content = os.read(file, _LARGEST + 1)
    finally:
        os.close(file)
    if len(content) > _LARGEST:
        raise ValueError(f"it is larger than {_LARGEST >> 20} MiB")
    return content.decode()
