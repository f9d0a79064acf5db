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
    shelf = net_set_of(nets)
    boards, ends, rolls, places = shelf.boards, shelf.ends, shelf.rolls, shelf.indexes
    is_known = has_nets_for(shelf, shelf.rolling_seats)

    @compiled(boundscheck=False)
    def lay_out(turn, stopping, rolling):
        if stopping.turn != turn.number:
            stopping.turn = turn.number
            place_markers(turn, stopping)
            place = places[turn.players]
            begin(boards[0], ends[place], rolls[place], stopping, rolling)

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def choose_move(turn, moves):
        if not is_known(turn):
            return choose_by_numbers(turn, moves, NUMBERS)
        place, sheets = places[turn.players], turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        lay_out(turn, stopping, rolling)
        chosen, most = 0, -1e9
        for index in range(len(moves)):
            place_runners(turn, stopping)
            for column in moves[index]:
                stopping.advances[column - 2] += 1
            worth = best(boards[0], ends[place], rolls[place], stopping, rolling)
            if worth > most:
                chosen, most = index, worth
        return chosen

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def roll_again(turn):
        if not is_known(turn):
            return roll_by_numbers(turn, NUMBERS)
        place, sheets = places[turn.players], turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        lay_out(turn, stopping, rolling)
        place_runners(turn, stopping)
        stop, roll = choice(boards[0], ends[place], rolls[place], stopping, rolling)
        return roll > stop

    return Player(choose_move, roll_again)


@hookimpl
def register_bots() -> list[Bot]:
    """The champion."""
    return [Bot("champion", champion)]
