"""Files that appear whole or not at all, whoever else writes them, whenever the process ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MAX_DRAFT_LENGTH = 40  # of a file's name in that of its draft, which must not be too long itself


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file so that nobody ever finds half of it; text as UTF-8, lines end with LF.

    What is there and is no ordinary file, such as /dev/stdout, is written to and not replaced.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with draft_of(path) as draft:
        draft.write_bytes(data)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A file beside another, whose place it takes when it is whole; it goes where that fails."""
    draft = path.with_name(f"{_beginning(path)}{os.urandom(8).hex()}.{os.getpid()}")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        if error.filename:
            error.filename = str(path)  # nobody knows of the draft
        raise
    finally:
        with suppress(OSError):  # what went wrong is told already
            draft.unlink(missing_ok=True)


def remove_drafts(path: Path) -> None:
    """Delete what processes have left behind that were killed while they wrote this file."""
    for draft in path.parent.glob(f"{_beginning(path)}*"):
        try:
            os.kill(int(draft.suffix[1:]), 0)
        except ProcessLookupError:
            draft.unlink(missing_ok=True)
        except (ValueError, OverflowError, PermissionError):  # it is no draft, or being written
            continue


def _beginning(path: Path) -> str:
    return f".{path.name[:_MAX_DRAFT_LENGTH]}."
