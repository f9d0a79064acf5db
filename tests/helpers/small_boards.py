"""Boards that are small enough to be solved in a test."""

from typing import Any

from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet, derive


def board(sides: int, shortest: int, **changes: Any) -> RuleSet:
    """Dice with so many sides, shortest columns of so many spaces, standard steps of two."""
    steps = [*range(sides), *reversed(range(sides - 1))]
    lengths = [shortest + 2 * step for step in steps]
    return derive(CLASSIC, {"sides": sides, "column_lengths": lengths, **changes})
