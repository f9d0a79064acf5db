"""The strategy of players who cannot stop."""

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def daring() -> Player:
    """Rolls until a column is topped or a bust is likelier than not; climbs nearest to a top."""

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_height = 0, -1.0
        for index in range(len(moves)):
            height = 0.0
            for column in moves[index]:
                space = turn.next_space(column, turn.position(column))
                height = max(height, space / turn.rules.lengths[column])
            if height > best_height:
                best, best_height = index, height
        return best

    @compiled(boundscheck=False)
    def roll_again(turn):
        for column in turn.placed:
            if turn.runners[column] == turn.rules.lengths[column]:
                return False
        return turn.bust_chance() <= 0.5

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The daring bot."""
    return [Bot("daring", daring)]
