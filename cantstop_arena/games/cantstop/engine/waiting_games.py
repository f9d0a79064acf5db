"""Games that wait for a decision from outside: many of them beside one record of the board.

A game that waits is its *head*: the words of a game record before `swing_turns`. To go on, its
words are copied into the one record that has the tables of the board, the engine plays to the next
decision from outside, and they are copied back. Observations and masks are written from the head
itself. The rules, which are the same in all games, are not copied, and the table of swings is left
to the record, as only tallies read it.

`board` are the numbers of all games on a board, a tuple: players, sides, the first column, the
number of columns, runners, columns to win, and the number of the action that stops. `numbers` has
the action of each move: of one column in row 0, of a column twice in row 1, of a pair in the row of
its lower column. `shares` has each space of a column as a share of its length.
"""

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_inline
from cantstop_arena.games.cantstop.engine.game_array import (
    AGAIN,
    COLUMNS,
    HEAD_WORDS,
    MOVE,
    TWICE,
    slot,
)
from cantstop_arena.games.cantstop.engine.kernel import advance
from cantstop_arena.games.cantstop.engine.moves import lowest_column

ILLEGAL = -1

_SEAT, _FREE, _PLACED, _TOPPED = slot("seat"), slot("free"), slot("placed"), slot("topped")
_CLAIMED, _COUNT, _MOVES = slot("claimed"), slot("move_count"), slot("moves")
_RUNNERS, _CLAIMS, _MARKERS = slot("runners"), slot("claims"), slot("markers")
_BOARD, _WAITING, _ROLL = slot("board"), slot("waiting"), slot("roll")
_COLUMN_SET = (1 << TWICE) - 1


@njit_inline
def place_head(head, game_head, players):
    """Copy a game into the record of the board."""
    for word in range(_MARKERS + COLUMNS * players):
        game_head[word] = head[word]
    for word in range(_WAITING, HEAD_WORDS):
        game_head[word] = head[word]


@njit_inline
def play_on(handle, game_head, head, answer, players):
    """Play a game to its next decision from outside, or its end; returns which."""
    place_head(head, game_head, players)
    waiting = advance(handle, answer)
    place_head(game_head, head, players)
    return waiting


@njit_inline
def action_of(move, numbers):
    """The action of a move."""
    columns = move & _COLUMN_SET
    low = lowest_column(columns)
    others = columns & (columns - 1)
    if others:
        return numbers[low, lowest_column(others)]
    return numbers[1, low] if move >> TWICE else numbers[0, low]


@njit_inline
def answer_to(head, action, numbers, stop_action):
    """The answer to the pending decision that an action stands for, or ILLEGAL."""
    if head[_WAITING] == AGAIN:
        roll_again = action - stop_action
        return roll_again if 0 <= roll_again <= 1 else ILLEGAL
    if head[_WAITING] == MOVE:
        for index in range(head[_COUNT]):
            if action_of(head[_MOVES + index], numbers) == action:
                return index
    return ILLEGAL


@njit_inline
def mark_legal(head, numbers, stop_action, legal):
    """Fill in the mask of the actions of the seat on turn."""
    legal[:] = False
    if head[_WAITING] == MOVE:
        for index in range(head[_COUNT]):
            legal[action_of(head[_MOVES + index], numbers)] = True
    elif head[_WAITING] == AGAIN:
        legal[stop_action] = legal[stop_action + 1] = True


@njit_inline
def observe_head(head, seat, board, shares, chances, observation):
    """Fill in what a seat observes; the same numbers as those of `steps.observe`."""
    players, sides, first, count, runners, to_win, _ = board
    offset = 0
    for step in range(players):
        markers = _MARKERS + COLUMNS * ((seat + step) % players)
        for column in range(first, first + count):
            observation[offset] = shares[column, head[markers + column]]
            offset += 1
    claimed = head[_CLAIMED]
    for column in range(first, first + count):
        observation[offset] = shares[column, head[_RUNNERS + column]]
        observation[offset + count] = claimed >> column & 1
        offset += 1
    offset += count
    for step in range(players):
        player = (seat + step) % players
        observation[offset + step] = min(1.0, head[_CLAIMS + player] / to_win)
        observation[offset + players + step] = player == head[_SEAT]
    offset += 2 * players
    waiting = head[_WAITING]
    for face in range(sides):
        observation[offset + face] = 0.0
    if waiting == MOVE:
        remaining = head[_ROLL]
        for _ in range(4):
            observation[offset + remaining % sides] += 0.25
            remaining //= sides
    offset += sides
    observation[offset] = head[_FREE] / runners
    observation[offset + 1] = waiting == MOVE
    observation[offset + 2] = waiting == AGAIN
    usable = head[_BOARD] & ~(claimed | head[_TOPPED])
    if head[_FREE] == 0:
        usable &= head[_PLACED]
    observation[offset + 3] = 1.0 - chances[usable >> 2]
