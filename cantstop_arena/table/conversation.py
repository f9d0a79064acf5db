"""Seats whose answers come from outside, as those of people: games pause where one is to decide.

Their functions return the answer that is ready, or raise `Waiting`. The table's own loop then
yields what is to be decided in place of a stop, and asks the same question again when it goes on,
so that no thread waits. A game in step pauses so for the batches of its bots, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import Interrupted
from cantstop_arena.game_api.decisions import Decision
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Event
from cantstop_arena.table.bot_faults import RetryingPlayer, TrustedPlayer
from cantstop_arena.table.recording import Complaint, record

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable


class PendingDecision(NamedTuple):
    """A decision that is to come from outside, and what the seat is shown.

    `moves` are the legal moves, if the decision has any, `drawing` is the board as text, if the
    game has one, and `problem` is why the last answer was illegal; empty if there was none.
    """

    seat: int
    decision: Decision
    view: Any
    moves: Sequence[Any] | None = None
    problem: str = ""
    drawing: str = ""


class Waiting(Interrupted):
    """A seat is to decide whose answer has not come yet."""

    def __init__(self, pending: PendingDecision) -> None:
        super().__init__()
        self.pending = pending


class WaitingSeat(TrustedPlayer):
    """A seat whose answers come from outside, with a function for every decision of the game."""

    def __init__(self, seat: int, game: Game) -> None:
        self.seat = seat
        self._answers: list[Any] = []  # at most one: the answer to the question at hand
        self._problem = ""
        for decision in game.decisions.values():
            setattr(self, decision.name, partial(self._decide, decision))

    def set_answer(self, answer: Any) -> None:
        """Answer the pending decision; the game goes on with its next step."""
        self._answers, self._problem = [answer], ""

    def clear_answer(self) -> None:
        """Drop the answer when the question is answered by everybody whom it is for."""
        self._answers.clear()

    def _decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> Any:
        if not self._answers:
            raise Waiting(PendingDecision(self.seat, decision, view, moves, self._problem))
        return self._answers[0]


class PersonSeat(WaitingSeat, RetryingPlayer):
    """A person in a seat of a table."""

    def on_complaint(self, problem: str) -> None:
        """Drop an illegal answer; the question is repeated with the problem."""
        self._answers, self._problem = [], problem


def conversation(
    table: GameTable,
    seats: Group,
    deal: int,
    complain: Callable[[Complaint], None] | None = None,
) -> Iterator[Event | PendingDecision]:
    """Play one game with people, and yield what `record` yields: the same events.

    Between them it yields PendingDecision, after which the `PersonSeat` needs an answer before the
    next step. Bots answer within the steps.
    """
    steps: Iterator[Event | PendingDecision] = record(table, seats, deal, complain)
    return steps
