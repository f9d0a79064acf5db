"""Where the games of a folder of results are: in its own ledger, or in that of a comparison.

A comparison is played as several tournaments, its parts. Each has a folder, two levels below that
of the comparison, and a query in the comparison's ledger. Comparisons of earlier releases have a
ledger in the folder of each part: see `joined_ledgers`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.tournaments.ledger.ledger import LEDGER

_PARTS = "*-players/*"  # the folders of a comparison's parts, below its own


class LedgerPart(NamedTuple):
    """A ledger, and which part of a comparison it is read for; none for a run."""

    path: Path
    part: str = ""


def part_name(players: int, rules: str) -> str:
    """The name of a part of a comparison: the path of its folder, `rules` in that of `players`."""
    return f"{players}-players/{rules}"


def part_folders(folder: Path) -> Iterator[Path]:
    """The folders of the parts of the comparison in a folder, by name."""
    yield from sorted(path for path in folder.glob(_PARTS) if path.is_dir())


def part_ledgers(folder: Path) -> list[Path]:
    """The ledgers that parts of a comparison have in their own folders."""
    return [path / LEDGER for path in part_folders(folder) if (path / LEDGER).is_file()]


def ledger_part(folder: Path) -> LedgerPart:
    """Where the games of a folder are, if there are any."""
    own = LedgerPart(folder / LEDGER)
    above = folder if len(folder.parts) > 2 else folder.absolute()
    if own.path.is_file() or not above.match(_PARTS):
        return own
    shared = above.parent.parent / LEDGER
    return LedgerPart(shared, "/".join(above.parts[-2:])) if shared.is_file() else own
