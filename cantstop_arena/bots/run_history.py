"""When runs played what: a line for each run of a folder that changed its query or played games."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from cantstop_arena import __version__
from cantstop_arena.atomic_files import open_unlinked
from cantstop_arena.bots.versions import short_digest

HISTORY = "history.jsonl"  # in a folder of results
# A bot may have put a pipe there, which would block.
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)


class RunEntry(msgspec.Struct, frozen=True):
    """A run: when it ended, which release played, for how many games of each group, and how many
    games it played; and the short digests of the bots' sources, by name."""

    when: datetime
    arena: str
    games: int
    played: int
    bots: Mapping[str, str]


def add_run(folder: Path, games: int, played: int, bots: Mapping[str, str]) -> None:
    """Add a line for a run that ends now, if it can be written; see `RunEntry`."""
    entry = {
        "when": datetime.now().astimezone().isoformat(timespec="seconds"),
        "arena": __version__,
        "games": games,
        "played": played,
        "bots": {name: short_digest(digest) for name, digest in bots.items()},
    }
    with suppress(OSError), os.fdopen(open_unlinked(folder / HISTORY, _APPEND), "ab") as file:
        file.write(f"{json.dumps(entry)}\n".encode())


def runs_in(folder: Path) -> Iterator[RunEntry]:
    """The runs of a folder, oldest first; lines that cannot be read are left out."""
    with suppress(OSError):
        for line in (folder / HISTORY).read_bytes().splitlines():
            with suppress(msgspec.DecodeError):
                yield msgspec.json.decode(line, type=RunEntry)
