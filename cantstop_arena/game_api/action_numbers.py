"""The numbers of actions: all values that the decisions of a game can take, in a fixed order."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.state import GameAuthorError

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game

_TRUTH_VALUES = (False, True)


class ActionNumbers:
    """Actions by number from 0: the decisions in the order of the hooks, the values of each in its
    order. An optional decision begins with None, for not taking it."""

    def __init__(self, values: Mapping[str, Sequence[Any]]) -> None:
        self.actions = [(decision, value) for decision in values for value in values[decision]]
        self._numbers = {action: number for number, action in enumerate(self.actions)}
        if len(self._numbers) < len(self.actions):
            twice = next(a for a in self.actions if self.actions.count(a) > 1)
            raise GameAuthorError(f"actions() lists {twice[1]!r:.60} twice for {twice[0]}")
        self._values = values

    def __len__(self) -> int:
        return len(self.actions)

    def number(self, decision: str, value: Any) -> int:
        """The number of an action. Raises GameAuthorError for one that `actions` does not list."""
        try:
            return self._numbers[decision, value]
        except (KeyError, TypeError):
            raise GameAuthorError(
                f"actions() does not list {value!r:.60}, which is a move of {decision}"
            ) from None

    def values(self, decision: str) -> Sequence[Any]:
        """The values of a decision."""
        return self._values[decision]

    def mask(self, numbers: Sequence[int]) -> NDArray[np.int8]:
        """An array of as many numbers as there are actions, with 1 for each of these."""
        mask = np.zeros(len(self.actions), np.int8)
        mask[list(numbers)] = 1
        return mask


@cache
def has_numbers(game: "Game", rules: Any, players: int) -> bool:
    """Whether the actions of a game have numbers. Raises GameAuthorError like `numbers_of`."""
    try:
        numbers_of(game, rules, players)
    except UsageError:
        return False
    return True


@cache
def numbers_of(game: "Game", rules: Any, players: int) -> ActionNumbers:
    """The numbers of the actions of a game.

    Raises UsageError when they have none, GameAuthorError when `Game.actions` is wrong.
    """
    listed = game.actions(rules, players) or {}
    unknown = [name for name in listed if name not in game.decisions]
    if unknown:
        raise GameAuthorError(f"actions() has no decision called {unknown[0]!r:.60}")
    values: dict[str, Sequence[Any]] = {}
    for name, decision in game.decisions.items():
        if name not in listed and decision.answer is not bool:
            raise UsageError(
                f"{game.title} cannot be stepped by numbers: its decisions have no fixed numbers"
                " (docs/reference/positions.md says why)"
            )
        own = tuple(listed.get(name, _TRUTH_VALUES))
        values[name] = (None, *own) if decision.optional else own
    return ActionNumbers(values)
