"""Evaluators of decisions, and the best one available for given rules."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Move, Turn, runners_after


class Choice(NamedTuple):
    """The values of rolling on and of stopping for the player on turn."""

    rolling: float
    stopping: float


class Evaluator(ABC):
    """An evaluator of decisions under one rule set, for one number of players.

    A value is the probability that the player on turn wins (a shared win counts in part); with one
    player, minus the number of turns still to come. Later decisions are those of the evaluator,
    whose `name` is that of the bot that plays by its values.
    """

    def __init__(self, name: str, rules: RuleSet, players: int) -> None:
        self.name = name
        self.rules = rules
        self.players = players

    @property
    @abstractmethod
    def value(self) -> float:
        """The value of a game for the first player; with one player, the expected turns."""

    @abstractmethod
    def warm_up(self) -> None:
        """Compile or load the code needed, for this process and its forks."""

    def values(self, turn: Turn, moves: Sequence[Move]) -> list[float]:
        """The value of each legal move after a roll."""
        self._enter(turn)
        return [self._value(_climbs(turn, move)) for move in moves]

    def choice(self, turn: Turn) -> Choice:
        """The values of rolling on and of stopping, if stopping is legal and does not win."""
        self._enter(turn)
        return self._choice(_climbs(turn))

    @abstractmethod
    def _enter(self, turn: Turn) -> None:
        """Prepare for the states of a turn."""

    @abstractmethod
    def _value(self, climbs: Mapping[int, int]) -> float:
        """The value of the state with these spaces climbed this turn, by column."""

    @abstractmethod
    def _choice(self, climbs: Mapping[int, int]) -> Choice:
        """The values of both actions in the state with these spaces climbed, by column."""


def _climbs(turn: Turn, move: Sequence[int] = ()) -> dict[int, int]:
    """The spaces that runners have climbed this turn after a move, by column."""
    runners = runners_after(turn, move)
    return {column: space - turn.markers[column] for column, space in runners.items()}


def best_evaluator(rules: RuleSet, players: int, folder: Path) -> Evaluator:
    """The evaluator with exact values from a table in `folder`, else the one with shipped nets.

    Raises BotError when there is neither a table nor a net, UsageError when a table is damaged.
    """
    # Imported here because both import numba, which a page without judged games does not need.
    from cantstop_arena.extensions.strength.exact.net_evaluator import evaluator_for
    from cantstop_arena.extensions.strength.exact.solved_tables import adviser_for

    try:
        return adviser_for(rules, players, folder)
    except BotError:
        if (trained := evaluator_for(rules, players)) is None:
            raise
        return trained
