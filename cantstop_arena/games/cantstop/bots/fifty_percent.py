"""A rule of players who count rolls: stop once to have survived them all was unlikely."""

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def fifty_percent() -> Player:
    """Rolls until its chance to survive so many rolls has fallen to one half.

    With the chance p that the next roll is no bust it stops after log(1/2) / log(p) rolls. It
    prefers doubles, then moves without a new runner. Source: FiftyPercentSurvival, the winner among
    38 strategies of k1monfared's "Can't Stop, Addicted To The Shindig" (2025), which has no
    licence; written anew from its description.
    """

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_rank = 0, -1
        for index in range(len(moves)):
            move, is_known = moves[index], True
            for column in move:
                is_known = is_known and column in turn.placed
            is_double = len(move) == 2 and move[0] == move[1]
            rank = 2 if is_double else 1 if is_known else 0
            if rank > best_rank:
                best, best_rank = index, rank
        return best

    @compiled(boundscheck=False)
    def roll_again(turn):
        return (1.0 - turn.bust_chance()) ** turn.rolls > 0.5

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The bot that survives every other turn."""
    return [Bot("fifty-percent", fifty_percent)]
