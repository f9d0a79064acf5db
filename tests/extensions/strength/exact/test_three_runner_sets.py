"""Turns with three runners: what is not computed, or computed side by side, changes no value."""

from typing import Any

import numpy as np
import pytest
from helpers.exact_turns import random_net, small

from cantstop_arena.extensions.strength.exact.three_runner_turn import (
    enter,
    enter_again,
    look_up,
    stop_value,
)
from cantstop_arena.extensions.strength.exact.turn_board import board_for
from cantstop_arena.extensions.strength.exact.workspace import new_workspace
from cantstop_arena.extensions.strength.nets.net import HIDDEN

RULES = small(3, (2, 5, 9, 3, 2), 3)
MARKERS = [[0, 1, 0, 0, 0], [1, 0, 2, 0, 1]]


@pytest.fixture
def turn() -> Any:
    """A board, a net and a workspace that has entered a position."""
    exact_turn = board_for(RULES)[0], random_net(2, 5)[0], new_workspace()[0]
    exact_turn[2].markers[:2, :5] = MARKERS
    enter(*exact_turn)
    return exact_turn


def states(workspace: Any) -> list[tuple[int, ...]]:
    """All states in which runners have climbed in one to three columns, the farthest first."""
    spaces = [int(number) + 1 for number in workspace.remaining[:5]]
    every = [state for state in np.ndindex(*spaces) if 1 <= np.count_nonzero(state) <= 3]
    return sorted(every, key=sum, reverse=True)


def value_of(turn: Any, state: tuple[int, ...]) -> tuple[float, float]:
    turn[2].climbs[:5] = state
    value, roll = look_up(*turn)
    return float(value), float(roll)


@pytest.mark.slow
def test_units_that_are_left_out_add_nothing(turn: Any) -> None:
    board, _, workspace = turn
    compared = left_out = 0
    for seed in range(30):
        net = random_net(2, seed)[0]
        enter(board, net, workspace)
        for state in states(workspace):
            value, roll = value_of((board, net, workspace), state)
            if np.count_nonzero(state) == 3 and value > roll:
                assert value == float(stop_value(board, net, workspace))
                compared += 1
                left_out += workspace.live_count < HIDDEN
    assert compared > 200
    assert left_out > 100


def test_a_turn_at_the_same_position_has_the_same_values(turn: Any) -> None:
    board, net, workspace = turn
    first = (0, 0, 1, 0, 0)
    values = [value_of(turn, first)]
    values += [value_of(turn, state) for state in states(workspace)]  # solves pairs farther
    solved = int(workspace.used)
    enter_again(workspace)
    assert workspace.used == solved
    again = [value_of(turn, first)]
    again += [value_of(turn, state) for state in states(workspace)]
    assert again == values
    enter(board, net, workspace)
    assert workspace.used == 0
