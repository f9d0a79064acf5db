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
def pick_spoiling(view, moves, reserve=7):
    """Like the first; else a tree that stays out of reach of the next die, if there is one."""
    exact = pick_exactly(view, moves)
    if view.fruits[moves[exact]] == view.die:
        return exact
    for index, tree in enumerate(moves):
        left = view.fruits[tree] - view.die
        if left >= reserve or left < 0:
            return index
    return exact


@hookimpl
def register_bots() -> list[Bot]:
    """The players."""
    return [
        Bot("exact", lambda: BotFunctions(pick=pick_exactly)),
        Bot("anything", lambda: BotFunctions(pick=pick_anything)),
        Bot("spoiler", lambda: BotFunctions(pick=pick_spoiling)),
    ]
