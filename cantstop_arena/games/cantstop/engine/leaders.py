"""Who leads: standings as claimed columns and progress, and where the lead has gone."""

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import MAX_SWINGS, NOBODY
from cantstop_arena.games.cantstop.engine.moves import at


@njit_inline
def _set_leader(game, leader):
    """Note who leads from this turn on, or that nobody does alone."""
    game.leader = leader
    if game.swings < MAX_SWINGS:
        game.swing_turns[game.swings] = game.turn
        game.swing_seats[game.swings] = leader
    game.swings += 1
    if leader != NOBODY and leader != game.led_last:
        game.lead_counts[leader] += game.led_last != NOBODY
        game.led_last = leader


@njit_inline
def _note_deficits(game):
    """See who is farther behind than ever, when the best standing has changed."""
    for seat in range(game.players):
        game.deficits[seat] = max(game.deficits[seat], game.top_standing - game.standings[seat])


@njit_inline
def lead_after_claim(game):
    """See who leads when rivals have lost their markers in a column."""
    game.top_standing, leader = -1, NOBODY
    for seat in range(game.players):
        if game.standings[seat] >= game.top_standing:
            leader = seat if game.standings[seat] > game.top_standing else NOBODY
            game.top_standing = game.standings[seat]
    _note_deficits(game)
    if leader != game.leader:
        _set_leader(game, leader)


@njit_inline
def lead_after_stop(game):
    """See who leads when only the seat on turn has gained."""
    standing = game.standings[at(game.seat)]
    if standing >= game.top_standing:
        leader = game.seat if standing > game.top_standing else NOBODY
        game.top_standing = standing
        _note_deficits(game)
        if leader != game.leader:
            _set_leader(game, leader)
