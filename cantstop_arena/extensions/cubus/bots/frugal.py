"""Builds a target with fewest points; knocks with a greedy build."""

from cantstop_arena.extensions.cubus.bots import greedy
from cantstop_arena.hookspecs import compiled


@compiled
def build(view):
    """A random target with fewest points."""
    fewest = 0
    for option in view.options(rising=True):
        if fewest and option.points > fewest:
            break
        fewest = option.points
        view.keep(option, fewest)
    return view.choose()


knock = greedy.build
