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
    shelf = net_set_of(nets)
    boards, ends, places = shelf.boards, shelf.ends, shelf.indexes
    is_known = has_nets_for(shelf, shelf.seats)

    @compiled(boundscheck=False)
    def lay_out(turn, desk):
        if desk.turn != turn.number:
            desk.turn = turn.number
            place_markers(turn, desk)
            enter(boards[0], ends[places[turn.players]], desk)

    @compiled(boundscheck=False, memory=WORKSPACE_SIZE)
    def choose_move(turn, moves):
        if not is_known(turn):
            return choose_by_numbers(turn, moves, NUMBERS)
        desk, net = turn.memory.view(WORKSPACE)[0], ends[places[turn.players]]
        lay_out(turn, desk)
        best, most = 0, -1e9
        for index in range(len(moves)):
            place_runners(turn, desk)
            for column in moves[index]:
                desk.advances[column - 2] += 1
            worth = look_up(boards[0], net, desk)[0]
            if worth > most:
                best, most = index, worth
        return best

    @compiled(boundscheck=False, memory=WORKSPACE_SIZE)
    def roll_again(turn):
        if not is_known(turn):
            return roll_by_numbers(turn, NUMBERS)
        desk = turn.memory.view(WORKSPACE)[0]
        lay_out(turn, desk)
        place_runners(turn, desk)
        best, roll = look_up(boards[0], ends[places[turn.players]], desk)
        return roll >= best

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The grandmaster."""
    return [Bot("grandmaster", grandmaster)]
