"""What takes long once in a process: the library of a box is mapped, compiled code is loaded."""

from collections import deque
from functools import cache

from cantstop_arena.games.cubus.choices.positions import view_of
from cantstop_arena.games.cubus.engine.library import library
from cantstop_arena.games.cubus.rules import RuleSet


def warm_up(rules: RuleSet) -> None:
    """Map the library of the rules' box, and load what searches in it."""
    library(rules.box)
    _load()


@cache
def _load() -> None:
    """Ask every helper once."""
    view = view_of("1@0,0", "TOLR", [(0, 0)], "leaflet")
    view.bound()
    view.nearby()
    view.takes()
    deque(view.iter_targets(), 0)
    deque(view.iter_targets("none"), 0)
