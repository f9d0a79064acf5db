"""A strategy that was found as a program, by a search in a language for such programs."""

from cantstop_arena.games.cantstop.bots.heuristic import by_column
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl

_ADVANCE_VALUES = by_column((1, 2, 2, 3, 7, 7))  # those of Glenn and Aloi
_MOVE_VALUES = by_column((3, 4, 0, 2, 0, 7))
_ODD, _EVEN, _LOW, _HIGH, _THRESHOLD = 7, 1, 5, 6, 29


def synthesised() -> Player:
    """The strongest program of Medeiros, Aleixo and Lelis's search (AAAI 2022).

    It has the numbers of Glenn and Aloi's champion, and another score of a turn: each column counts
    its spaces climbed times the height reached, and easy columns are set off against that. It
    moves where it stands highest. Source: `couto_player.py` of leandrocouto/sketch-learning (MIT
    licence), the code of "What Can We Learn Even from the Weakest? Learning Sketches for
    Programmatic Strategies"; written anew from it.
    """

    @compiled(boundscheck=False)
    def height(turn, column):
        space = turn.position(column)
        return space + (space == turn.rules.lengths[column])

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_score = 0, -1
        for index in range(len(moves)):
            score = 0
            for column in moves[index]:
                score += height(turn, column) + _MOVE_VALUES[turn.rules.sides, column]
            if score > best_score:
                best, best_score = index, score
        return best

    @compiled(boundscheck=False)
    def roll_again(turn):
        placed = len(turn.placed)
        if len(turn.usable) == 0:
            return False
        if turn.free:
            for column in turn.usable:
                if column not in turn.placed:
                    return True
        middle = turn.rules.sides + 1
        total, score = 0, 0
        is_odd = is_even = is_low = is_high = True
        for column in turn.placed:
            total += column
            climbed = height(turn, column) - turn.markers[column]
            value = _ADVANCE_VALUES[turn.rules.sides, column]
            score += value * climbed * height(turn, column)
            is_odd, is_even = is_odd and column % 2 == 1, is_even and column % 2 == 0
            is_low, is_high = is_low and column <= middle, is_high and column >= middle
        difficulty = _ODD * is_odd + _EVEN * is_even + _LOW * is_low + _HIGH * is_high
        return score - placed * total + difficulty * difficulty + difficulty < _THRESHOLD

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The synthesised program."""
    return [Bot("synthesised", synthesised)]
