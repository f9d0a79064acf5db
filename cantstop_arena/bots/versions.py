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
_WANTED = re.compile(rf"(.+)@({PREVIOUS}|[0-9a-f]{{4,64}})")
_PLACES = ("*/bots/*", "*/*/*/bots/*")  # below the results: of runs, and of comparisons


class VersionReference(NamedTuple):
    """Which version of which bot is meant: `previous`, or the first digits of a digest."""

    bot: str
    version: str


def version_in(reference: str) -> VersionReference | None:
    """The version that a word like `patient@previous` or `patient@08df1c2` asks for."""
    found = _WANTED.fullmatch(reference)
    return VersionReference(*found.groups()) if found else None


def version_name(bot: str, digest: str) -> str:
    """What a version is called, whoever asked for it."""
    return f"{bot}@{digest[:DIGEST_LENGTH]}"


def stored_version(results: Path, file: str, wanted: str, now: str) -> Path:
    """The copy of a version of a file that says something else than `now`, a digest.

    Raises BotError where there is none, or more than one.
    """
    kept = [copy for copy in stored_copies(results, file) if copy.parent.name != now]
    if wanted == PREVIOUS and kept:
        return kept[0]
    found = [copy for copy in kept if copy.parent.name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BotError(f"several versions of {file} begin with {wanted}: {_listed(found)}")
    others = f"there are {_listed(kept)}" if kept else "runs keep those that played"
    raise BotError(f"no other version {wanted} of {file} is kept in {results}; {others}")


def stored_copies(results: Path, file: str) -> list[Path]:
    """The copies of a file below a folder of results, one for each digest, the newest first."""
    found = [path for place in _PLACES for path in results.glob(f"{place}/{glob.escape(file)}")]
    newest = sorted(found, key=lambda path: (path.stat().st_mtime_ns, path), reverse=True)
    return list({path.parent.name: path for path in newest}.values())


def _listed(copies: Sequence[Path]) -> str:
    return ", ".join(copy.parent.name[:DIGEST_LENGTH] for copy in copies[:DIGEST_LENGTH])
