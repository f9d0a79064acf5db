"""In which situations a bot's decisions lose most: by columns won, runners free, and lead."""

from collections.abc import Iterable, Iterator, Sequence
from math import sqrt

import msgspec

from cantstop_arena.games.cantstop.turn import Turn

WON, FREE, LEAD = "columns won", "runners free", "lead in columns"
KINDS_OF_SITUATION = (WON, FREE, LEAD)

SituationKey = tuple[str, int]
"""The kind of a situation, and its number: of columns, or of runners."""


class Situation(msgspec.Struct, frozen=True):
    """The decisions in all situations of a kind with the same number.

    They were made in so many `deals`. Over these, `squares` has the sums of the square of a deal's
    decisions, of the product of its decisions and its loss, and of the square of its loss.
    """

    kind: str
    number: int
    deals: int
    decisions: int
    lost: float
    squares: tuple[float, float, float]

    @property
    def key(self) -> SituationKey:
        """The kind and the number."""
        return self.kind, self.number

    @property
    def mean(self) -> float:
        """The mean loss of a decision."""
        return self.lost / self.decisions

    @property
    def error(self) -> float | None:
        """The standard error of the mean, as decisions of a deal are related; None in one deal."""
        if self.deals < 2:
            return None
        counts, products, losses = self.squares
        residuals = losses - 2 * self.mean * products + self.mean**2 * counts
        correction = self.deals / (self.deals - 1)
        return sqrt(max(0.0, correction * residuals)) / self.decisions


def situation_keys(turn: Turn) -> tuple[SituationKey, ...]:
    """The situations in which a decision is made; alone there is no lead."""
    keys = ((WON, turn.claims), (FREE, turn.free))
    if not turn.rival_claims:
        return keys
    return (*keys, (LEAD, turn.claims - max(turn.rival_claims)))


def situations_of_deal(
    decisions: Iterable[tuple[Sequence[SituationKey], float]],
) -> Iterator[Situation]:
    """The situations of one deal, from those of each decision and its loss."""
    sums: dict[SituationKey, tuple[int, float]] = {}
    for keys, loss in decisions:
        for key in keys:
            count, lost = sums.get(key, (0, 0.0))
            sums[key] = count + 1, lost + loss
    for (kind, number), (count, lost) in sums.items():
        squares = (float(count * count), count * lost, lost * lost)
        yield Situation(kind, number, 1, count, lost, squares)


def joined_situations(situations: Iterable[Situation]) -> list[Situation]:
    """The situations of several deals added up, by kind and number."""
    joined: dict[SituationKey, Situation] = {}
    for each in situations:
        before = joined.get(each.key)
        joined[each.key] = _sum(before, each) if before else each
    order = KINDS_OF_SITUATION.index
    return sorted(joined.values(), key=lambda each: (order(each.kind), each.number))


def _sum(this: Situation, that: Situation) -> Situation:
    counts, products, losses = map(sum, zip(this.squares, that.squares, strict=True))
    return Situation(
        this.kind,
        this.number,
        this.deals + that.deals,
        this.decisions + that.decisions,
        this.lost + that.lost,
        (counts, products, losses),
    )
