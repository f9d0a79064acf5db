"""Two small nets and one roll looked ahead: nearly as strong as grandmaster, and much faster."""

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

    One net says what stopping is worth, the other, taught by the grandmaster's exact turns, what
    rolling on is worth. Those that come with the project are for the classic rules. `nets` names
    a file of `arena train` to play with instead.
    """
    net_set = net_set_of(nets)
    boards, ends, rolls, position = net_set.boards, net_set.ends, net_set.rolls, net_set.indexes
    is_existing = has_nets_for(net_set, net_set.rolling_seats)

    @compiled(boundscheck=False)
    def fill_workspace(turn, stopping, rolling):
        if stopping.turn != turn.number:
            stopping.turn = turn.number
            place_markers(turn, stopping)
            location = position[turn.players]
            begin(boards[0], ends[location], rolls[location], stopping, rolling)

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def choose_move(turn, moves):
        if not is_existing(turn):
            return choose_by_numbers(turn, moves, NUMBERS)
        location, sheets = position[turn.players], turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        fill_workspace(turn, stopping, rolling)
        chosen, maximum = 0, -1e9
        for index in range(len(moves)):
            place_runners(turn, stopping)
            for column in moves[index]:
                stopping.climbs[column - 2] += 1
            value = best(boards[0], ends[location], rolls[location], stopping, rolling)
            if value > maximum:
                chosen, maximum = index, value
        return chosen

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def roll_again(turn):
        if not is_existing(turn):
            return roll_by_numbers(turn, NUMBERS)
        location, sheets = position[turn.players], turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        fill_workspace(turn, stopping, rolling)
        place_runners(turn, stopping)
        stop, roll = choice(boards[0], ends[location], rolls[location], stopping, rolling)
        return roll > stop

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The champion."""
    return [Bot("champion", champion)]
