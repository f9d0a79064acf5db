"""Builds a target with most points, with as many new open cards as allowed."""

from cantstop_arena.extensions.cubus.bots import greedy
from cantstop_arena.hookspecs import compiled


@compiled
def build(view):
    """A random target with most points, and all open cards that can lie on it."""
    most = 0
    for option in view.options():
        if option.points < most:
            break
        most = option.points
        view.keep(option, most)
    return view.choose(most=True)


knock = greedy.build
