"""The leader of a game by standing (claimed columns and progress), and the swings of the lead."""

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import MAX_SWINGS, NOBODY
from cantstop_arena.games.cantstop.engine.moves import at


@njit_inline
def _set_leader(game, leader):
    """Set the leader from this turn on, NOBODY for a tie, and count the swing."""
    game.leader = leader
    if game.swings < MAX_SWINGS:
        game.swing_turns[game.swings] = game.turn
        game.swing_seats[game.swings] = leader
    game.swings += 1
    if leader != NOBODY and leader != game.led_last:
        game.lead_counts[leader] += game.led_last != NOBODY
        game.led_last = leader


@njit_inline
def _update_deficits(game):
    """Update the largest deficits after the best standing has changed."""
    for seat in range(game.players):
        game.deficits[seat] = max(game.deficits[seat], game.top_standing - game.standings[seat])


@njit_inline
def lead_after_claim(game):
    """Update the leader after a claim, which takes rivals' markers from a column."""
    game.top_standing, leader = -1, NOBODY
    for seat in range(game.players):
        if game.standings[seat] >= game.top_standing:
            leader = seat if game.standings[seat] > game.top_standing else NOBODY
            game.top_standing = game.standings[seat]
    _update_deficits(game)
    if leader != game.leader:
        _set_leader(game, leader)


@njit_inline
def lead_after_stop(game):
    """Update the leader after a stop in which only the seat on turn has gained."""
    standing = game.standings[at(game.seat)]
    if standing >= game.top_standing:
        leader = game.seat if standing > game.top_standing else NOBODY
        game.top_standing = standing
        _update_deficits(game)
        if leader != game.leader:
            _set_leader(game, leader)
