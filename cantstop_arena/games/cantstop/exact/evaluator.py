"""The evaluator of decisions: its protocol, and the best one that there is for some rules."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from cantstop_arena.errors import BotError
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

    def values(self, turn: Turn, moves: Sequence[Move]) -> list[float]:
        """What each of the moves that a roll allows is worth."""

    def choice(self, turn: Turn) -> Choice:
        """What rolling on and stopping are worth, where stopping is allowed and would not win."""


def best_evaluator(rules: RuleSet, players: int, folder: Path) -> Evaluator:
    """Exact values by the tables of a folder, else those of the nets that came with the project.

    Raises BotError where nobody knows any, UsageError where a table is damaged.
    """
    # Both import numba, which a page does without where nothing has been judged.
    from cantstop_arena.games.cantstop.exact.net_evaluator import evaluator_for
    from cantstop_arena.games.cantstop.exact.solved_tables import adviser_for

    try:
        return adviser_for(rules, players, folder)
    except BotError:
        if (trained := evaluator_for(rules, players)) is None:
            raise
        return trained
