"""What is asked of a rule set: every measure is a quotient of two sums over deals."""

from collections.abc import Mapping, Sequence
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
LABELS = {measure.key: measure.label for measure in ASKED}
BOT = "bot "  # begins the keys of the measures of single bots
BOTS = "bots"  # all of them, where a file says what is negligible
ORDER = "order"  # the question whether the order of the bots changes

DEFAULT_IGNORED = {COUNT: 0.01, SHARE: 0.002}
"""Differences that nobody at a table would notice: 1 % of a count, 0.2 points of a share."""


def ignored_by_default() -> Mapping[str, float]:
    """What is negligible where a file says nothing, by question."""
    known = {measure.key: DEFAULT_IGNORED[measure.kind] for measure in ASKED}
    return {**known, BOTS: DEFAULT_IGNORED[SHARE], ORDER: DEFAULT_IGNORED[SHARE]}


def ignored_of(ignored: Mapping[str, float], key: str) -> float:
    """What is negligible of the measure with this key."""
    return ignored[BOTS if key.startswith(BOT) else key]


def asked(players: int, bots: Sequence[str]) -> list[Measure]:
    """The measures that apply to games of so many seats, between these bots."""
    if players == 1:
        return [measure for measure in ASKED if not measure.rivals]
    if len(bots) == 1:
        return [measure for measure in ASKED if measure.key != "better_bot"]
    return [*ASKED, *map(won_by, bots)]


def won_by(bot: str) -> Measure:
    """A bot's share of the games that it sits in, seat for seat."""
    key = f"{BOT}{bot}"
    return Measure(key, label_of(key), SHARE, key, f"games of {key}")


def label_of(key: str) -> str:
    """What a measure is called."""
    return LABELS.get(key) or f"won by {key.removeprefix(BOT)}"
