"""Earlier versions of bots: the copies of their files that runs store, by digest; and when runs
played them: a line for each run of a folder that changed its query or played games."""

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from cantstop_arena import __version__
from cantstop_arena.atomic_files import open_unlinked
from cantstop_arena.bots.bot_paths import bot_name, bot_path, own_files_called
from cantstop_arena.errors import BotError

PREVIOUS = "previous"
DIGEST_LENGTH = 7  # digits of a short digest
_MAX_LISTED = 7  # versions in a message
_REFERENCE = re.compile(rf"(.+)@({PREVIOUS}|[0-9a-f]{{4,64}})")
_DIGEST = re.compile("[0-9a-f]{64}")
_RUN_PATTERNS = ("*", "*/*/*")  # below the results: runs, and runs of comparisons


class VersionReference(NamedTuple):
    """A reference to a version of a bot: `previous`, or the first digits of a digest."""

    bot: str
    version: str


def version_in(reference: str) -> VersionReference | None:
    """The version in a reference like `patient@previous` or `patient@08df1c2`; None if none."""
    match = _REFERENCE.fullmatch(reference)
    return VersionReference(*match.groups()) if match else None


def is_digest(name: str) -> bool:
    """Whether a folder with this name holds the copies of one version's files."""
    return bool(_DIGEST.fullmatch(name))


def short_digest(digest: str) -> str:
    """The first digits of a digest, by which people know a version."""
    return digest[:DIGEST_LENGTH]


def version_name(bot: str, digest: str) -> str:
    """The name of a version: the bot's name and the first digits of its digest."""
    return f"{bot}@{short_digest(digest)}"


def displayed_path(path: str) -> str:
    """The path of a bot's file as messages have it; a stored version by its name, wherever its
    copy lies."""
    file = bot_path(Path(path))
    return version_name(file.stem, file.parent.name) if is_digest(file.parent.name) else path


class StoredVersion(NamedTuple):
    """A version of which runs store copies: its digest, when it first played, and the copies.

    A copy is the path of the bot's own file, be it of a file or of a folder.
    """

    digest: str
    time: datetime
    copies: tuple[Path, ...]

    @property
    def runs(self) -> tuple[Path, ...]:
        """The results folders of the runs that stored it, in the order of their copies."""
        return tuple(bot_path(copy).parents[2] for copy in self.copies)


def stored_versions(results: Path, name: str, arrivals: Sequence[str] = ()) -> list[StoredVersion]:
    """The stored versions of a bot below a folder of results, newest first.

    A version is as old as the first run that played it: to replay an old one makes it no newer.
    `arrivals` are digests in the order in which they came to the results at hand; other versions
    are older than these. Among each other they are ordered by when a run first noted or stored
    them: interrupted runs note nothing, and copied results can have the time of the copying.
    """
    first_runs, ranks = _first_runs(results), {digest: rank for rank, digest in enumerate(arrivals)}
    versions = [
        StoredVersion(
            digest, min(stored, first_runs.get(short_digest(digest), stored)), tuple(copies)
        )
        for digest, copies in _copies_by_digest(results, name).items()
        for stored in [_time_of(copies[0])]
    ]
    versions.sort(key=lambda version: (ranks.get(version.digest, -1), version.time))
    return versions[::-1]


def stored_version(
    results: Path, path: Path, version: str, current_digest: str, arrivals: Sequence[str] = ()
) -> Path:
    """The stored copy of a version of the bot at a path, other than that with `current_digest`.

    For `arrivals` see `stored_versions`. Raises BotError if there is none, or more than one.
    """
    file, name = bot_path(path).name, bot_name(path)
    versions = [
        stored
        for stored in stored_versions(results, name, arrivals)
        if stored.digest != current_digest
    ]
    if version == PREVIOUS and versions:
        return versions[0].copies[0]
    matches = [stored for stored in versions if stored.digest.startswith(version)]
    if len(matches) == 1:
        return matches[0].copies[0]
    if matches:
        raise BotError(f"several versions of {file} begin with {version}: {_listed(matches)}")
    if not versions:
        raise BotError(
            f"No earlier version of {file} in {results}/. Each run stores the files it played: run,"
            " edit, then compare."
        )
    raise BotError(f"no version {version} of {file} in {results}; there are {_listed(versions)}")


def stored_hint(results: Path, name: str) -> str:
    """A hint at the last version of a bot that runs have stored; empty if there is none."""
    last = next(iter(stored_versions(results, name)), None)
    return f"; its last version is stored: {version_name(name, last.digest)}" if last else ""


def _first_runs(results: Path) -> dict[str, datetime]:
    """When the first run with each version ended, by short digest, as the runs have noted it."""

    first: dict[str, datetime] = {}
    for pattern in _RUN_PATTERNS:
        for path in results.glob(f"{pattern}/{HISTORY}"):
            for run in runs_in(path.parent):
                for digest in run.bots.values():
                    first[digest] = min(run.when, first.get(digest, run.when))
    return first


def _copies_by_digest(results: Path, name: str) -> dict[str, list[Path]]:
    """The copies of each version of a bot, in the order of their times."""
    name = glob.escape(name)
    paths = [
        path
        for pattern in _RUN_PATTERNS
        for file in own_files_called(name)
        for path in results.glob(f"{pattern}/bots/*/{file}")
    ]
    copies: dict[str, list[Path]] = {}
    for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path)):
        copies.setdefault(digest_of_copy(path), []).append(path)
    return copies


def _time_of(copy: Path) -> datetime:
    return datetime.fromtimestamp(copy.stat().st_mtime).astimezone()


def digest_of_copy(copy: Path) -> str:
    """The digest of a stored copy, which names its folder."""
    return bot_path(copy).parent.name


def _listed(versions: Sequence[StoredVersion]) -> str:
    return ", ".join(short_digest(stored.digest) for stored in versions[:_MAX_LISTED])


# When runs played

HISTORY = "history.jsonl"  # in a folder of results
# A bot may have put a pipe there, which would block.
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK


@dataclass(frozen=True)
class RunEntry:
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
    import msgspec  # which help pages do not load

    with suppress(OSError):
        for line in (folder / HISTORY).read_bytes().splitlines():
            with suppress(msgspec.DecodeError):
                yield msgspec.json.decode(line, type=RunEntry)
