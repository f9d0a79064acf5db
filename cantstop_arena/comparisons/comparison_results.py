"""The results of a comparison, as plain data."""

from collections.abc import Mapping
from math import ceil, inf

import msgspec

from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.comparisons.statistics import BotOrder, RuleEffect
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.tournaments.file.keys import GAMES


class RuleSetResult(msgspec.Struct, frozen=True):
    """What one rule set changes with one number of `players`.

    They sit on so many `sides`, each of one bot: as many, unless the game has partners.
    `differences` are by the key of the measure. `order` is None where there is one bot only, or
    a bot plays alone. `distinct_bots` is the number of different bots at a table. `measures` are
    all measures of the game. Where luck was removed, that has narrowed the intervals of wins as
    much as `luck_gain` times the games would, the median over its measures. `games` are those of
    all `lineups`.
    """

    rules: str
    baseline: str
    players: int
    sides: int
    distinct_bots: int
    deals: int
    games: int
    differences: Mapping[str, RuleEffect]
    order: BotOrder | None
    measures: DealRatios
    luck_gain: float | None = None
    lineups: int = 1

    def games_to_decide(self, key: str) -> int | None:
        """About how many games of each lineup would decide a question, to two digits.

        None if it is decided, or if no number of games decides it.
        """
        effect = self.differences.get(key)
        factor = effect.games_factor if effect else None
        games = self.games / self.lineups * factor if factor else inf
        if games >= GAMES.stop:
            return None
        digit: int = 10 ** max(0, len(str(int(games))) - 2)
        return ceil(games / digit) * digit


class ComparisonTotals(msgspec.Struct, frozen=True):
    """The results of all rule sets of a comparison.

    `notes` are sentences about faults, disqualified bots and luck. `disqualified` are the bots that
    were disqualified under any rule set.
    """

    name: str
    game: str
    seed: Seed
    bots: tuple[str, ...]
    rules: Mapping[str, Mapping[str, object]]
    baseline: str
    ignored: Mapping[str, float]
    answers: tuple[RuleSetResult, ...]
    measures: DealRatios
    notes: tuple[str, ...]
    disqualified: tuple[str, ...] = ()
