"""Earlier versions of bots: the copies of their files that runs store, by digest."""

import glob
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.bots.bot_paths import FOLDER_FILE, bot_name, bot_path
from cantstop_arena.errors import BotError

RESULTS = Path("results")  # the default folder of results
PREVIOUS = "previous"
DIGEST_LENGTH = 7  # digits of a short digest
_MAX_LISTED = 7  # versions in a message
_REFERENCE = re.compile(rf"(.+)@({PREVIOUS}|[0-9a-f]{{4,64}})")
_DIGEST = re.compile("[0-9a-f]{64}")
_COPY_PATTERNS = ("*/bots/*", "*/*/*/bots/*")  # below the results: in runs, and in comparisons


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


def stored_version(results: Path, path: Path, version: str, current_digest: str) -> Path:
    """The stored copy of a version of the bot at a path, other than that with `current_digest`.

    Raises BotError if there is none, or more than one.
    """
    file, all_copies = bot_path(path).name, stored_copies(results, bot_name(path))
    copies = [copy for copy in all_copies if digest_of_copy(copy) != current_digest]
    if version == PREVIOUS and copies:
        return copies[0]
    matches = [copy for copy in copies if digest_of_copy(copy).startswith(version)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise BotError(f"several versions of {file} begin with {version}: {_listed(matches)}")
    if not copies:
        raise BotError(
            f"No earlier version of {file} in {results}/. Each run stores the files it played: run,"
            " edit, then compare."
        )
    raise BotError(f"no version {version} of {file} in {results}; there are {_listed(copies)}")


def stored_hint(results: Path, name: str) -> str:
    """A hint at the last version of a bot that runs have stored; empty if there is none."""
    copy = next(iter(stored_copies(results, name)), None)
    if copy is None:
        return ""
    return f"; its last version is stored: {version_name(name, digest_of_copy(copy))}"


class StoredVersion(NamedTuple):
    """A version of which runs store copies: its digest, when it first played, and the runs."""

    digest: str
    time: datetime
    runs: tuple[Path, ...]


def stored_versions(results: Path, name: str) -> list[StoredVersion]:
    """The stored versions of a bot, newest first, with the folders of the runs that played them."""
    return [
        StoredVersion(digest, _time_of(copies[0]), tuple(map(_run_of, copies)))
        for digest, copies in _copies_by_digest(results, name).items()
    ]


def stored_copies(results: Path, name: str) -> list[Path]:
    """The copies of a bot below a folder of results: the first of each version, newest first.

    Each is the path of the bot's own file, be it of a file or of a folder.
    """
    return [copies[0] for copies in _copies_by_digest(results, name).values()]


def _copies_by_digest(results: Path, name: str) -> dict[str, list[Path]]:
    """The copies of each version of a bot, in the order of runs; the newest version comes first.

    A version is as old as the first run that played it: to replay an old one makes it no newer.
    """
    name = glob.escape(name)
    paths = [
        path
        for pattern in _COPY_PATTERNS
        for file in (f"{name}.py", f"{name}/{FOLDER_FILE}")
        for path in results.glob(f"{pattern}/{file}")
    ]
    copies: dict[str, list[Path]] = {}
    for path in sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path)):
        copies.setdefault(digest_of_copy(path), []).append(path)
    return dict(reversed(copies.items()))


def _time_of(copy: Path) -> datetime:
    return datetime.fromtimestamp(copy.stat().st_mtime).astimezone()


def _run_of(copy: Path) -> Path:
    """The results folder of the run that stored a copy."""
    return bot_path(copy).parents[2]


def digest_of_copy(copy: Path) -> str:
    """The digest of a stored copy, which names its folder."""
    return bot_path(copy).parent.name


def _listed(copies: Sequence[Path]) -> str:
    return ", ".join(short_digest(digest_of_copy(copy)) for copy in copies[:_MAX_LISTED])
