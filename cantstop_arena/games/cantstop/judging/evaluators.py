"""The best evaluator that there is for some rules."""

from pathlib import Path

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.solving.evaluator import Evaluator


def best_evaluator(rules: RuleSet, players: int, folder: Path) -> Evaluator:
    """Exact values by the tables of a folder, else those of the nets that came with the project.

    Raises BotError where nobody knows any, UsageError where a table is damaged.
    """
    # Numba comes with either, and pages of runs that nobody has judged do without.
    from cantstop_arena.games.cantstop.champion.evaluator import evaluator_for
    from cantstop_arena.games.cantstop.solving.advice import adviser_for

    try:
        return adviser_for(rules, players, folder)
    except BotError:
        if (trained := evaluator_for(rules, players)) is None:
            raise
        return trained
