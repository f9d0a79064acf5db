"""The bot that every other should beat."""

from functools import partial

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def random(roll_again: float = 0.5) -> Player:
    """Any legal move, and another roll with probability one half (option `roll_again`)."""

    @compiled(boundscheck=False)
    def choose(turn, moves):
        return int(turn.random() * len(moves))

    @compiled(boundscheck=False)
    def again(turn, chance):
        return turn.random() < chance

    return Player(choose, partial(again, chance=float(roll_again)))


@hookimpl
def register_bots() -> list[Bot]:
    """The random bot."""
    return [Bot("random", random)]
