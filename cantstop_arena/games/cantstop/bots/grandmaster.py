"""The exact turn with a net for what its end is worth: the strongest player there is."""

from typing import Annotated

from cantstop_arena.game_api.bot_options import FilePath
from cantstop_arena.games.cantstop.bots.heuristic import choose_by_numbers, roll_by_numbers
from cantstop_arena.games.cantstop.bots.net_choice import (
    has_nets_for,
    net_set_of,
    place_markers,
    place_runners,
)
from cantstop_arena.games.cantstop.bots.tuned import NUMBERS
from cantstop_arena.games.cantstop.exact.three_runner_turn import enter, look_up
from cantstop_arena.games.cantstop.exact.workspace import WORKSPACE, WORKSPACE_SIZE
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.nets.net_files import SHIPPED
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def grandmaster(nets: Annotated[str, FilePath(SHIPPED)] = "") -> Player:
    """Solves every turn exactly, with a net for positions; plays as tuned where none is known.

    The nets that come with the project are for the classic rules. `nets` names a file of
    `arena train` to play with instead. Method: Glenn, Fang and Kruskal's turns as decision
    problems, and temporal differences (Tesauro, 1995) for what a turn ends in.
    """
    net_set = net_set_of(nets)
    boards, ends, position = net_set.boards, net_set.ends, net_set.indexes
    is_existing = has_nets_for(net_set, net_set.seats)

    @compiled(boundscheck=False)
    def fill_workspace(turn, workspace):
        if workspace.turn != turn.number:
            workspace.turn = turn.number
            place_markers(turn, workspace)
            enter(boards[0], ends[position[turn.players]], workspace)

    @compiled(boundscheck=False, memory=WORKSPACE_SIZE)
    def choose_move(turn, moves):
        if not is_existing(turn):
            return choose_by_numbers(turn, moves, NUMBERS)
        workspace, net = turn.memory.view(WORKSPACE)[0], ends[position[turn.players]]
        fill_workspace(turn, workspace)
        best, maximum = 0, -1e9
        for index in range(len(moves)):
            place_runners(turn, workspace)
            for column in moves[index]:
                workspace.climbs[column - 2] += 1
            value = look_up(boards[0], net, workspace)[0]
            if value > maximum:
                best, maximum = index, value
        return best

    @compiled(boundscheck=False, memory=WORKSPACE_SIZE)
    def roll_again(turn):
        if not is_existing(turn):
            return roll_by_numbers(turn, NUMBERS)
        workspace = turn.memory.view(WORKSPACE)[0]
        fill_workspace(turn, workspace)
        place_runners(turn, workspace)
        best, roll = look_up(boards[0], ends[position[turn.players]], workspace)
        return roll >= best

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The grandmaster."""
    return [Bot("grandmaster", grandmaster)]
