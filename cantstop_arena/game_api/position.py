"""A game as it stands, to be stepped through: what learning environments and searches work on.

Positions are small and independent of each other. Every decision of a game has its fixed number,
its *action*; what chance decides comes from the keyed dice of a seed, or is *given*, and then the
position waits for it like for a decision.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from cantstop_arena.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from cantstop_arena.deals.seeds import Seed

Self = TypeVar("Self", bound="Position")


class IllegalAction(UsageError):
    """An action, or an outcome of chance, that the position does not allow."""


class Observation(NamedTuple):
    """What a seat sees: numbers from 0 to 1, and 1 for each action that it may take now."""

    observation: NDArray[np.float32]
    mask: NDArray[np.int8]


class Position(ABC):
    """One game as it stands. It is always some seat's turn to decide, chance's, or over."""

    @property
    @abstractmethod
    def rules(self) -> Any:
        """The rules in force."""

    @property
    @abstractmethod
    def players(self) -> int:
        """Seats at the table."""

    @property
    @abstractmethod
    def action_count(self) -> int:
        """Actions there are, legal or not: numbers from 0."""

    @property
    @abstractmethod
    def observation_size(self) -> int:
        """The numbers of an observation."""

    @property
    @abstractmethod
    def outcome_count(self) -> int:
        """The most outcomes that chance can have at once."""

    @property
    @abstractmethod
    def max_actions(self) -> int:
        """No game has more actions than this."""

    @property
    @abstractmethod
    def seat(self) -> int:
        """The seat that decides; after the end, the one that was on turn last."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """Whether the game has ended."""

    @property
    @abstractmethod
    def is_cut_off(self) -> bool:
        """Whether it has ended by a limit, before anybody won."""

    @property
    @abstractmethod
    def is_chance(self) -> bool:
        """Whether it waits for an outcome of chance."""

    @property
    @abstractmethod
    def winners(self) -> tuple[int, ...]:
        """The seats that have won, ascending; none before the end, or where nobody did."""

    @abstractmethod
    def observation(self, seat: int) -> Observation:
        """What a seat sees, in new arrays; it may do nothing where another decides."""

    @abstractmethod
    def step(self, action: int) -> None:
        """Take an action for the seat that decides. Raises IllegalAction."""

    @abstractmethod
    def outcomes(self) -> Sequence[tuple[int, float]]:
        """What chance can decide, by number, with how likely it is; empty where it need not."""

    @abstractmethod
    def give(self, outcome: int) -> None:
        """Let chance decide so. Raises IllegalAction."""

    @abstractmethod
    def answer_for(self, action: int) -> Any:
        """What a bot answers that takes a legal action: a value of its decision, or an index."""

    @abstractmethod
    def action_name(self, action: int) -> str:
        """An action in words."""

    @abstractmethod
    def outcome_name(self, outcome: int) -> str:
        """An outcome of chance in words."""

    @abstractmethod
    def clone(self: Self) -> Self:
        """The same position once more: what happens to one does not change the other."""

    @abstractmethod
    def with_dice_of(self: Self, seed: Seed) -> Self:
        """A copy in which all chance to come is that of a seed, and nobody is asked for it."""

    @property
    def legal(self) -> list[int]:
        """The actions of the seat that decides, ascending; none where nobody decides."""
        matches: list[int] = self.observation(self.seat).mask.nonzero()[0].tolist()
        return matches

    @property
    def returns(self) -> tuple[float, ...]:
        """What the game has brought each seat, see `returns_of`; 0 before the end."""
        return returns_of(self.winners, self.players)


def returns_of(winners: Sequence[int], players: int) -> tuple[float, ...]:
    """What a game brings each seat: 1 for winning alone, and all together 0.

    Those who win together have equal parts; where nobody wins, nobody loses. Who plays alone gets
    1 for a win.
    """
    if not winners:
        return (0.0,) * players
    if players == 1:
        return (1.0,)
    share, lost = players / (len(winners) * (players - 1)), 1 / (players - 1)
    return tuple((seat in winners) * share - lost for seat in range(players))
