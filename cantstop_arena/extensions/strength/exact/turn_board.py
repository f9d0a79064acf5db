"""A board as one record for turns with three runners: the menus and outcomes of `board` as float32.

Bots hold it as a constant of their compiled code. Columns are counted from 0 here.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.extensions.strength.exact.board import (
    Menu,
    column_sets,
    menus_of,
    outcomes_among,
    padded,
)
from cantstop_arena.games.cantstop.rules import RuleSet

RUNNERS = 3
MAX_COLUMNS = 11
MAX_ROWS = 96
MAX_STATES = 68_000  # with three runners, of one turn; the classic board has 67,065
_MAX_MENUS = 112
_MAX_SETS = 231
_MAX_OUTCOMES = 2848
_MAX_PAIRS = 66  # sets of one or two columns
MAX_PAIR_MOVES = 6  # of a menu: two for each pairing

ADVANCE_A, ADVANCE_B, DOUBLE_A, DOUBLE_B, ADVANCE_BOTH = range(5)
KINDS = 4
PLACE, PLACE_DOUBLE, PLACE_WITH_A, PLACE_WITH_B = range(5, 5 + KINDS)
PAIR_MOVES = 5 + KINDS * MAX_COLUMNS
"""The moves with runners in columns a and b. Those that place a third runner are for column 0; each
column has KINDS more."""

BOARD = np.dtype(
    [
        ("columns", np.int64),
        ("columns_to_win", np.int64),
        ("stops_after_all_runners", np.int64),
        ("is_mirrored", np.int64),
        ("row_count", np.int64),
        ("menu_count", np.int64),
        ("lengths", np.int64, MAX_COLUMNS),
        ("rows", np.int64, MAX_COLUMNS),
        ("menus", np.int32, (_MAX_MENUS, 3, 2)),
        ("sizes", np.int32, _MAX_MENUS),
        ("menu_chances", np.float32, _MAX_MENUS),
        ("sets", np.int32, (MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS)),
        ("firsts", np.int32, _MAX_SETS + 1),
        ("chances", np.float32, _MAX_OUTCOMES),
        ("options", np.int32, (_MAX_OUTCOMES, 3)),
        ("busts", np.float32, _MAX_SETS),
        ("pair_moves", np.int8, (_MAX_PAIRS, _MAX_MENUS, MAX_PAIR_MOVES)),
    ],
    align=True,
)
"""The constants of a board, the same for all positions.

Arrays by column and space have row `rows[c] + p` for space p of column c. `menus[m]` holds up to
three pairings, `sizes[m]` their number, and `menu_chances[m]` the probability of the menu.
`sets[a, b, c]` is the number of a set of one to three columns, a <= b <= c, the last repeated. The
outcomes of set s are `firsts[s]` to `firsts[s + 1]` of `chances` and `options`, and with
probability `busts[s]` none of its runners moves; options are the moves of `outcomes_among`.
`pair_moves[s, m]` are the moves that menu m offers to runners in the two columns of set s as long
as there is room; the first one again where there are fewer.
"""

Boards = Any  # a NumPy record array of one BOARD


def objection(rules: RuleSet, players: int) -> str | None:
    """The reason why turns under these rules cannot be solved here; None if they can."""
    lengths = rules.column_lengths
    if rules.runners != RUNNERS:
        return f"turns with {rules.runners} runners are not solved, only those with {RUNNERS}"
    if rules.landing != "share":
        return f"with landing {rules.landing} a turn depends on every rival's markers"
    if (
        len(lengths) > MAX_COLUMNS
        or sum(lengths) + len(lengths) > MAX_ROWS
        or states_of(lengths) > MAX_STATES
    ):
        return "the board is larger than the classic one"
    if (rules.columns_to_win - 1) * players >= len(lengths):
        return f"the board may be full before anybody has {rules.columns_to_win} columns"
    return None


def states_of(lengths: Sequence[int]) -> int:
    """The number of states with three runners in a turn that begins on an empty board."""
    return sum(prod(chosen) for chosen in combinations(lengths, RUNNERS))


@cache
def board_for(rules: RuleSet) -> Boards:
    """The board of rules that have no `objection`."""
    lengths = np.array(rules.column_lengths)
    boards = _board_of_rolls(len(lengths), rules.sides).copy()
    board = boards[0]
    board.columns_to_win = rules.columns_to_win
    board.stops_after_all_runners = rules.stop == "after-all-runners"
    board.is_mirrored = np.array_equal(lengths, lengths[::-1])
    board.row_count = lengths.sum() + len(lengths)
    board.lengths[: len(lengths)] = lengths
    board.rows[: len(lengths)] = np.cumsum(lengths + 1) - lengths - 1
    return boards


@cache
def _board_of_rolls(columns: int, sides: int) -> Boards:
    """A board with what follows from its dice and number of columns; rule sets share it.

    It takes a quarter of a second, which a bot with nets for several rule sets takes once.
    """
    boards = np.zeros(1, BOARD).view(np.recarray)
    board, menus, rolls = boards[0], menus_of(sides), sides**4
    board.columns = columns
    board.menu_count = len(menus)
    board.menus[: len(menus)] = [(*menu, *[(-1, -1)] * (3 - len(menu))) for menu in menus]
    board.sizes[: len(menus)] = [len(menu) for menu in menus]
    board.menu_chances[: len(menus)] = _chances(menus.values(), rolls)
    _fill_outcomes(board, menus, rolls)
    _fill_pair_moves(board, [*menus])
    return boards


def _fill_outcomes(board: Any, menus: Counter[Menu], rolls: int) -> None:
    chances: list[int] = []
    options: list[tuple[int, ...]] = []
    sets = sorted(filter(None, column_sets(board.columns, RUNNERS)), key=len)
    for number, columns in enumerate(sets):
        board.sets[padded(columns)] = number
        outcomes = outcomes_among(columns, menus)
        board.busts[number] = outcomes.pop((), 0) / rolls
        chances += outcomes.values()
        options += map(padded, outcomes)
        board.firsts[number + 1] = len(chances)
    board.chances[: len(chances)] = _chances(chances, rolls)
    board.options[: len(options)] = options


def _fill_pair_moves(board: Any, menus: Sequence[Menu]) -> None:
    for a, b in combinations(range(board.columns), 2):
        for index, menu in enumerate(menus):
            moves = [move for pairing in menu for move in _pair_moves(a, b, pairing)]
            more = [moves[0]] * (MAX_PAIR_MOVES - len(moves))
            board.pair_moves[board.sets[a, b, b], index] = moves + more


def _pair_moves(a: int, b: int, pairing: tuple[int, int]) -> Sequence[int]:
    """The moves of one pairing with runners in columns a and b."""
    x, y = pairing
    new = [column for column in pairing if column not in (a, b)]
    if x == y:
        return [DOUBLE_A if x == a else DOUBLE_B if x == b else PLACE_DOUBLE + KINDS * x]
    if not new:
        return [ADVANCE_BOTH]
    if len(new) == 2:
        return [PLACE + KINDS * column for column in new]
    return [(PLACE_WITH_A if a in pairing else PLACE_WITH_B) + KINDS * new[0]]


def _chances(counts: Iterable[int], rolls: int) -> NDArray[np.float32]:
    return (np.array([*counts], np.float64) / rolls).astype(np.float32)
