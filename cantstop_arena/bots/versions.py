"""Earlier versions of bots: the copies of their files that runs keep, by digest."""

import glob
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.errors import BotError

RESULTS = Path("results")  # where results go, if nobody says otherwise
PREVIOUS = "previous"
DIGEST_LENGTH = 7  # digits of a digest, as in the name of a version
_REFERENCE = re.compile(rf"(.+)@({PREVIOUS}|[0-9a-f]{{4,64}})")
_COPY_PATTERNS = ("*/bots/*", "*/*/*/bots/*")  # below the results: of runs, and of comparisons


class VersionReference(NamedTuple):
    """Which version of which bot is meant: `previous`, or the first digits of a digest."""

    bot: str
    version: str


def version_in(reference: str) -> VersionReference | None:
    """The version that a word like `patient@previous` or `patient@08df1c2` asks for."""
    match = _REFERENCE.fullmatch(reference)
    return VersionReference(*match.groups()) if match else None


def version_name(bot: str, digest: str) -> str:
    """What a version is called, whoever asked for it."""
    return f"{bot}@{digest[:DIGEST_LENGTH]}"


def stored_version(results: Path, file: str, expected: str, now: str) -> Path:
    """The copy of a version of a file that says something else than `now`, a digest.

    Raises BotError where there is none, or more than one.
    """
    paths = [copy for copy in stored_copies(results, file) if copy.parent.name != now]
    if expected == PREVIOUS and paths:
        return paths[0]
    files = [copy for copy in paths if copy.parent.name.startswith(expected)]
    if len(files) == 1:
        return files[0]
    if files:
        raise BotError(f"several versions of {file} begin with {expected}: {_listed(files)}")
    if not paths:
        raise BotError(
            f"no earlier version of {file} in {results}; each run stores the files that it played:"
            " run, edit, then compare"
        )
    raise BotError(f"no version {expected} of {file} in {results}; there are {_listed(paths)}")


def stored_copies(results: Path, file: str) -> list[Path]:
    """The copies of a file below a folder of results, one for each digest, the newest first."""
    paths = [
        path
        for location in _COPY_PATTERNS
        for path in results.glob(f"{location}/{glob.escape(file)}")
    ]
    newest = sorted(paths, key=lambda path: (path.stat().st_mtime_ns, path), reverse=True)
    return list({path.parent.name: path for path in newest}.values())


def _listed(copies: Sequence[Path]) -> str:
    return ", ".join(copy.parent.name[:DIGEST_LENGTH] for copy in copies[:DIGEST_LENGTH])
