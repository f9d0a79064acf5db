"""What advises on the decisions of a game (the slot `adviser` of extensions)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cantstop_arena.extension_registry import parts

if TYPE_CHECKING:
    from cantstop_arena.game_api.state import Event


class Adviser(Protocol):
    """Hints for a person, values of positions, and verdicts on the decisions of a record.

    All may raise UsageError where nothing is known for the rules of a game.
    """

    def hint_of_moves(self, turn: Any, moves: Sequence[Any]) -> Iterator[str]:
        """The value of each move, a line each."""

    def hint_of_roll(self, turn: Any) -> Iterator[str]:
        """The values of rolling on and of stopping, in a line."""

    def evaluator_for(self, rules: Any, players: int) -> Any:
        """What has the chances to win: `name`, `values(turn, moves)`, `choice(turn)`."""

    def solved_value(self, rules: Any) -> float | None:
        """The mean length of a solo game with perfect play; None where it is unknown."""

    def add_verdicts(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events of a record with a verdict on each decision."""

    def judge_text(self, opening: Event) -> str:
        """Who judges a game, and the unit of the losses."""

    def worst_decisions(self, events: Iterable[Event], seat: int) -> Iterator[str]:
        """The verdicts on the decisions of a seat as lines, the worst first."""

    def judged_decisions(self, events: Iterable[Event]) -> Iterator[tuple[int, Any, Any]]:
        """The decisions of a game: the number of the event, its scene, the decision judged."""


def adviser_of(game: str) -> Adviser | None:
    """The adviser of a game, from an extension; None if there is none."""
    return next(parts("adviser", game), None)
