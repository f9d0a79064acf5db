"""Two small nets with a lookahead of one roll: nearly as strong as grandmaster, and much faster."""

from functools import partial
from typing import Annotated

from cantstop_arena.extensions.strength.bots.net_choice import (
    net_index_in,
    net_set_of,
    place_markers,
    place_runners,
)
from cantstop_arena.extensions.strength.nets.lookahead import (
    SHEET,
    SHEET_SIZE,
    begin,
    best,
    choice,
)
from cantstop_arena.extensions.strength.nets.net_files import SHIPPED
from cantstop_arena.game_api.bot_options import FilePath
from cantstop_arena.games.cantstop.bots.heuristic import choose_by_numbers, roll_by_numbers
from cantstop_arena.games.cantstop.bots.tuned import NUMBERS
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.hookspecs import Bot, compiled, hookimpl


def champion(nets: Annotated[str, FilePath(SHIPPED)] = "") -> Player:
    """Two small nets, and one roll looked ahead; plays as tuned where no nets are known.

    One net gives the value of stopping; the other, trained on the grandmaster's exact turns, the
    value of rolling on. The nets that come with the project are for the classic rules with one to
    four players, and for korean, long4 and long5 with two. `nets` is the path of a file of
    `arena train` to play with instead.
    """
    net_set = net_set_of(nets)
    board_indexes = net_set.board_indexes
    # As options they are no part of the machine code, which plays with any nets.
    arrays = {"boards": net_set.boards, "all_ends": net_set.ends, "all_rolls": net_set.rolls}
    net_index = net_index_in(net_set, rolling=True)

    @compiled(boundscheck=False)
    def fill_sheets(turn, board, ends, rolls, stopping, rolling):
        if stopping.turn != turn.number:
            stopping.turn = turn.number
            place_markers(turn, stopping)
            begin(board, ends, rolls, stopping, rolling)

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def choose_move(turn, moves, boards, all_ends, all_rolls):
        index = net_index(turn)
        if index < 0:
            return choose_by_numbers(turn, moves, NUMBERS)
        board, ends, rolls = boards[board_indexes[index]], all_ends[index], all_rolls[index]
        sheets = turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        fill_sheets(turn, board, ends, rolls, stopping, rolling)
        chosen, best_value = 0, -1e9
        for number in range(len(moves)):
            place_runners(turn, stopping)
            for column in moves[number]:
                stopping.climbs[column - 2] += 1
            value = best(board, ends, rolls, stopping, rolling)
            if value > best_value:
                chosen, best_value = number, value
        return chosen

    @compiled(boundscheck=False, memory=2 * SHEET_SIZE)
    def roll_again(turn, boards, all_ends, all_rolls):
        index = net_index(turn)
        if index < 0:
            return roll_by_numbers(turn, NUMBERS)
        board, ends, rolls = boards[board_indexes[index]], all_ends[index], all_rolls[index]
        sheets = turn.memory.view(SHEET)
        stopping, rolling = sheets[0], sheets[1]
        fill_sheets(turn, board, ends, rolls, stopping, rolling)
        place_runners(turn, stopping)
        stop_value, roll_value = choice(board, ends, rolls, stopping, rolling)
        return roll_value > stop_value

    return Player(partial(choose_move, **arrays), partial(roll_again, **arrays))


@hookimpl
def register_bots() -> list[Bot]:
    """The champion."""
    return [Bot("champion", champion)]
