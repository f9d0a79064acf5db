"""Builds a target with most points among those that differ little from the pile."""

from cantstop_arena.hookspecs import compiled


@compiled
def build(view):
    """A random target with most points of those near the pile."""
    return view.choose_nearby() if view.bound() else None


knock = build
