"""The files that `arena bots compile` writes: of which file, at which version, each is a copy."""

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.bots.bot_files import read_source
from cantstop_arena.bots.versions import version_name
from cantstop_arena.errors import BotError

_SUFFIX = "_compiled"
_MARK = re.compile(
    rb"# Compiled from (?P<version>.+@[0-9a-f]{7}) by `arena bots compile`,"
    rb" which renews this file until it is edited \((?P<text>[0-9a-f]{7})\)\.\n"
)


class CompiledCopy(NamedTuple):
    """What the first line of a compiled copy says: the plain version, and whether it is edited."""

    version: str  # as in `patient@08df1c2`
    is_edited: bool


def path_of_copy(plain: Path) -> Path:
    """The path of the compiled copy of a plain bot's file."""
    return plain.with_name(f"{plain.stem}{_SUFFIX}.py")


def marked_text(text: str, plain: Path, source: bytes) -> str:
    """The text of a compiled copy, with a first line that says from what it was compiled."""
    version, digest = _version_of(plain, source), _digest(text.encode())
    note = "which renews this file until it is edited"
    return f"# Compiled from {version} by `arena bots compile`, {note} ({digest[:7]}).\n{text}"


def read_copy(path: Path) -> CompiledCopy | None:
    """What a compiled copy says of itself; None for any other file, or none."""
    try:
        text = read_source(path)
    except BotError:
        return None
    match = _MARK.match(text)
    if match is None:
        return None
    is_edited = not _digest(text[match.end() :]).startswith(match["text"].decode())
    return CompiledCopy(match["version"].decode("utf-8", "replace"), is_edited)


def outdated_text(path: Path | None) -> str:
    """A sentence if a file was compiled from an earlier version of its bot; empty if not."""
    if path is None or not path.stem.endswith(_SUFFIX) or not (copy := read_copy(path)):
        return ""
    plain = path.with_name(f"{path.stem.removesuffix(_SUFFIX)}.py")
    try:
        version = _version_of(plain, read_source(plain))
    except BotError:
        return ""  # its file is gone
    if version == copy.version:
        return ""
    command = f"arena bots compile {plain.stem}"
    return f"{path.stem} was compiled from an earlier {plain.stem} ({copy.version}): {command}"


def _version_of(plain: Path, source: bytes) -> str:
    return version_name(plain.stem, _digest(source))


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
