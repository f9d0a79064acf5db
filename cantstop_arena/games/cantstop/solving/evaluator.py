"""What a judge of decisions has to know, whether it is exact or a very good guess."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, Turn


class Choice(NamedTuple):
    """What rolling on and stopping are worth to the player on turn."""

    rolling: float
    stopping: float


class Evaluator(Protocol):
    """Says what decisions are worth under some rules, for some number of players.

    A worth is the chance to win of the player who decides (a win that is shared counts in part);
    of one who plays alone, minus the turns still to come. All later play is by the same evaluator.
    """

    @property
    def name(self) -> str:
        """What it is called in a table: `optimal` for exact values."""

    @property
    def rules(self) -> RuleSet:
        """The rules that it knows."""

    @property
    def players(self) -> int:
        """The number of players that it knows."""

    @property
    def value(self) -> float:
        """What the beginning is worth to whoever begins; alone, the turns that it takes."""

    def warm_up(self) -> None:
        """Have all compiled or loaded that it takes, for this process and those that it forks."""

    def worths(self, turn: Turn, moves: Sequence[Move]) -> list[float]:
        """What each of the moves that a roll allows is worth."""

    def choice(self, turn: Turn) -> Choice:
        """What rolling on and stopping are worth, where stopping is allowed and would not win."""
