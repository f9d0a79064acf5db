"""Turns as decision problems, with a net for the value of their ends: the strongest bot."""

from functools import partial
from typing import Annotated

from cantstop_arena.extensions.strength.bots.net_choice import (
    markers_have_moved,
    net_index_in,
    net_set_of,
    place_markers,
    place_runners,
)
from cantstop_arena.extensions.strength.exact.three_runner_turn import enter, enter_again, look_up
from cantstop_arena.extensions.strength.exact.workspace import WORKSPACE, WORKSPACE_SIZE
from cantstop_arena.extensions.strength.nets.net_files import SHIPPED
from cantstop_arena.game_api.bot_options import FilePath
from cantstop_arena.games.cantstop.bots.heuristic import choose_by_numbers, roll_by_numbers
from cantstop_arena.games.cantstop.bots.tuned import NUMBERS
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def grandmaster(nets: Annotated[str, FilePath(SHIPPED)] = "") -> Player:
    """Solves each turn, with a net for the positions after it; plays as tuned where none is known.

    The nets that come with the project are for the classic rules with one to four players, and for
    korean, long4 and long5 with two. `nets` is the path of a file of `arena train` to play with
    instead. Method: turns as decision problems (Glenn, Fang and Kruskal), and temporal differences
    (Tesauro, 1995) for the positions in which they end.
    """
    net_set = net_set_of(nets)
    board_indexes = net_set.board_indexes
    # As options they are no part of the machine code, which plays with any nets.
    arrays = {"boards": net_set.boards, "ends": net_set.ends}
    net_index = net_index_in(net_set)

    @compiled(boundscheck=False)
    def fill_workspace(turn, board, net, workspace):
        if workspace.turn != turn.number:
            if workspace.turn == 0 or markers_have_moved(turn, workspace):
                place_markers(turn, workspace)
                enter(board, net, workspace)
            else:  # nobody has moved since the last turn: a quarter of turns with two seats
                enter_again(workspace)
            workspace.turn = turn.number

    @compiled(boundscheck=False, memory=WORKSPACE_SIZE)
    def choose_move(turn, moves, boards, ends):
        index = net_index(turn)
        if index < 0:
            return choose_by_numbers(turn, moves, NUMBERS)
        workspace = turn.memory.view(WORKSPACE)[0]
        board, net = boards[board_indexes[index]], ends[index]
        fill_workspace(turn, board, net, workspace)
        best, best_value = 0, -1e9
        for number in range(len(moves)):
            place_runners(turn, workspace)
            for column in moves[number]:
                workspace.climbs[column - 2] += 1
            value = look_up(board, net, workspace)[0]
            if value > best_value:
                best, best_value = number, value
        return best

    @compiled(boundscheck=False, memory=WORKSPACE_SIZE)
    def roll_again(turn, boards, ends):
        index = net_index(turn)
        if index < 0:
            return roll_by_numbers(turn, NUMBERS)
        workspace = turn.memory.view(WORKSPACE)[0]
        board, net = boards[board_indexes[index]], ends[index]
        fill_workspace(turn, board, net, workspace)
        place_runners(turn, workspace)
        turn_value, roll_value = look_up(board, net, workspace)
        return roll_value >= turn_value

    return Player(partial(choose_move, **arrays), partial(roll_again, **arrays))


@hookimpl
def register_bots() -> list[Bot]:
    """The grandmaster."""
    return [Bot("grandmaster", grandmaster)]
