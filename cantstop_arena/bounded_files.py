"""Files that somebody names: only regular ones are opened, and reading and searching have limits.

A path may lead to a pipe, which waits for a writer, to a device, which never ends or changes when
it is opened, or to a folder with the whole machine below it.
"""

import errno
import glob
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import NoReturn

from cantstop_arena.errors import BotError

MAX_FILES = 10_000
"""Files that one pattern or folder may have."""
MAX_SEARCH_SECONDS = 5.0
"""Seconds in which they are to be found."""
MAX_SOURCE_BYTES = 1 << 24
"""Bytes of a bot's file and the files that it imports, together."""
MAX_DIGEST_BYTES = 1 << 32
"""Bytes of a file whose digest is computed."""
_CHUNK = 1 << 20  # bytes


def read_regular(path: str | Path, max_bytes: int) -> bytes:
    """The content of a regular file of at most so many bytes. Raises OSError for any other."""
    return b"".join(_chunks(path, max_bytes))


def digest_of_file(path: str | Path) -> str:
    """The SHA-256 of a regular file's content, in hex digits; empty when it cannot be read.

    Raises BotError when it is larger than MAX_DIGEST_BYTES.
    """
    import hashlib  # with OpenSSL; every command imports this module, few of them digest

    digest = hashlib.sha256()
    try:
        for chunk in _chunks(path, MAX_DIGEST_BYTES):
            digest.update(chunk)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise BotError(f"{path} cannot be used: {error.strerror}") from error
        return ""
    return digest.hexdigest()


def digest_of_path(path: Path) -> str:
    """The SHA-256 digest of a file, or of all files in a folder with their names.

    Raises BotError when they are too many or too large.
    """
    import hashlib

    if not path.is_dir():
        return digest_of_file(path)
    files = sorted(file for file in files_below(path) if file.is_file())
    lines = (f"{file.relative_to(path).as_posix()}\0{digest_of_file(file)}" for file in files)
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _chunks(path: str | Path, max_bytes: int) -> Iterator[bytes]:
    """The content of a regular file in chunks. Raises OSError for any other, and for a larger one.

    The kind is looked at before and after opening: opening alone can change a device, and without
    O_NONBLOCK opening a named pipe would wait for a writer.
    """
    try:
        _check(Path(path).stat(), max_bytes)
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except ValueError as error:  # a null character
        raise OSError(errno.EINVAL, str(error)) from error
    try:
        _check(os.fstat(descriptor), max_bytes)
        size = 0
        while chunk := os.read(descriptor, _CHUNK):
            size += len(chunk)
            if size > max_bytes:
                raise _too_large(max_bytes)
            yield chunk
    finally:
        os.close(descriptor)


def _check(status: os.stat_result, max_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if status.st_size > max_bytes:
        raise _too_large(max_bytes)


def _too_large(max_bytes: int) -> OSError:
    return OSError(errno.EFBIG, f"it is larger than {max_bytes >> 20:,} MiB")


# --- Searching ------------------------------------------------------------------------------------


class _FileSearch:
    """A search for files, which raises BotError at its limits."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._end = time.monotonic() + MAX_SEARCH_SECONDS

    def entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What is in a folder; nothing if it cannot be listed."""
        entries: list[os.DirEntry[str]] = []
        with suppress(OSError, ValueError), os.scandir(folder) as scan:
            for entry in scan:
                if time.monotonic() > self._end:
                    self._refuse(f"searching it takes longer than {MAX_SEARCH_SECONDS:g} s")
                entries.append(entry)
        return entries

    def below(self, top: str, as_glob: bool) -> Iterator[os.DirEntry[str]]:
        """What is in a folder and those below it; `as_glob` without what is hidden, but by links.

        Not by recursion: a path can have 2,000 parts.
        """
        folders = [top]
        while folders:
            for entry in self.entries(folders.pop()):
                if entry.name[0] != "." or not as_glob:
                    yield entry
                    if _is_folder(entry, links=as_glob):
                        folders.append(entry.path)

    def matches(self, base: str, parts: Sequence[str]) -> Iterator[str]:
        """The paths below `base`, which ends with /, that match parts of a pattern."""
        part, *rest = parts
        entries: Iterable[os.DirEntry[str]] = ()
        if part == "**":
            yield from self.matches(base, rest) if rest else (base,)
            entries = self.below(base, as_glob=True)
        elif glob.has_magic(part):
            visible = (each for each in self.entries(base) if each.name[0] != "." or part[0] == ".")
            entries = (each for each in visible if fnmatch(each.name, part))
        elif os.path.lexists(path := f"{base}{part}"):
            yield from self.matches(f"{path}/", rest) if rest else (path,)
        for entry in entries:
            if not rest:
                yield entry.path
            elif _is_folder(entry):
                yield from self.matches(f"{entry.path}/", rest)

    def limited(self, paths: Iterable[str]) -> Iterator[str]:
        """The paths, as many as there may be."""
        for count, path in enumerate(paths):
            if count == MAX_FILES:
                self._refuse(f"it has more than {MAX_FILES:,} files")
            yield path

    def _refuse(self, reason: str) -> NoReturn:
        raise BotError(f"{self._what} cannot be used: {reason}; name a smaller folder")


def _is_folder(entry: os.DirEntry[str], links: bool = True) -> bool:
    try:
        return entry.is_dir(follow_symlinks=links)
    except OSError:  # a link to itself
        return False


def files_below(folder: Path) -> Iterator[Path]:
    """What is in a folder and those below it, but folders; links to folders are not followed.

    Raises BotError when there is too much.
    """
    search = _FileSearch(str(folder))
    entries = search.below(str(folder), as_glob=False)
    return map(Path, search.limited(entry.path for entry in entries if not _is_folder(entry)))


def paths_matching(pattern: str, folder: Path = Path()) -> list[str]:
    """What `glob.glob(pattern, root_dir=folder, recursive=True)` finds, sorted, each path once.

    Raises BotError when there is too much, or it takes too long.
    """
    top = "/" if pattern.startswith("/") else f"{folder}/"
    search = _FileSearch(pattern)
    paths = search.limited(search.matches(top, re.split("/+", pattern.lstrip("/"))))
    start = 0 if top == "/" else len(top)
    return sorted({path[start:] for path in paths} - {""})
