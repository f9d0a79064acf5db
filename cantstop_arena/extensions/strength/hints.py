"""Hints for a person, by the best evaluator for the rules."""

from collections.abc import Iterator, Sequence

from cantstop_arena.errors import ArenaError
from cantstop_arena.extensions.strength.exact.evaluator import Evaluator, best_evaluator
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.games.cantstop.turn import Turn, move_text


def hint_of_moves(turn: Turn, moves: Sequence[Sequence[int]]) -> Iterator[str]:
    """The value of each move, one line each, with the best one marked."""
    evaluator = _evaluator(turn)
    if isinstance(evaluator, str):
        yield evaluator
        return
    values = evaluator.values(turn, [tuple(move) for move in moves])
    for number, (move, value) in enumerate(zip(moves, values, strict=True), start=1):
        mark = "  the best" if value == max(values) else ""
        yield f"  {number:>3}  {move_text(move):<7} {_value_text(value, turn)}{mark}"


def hint_of_roll(turn: Turn) -> Iterator[str]:
    """The values of rolling on and of stopping, in one line."""
    evaluator = _evaluator(turn)
    if isinstance(evaluator, str):
        yield evaluator
        return
    rolling, stopping = evaluator.choice(turn)
    better = "Roll" if rolling > stopping else "Stop"
    values = f"rolling, {_value_text(rolling, turn)}; stopping, {_value_text(stopping, turn)}"
    yield f"  {better}: {values}."


def _evaluator(turn: Turn) -> Evaluator | str:
    """The best evaluator, or a sentence on why there is none."""
    try:
        return best_evaluator(turn.rules, turn.players, tables_folder())
    except ArenaError as error:
        return f"  There is no hint: {error}."


def _value_text(value: float, turn: Turn) -> str:
    return f"{value:.2%} to win" if turn.players > 1 else f"{-value:.2f} turns to come"
