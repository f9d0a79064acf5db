"""The measures in which rule sets are compared: quotients of two sums over deals.

A game has measures of its own (`Counts.measures`); the shares of wins are measured in every game.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from cantstop_arena.deals.counting import COUNT, SHARE, Counts, Measure
from cantstop_arena.deals.outcomes import WIN_UNITS

BOT = "bot "  # begins the keys of the measures of single bots
BOTS = "bots"  # all of them, where a file says what is negligible
ORDER = "order"  # the question whether the order of the bots changes
FIRST_SEAT, LAST_SEAT = "first_seat", "last_seat"
BETTER_BOT, UNFINISHED = "better_bot", "unfinished"

DEFAULT_IGNORED = {COUNT: 0.01, SHARE: 0.002}
"""Differences that nobody at a table would notice: 1% of a count, 0.2 points of a share."""

_WIN_SHARES = (
    Measure(
        FIRST_SEAT,
        "won by the first seat",
        SHARE,
        FIRST_SEAT,
        "played",
        WIN_UNITS,
        more="gives the first player {by}",
        less="costs the first player {by}",
        noun="the first player's share",
    ),
    Measure(
        LAST_SEAT,
        "won by the last seat",
        SHARE,
        "last_seat",
        "played",
        WIN_UNITS,
        more="gives the last player {by}",
        less="costs the last player {by}",
        noun="the last player's share",
    ),
    Measure(
        BETTER_BOT,
        "won by the better bot",
        SHARE,
        "better_bot",
        "contested",
        more="gives the {better} bot {by}",
        less="costs the {better} bot {by}",
        noun="the {better} bot's share",
    ),
)
_UNFINISHED_SHARE = Measure(
    UNFINISHED,
    "games unfinished",
    SHARE,
    "unfinished",
    "games",
    rivals=False,
    more="leaves {by} more games unfinished",
    less="leaves {by} fewer games unfinished",
    noun="the unfinished games",
    plural=True,
)


class DealRatios(msgspec.Struct, frozen=True, dict=True):
    """The measures in which rule sets of one game are compared."""

    counts: Counts

    @cached_property
    def all(self) -> tuple[Measure, ...]:
        """The measures of all bots together."""
        measures = self.counts.measures
        always = [measure for measure in measures if not measure.rivals]
        among_rivals = [measure for measure in measures if measure.rivals]
        return (*always, *_WIN_SHARES, *among_rivals, _UNFINISHED_SHARE)

    @cached_property
    def _by_key(self) -> Mapping[str, Measure]:
        return {measure.key: measure for measure in self.all}

    def measure(self, key: str) -> Measure:
        """The measure with this key, a single bot's included."""
        return self._by_key.get(key) or won_by(key.removeprefix(BOT))

    def label_of(self, key: str) -> str:
        """The label of a measure; the key itself if there is no such measure."""
        return self.measure(key).label if key in self._by_key or key.startswith(BOT) else key

    def measures_for(self, players: int, bots: Sequence[str]) -> list[Measure]:
        """The measures that apply to games of so many seats, between these bots."""
        if players == 1:
            return [measure for measure in self.all if not measure.rivals]
        if len(bots) == 1:
            return [measure for measure in self.all if measure.key != BETTER_BOT]
        return [*self.all, *map(won_by, bots)]

    def ignored_by_default(self) -> Mapping[str, float]:
        """The negligible differences where a file gives none, by key."""
        by_key = {measure.key: DEFAULT_IGNORED[measure.kind] for measure in self.all}
        return {**by_key, BOTS: DEFAULT_IGNORED[SHARE], ORDER: DEFAULT_IGNORED[SHARE]}


def ignored_of(ignored: Mapping[str, float], key: str) -> float:
    """The negligible difference of the measure with this key."""
    return ignored[BOTS if key.startswith(BOT) else key]


def is_won(key: str) -> bool:
    """Whether the measure with this key is the share of a seat or of a single bot."""
    return key in (FIRST_SEAT, LAST_SEAT) or key.startswith(BOT)


def won_by(bot: str) -> Measure:
    """The measure of a bot's share of the wins per seat, in the games that it sits in."""
    key = f"{BOT}{bot}"
    label = f"won by {bot}"
    escaped = bot.replace("{", "{{").replace("}", "}}")
    gives, costs = f"gives {escaped} {{by}}", f"costs {escaped} {{by}}"
    noun = f"{escaped}'s share"
    return Measure(key, label, SHARE, key, f"games of {key}", more=gives, less=costs, noun=noun)
