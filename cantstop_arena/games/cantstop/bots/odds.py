"""The gambler who knows the odds of every roll."""

from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


@compiled(boundscheck=False)
def _gain(turn, column):
    """Progress, in shares of the column's length, that one advance brings; 0 if impossible."""
    return 1.0 / turn.rules.lengths[column] if column in turn.usable else 0.0


@compiled(boundscheck=False)
def _pairing_gain(turn, first, second):
    """Progress by the best move of a pairing, with the runners that are free."""
    first_gain, second_gain = _gain(turn, first), _gain(turn, second)
    if first == second:
        spaces_left = turn.rules.lengths[first] - turn.position(first)
        return first_gain * min(2, spaces_left)
    if turn.free == 1 and not turn.runners[first] and not turn.runners[second]:
        return max(first_gain, second_gain)
    return first_gain + second_gain


@compiled(boundscheck=False)
def _arrangements(a, b, c, d):
    """The number of rolls with the faces a <= b <= c <= d in any order."""
    steps = (a != b) + (b != c) + (c != d)
    if steps == 0:
        return 1
    if steps == 3:
        return 24
    if steps == 2:
        return 12
    return 6 if b != c else 4


@compiled(boundscheck=False)
def expected_gain(turn):
    """Mean progress of the next roll's best pairing over all rolls, 0 for a bust."""
    sides, total = turn.rules.sides, 0.0
    for a in range(1, sides + 1):
        for b in range(a, sides + 1):
            for c in range(b, sides + 1):
                for d in range(c, sides + 1):
                    best = max(
                        _pairing_gain(turn, a + b, c + d),
                        _pairing_gain(turn, a + c, b + d),
                        _pairing_gain(turn, a + d, b + c),
                    )
                    total += best * _arrangements(a, b, c, d)
    return total / sides**4


def odds() -> Player:
    """Rolls while the expected progress of one more roll exceeds the expected loss.

    Progress is measured in shares of column length; chances are exact, over all rolls of the
    dice. Takes the move whose progress, weighted with its columns' chances, is greatest.
    """

    @compiled(boundscheck=False)
    def choose_move(turn, moves):
        best, best_value = 0, -1.0
        for index in range(len(moves)):
            value = 0.0
            for column in moves[index]:
                value += turn.chance(column) / turn.rules.lengths[column]
            if value > best_value:
                best, best_value = index, value
        return best

    @compiled(boundscheck=False)
    def roll_again(turn):
        stake = 0.0
        for column in turn.placed:
            climbed = turn.runners[column] - turn.markers[column]
            stake += climbed / turn.rules.lengths[column]
        return expected_gain(turn) > turn.bust_chance() * stake

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The bot that plays by the odds."""
    return [Bot("odds", odds)]
