"""Earlier versions of bots: the copies of their files that runs store, by digest."""

import glob
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.errors import BotError

RESULTS = Path("results")  # the default folder of results
PREVIOUS = "previous"
DIGEST_LENGTH = 7  # digits of a digest, as in the name of a version
_REFERENCE = re.compile(rf"(.+)@({PREVIOUS}|[0-9a-f]{{4,64}})")
_COPY_PATTERNS = ("*/bots/*", "*/*/*/bots/*")  # below the results: in runs, and in comparisons


class VersionReference(NamedTuple):
    """A reference to a version of a bot: `previous`, or the first digits of a digest."""

    bot: str
    version: str


def version_in(reference: str) -> VersionReference | None:
    """The version in a reference like `patient@previous` or `patient@08df1c2`; None if none."""
    match = _REFERENCE.fullmatch(reference)
    return VersionReference(*match.groups()) if match else None


def version_name(bot: str, digest: str) -> str:
    """The name of a version: the bot's name and the first digits of its digest."""
    return f"{bot}@{digest[:DIGEST_LENGTH]}"


def stored_version(results: Path, file: str, version: str, current_digest: str) -> Path:
    """The stored copy of a version of a file, other than that with `current_digest`.

    Raises BotError if there is none, or more than one.
    """
    copies = [copy for copy in stored_copies(results, file) if copy.parent.name != current_digest]
    if version == PREVIOUS and copies:
        return copies[0]
    matches = [copy for copy in copies if copy.parent.name.startswith(version)]
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


def stored_copies(results: Path, file: str) -> list[Path]:
    """The copies of a file below a folder of results: the first of each version, newest first.

    A version is as old as the first run that played it: to replay an old one makes it no newer.
    """
    paths = [
        path
        for pattern in _COPY_PATTERNS
        for path in results.glob(f"{pattern}/{glob.escape(file)}")
    ]
    oldest_first = sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path))
    first_copies: dict[str, Path] = {}
    for path in oldest_first:
        first_copies.setdefault(path.parent.name, path)
    return [*reversed(first_copies.values())]


def _listed(copies: Sequence[Path]) -> str:
    return ", ".join(copy.parent.name[:DIGEST_LENGTH] for copy in copies[:DIGEST_LENGTH])
