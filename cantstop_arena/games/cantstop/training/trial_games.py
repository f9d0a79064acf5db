"""Trial games that measure the strength of nets, without learning."""

from cantstop_arena.games.cantstop.engine.engine_decorators import (
    njit_call,
    njit_entry,
    njit_inline,
)
from cantstop_arena.games.cantstop.nets.lookahead import begin, best, choice
from cantstop_arena.games.cantstop.training.practice_games import (
    MAX_TURNS,
    advance,
    has_won,
    list_moves,
    must_roll,
    start_game,
    start_turn,
    stop,
)
from cantstop_arena.games.cantstop.training.practice_players import (
    copy_climbs,
    copy_climbs_after,
    copy_markers,
    exact_turn,
    heuristic_turn,
)


@njit_inline(nrt=False)
def _begin(table, players, key, game):
    """Start a game; each deal is played in every seat. Returns the seat of the nets."""
    start_game(table, players, key, game // players)
    return game % players


@njit_inline(nrt=False)
def _outcome(table, won, own):
    """Whether the seat has won; with one player, the turns of the game."""
    if table.players == 1:
        return table.turns
    return int(won and table.seat == own)


@njit_entry(nrt=False)
def exact_trial(board, net, workspace, table, numbers, key, start, end):
    """Play the exact turn against heuristics in all other seats; returns the games that it wins, or
    with one player the turns of all games."""
    total = 0
    for game in range(start, end):
        won, own = False, _begin(table, net.players, key, game)
        while not won and table.turns < MAX_TURNS:
            if (table.seat + 1) % net.players == own:
                won = exact_turn(board, net, workspace, table, False)
            else:
                won = heuristic_turn(board, table, numbers, 0)
        total += _outcome(table, won, own)
    return total


@njit_entry(nrt=False)
def lookahead_trial(board, ends, rolls, sheets, table, numbers, key, start, end):
    """Like `exact_trial` for a lookahead of one roll; `sheets` are two records of SHEET."""
    total = 0
    for game in range(start, end):
        won, own = False, _begin(table, ends.players, key, game)
        while not won and table.turns < MAX_TURNS:
            if (table.seat + 1) % ends.players == own:
                won = _lookahead_turn(board, ends, rolls, sheets[0], sheets[1], table)
            else:
                won = heuristic_turn(board, table, numbers, 0)
        total += _outcome(table, won, own)
    return total


@njit_call(nrt=False)
def _lookahead_turn(board, ends, rolls, stopping, rolling, table):
    """Play a turn like the champion; returns whether it wins."""
    start_turn(table)
    copy_markers(board, stopping, table)
    begin(board, ends, rolls, stopping, rolling)
    while True:
        count, index, highest = list_moves(board, table), 0, -1e9
        if count == 0:
            return False
        for move in range(count):
            copy_climbs_after(board, stopping, table, move)
            value = best(board, ends, rolls, stopping, rolling)
            if value > highest:
                index, highest = move, value
        advance(table, index)
        if has_won(board, table):
            return True
        copy_climbs(board, stopping, table)
        halt, roll = choice(board, ends, rolls, stopping, rolling)
        if not must_roll(board, table) and roll <= halt:
            stop(board, table)
            return False
