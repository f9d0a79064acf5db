"""A board as arrays for the exact turn: the distinct rolls, and their effects on sets of runners.

Columns are counted from 0 here. Rolls that allow the same pairings form one menu: the 1296 rolls of
six-sided dice are 109 menus. When all runners are placed, menus that allow the same advances form
one outcome; a set of three columns has 15 on average.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.dice_odds import Pairing, all_rolls, pairings
from cantstop_arena.games.cantstop.rules import RuleSet

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

RUNNERS = 3
MAX_COLUMNS = 11
MAX_ROWS = 96
MAX_STATES = 68_000  # with three runners, of one turn; the classic board has 67,065
_MAX_MENUS = 112
_MAX_SETS = 231
_MAX_OUTCOMES = 2848

BOARD = np.dtype(
    [
        ("columns", np.int64),
        ("columns_to_win", np.int64),
        ("stops_after_all_runners", np.int64),
        ("is_mirrored", np.int64),
        ("row_count", np.int64),
        ("menu_count", np.int64),
        ("roll_count", np.int64),
        ("lengths", np.int64, MAX_COLUMNS),
        ("rows", np.int64, MAX_COLUMNS),
        ("menus", np.int32, (_MAX_MENUS, 3, 2)),
        ("sizes", np.int32, _MAX_MENUS),
        ("menu_chances", np.float32, _MAX_MENUS),
        ("menu_of", np.int32, 6**4),
        ("sets", np.int32, (MAX_COLUMNS, MAX_COLUMNS, MAX_COLUMNS)),
        ("firsts", np.int32, _MAX_SETS + 1),
        ("chances", np.float32, _MAX_OUTCOMES),
        ("options", np.int32, (_MAX_OUTCOMES, 3)),
        ("busts", np.float32, _MAX_SETS),
    ],
    align=True,
)
"""The constants of a board, the same for all positions.

Arrays by column and space have row `rows[c] + p` for space p of column c. `menus[m]` holds up to
three pairings, `sizes[m]` their number, `menu_chances[m]` the probability of the menu, and
`menu_of[r]` the menu of roll number r. `sets[a, b, c]` is the number of a set of one to three
columns, a <= b <= c, the last repeated. The outcomes of set s are `firsts[s]` to `firsts[s + 1]` of
`chances` and `options`, and with probability `busts[s]` none of its runners moves. Options of m
columns are m single advances, m doubles, and the pairs of columns.
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
    boards = np.zeros(1, BOARD).view(np.recarray)
    board, lengths = boards[0], np.array(rules.column_lengths)
    counts = _menu_counts(rules.sides)
    menus, total = list(counts), rules.sides**4
    board.columns, board.columns_to_win = len(lengths), rules.columns_to_win
    board.stops_after_all_runners = rules.stop == "after-all-runners"
    board.is_mirrored = np.array_equal(lengths, lengths[::-1])
    board.row_count = lengths.sum() + len(lengths)
    board.menu_count, board.roll_count = len(menus), total
    board.lengths[: len(lengths)] = lengths
    board.rows[: len(lengths)] = np.cumsum(lengths + 1) - lengths - 1
    board.menus[: len(menus)] = _padded(menus)
    board.sizes[: len(menus)] = [len(menu) for menu in menus]
    board.menu_chances[: len(menus)] = _chances(counts.values(), total)
    board.menu_of[:total] = _menu_numbers(rules.sides, menus)
    _fill_outcomes(board, len(lengths), counts, total)
    return boards


Menu = tuple[Pairing, ...]


def _menu(dice: tuple[int, ...]) -> Menu:
    return tuple((low - 2, high - 2) for low, high in pairings(dice))


def _menu_counts(sides: int) -> Counter[Menu]:
    return Counter(_menu(dice) for dice in all_rolls(sides))


def _menu_numbers(sides: int, menus: Sequence[Menu]) -> NDArray[np.int32]:
    numbers = {menu: number for number, menu in enumerate(menus)}
    return np.array([numbers[_menu(dice)] for dice in all_rolls(sides)], np.int32)


def _padded(menus: Sequence[Menu]) -> NDArray[np.int32]:
    return np.array([(*menu, *[(-1, -1)] * (3 - len(menu))) for menu in menus], np.int32)


def _chances(counts: Any, total: int) -> NDArray[np.float32]:
    return (np.array([*counts], np.float64) / total).astype(np.float32)


# Outcomes ---------------------------------------------------------------------------------------


def _fill_outcomes(board: Any, columns: int, counts: Counter[Menu], total: int) -> None:
    chances: list[int] = []
    options: list[tuple[int, ...]] = []
    for number, chosen in enumerate(_sets(columns)):
        board.sets[(*chosen, *[chosen[-1]] * (RUNNERS - len(chosen)))] = number
        outcomes = _outcomes(chosen, counts)
        board.busts[number] = outcomes.pop((), 0) / total
        chances += outcomes.values()
        options += [(*some, *[some[-1]] * (3 - len(some))) for some in outcomes]
        board.firsts[number + 1] = len(chances)
    board.chances[: len(chances)] = _chances(chances, total)
    board.options[: len(options)] = options


def _sets(columns: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, RUNNERS + 1):
        yield from combinations(range(columns), size)


def _outcomes(chosen: tuple[int, ...], counts: Counter[Menu]) -> Counter[tuple[int, ...]]:
    """The number of rolls for each tuple of options of runners in the chosen columns."""
    outcomes: Counter[tuple[int, ...]] = Counter()
    for menu, count in counts.items():
        options = {_option(chosen, pairing) for pairing in menu} - {None}
        outcomes[tuple(sorted(option for option in options if option is not None))] += count
    return outcomes


def _option(chosen: tuple[int, ...], pairing: Pairing) -> int | None:
    """The option that a pairing is for runners in the chosen columns; None if none moves."""
    moved = [chosen.index(column) for column in pairing if column in chosen]
    if not moved:
        return None
    if len(moved) == 1:
        return moved[0]
    if moved[0] == moved[1]:
        return len(chosen) + moved[0]
    return 2 * len(chosen) + sum(moved) - 1  # (0, 1), (0, 2), (1, 2)
