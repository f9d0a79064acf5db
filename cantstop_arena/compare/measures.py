"""What is asked of a rule set: every measure is a quotient of two sums over deals."""

from collections.abc import Mapping
from dataclasses import dataclass

from cantstop_arena.compare.statistics import COUNT, SHARE
from cantstop_arena.outcomes import WHOLE


@dataclass(frozen=True, slots=True)
class Measure:
    """One question: `above` and `below` name the sums, see `sample`; `scale` multiplies `below`.

    Those of `rivals` are not asked where a bot plays alone.
    """

    key: str
    label: str
    kind: str
    above: str
    below: str
    scale: int = 1
    rivals: bool = True


ASKED = (
    Measure("turns", "turns per game", COUNT, "turns", "games", rivals=False),
    Measure("rolls", "rolls per game", COUNT, "rolls", "games", rivals=False),
    Measure("decisions", "decisions per game", COUNT, "decisions", "games", rivals=False),
    Measure("bust_rate", "bust rate", SHARE, "busts", "turns", rivals=False),
    Measure("first_seat", "won by the first seat", SHARE, "first_seat", "played", WHOLE),
    Measure("last_seat", "won by the last seat", SHARE, "last_seat", "played", WHOLE),
    Measure("better_bot", "won by the better bot", SHARE, "better_bot", "contested"),
    Measure("lead_changes", "lead changes per game", COUNT, "leads", "games"),
    Measure("half_time", "won by the leader at half-time", SHARE, "half_wins", "half_leads", WHOLE),
    Measure("margin", "margin at the end, in columns", COUNT, "margin", "finished"),
    Measure("unfinished", "games unfinished", SHARE, "unfinished", "games", rivals=False),
)
ORDER = "order"  # the question whether the order of the bots changes

DEFAULT_IGNORED = {COUNT: 0.01, SHARE: 0.002}
"""Differences that nobody at a table would notice: 1 % of a count, 0.2 points of a share."""


def ignored_by_default() -> Mapping[str, float]:
    """What is negligible where a file says nothing, by question."""
    known = {measure.key: DEFAULT_IGNORED[measure.kind] for measure in ASKED}
    return {**known, ORDER: DEFAULT_IGNORED[SHARE]}


def asked(players: int, bots: int) -> list[Measure]:
    """The measures that apply to games of so many seats, between so many bots."""
    return [
        measure
        for measure in ASKED
        if (players > 1 or not measure.rivals) and (bots > 1 or measure.key != "better_bot")
    ]
