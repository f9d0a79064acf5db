"""Protection of a ledger against bots whose games are recorded, as they could reach it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import LedgerError
from cantstop_arena.tournaments.ledger.ledger import damage_message
from cantstop_arena.tournaments.ledger.ledger_parts import ledger_part
from cantstop_arena.tournaments.ledger.open_ledger import locked_folder

_AT_ONCE = 1 << 20  # bytes that are compared at once
_MAX_BYTES = 1 << 28  # bytes that are remembered: a ledger of some hundred million games


@contextmanager
def protected_ledger(folder: Path) -> Iterator[None]:
    """Lock a ledger meanwhile, and restore it at the end if bots have changed it.

    A ledger of more than 256 MiB is not restored. Raises LedgerError.
    """
    path = ledger_part(folder).path
    with locked_folder(path.parent):
        before = _content(path)
        try:
            yield
        finally:
            if before is not None:
                _restore(path, before)


def _content(path: Path) -> bytes | None:
    """The content of a file that is not too large, else None."""
    with suppress(OSError):
        if path.is_file() and path.stat().st_size <= _MAX_BYTES:
            return path.read_bytes()
    return None


def _has(path: Path, content: bytes) -> bool:
    """Whether a file has this content, compared in parts to save memory."""
    if not path.is_file() or path.stat().st_size != len(content):
        return False
    with path.open("rb") as file:
        parts = iter(lambda: file.read(_AT_ONCE), b"")
        starts = range(0, len(content), _AT_ONCE)
        pairs = zip(starts, parts, strict=False)
        return all(part == content[start : start + _AT_ONCE] for start, part in pairs)


def _restore(path: Path, before: bytes) -> None:
    """Restore the ledger, and delete the files from which SQLite would add to it."""
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
