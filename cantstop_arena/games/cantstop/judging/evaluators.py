"""The best evaluator that there is for some rules."""

from pathlib import Path

from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.solving.advice import adviser_for
from cantstop_arena.games.cantstop.solving.evaluator import Evaluator


def best_evaluator(rules: RuleSet, players: int, folder: Path) -> Evaluator:
    """Exact values by the tables of a folder. Raises BotError where nobody knows any."""
    return adviser_for(rules, players, folder)
