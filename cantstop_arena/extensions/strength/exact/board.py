"""A board for exact play: the menus of rolls, their outcomes, and the numbering of positions.

Rolls that allow the same pairings are one menu. Once all runners are placed, menus that allow the
same advances are one outcome; a set of three columns has 15 on average. `turn_board` has the same
menus and outcomes in the layout of another solver.

A position is the board when a turn begins, seen by the player on turn. Its number is the sum over
columns of a digit times the column's unit. With two players the digit of a column of length l is
l * own + rival (the spaces of the markers), l * l if the player has claimed it and l * l + 1 if the
rival has; with one player it is the space of the marker. An advance by either player raises a
digit, so positions are solved from the highest number down. Columns count from 0 here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.dice_odds import Pairing, all_rolls, pairings
from cantstop_arena.games.cantstop.rules import RuleSet

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


Menu = tuple[Pairing, ...]
"""The pairings that a roll offers, of columns from 0; rolls with the same are one menu."""


def menus_of(sides: int) -> Counter[Menu]:
    """The number of rolls for each menu: the 1296 rolls of six-sided dice have 109 menus."""
    return Counter(
        tuple((low - 2, high - 2) for low, high in pairings(dice)) for dice in all_rolls(sides)
    )


def column_sets(columns: int, runners: int) -> Iterator[tuple[int, ...]]:
    """The sets of at most `runners` columns, larger ones first."""
    for size in range(min(runners, columns), -1, -1):
        yield from combinations(range(columns), size)


def outcomes_among(columns: Sequence[int], menus: Counter[Menu]) -> Counter[tuple[int, ...]]:
    """The number of rolls for each tuple of moves, if only these columns can advance.

    The moves of n columns are numbered in the order given: n single advances, n doubles, then the
    pairs of columns.
    """
    counts: Counter[tuple[int, ...]] = Counter()
    for menu, rolls in menus.items():
        moves = {_move_among(columns, *pairing) for pairing in menu} - {_NO_MOVE}
        counts[tuple(sorted(moves))] += rolls
    return counts


_NO_MOVE = -1


def _move_among(columns: Sequence[int], low: int, high: int) -> int:
    """The number of the move that a pairing allows among some columns, or _NO_MOVE."""
    held = sorted(columns.index(column) for column in (low, high) if column in columns)
    if not held:
        return _NO_MOVE
    if low == high:
        return len(columns) + held[0]
    if len(held) == 1:
        return held[0]
    earlier, later = held
    return 2 * len(columns) + later * (later - 1) // 2 + earlier


def padded(moves: Sequence[int]) -> tuple[int, ...]:
    """One to three moves of an outcome as three, the last repeated."""
    return tuple([*moves, *[moves[-1]] * 2][:3])


# The board of all positions ---------------------------------------------------------------------


class Board(NamedTuple):
    """The rules in arrays, for compiled code. Chances are per roll.

    A roll offers pairings, which are rows of `pairs`. `menus` holds the distinct menus as three
    row numbers each, padded with len(pairs). Sets of columns are bit masks. For each set of columns
    that can still advance once all runners are placed, its row (first, last) of `spans` selects
    `outcomes[first:last]`, the distinct sets of moves that rolls allow, with the columns numbered
    from the highest down. `sets` lists the sets of columns with runners, larger ones first.
    """

    players: int
    runners: int
    target: int
    jump: bool
    leave: bool
    late_stop: bool
    lengths: Ints
    radices: Ints
    units: Ints
    sets: Ints
    pairs: Ints
    menus: Ints
    menu_chances: Floats
    spans: Ints
    outcomes: Ints
    outcome_chances: Floats
    busts: Floats


def board_of(rules: RuleSet, players: int) -> Board:
    """The board of a rule set, for one or two players."""
    lengths = np.array(rules.column_lengths, np.int64)
    radices = lengths + 1 if players == 1 else lengths * lengths + 2
    menus = menus_of(rules.sides)
    pairs = sorted({pairing for menu in menus for pairing in menu})
    spans, outcomes, chances, busts = _outcome_tables(rules, menus)
    sets = column_sets(len(lengths), rules.runners)
    return Board(
        players=players,
        runners=rules.runners,
        target=rules.columns_to_win,
        jump=rules.landing == "jump" and players > 1,
        leave=rules.landing == "leave" and players > 1,
        late_stop=rules.stop == "after-all-runners",
        lengths=lengths,
        radices=radices,
        units=np.concatenate([[1], np.cumprod(radices[:-1])]).astype(np.int64),
        sets=np.array([*map(_mask, sets)], np.int64),
        pairs=np.array(pairs, np.int64),
        menus=_menu_rows(menus, pairs),
        menu_chances=np.array(list(menus.values())) / rules.sides**4,
        spans=spans,
        outcomes=outcomes,
        outcome_chances=chances,
        busts=busts,
    )


def _mask(columns: Iterable[int]) -> int:
    return sum(1 << column for column in columns)


def _menu_rows(menus: Iterable[Menu], pairs: list[Pairing]) -> Ints:
    number_of = {pairing: index for index, pairing in enumerate(pairs)}
    rows = [[number_of[pairing] for pairing in menu] for menu in menus]
    return np.array([[*row, len(pairs), len(pairs)][:3] for row in rows], np.int64)


def _outcome_tables(rules: RuleSet, menus: Counter[Menu]) -> tuple[Ints, Ints, Floats, Floats]:
    """`spans`, `outcomes`, `outcome_chances` and `busts` of a Board."""
    count = len(rules.column_lengths)
    spans, busts = np.zeros((1 << count, 2), np.int64), np.ones(1 << count)
    outcomes: list[tuple[int, ...]] = []
    chances: list[float] = []
    for columns in column_sets(count, rules.runners):
        mask, counts = _mask(columns), outcomes_among(columns[::-1], menus)
        busts[mask] = counts.pop((), 0) / rules.sides**4
        spans[mask] = len(outcomes), len(outcomes) + len(counts)
        outcomes += map(padded, counts)
        chances += [rolls / rules.sides**4 for rolls in counts.values()]
    table = np.array(outcomes, np.int64).reshape(-1, 3)
    return spans, table, np.array(chances), busts


# Size ---------------------------------------------------------------------------------------


class Size(NamedTuple):
    """The size of a board: positions before the end of a game, table entries, and turn states."""

    positions: int
    entries: int
    turn_states: int


def size_of(rules: RuleSet, players: int) -> Size:
    """Count the positions of a board and the states of their turns without enumerating them."""
    entries, counts = 1, {(0, 0, 0, 0): 1}
    for length in rules.column_lengths:
        entries *= length + 1 if players == 1 else length * length + 2
        counts = _with_column(counts, length, players, rules)
    alive = {key: count for key, count in counts.items() if key[2]}  # a column is open
    states = sum(count for key, count in alive.items())
    positions = sum(count for key, count in alive.items() if key[3] == 0)
    return Size(positions, entries, states)


_Key = tuple[int, int, int, int]  # own claims, rival's claims, is a column open, runners placed


def _with_column(
    counts: dict[_Key, int], length: int, players: int, rules: RuleSet
) -> dict[_Key, int]:
    """The counts of positions and turn states, by key, on a board with one more column."""
    grown: Counter[_Key] = Counter()
    rivals = length if players == 2 else 1
    resting, climbing = length * rivals, length * (length + 1) // 2 * rivals
    for (claims, rival_claims, is_open, placed), count in counts.items():
        grown[claims, rival_claims, 1, placed] += count * resting
        if placed < rules.runners:
            grown[claims, rival_claims, 1, placed + 1] += count * climbing
        if claims + 1 < rules.columns_to_win:
            grown[claims + 1, rival_claims, is_open, placed] += count
        if players == 2 and rival_claims + 1 < rules.columns_to_win:
            grown[claims, rival_claims + 1, is_open, placed] += count
    return dict(grown)
