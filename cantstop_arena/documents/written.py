"""How a report becomes a file: whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LONGEST_DRAFT = 40  # of a file's name in that of its draft, which must not be too long itself


def write_whole(path: Path, text: str) -> None:
    """Write a text file so that nobody ever finds half of it: UTF-8, lines end with LF.

    What is there and is no ordinary file, such as /dev/stdout, is written to and not replaced.
    """
    data = text.encode("utf-8", errors="backslashreplace")
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with draft_of(path) as draft:
        draft.write_bytes(data)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A file beside another, whose place it takes when it is whole; it goes where that fails."""
    draft = path.with_name(f".{path.name[:_LONGEST_DRAFT]}.{os.getpid()}")
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
