"""The safe strategy: small steps, little risk."""

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def cautious() -> Player:
    """Stops as soon as all runners are placed; takes the most probable columns.

    Source: "the safe strategy" in the review of the Parker edition (1980).
    """

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_chance = 0, -1.0
        for index in range(len(moves)):
            chance = 0.0
            for column in moves[index]:
                chance += turn.chance(column)
            if chance > best_chance:
                best, best_chance = index, chance
        return best

    @compiled(boundscheck=False)
    def roll_again(turn):
        if not turn.free:
            return False
        usable_placed = 0
        for column in turn.usable:
            if column in turn.placed:
                usable_placed += 1
        return len(turn.usable) > usable_placed

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The cautious bot."""
    return [Bot("cautious", cautious)]
