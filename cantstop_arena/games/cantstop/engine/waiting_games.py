"""Games that wait for a decision from outside: many of them beside one record of the board.

A game that waits is its *head*: the words of a game record before `swing_turns`. To go on, its
words are copied into the one record that has the tables of the board, the engine plays to the next
decision from outside, and they are copied back. The rules, which are the same in all games, are not
copied, nor are the swings of the lead, which only tallies read.
"""

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import COLUMNS, HEAD_WORDS, slot

_MARKERS, _WAITING = slot("markers"), slot("waiting")


@njit_inline
def place_head(head, game_head, players):
    """Copy a game into the record of the board, or back."""
    for word in range(_MARKERS + COLUMNS * players):
        game_head[word] = head[word]
    for word in range(_WAITING, HEAD_WORDS):
        game_head[word] = head[word]
