"""What came of a comparison, as plain data."""

from collections.abc import Mapping

import msgspec

from cantstop_arena.compare.measures import Questions
from cantstop_arena.compare.statistics import Difference, Order
from cantstop_arena.deals.seeds import Seed


class Answer(msgspec.Struct, frozen=True):
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
    differences: Mapping[str, Difference]
    order: Order | None
    questions: Questions
    worth: float | None = None


class Answers(msgspec.Struct, frozen=True):
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
    answers: tuple[Answer, ...]
    questions: Questions
    notes: tuple[str, ...]
