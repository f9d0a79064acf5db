"""The bots that `arena bots compile` writes: of which bot, at which version, each is a copy."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.bots.bot_files import BotSource, digest_of_texts
from cantstop_arena.bots.bot_paths import FOLDER_FILE, bot_name, bot_path, is_in_folder
from cantstop_arena.bots.versions import short_digest, version_name
from cantstop_arena.errors import BotError

_SUFFIX = "_compiled"
_MARK = re.compile(
    rb"# Compiled from (?P<version>.+@[0-9a-f]{7}) by `arena bots compile`,"
    rb" which renews this (file|folder) until it is edited \((?P<texts>[0-9a-f]{7})\)\.\n"
)


class CompiledCopy(NamedTuple):
    """A compiled copy: the plain version, its texts by path, and whether these are edited."""

    version: str  # as in `patient@08df1c2`
    texts: Mapping[Path, bytes]
    is_edited: bool


def path_of_copy(plain: Path) -> Path:
    """The path of the own file of the compiled copy of a plain bot with this own file."""
    return _with_bot_name(plain, f"{bot_name(plain)}{_SUFFIX}")


def texts_of_copy(plain: Path, texts: Mapping[str, bytes], compiled: str) -> dict[Path, bytes]:
    """The texts of a compiled copy, by path.

    `texts` are those of the plain bot, by path relative to the folder that holds it, and `compiled`
    is its own file's compiled text. A first line says from what it was compiled.
    """
    path = path_of_copy(plain)
    folder, plain_folder = bot_path(path).parent, bot_path(plain).parent
    own_name = path.relative_to(folder).as_posix()
    copied = {own_name: compiled.encode()}
    for name, text in texts.items():
        if plain_folder / name != plain and is_in_folder(plain):
            copied[f"{bot_name(path)}/{name.partition('/')[2]}"] = text
    kind = "folder" if is_in_folder(plain) else "file"
    mark = (
        f"# Compiled from {_version_of(plain, texts)} by `arena bots compile`, which renews this"
        f" {kind} until it is edited ({short_digest(digest_of_texts(copied))}).\n"
    )
    copied[own_name] = mark.encode() + copied[own_name]
    return {folder / name: text for name, text in copied.items()}


def read_copy(path: Path) -> CompiledCopy | None:
    """What the compiled copy with this own file says of itself; None for any other bot, or none."""
    try:
        texts = BotSource.at(path).texts()
    except BotError:
        return None
    folder = bot_path(path).parent
    own_name = path.relative_to(folder).as_posix()
    match = _MARK.match(texts[own_name])
    if match is None:
        return None
    unmarked = {**texts, own_name: texts[own_name][match.end() :]}
    return CompiledCopy(
        match["version"].decode("utf-8", "replace"),
        {folder / name: text for name, text in texts.items()},
        is_edited=not digest_of_texts(unmarked).startswith(match["texts"].decode()),
    )


def outdated_text(path: Path | None) -> str:
    """A sentence if a bot was compiled from an earlier version of another; empty if not."""
    if path is None or not (name := bot_name(path)).endswith(_SUFFIX):
        return ""
    if not (copy := read_copy(path)):
        return ""
    plain_name = name.removesuffix(_SUFFIX)
    plain = _with_bot_name(path, plain_name)
    try:
        version = _version_of(plain, BotSource.at(plain).texts())
    except BotError:
        return ""  # its file is gone
    if version == copy.version:
        return ""
    command = compile_command(plain_name)
    return f"{name} was compiled from an earlier {plain_name} ({copy.version}): {command}"


def compile_command(name: str) -> str:
    """The command that compiles the bot of this name."""
    return f"arena bots compile {shlex.quote(name)}"


def _with_bot_name(file: Path, name: str) -> Path:
    """The own file of the bot of this name beside another bot, a file or a folder like that."""
    if is_in_folder(file):
        return file.parent.with_name(name) / FOLDER_FILE
    return file.with_name(f"{name}.py")


def _version_of(plain: Path, texts: Mapping[str, bytes]) -> str:
    return version_name(bot_name(plain), digest_of_texts(texts))
