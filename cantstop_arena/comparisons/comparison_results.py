"""What came of a comparison, as plain data."""

from collections.abc import Mapping

import msgspec

from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.comparisons.statistics import BotOrder, RuleEffect
from cantstop_arena.deals.seeds import Seed


class RuleSetResult(msgspec.Struct, frozen=True):
    """What one rule set changes at tables of one size.

    `differences` are by the key of the measure. `order` is None where there is one bot only, or
    a bot plays alone. `unlike` is how many different bots sit at a table. `questions` are all that
    the game allows to ask. Where luck was scored, its removal is `worth` so many times the games.
    """

    rules: str
    baseline: str
    players: int
    unlike: int
    deals: int
    games: int
    differences: Mapping[str, RuleEffect]
    order: BotOrder | None
    questions: DealRatios
    luck_gain: float | None = None


class ComparisonTotals(msgspec.Struct, frozen=True):
    """A whole comparison of rule sets of one `game`.

    `notes` are what a reader should know of how it was played.
    """

    name: str
    game: str
    seed: Seed
    bots: tuple[str, ...]
    rules: Mapping[str, Mapping[str, object]]
    baseline: str
    ignored: Mapping[str, float]
    answers: tuple[RuleSetResult, ...]
    questions: DealRatios
    notes: tuple[str, ...]
