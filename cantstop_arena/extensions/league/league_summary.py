"""What `arena serve` says of a league: a file that each run writes beside the public pages."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

SUMMARY = "participants.json"  # has the names behind pseudonyms: it is not public


class ParticipantSummary(msgspec.Struct, frozen=True):
    """A participant: the name and file on the public pages, standing, verdict, and what to do.

    `facts` are label, value, error and note each, as at the top of the page.
    """

    public_name: str
    page: str
    standing: str
    facts: Sequence[tuple[str, str, str, str]]
    verdict: str
    reasons: Sequence[str]
    steps: Sequence[str]


class LeagueSummary(msgspec.Struct, frozen=True):
    """A league after a run, which read the submissions at `time` (seconds since 1970)."""

    game: str
    about: str
    headline: str
    bots: int
    games: int
    time: float
    participants: Mapping[str, ParticipantSummary]


def read_summary(folder: Path) -> LeagueSummary | None:
    """The summary in a folder of results; None if there is none of this version."""
    try:
        return msgspec.json.decode((folder / SUMMARY).read_bytes(), type=LeagueSummary)
    except (OSError, msgspec.DecodeError):
        return None
