"""Atomic writing of files, whoever else writes them and whenever the process ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MAX_DRAFT_LENGTH = 40  # characters of a file's name in the name of its draft


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that nobody can read a part of it; text as UTF-8, lines end with LF.

    A path that exists and is no ordinary file, such as /dev/stdout, is written to, not replaced.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with draft_of(path) as draft:
        draft.write_bytes(data)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A draft beside a file, which it replaces at the end; it is deleted if that fails."""
    draft = path.with_name(f"{_draft_prefix(path)}{os.urandom(8).hex()}.{os.getpid()}")
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


def remove_drafts(path: Path) -> None:
    """Delete the drafts of this file that killed processes have left."""
    for draft in path.parent.glob(f"{_draft_prefix(path)}*"):
        try:
            os.kill(int(draft.suffix[1:]), 0)
        except ProcessLookupError:
            draft.unlink(missing_ok=True)
        except (ValueError, OverflowError, PermissionError):  # no draft, or still being written
            continue


def _draft_prefix(path: Path) -> str:
    return f".{path.name[:_MAX_DRAFT_LENGTH]}."
