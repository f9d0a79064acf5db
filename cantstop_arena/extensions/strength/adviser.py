"""The adviser of Can't Stop: hints, evaluators, exact values, verdicts; see `game_api.adviser`."""

from cantstop_arena.extensions.strength.exact.evaluator import Evaluator, best_evaluator
from cantstop_arena.extensions.strength.exact.solved_tables import solved_value as _solved_value
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.extensions.strength.hints import hint_of_moves, hint_of_roll
from cantstop_arena.extensions.strength.judging.verdicts import (
    add_verdicts,
    judge_text,
    judged_decisions,
    worst_decisions,
)
from cantstop_arena.games.cantstop.rules import RuleSet

__all__ = [
    "add_verdicts",
    "evaluator_for",
    "hint_of_moves",
    "hint_of_roll",
    "judge_text",
    "judged_decisions",
    "solved_value",
    "worst_decisions",
]


def evaluator_for(rules: RuleSet, players: int) -> Evaluator:
    """The best evaluator for rules and seats. Raises ArenaError where there is none."""
    return best_evaluator(rules, players, tables_folder())


def solved_value(rules: RuleSet) -> float | None:
    """The mean turns of a solo game with perfect play; None if the board is not solved."""
    return _solved_value(rules, 1, tables_folder())
