"""What the author of a plain game can get wrong, said in words while the game is played.

All that is raised here is raised while the game is at work, and so becomes a GameError.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cantstop_arena.game_api.game import Question, Result

if TYPE_CHECKING:
    from cantstop_arena.deals.counting import Counts
    from cantstop_arena.game_api.decisions import Decision


class Mistaken(Exception):
    """A game does what no game may do."""


def right_question(
    question: Question | None, decisions: Mapping[str, Decision], players: int
) -> Question | None:
    """The question, if it can be asked."""
    if question is None:
        return None
    if not isinstance(question, Question):
        raise Mistaken(f"question() must return a Question or None, not {question!r:.60}")
    decision = decisions.get(question.decision)
    if decision is None:
        known = ", ".join(decisions)
        raise Mistaken(f"no hook is called {question.decision!r:.60}; hooks are {known}")
    _check_seats("views", question.views, players)
    if decision.has_moves != (question.moves is not None):
        needs = "needs moves" if decision.has_moves else "has no parameter moves, but got some"
        raise Mistaken(f"{question.decision} {needs}")
    if question.moves is not None:
        _check_moves(question.views, question.moves)
    return question


def _check_seats(what: str, seats: Any, players: int) -> None:
    if not isinstance(seats, Mapping) or not seats:
        raise Mistaken(f"{what} of a Question must say by seat what each is shown")
    for seat in seats:
        if type(seat) is not int or not 0 <= seat < players:
            raise Mistaken(
                f"{what} of a Question name seat {seat!r:.20}; seats are 0 to {players - 1}"
            )


def _check_moves(views: Collection[int], moves: Mapping[int, Sequence[Any]]) -> None:
    for seat in views:
        if not moves.get(seat):
            raise Mistaken(f"seat {seat} is asked to choose, but has no moves")


def right_result(result: Result, counts: Counts, players: int) -> Result:
    """The result, if it can be one of a game with so many seats."""
    if not isinstance(result, Result):
        raise Mistaken(f"result() must return a Result, not {result!r:.60}")
    wrong = [seat for seat in result.winners if type(seat) is not int or not 0 <= seat < players]
    if wrong or len({*result.winners}) != len(result.winners):
        raise Mistaken(
            f"winners {[*result.winners]!r:.60} are no seats; they are 0 to {players - 1}"
        )
    _check_wholes("points", result.points, players)
    _check_wholes("ranks", result.ranks, players)
    for name, values in result.counts.items():
        if name not in counts.names:
            raise Mistaken(f"the result counts {name!r}, which is none of the names of its Counts")
        _check_wholes(f"the count {name}", values, players)
    return result


def _check_wholes(what: str, values: Sequence[int], players: int) -> None:
    """Whole numbers, NumPy's too, one for each seat, or none at all."""
    if len(values) not in (0, players) or any(not hasattr(one, "__index__") for one in values):
        shown = f"{list(values)!r:.60}"
        raise Mistaken(f"{what} must be a whole number for each of {players} seats, not {shown}")
