"""Three players of Orchard, all compiled."""

from cantstop_arena import Bot, compiled, hookimpl
from cantstop_arena.hookspecs import BotFunctions

game = "orchard"


@compiled
def pick_exactly(view, moves):
    """The tree that the die empties exactly, else the fullest."""
    fullest = 0
    for index, tree in enumerate(moves):
        if view.fruits[tree] == view.die:
            return index
        if view.fruits[tree] > view.fruits[moves[fullest]]:
            fullest = index
    return fullest


@compiled
def pick_anything(view, moves):
    """Any tree."""
    return int(view.random() * len(moves))


@compiled
def pick_carefully(view, moves):
    """Like the first, but rather a tree that leaves the next die no new number for the bonus."""
    exact = pick_exactly(view, moves)
    if view.fruits[moves[exact]] == view.die:
        return exact
    for index, tree in enumerate(moves):
        left = view.fruits[tree] - view.die
        if left > 6 or (left > 0 and has_tree_of(view, left)):
            return index
    return exact


def has_tree_of(view, fruits):
    """Whether a tree has so many fruits."""
    return any(view.fruits[tree] == fruits for tree in range(view.rules.trees))


@hookimpl
def register_bots() -> list[Bot]:
    """The players."""
    return [
        Bot("exact", lambda: BotFunctions(pick=pick_exactly)),
        Bot("anything", lambda: BotFunctions(pick=pick_anything)),
        Bot("careful", lambda: BotFunctions(pick=pick_carefully)),
    ]
