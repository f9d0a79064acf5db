"""Positions of a game, which can be stepped through: for learning environments and searches.

Positions are small and independent of each other. Every decision of a game has a fixed number, its
*action*. Outcomes of chance come from the keyed dice of a seed, or are *given*; then the position
waits for them as for a decision.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from cantstop_arena.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.game_api.state import Event

Self = TypeVar("Self", bound="Position")


class IllegalAction(UsageError):
    """An action, or an outcome of chance, that the position does not allow."""


CHANCE, OVER = -1, -4
"""What `Position.to_move` is where no seat decides: OpenSpiel's numbers."""


class Observation(NamedTuple):
    """An observation: numbers from 0 to 1, and a mask with 1 for each legal action."""

    observation: NDArray[np.float32]
    mask: NDArray[np.int8]


class Position(ABC):
    """A position: a seat decides, an outcome of chance is due, or the game is over."""

    @property
    @abstractmethod
    def rules(self) -> Any:
        """The rules of the game."""

    @property
    @abstractmethod
    def players(self) -> int:
        """The number of seats."""

    @property
    @abstractmethod
    def action_count(self) -> int:
        """The number of actions, legal or not; they are numbered from 0."""

    @property
    @abstractmethod
    def observation_size(self) -> int:
        """The length of an observation."""

    @property
    @abstractmethod
    def outcome_count(self) -> int:
        """The maximum number of outcomes of chance in any position."""

    @property
    @abstractmethod
    def max_actions(self) -> int:
        """The maximum number of actions in a game."""

    @property
    @abstractmethod
    def seat(self) -> int:
        """The seat that decides; after the end, the seat that was on turn last."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game has ended."""

    @property
    @abstractmethod
    def is_cut_off(self) -> bool:
        """Whether the game has ended by a limit, without winners."""

    @property
    @abstractmethod
    def is_chance(self) -> bool:
        """Whether an outcome of chance is due."""

    @property
    @abstractmethod
    def winners(self) -> tuple[int, ...]:
        """The seats that have won, ascending; empty before the end, or if nobody won."""

    @abstractmethod
    def observation(self, seat: int) -> Observation:
        """The observation of a seat, in new arrays; the mask is 0 if another seat decides."""

    @abstractmethod
    def step(self, action: int) -> None:
        """Take an action for the seat that decides. Raises IllegalAction."""

    @abstractmethod
    def outcomes(self) -> Sequence[tuple[int, float]]:
        """The outcomes of chance by number, with their probabilities; empty if none is due."""

    @abstractmethod
    def give(self, outcome: int) -> None:
        """Set the outcome of chance. Raises IllegalAction."""

    @abstractmethod
    def answer_for(self, action: int) -> Any:
        """The answer of a bot that takes a legal action: a value of the decision, or an index."""

    @abstractmethod
    def action_name(self, action: int) -> str:
        """An action as text."""

    @abstractmethod
    def outcome_name(self, outcome: int) -> str:
        """An outcome of chance as text."""

    @abstractmethod
    def clone(self: Self) -> Self:
        """An independent copy of the position."""

    @abstractmethod
    def with_chance_of(self: Self, seed: Seed) -> Self:
        """A copy in which all later outcomes of chance come from a seed."""

    def with_dice_of(self: Self, seed: Seed) -> Self:
        """The name of `with_chance_of` in release 0.2; raises a DeprecationWarning."""
        warnings.warn(
            "with_dice_of is called with_chance_of; the old name goes with release 0.4",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.with_chance_of(seed)

    @abstractmethod
    def take(self, value: Any) -> None:
        """Take a value for the seat that decides: a move, or an answer. Raises IllegalAction."""

    @property
    @abstractmethod
    def decision(self) -> str:
        """The name of the decision; empty when no seat decides."""

    @property
    @abstractmethod
    def simultaneous(self) -> bool:
        """Whether several seats decide at once, each without the answers of the others."""

    @property
    @abstractmethod
    def offered(self) -> Sequence[Any] | None:
        """The moves from which the seat that decides chooses, in the order that its bot sees; None
        where the decision has no moves."""

    @abstractmethod
    def view(self, seat: int) -> Any:
        """The view of a seat."""

    def events(self, seat: int | None = None) -> Sequence[Event]:
        """The events so far; those that a seat has seen. Raises UsageError where none are kept."""
        raise UsageError("positions of this game keep no events")

    @abstractmethod
    def information(self, seat: int) -> str:
        """All that a seat has seen and done so far: the key of its information set."""

    def dumps(self) -> str:
        """The game so far as JSON. Raises UsageError where positions cannot be stored so."""
        raise UsageError("positions of this game are not stored as JSON; pickle stores them")

    def drawing(self, seat: int | None = None) -> str:
        """The board as text, as a seat sees it, or as it is; empty if the game has no drawing."""
        return ""

    @property
    def to_move(self) -> int:
        """The seat that decides, CHANCE, or OVER."""
        if self.is_over:
            return OVER
        return CHANCE if self.is_chance else self.seat

    def mask(self, seat: int) -> NDArray[np.int8]:
        """An array with 1 for each legal action of a seat; all 0 if another decides."""
        return self.observation(seat).mask

    def sealed_mask(self, seat: int) -> NDArray[np.int8]:
        """An array with 1 for each action that a seat may take in this decision, which can be one
        of several seats at once; all 0 if it does not decide, or has decided."""
        return self.mask(seat)

    @property
    def legal(self) -> list[int]:
        """The legal actions of the seat that decides, ascending; empty if no seat decides."""
        actions: list[int] = self.observation(self.seat).mask.nonzero()[0].tolist()
        return actions

    @property
    def return_range(self) -> tuple[float, float] | None:
        """The least and the greatest return; None where they are not known."""
        return -1.0, 1.0

    @property
    def returns(self) -> tuple[float, ...]:
        """The return of each seat, see `returns_of`; 0 before the end."""
        return returns_of(self.winners, self.side_by_seat)

    def returns_of_forfeit(self, loser: int) -> tuple[float, ...]:
        """The return of each seat where one has lost by an illegal action."""
        sides = self.side_by_seat
        winners = [seat for seat, side in enumerate(sides) if side != sides[loser]]
        return returns_of(winners, sides)

    @property
    def side_by_seat(self) -> tuple[int, ...]:
        """The side of each seat, which wins and loses with it."""
        return tuple(range(self.players))


def returns_of(winners: Sequence[int], side_by_seat: Sequence[int]) -> tuple[float, ...]:
    """The return of each seat: 1 for the only winner; the sum of all sides is 0.

    Several winners have equal returns; without winners all returns are 0. With one side, a win
    returns 1.
    """
    sides, won = len({*side_by_seat}), {side_by_seat[seat] for seat in winners}
    if not won:
        return (0.0,) * len(side_by_seat)
    if sides == 1:
        return (1.0,) * len(side_by_seat)
    share, lost = sides / (len(won) * (sides - 1)), 1 / (sides - 1)
    return tuple((side in won) * share - lost for side in side_by_seat)
