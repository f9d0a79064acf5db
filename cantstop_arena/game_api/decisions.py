"""The decisions of bots in a game: their hooks, views and answers.

A game declares them as functions:

    @decision
    def bid(view: BidView) -> int:
        "Return the coins to bid, 0 to `view.coins`."

    class Auction(Game):
        hooks = (bid,)

The function's name is the hook that bots implement, its first parameter is a bot's view, and its
annotations are the types to which views and answers are converted for isolated bots. With a second
parameter `moves` the answer is the index of a move.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_type_hints, overload

from cantstop_arena.game_api.answers import (
    checked_bool,
    checked_integer,
    convert_answer,
    index_among,
)
from cantstop_arena.hookspecs import hookspec


@dataclass(frozen=True, slots=True)
class GameOver:
    """The end of a game, for the bot in one `seat`.

    `winners` are seats, none where nobody won; `points` are by seat, if the game has any.
    """

    seat: int
    players: int
    winners: tuple[int, ...]
    points: tuple[int, ...] = ()

    @property
    def share(self) -> float:
        """The bot's share of the win: 1 for the only winner, 0 for a loser."""
        if not self.winners:
            return 1 / self.players
        return 1 / len(self.winners) if self.seat in self.winners else 0.0


Function = TypeVar("Function", bound=Callable[..., Any])
MOVES = "moves"
ANSWER = "answer"
GAME_OVER = "game_over"
_DECLARED = "cantstop_arena_decision"


@dataclass(frozen=True, slots=True)
class Decision:
    """One kind of decision.

    `view` is the type of a bot's view, `answer` that of its answer; `key` is the key of the answer
    in a program's JSON. Bots need not implement an `optional` decision.
    """

    name: str
    parameters: tuple[str, ...]
    view: Any
    answer: Any
    key: str = ANSWER
    optional: bool = False
    summary: str = ""

    @property
    def has_moves(self) -> bool:
        """Whether the answer is the index of a move."""
        return self.parameters[1:] == (MOVES,)

    def checked(self, answer: object, moves: Sequence[Any] | None = None) -> Any:
        """The answer, converted to plain values. Raises IllegalAnswer when it is illegal.

        None is legal if the decision is optional: the bot does not take it.
        """
        if answer is None and self.optional:
            return None
        if moves is not None:
            return index_among(self.name, answer, len(moves))
        if self.answer is bool:
            return checked_bool(self.name, answer)
        if self.answer is int:
            return checked_integer(self.name, answer)
        return convert_answer(self.name, answer, self.answer)


@overload
def decision(function: Function) -> Function: ...
@overload
def decision(*, optional: bool = ..., key: str = ...) -> Callable[[Function], Function]: ...
def decision(
    function: Function | None = None, *, optional: bool = False, key: str = ANSWER
) -> Function | Callable[[Function], Function]:
    """Declare a decision. An `optional` one need not be implemented by a bot."""

    def mark(function: Function) -> Function:
        setattr(function, _DECLARED, (optional, key))
        return hookspec(function)

    return mark if function is None else mark(function)


@decision(optional=True)
def game_over(view: Any, result: GameOver) -> None:
    """Receive the result of the game; `view` is the bot's last view in it, or None."""


def decisions_of(hooks: Iterable[Callable[..., Any]]) -> Mapping[str, Decision]:
    """The decisions that functions declare, by name, in their order."""
    return {
        hook.__name__: _decision(hook.__name__, hook, *getattr(hook, _DECLARED)) for hook in hooks
    }


def _decision(name: str, function: Callable[..., Any], optional: bool, key: str) -> Decision:
    hints = get_type_hints(function)
    parameters = tuple(inspect.signature(function).parameters)
    summary = (inspect.getdoc(function) or "").partition("\n")[0]
    view, answer = hints.get(parameters[0], Any), hints.get("return", Any)
    return Decision(name, parameters, view, answer, key, optional, summary)
