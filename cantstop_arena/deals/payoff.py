"""What a game pays: its unit, its bounds, and payoffs as whole numbers of a unit's parts.

Payoffs are added up as whole numbers, so sums are exact, and the same from any number of workers.
"""

from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

Bound: TypeAlias = float | Callable[[Any, int], float] | None
"""A bound of payoffs: a number, or a function of the rules and the number of seats."""

WINS_ONLY = "{} by games won, as {}: payoffs are not compared."
"""A note in games that pay something, with what is done, and why it does not look at payoffs."""
WINS, PAYOFF = "wins", "payoff"  # what standings can be sorted by
LARGEST = (1 << 31) - 1  # sum of a bot's payoffs in the games of a deal, in parts of the unit
VOID = -1 << 31
"""Stands in the payoffs of a deal that does not count for its group."""
STORED = "<i4"
_ROUNDING = 1e-6


class Payoff(msgspec.Struct, frozen=True):
    """What a game pays to each seat, in a `unit` ("chip"), as multiples of its `parts`.

    Payoffs are from `low` to `high`, where these are given; they may be functions of the rules and
    the number of seats. The payoffs of a `zero_sum` game add up to 0. The `best` is the most, or
    the least.
    """

    unit: str = "point"
    parts: int = 1
    low: Bound = None
    high: Bound = None
    zero_sum: bool = False
    best: Literal["most", "least"] = "most"

    def under(self, rules: Any, players: int) -> "Payoff":
        """The same with numbers as bounds: those of these rules and this number of seats."""
        low, high = (
            bound(rules, players) if callable(bound) else bound for bound in (self.low, self.high)
        )
        return replace(self, low=low, high=high)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest payoff; None unless both are known, as numbers."""
        if isinstance(self.low, int | float) and isinstance(self.high, int | float):
            return self.low, self.high
        return None

    @property
    def sign(self) -> int:
        """1 where the greater payoff is better, else -1."""
        return 1 if self.best == "most" else -1

    @property
    def units(self) -> str:
        """The plural of the unit."""
        return f"{self.unit}s"

    def parts_of(self, payoff: Any) -> int:
        """A payoff as a number of parts. Raises ValueError unless it is a whole one."""
        number: float = payoff * self.parts
        if not isfinite(number) or abs(number - round(number)) > _ROUNDING:
            raise ValueError(f"{payoff!r:.40} is no multiple of 1/{self.parts}")
        return round(number)

    def value_of(self, parts: int) -> float:
        """The payoff of so many parts."""
        quotient, remainder = divmod(parts, self.parts)
        return parts / self.parts if remainder else quotient

    def winners(self, payoffs: Sequence[Any]) -> tuple[int, ...]:
        """The seats with the best payoff."""
        best = max(payoffs) if self.best == "most" else min(payoffs)
        return tuple(seat for seat, payoff in enumerate(payoffs) if payoff == best)

    def of_forfeit(self, loser: int, sides: Sequence[int]) -> tuple[int, ...] | None:
        """The parts that each seat gets after a fault of one; None if the game has no bound.

        `sides` are the side of each seat. The seats of the loser's side get the worst payoff. The
        others share what these lose if the game is zero-sum, else they get nothing. Odd parts go to
        the seats after the loser, where each seat is a side, else to nobody.
        """
        worst = self.low if self.best == "most" else self.high
        if not isinstance(worst, int | float):
            return None
        lost = self.parts_of(worst)
        players, losers = len(sides), sides.count(sides[loser])
        payoffs = [0] * players
        if self.zero_sum and losers < players:
            share, odd = divmod(-lost * losers, players - losers)
            odd *= len({*sides}) == players
            for distance in range(1, players):
                payoffs[(loser + distance) % players] = share + (distance <= odd)
        return tuple(
            lost if side == sides[loser] else payoff
            for side, payoff in zip(sides, payoffs, strict=True)
        )
