"""A bot in plain Python: climbs the middle, stops after six steps."""

from cantstop_arena import hookimpl


@hookimpl
def choose_move(turn, moves):
    """Take the move whose columns lie nearest to the middle."""
    return max(range(len(moves)), key=lambda index: middle(turn, moves[index]))


@hookimpl
def roll_again(turn, steps=6):
    """Roll until the runners have climbed six spaces together (`steps: 6`)."""
    climbed = sum(turn.runners[column] - turn.markers[column] for column in turn.placed)
    return climbed < steps


def middle(turn, move):
    """How central a move is: the sum of its columns' distances from the edge, counted from 1."""
    return sum(turn.rules.sides - abs(column - turn.rules.sides - 1) for column in move)
