"""Two small nets with a lookahead of one roll: nearly as strong as grandmaster, and much faster."""

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
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.nets.lookahead import (
    SHEET,
    SHEET_SIZE,
    begin,
    best,
    choice,
)
from cantstop_arena.games.cantstop.nets.net_files import SHIPPED
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def champion(nets: Annotated[str, FilePath(SHIPPED)] = "") -> Player:
    """Two small nets, and one roll looked ahead; plays as tuned where no nets are known.

    One net gives the value of stopping; the other, trained on the grandmaster's exact turns, the
    value of rolling on. The nets that come with the project are for the classic rules. `nets` is
    the path of a file of `arena train` to play with instead.
    """
    net_set = net_set_of(nets)
    boards, ends, rolls, net_indexes = net_set.boards, net_set.ends, net_set.rolls, net_set.indexes
    has_nets = has_nets_for(net_set, net_set.rolling_seats)

    @compiled(boundscheck=False)
    def fill_sheets(turn, stopping, rolling):
        if stopping.turn != turn.number:
            stopping.turn = turn.number
            place_markers(turn, stopping)
            net_index = net_indexes[turn.players]
            begin(boards[0], ends[net_index], rolls[net_index], stopping, rolling)

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def choose_move(turn, moves):
        if not has_nets(turn):
            return choose_by_numbers(turn, moves, NUMBERS)
        net_index, sheets = net_indexes[turn.players], turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        fill_sheets(turn, stopping, rolling)
        chosen, best_value = 0, -1e9
        for index in range(len(moves)):
            place_runners(turn, stopping)
            for column in moves[index]:
                stopping.climbs[column - 2] += 1
            value = best(boards[0], ends[net_index], rolls[net_index], stopping, rolling)
            if value > best_value:
                chosen, best_value = index, value
        return chosen

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def roll_again(turn):
        if not has_nets(turn):
            return roll_by_numbers(turn, NUMBERS)
        net_index, sheets = net_indexes[turn.players], turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        fill_sheets(turn, stopping, rolling)
        place_runners(turn, stopping)
        stop_value, roll_value = choice(
            boards[0], ends[net_index], rolls[net_index], stopping, rolling
        )
        return roll_value > stop_value

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The champion."""
    return [Bot("champion", champion)]
