"""Writing of files: atomically, through no planted links, to paths checked before the work."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EISDIR, ENOENT
from pathlib import Path

from cantstop_arena.errors import ArenaError, UsageError

_MAX_DRAFT_LENGTH = 40  # characters of a file's name in the name of its draft
_DRAFT = re.compile(r"\..*\.[0-9a-f]{16}\.([0-9]+)", re.DOTALL)  # with the process at its end


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that nobody can read a part of it; text as UTF-8, lines end with LF.

    A path that exists and is no ordinary file, such as /dev/stdout, is written to, not replaced.
    """
    data = _as_bytes(content)
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with draft_of(path) as draft:
        draft.write_bytes(data)


def write_result(folder: Path, name: str, content: str | bytes, mode: int = 0o666) -> Path:
    """Write a file of a folder of results atomically, and return its path.

    `name` may have folders, which are created. Raises UsageError where one of them is a link. A
    link, pipe or the like in the file's place is replaced, not followed. `mode` are the rights of
    the file from its beginning, as far as the umask allows.
    """
    path = folder / name
    create_below(folder, path.parent)
    with draft_of(path) as draft:
        draft.touch(mode, exist_ok=False)
        draft.write_bytes(_as_bytes(content))
    return path


def create_below(root: Path, folder: Path) -> None:
    """Create a folder of results that does not exist, and those between it and `root`.

    Raises UsageError where one of them is a link, ArenaError where one cannot be created.
    """
    try:
        root.mkdir(parents=True, exist_ok=True)
        for parent in (*reversed(folder.parents), folder):
            if root in parent.parents:
                refuse_link(parent)
                parent.mkdir(exist_ok=True)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be created: {error.strerror}") from error


def refuse_link(path: Path) -> None:
    """Raise UsageError if a path in a folder of results, where the arena makes none, is a link.

    Whoever can write there could have results written, or files deleted, anywhere else.
    """
    if path.is_symlink():
        raise UsageError(
            f"{path} is a link, and results are not written through links: remove it, then run the"
            " command again"
        )


def check_results_folder(folder: Path) -> None:
    """Raise UsageError when a folder of results, which need not exist yet, cannot be written to."""
    refuse_link(folder)
    check_output_folder(folder)


def open_unlinked(path: Path | str, flags: int) -> int:
    """Open a file, but none through a link; an `opener` for `open`. Raises OSError."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o644)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A draft beside a file, which it replaces at the end; it is deleted if that fails."""
    draft = _new_draft(path)
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename:
            error.filename = str(path)  # not the draft's, which the user has not named
        raise
    finally:
        with suppress(OSError):  # the first error is raised already
            draft.unlink(missing_ok=True)


def check_output_file(path: Path) -> None:
    """Raise UsageError when a file cannot be written to: call it before the work for the file."""
    with _reporting_output_error(path):
        if path.is_dir():
            raise IsADirectoryError(EISDIR, "it is a folder")
        if path.exists() and not path.is_file():  # such as /dev/stdout, which is not replaced
            if not os.access(path, os.W_OK):
                raise PermissionError(EACCES, os.strerror(EACCES))
        else:
            _check_creatable(path)


def check_output_folder(folder: Path) -> None:
    """Raise UsageError when files cannot be written into a folder, which need not exist yet."""
    with _reporting_output_error(folder):
        existing = folder
        while not existing.exists() and existing != existing.parent:
            existing = existing.parent
        _check_creatable(existing / "x")


def _check_creatable(path: Path) -> None:
    """Create a draft of a file, and delete it: no other test notices every kind of obstacle."""
    if not path.parent.exists():
        raise FileNotFoundError(ENOENT, f"there is no folder {path.parent}")
    draft = _new_draft(path)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    draft.unlink()


@contextmanager
def _reporting_output_error(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}. Choose another path."
        ) from error


def remove_drafts(path: Path) -> None:
    """Delete the drafts of this file that killed processes have left."""
    _remove_drafts(path.parent, _draft_prefix(path))


def remove_all_drafts(folder: Path) -> None:
    """Delete the drafts of all files in a folder, and in those in it, that killed processes left.

    Links are not followed.
    """
    for each in (folder, *(folder / name for name in _names_in(folder))):
        if not each.is_symlink():
            _remove_drafts(each, ".")


def _remove_drafts(folder: Path, prefix: str) -> None:
    """Delete what can be deleted; a folder that is missing or cannot be read has no drafts."""
    for name in _names_in(folder):
        if not name.startswith(prefix) or not (draft := _DRAFT.fullmatch(name)):
            continue
        try:
            os.kill(int(draft[1]), 0)
        except ProcessLookupError:
            with suppress(OSError):
                (folder / name).unlink()
        except (PermissionError, OverflowError):  # it is still being written, or is no draft
            continue


def _names_in(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _as_bytes(content: str | bytes) -> bytes:
    return content.encode(errors="backslashreplace") if isinstance(content, str) else content


def _new_draft(path: Path) -> Path:
    """A new name for a draft of a file."""
    return path.with_name(f"{_draft_prefix(path)}{os.urandom(8).hex()}.{os.getpid()}")


def _draft_prefix(path: Path) -> str:
    return f".{path.name[:_MAX_DRAFT_LENGTH]}."
