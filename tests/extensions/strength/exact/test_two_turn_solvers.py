"""The two solvers of a turn, held against each other where both can solve it."""

from typing import Any

import numpy as np
import pytest
from helpers.exact_turns import random_net, small
from numpy.typing import NDArray

from cantstop_arena.extensions.strength.exact.board import Board, board_of, size_of
from cantstop_arena.extensions.strength.exact.three_runner_turn import enter, look_up
from cantstop_arena.extensions.strength.exact.turn_board import board_for
from cantstop_arena.extensions.strength.exact.turn_solver import solve_turn_of
from cantstop_arena.extensions.strength.exact.workspace import new_workspace, workspace_for
from cantstop_arena.extensions.strength.nets.net import UNIT
from cantstop_arena.games.cantstop.rules import RuleSet

LATE = "after-all-runners"
BOARDS = [
    (small(3, (2, 3, 3, 3, 2), 2), 2),
    (small(3, (2, 2, 3, 2, 2), 2, LATE), 2),
    (small(3, (1, 2, 4, 3, 2), 3), 1),
    (small(3, (2, 3, 3, 3, 2), 2, LATE), 1),
]
POSITIONS = 50  # of each board


@pytest.mark.parametrize(("rules", "players"), BOARDS)
@pytest.mark.slow
def test_both_solvers_value_every_state_alike(rules: RuleSet, players: int) -> None:
    board, net = board_of(rules, players), random_net(players, 7)
    markers = markers_of(board, size_of(rules, players).entries)
    values, claims = net_values(board, net[0], markers), claims_in(board, markers)
    generator = np.random.default_rng(8)
    undecided = np.flatnonzero((claims < rules.columns_to_win).all(axis=0))
    compared = 0
    for position in generator.choice(undecided, POSITIONS, replace=False):
        compared += compare(rules, board, net, markers[:, position], values, int(position))
    assert compared > 20 * POSITIONS


def markers_of(board: Board, entries: int) -> NDArray[np.int64]:
    """The markers by player, position and column, those of the player on turn first."""
    digits = np.arange(entries)[:, None] // board.units % board.radices
    if board.players == 1:
        return digits[None]
    lengths, is_open = board.lengths, digits < board.lengths**2
    own, rival = digits // lengths, digits % lengths
    is_own, is_rivals = digits == lengths**2, digits == lengths**2 + 1
    claimed = [np.where(whose, lengths, 0) for whose in (is_own, is_rivals)]
    return np.array([np.where(is_open, own, claimed[0]), np.where(is_open, rival, claimed[1])])


def claims_in(board: Board, markers: NDArray[np.int64]) -> NDArray[np.int64]:
    """The claimed columns by player and position."""
    claims: NDArray[np.int64] = (markers == board.lengths).sum(axis=2)
    return claims


def net_values(board: Board, net: Any, markers: NDArray[np.int64]) -> NDArray[np.float64]:
    """The value of every position by the net, in the terms of a solved board.

    A net values the position that a player leaves: the last one, who is the only one alone.
    """
    firsts = np.cumsum(board.lengths + 1) - board.lengths - 1
    hidden = net.bias.astype(np.int64) + np.zeros((markers.shape[1], 1), np.int64)
    for seat, spaces in enumerate(markers[::-1]):
        for column, first in enumerate(firsts):
            hidden += net.rows[seat, first + spaces[:, column]]
    outputs = np.maximum(hidden, 0) @ net.weights.astype(np.int64) / UNIT**2
    left = outputs if board.players == 1 else 1 - 1 / (1 + np.exp(-outputs))
    return np.where(claims_in(board, markers)[-1] >= board.target, 0.0, left)


def compare(
    rules: RuleSet,
    board: Board,
    net: Any,
    markers: NDArray[np.int64],
    values: NDArray[np.float64],
    position: int,
) -> int:
    """Hold every state of a turn against the other solver; returns how many there are."""
    eager, lazy = workspace_for(board), new_workspace()[0]
    lazy.markers[: len(markers), : len(board.lengths)] = markers
    turn = board_for(rules)[0], net[0], lazy
    solve_turn_of(board, eager, values, position)
    enter(*turn)
    compared = 0
    for mask in board.sets[:-1]:
        columns = [column for column in range(len(board.lengths)) if mask >> column & 1]
        for climbs in np.ndindex(*[int(eager.remaining[column]) for column in columns]):
            lazy.climbs[:] = 0
            lazy.climbs[columns] = np.add(climbs, 1)
            state = (
                eager.first[mask] + (eager.strides[mask] * lazy.climbs[: len(board.lengths)]).sum()
            )
            best, roll = look_up(*turn)
            assert float(best) == pytest.approx(eager.values[state], rel=1e-5, abs=1e-5)
            if not eager.final[state]:
                assert float(roll) == pytest.approx(eager.rolls[state], rel=1e-5, abs=1e-5)
            compared += 1
    return compared
