"""A ledger kept as it is while bots play that could reach it: in the games that are recorded."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import LedgerError
from cantstop_arena.tournaments.ledger.ledger import LEDGER, damage_message
from cantstop_arena.tournaments.ledger.open_ledger import locked_folder

_AT_ONCE = 1 << 20  # bytes that are compared
_LARGEST = 1 << 28  # bytes that are remembered: a ledger of some hundred million games


@contextmanager
def protected_ledger(folder: Path) -> Iterator[None]:
    """Let nobody else write to a folder's ledger meanwhile, and undo what bots do to it.

    What stands in a ledger beyond some size is not remembered. Raises LedgerError.
    """
    path = folder / LEDGER
    with locked_folder(folder):
        before = _content(path)
        try:
            yield
        finally:
            if before is not None:
                _restore(path, before)


def _content(path: Path) -> bytes | None:
    """All of a file of sane size; None for any other."""
    with suppress(OSError):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            return path.read_bytes()
    return None


def _has(path: Path, content: bytes) -> bool:
    """Whether this is all that a file holds, without holding it twice in memory."""
    if not path.is_file() or path.stat().st_size != len(content):
        return False
    with path.open("rb") as file:
        parts = iter(lambda: file.read(_AT_ONCE), b"")
        starts = range(0, len(content), _AT_ONCE)
        pairs = zip(starts, parts, strict=False)
        return all(part == content[start : start + _AT_ONCE] for start, part in pairs)


def _restore(path: Path, before: bytes) -> None:
    """Let the ledger be what it was, without what SQLite would add to it from beside it."""
    try:
        for suffix in ("-wal", "-shm", "-journal"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        if path.is_symlink() or not _has(path, before):
            path.parent.mkdir(parents=True, exist_ok=True)
            with draft_of(path) as draft:
                draft.write_bytes(before)
    except OSError as error:
        raise LedgerError(
            damage_message(path, f"a bot has changed it: {error.strerror}")
        ) from error
