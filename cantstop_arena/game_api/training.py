"""What a training needs of a game whose bots have nets."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec
from numpy.typing import NDArray


class ExactLoss(msgspec.Struct, frozen=True):
    """The mean loss of a game over some deals, and its standard error.

    It is in percentage points of winning probability, in solo games in turns.
    """

    mean: float
    error: float
    deals: int


class NetTrial(msgspec.Struct, frozen=True):
    """The strength of nets so far, in games of the `bot` that plays with them.

    `score` is the share that it wins against `rival`, with half of its 95% interval; without a
    rival, the turns it takes alone. `text` says so, and what else is known of the nets.
    `lost` is what its decisions lose by the exact values of a solved board; None without one.
    """

    text: str
    bot: str
    rival: str
    score: float
    half: float | None
    games: int
    lost: ExactLoss | None = None


class Training(Protocol):
    """A training in progress: rounds, after each of which it can be stored and resumed.

    The same rules, seats, seed and rounds give the same nets, however often it is interrupted.
    """

    rounds_done: int

    @property
    def rounds(self) -> int:
        """The number of rounds."""

    def advance(self) -> None:
        """Do the next round."""

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All that the next round depends on, by name: resuming fills these arrays."""

    def warm_up(self) -> None:
        """Load the code of trials, so that its time does not count as theirs."""

    def trial(self) -> NetTrial:
        """Play games to measure the strength of the nets so far."""

    def file(self, command: str) -> bytes:
        """The content of a file with the nets; `command` is the one that trained them."""
