"""Openings at a table: the numbers of actions as answers to the questions of a game."""

from collections.abc import Iterator
from typing import Any

from cantstop_arena.errors import GameError
from cantstop_arena.game_api.action_numbers import numbers_of
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Opening, Question, State


class OpeningAnswers:
    """The answers of an opening to the first questions of a game."""

    def __init__(self, game: Game, opening: Opening, deal: int) -> None:
        self._game = game
        self._opening = opening
        self._deal = deal
        self._played = 0

    @property
    def is_over(self) -> bool:
        """Whether the bots are asked from now on."""
        return self._played == len(self._opening)

    def answers(self, state: State, question: Question | None) -> dict[int, Any]:
        """The answers of all seats to a question. Raises GameError where they are illegal."""
        if question is None:
            raise self._error("the game is over before its end")
        return dict(self._answers(state, question))

    def _answers(self, state: State, question: Question) -> Iterator[tuple[int, Any]]:
        numbers = numbers_of(self._game, state.rules, state.players)
        for seat in question.listed_seats:
            if self.is_over:
                raise self._error("it ends before all seats of a question have answered")
            decision, value = numbers.actions[self._opening[self._played]]
            moves = question.moves_of(seat)
            if decision != question.decision or (
                state.check(seat, value) is not None if moves is None else value not in moves
            ):
                name = self._game.action_name(decision, value)
                raise self._error(f"action {self._played + 1}, {name}, is not legal there")
            self._played += 1
            yield seat, value if moves is None else [*moves].index(value)

    def _error(self, why: str) -> GameError:
        return GameError(f"the opening of deal {self._deal} cannot be played: {why}")
