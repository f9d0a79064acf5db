"""The protocol of an evaluator of decisions, and the best evaluator available for given rules."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, Turn


class Choice(NamedTuple):
    """The values of rolling on and of stopping for the player on turn."""

    rolling: float
    stopping: float


class Evaluator(Protocol):
    """An evaluator of decisions under one rule set, for one number of players.

    A value is the probability that the player on turn wins (a shared win counts in part); with one
    player, minus the number of turns still to come. Later decisions are those of the evaluator.
    """

    @property
    def name(self) -> str:
        """The name shown in tables: `optimal` for exact values."""

    @property
    def rules(self) -> RuleSet:
        """The rules that the values hold for."""

    @property
    def players(self) -> int:
        """The number of players that the values hold for."""

    @property
    def value(self) -> float:
        """The value of a game for the first player; with one player, the expected turns."""

    def warm_up(self) -> None:
        """Compile or load the code needed, for this process and its forks."""

    def values(self, turn: Turn, moves: Sequence[Move]) -> list[float]:
        """The value of each legal move after a roll."""

    def choice(self, turn: Turn) -> Choice:
        """The values of rolling on and of stopping, if stopping is legal and does not win."""


def best_evaluator(rules: RuleSet, players: int, folder: Path) -> Evaluator:
    """The evaluator with exact values from a table in `folder`, else the one with shipped nets.

    Raises BotError when there is neither a table nor a net, UsageError when a table is damaged.
    """
    # Imported here because both import numba, which a page without judged games does not need.
    from cantstop_arena.games.cantstop.exact.net_evaluator import evaluator_for
    from cantstop_arena.games.cantstop.exact.solved_tables import adviser_for

    try:
        return adviser_for(rules, players, folder)
    except BotError:
        if (trained := evaluator_for(rules, players)) is None:
            raise
        return trained
