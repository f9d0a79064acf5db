"""The adviser of Can't Stop (the slot `adviser`): hints, evaluators, and exact values."""

from cantstop_arena.extensions.strength.exact.solved_tables import solved_value as _solved_value
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.extensions.strength.hints import evaluator_for, hint_of_moves, hint_of_roll
from cantstop_arena.games.cantstop.rules import RuleSet

__all__ = ["evaluator_for", "hint_of_moves", "hint_of_roll", "solved_value"]


def solved_value(rules: RuleSet) -> float | None:
    """The mean turns of a solo game with perfect play; None if the board is not solved."""
    return _solved_value(rules, 1, tables_folder())
