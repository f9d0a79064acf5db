"""Exact values of small boards by value iteration in NumPy, from the rules of Can't Stop alone.

All positions of a board and all states of their turns are arrays; nothing is imported from the
project. Positions are solved from the end of the game back: those with equally many spaces advanced
depend on each other only through busts, and are swept until nothing changes. Values begin as a
draw, so that turns that are given away for ever stay one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

MAX_SWEEPS = 20_000
TOLERANCE = 1e-14


@dataclass
class Rules:
    """The rules of a board, named as in the project's pages."""

    sides: int
    column_lengths: Sequence[int]
    runners: int
    columns_to_win: int
    landing: str
    stop: str


def values_of(rules: Rules, players: int) -> Floats:
    """The value of every position for the player on turn; nan where the game is over.

    With two players the probability of winning, with one the turns still to come. Positions are
    numbered column by column, the first the fastest. The digits of a column of length l are l * own
    + rival, then l * l if the player has claimed it, l * l + 1 if the rival has; with one player
    the spaces of the marker.
    """
    return _Solver(rules, players).solve()


class _Solver:
    def __init__(self, rules: Rules, players: int) -> None:
        self.rules, self.players = rules, players
        self.lengths = np.array(rules.column_lengths)
        self.own, self.rival, self.swapped = self._positions()
        self.own_claims, self.rival_claims = self.own == self.lengths, self.rival == self.lengths
        self.is_claimed = self.own_claims | self.rival_claims
        self.is_over = (
            (self.own_claims.sum(1) >= rules.columns_to_win)
            | (self.rival_claims.sum(1) >= rules.columns_to_win)
            | self.is_claimed.all(1)
        )
        self._number_states()
        self.menus, self.chances, self.pairs = _menus(rules.sides)

    # Positions

    def _positions(self) -> tuple[Ints, Ints, Ints]:
        """The spaces of both players by position and column, and each position's number with the
        other player on turn. A column that the rival has claimed has the own marker on 0."""
        digits = [
            [(own, 0) for own in range(length + 1)]
            if self.players == 1
            else [*product(range(length), repeat=2), (length, 0), (0, length)]
            for length in self.lengths.tolist()
        ]
        boards = [board[::-1] for board in product(*digits[::-1])]
        numbers = {board: number for number, board in enumerate(boards)}
        swapped = [
            numbers[board if self.players == 1 else tuple((b, a) for a, b in board)]
            for board in boards
        ]
        spaces = np.array(boards)
        return spaces[:, :, 0], spaces[:, :, 1], np.array(swapped)

    # States of turns

    def _number_states(self) -> None:
        """Number the states: a position and the spaces of the runners, 0 for a column without."""
        strides = np.concatenate([[1], np.cumprod(self.lengths + 1)])
        codes = np.arange(strides[-1])
        spaces = codes[:, None] // strides[:-1] % (self.lengths + 1)
        codes = codes[(spaces > 0).sum(1) <= self.rules.runners]
        placed = spaces[codes]
        is_legal = np.ones((len(self.own), len(codes)), np.bool_)
        for column in range(len(self.lengths)):
            at, own = placed[:, column], self.own[:, column, None]
            is_legal &= (at == 0) | ((at > own) & ~self.is_claimed[:, column, None])
        is_legal &= ~self.is_over[:, None]
        self.strides = strides[:-1]
        position, row = np.nonzero(is_legal)
        self.position, self.runners, self.codes = position, placed[row], codes[row]
        self.number = np.full((len(self.own), int(strides[-1])), -1)
        self.number[position, self.codes] = np.arange(len(position))

    def _advanced(self, at: Ints, column: int) -> Ints:
        """The space after an advance, by state, from the spaces `at`."""
        length, rival = self.lengths[column], self.rival[self.position, column]
        following = at + 1
        jumps = (self.rules.landing == "jump") & (following == rival) & (following < length)
        return np.asarray(np.minimum(following + jumps, length))

    def _offers(self) -> Ints:
        """The states that each pairing leads to: two choices by pairing and state, -1 for none."""
        count = (self.runners > 0).sum(1)
        free = self.rules.runners - count
        moved: list[tuple[Truths, Ints, Ints, Truths]] = []
        for column, length in enumerate(self.lengths):
            at, own = self.runners[:, column], self.own[self.position, column]
            is_new = at == 0
            is_able = np.where(is_new, free > 0, at < length)
            usable = ~self.is_claimed[self.position, column] & is_able
            once = self._advanced(np.where(is_new, own, at), column)
            twice = np.where(once < length, self._advanced(once, column), once)
            stride = self.strides[column]
            moved.append((usable, (once - at) * stride, (twice - at) * stride, is_new))
        choices = [self._choices(moved, free, low, high) for low, high in self.pairs]
        return np.array([*choices, np.full((2, len(free)), -1)])

    def _choices(
        self, moved: list[tuple[Truths, Ints, Ints, Truths]], free: Ints, low: int, high: int
    ) -> Ints:
        usable, once, twice, is_new = moved[low]
        if low == high:
            first, second = self._state(usable, twice), self._state(usable, twice)
            return np.array([first, second])
        usable_too, once_too, _, is_new_too = moved[high]
        both = usable & usable_too
        is_choice = both & is_new & is_new_too & (free == 1)
        gain = once * usable + once_too * (usable_too & ~is_choice)
        first = self._state(usable | usable_too, gain)
        second = self._state(is_choice, once_too)
        return np.array([first, np.where(is_choice, second, first)])

    def _state(self, is_possible: Truths, gain: Ints) -> Ints:
        codes = np.where(is_possible, self.codes + gain, 0)
        return np.where(is_possible, self.number[self.position, codes], -1)

    def _stops(self) -> tuple[Truths, Ints, Truths, Floats]:
        """By state: may the turn stop, the next player's position, is the game over then, and the
        share of the win that the player on turn has then."""
        on_board, own, rival = (
            self.runners > 0,
            self.own[self.position],
            self.rival[self.position],
        )
        claimed, count = self.is_claimed[self.position], on_board.sum(1)
        may_stop = count > 0
        if self.rules.stop == "after-all-runners":
            may_stop &= (count == self.rules.runners) | (on_board | claimed).all(1)
        if self.rules.landing == "leave" and self.players == 2:
            may_stop &= ~(on_board & (self.runners == rival)).any(1)
        after = np.where(on_board, self.runners, own)
        is_own = after == self.lengths
        own_count, rival_count = is_own.sum(1), self.rival_claims[self.position].sum(1)
        wins = own_count >= self.rules.columns_to_win
        is_full = (is_own | self.rival_claims[self.position]).all(1)
        share = np.where(
            wins | (own_count > rival_count), 1.0, np.where(own_count == rival_count, 0.5, 0.0)
        )
        return may_stop, self._turned(after, rival, is_own), wins | is_full, share

    def _turned(self, own: Ints, rival: Ints, is_own: Truths) -> Ints:
        """The number of the position for the next player."""
        if self.players == 1:
            digits, radices = own, self.lengths + 1
        else:
            square, is_rivals = self.lengths**2, rival == self.lengths
            digits = np.where(is_rivals, square, rival * self.lengths + own)
            digits = np.where(is_own, square + 1, digits)
            radices = square + 2
        units = np.concatenate([[1], np.cumprod(radices)[:-1]])
        return np.asarray(digits @ units)

    # Values

    def solve(self) -> Floats:
        """The values of all positions."""
        may_stop, following, ends, share = self._stops()
        offers = self._offers()
        two = self.players == 2
        values = np.full(len(self.own), 0.5 if two else 0.0)
        spaces = np.where(self.is_claimed, 2 * self.lengths, self.own + self.rival).sum(1)
        gains = np.where(self.runners > 0, self.runners - self.own[self.position], 0).sum(1)
        forced = may_stop & ends & ((share > 0) | (not two))
        worth = np.full(len(self.position) + 1, -np.inf)  # by state; the last for no move
        order = np.lexsort((-gains, -spaces[self.position]))
        for level in np.unique(spaces[~self.is_over])[::-1]:
            states = order[spaces[self.position[order]] == level]
            cuts = np.flatnonzero(np.diff(gains[states])) + 1
            layers = [
                (layer, self.position[layer], offers[:, :, layer])
                for layer in np.split(states, cuts)
            ]
            later = values[following[states]]
            stop = np.full(len(worth), -np.inf)
            stop[states] = np.where(ends[states], share[states], 1 - later) if two else -later
            if not two:
                stop[states[ends[states]]] = 0.0
            stop[states[~may_stop[states]]] = -np.inf
            self._sweep(values, worth, layers, stop, forced)
        values[self.is_over] = np.nan
        return values

    def _sweep(
        self,
        values: Floats,
        worth: Floats,
        layers: list[tuple[Ints, Ints, Ints]],
        stop: Floats,
        forced: Truths,
    ) -> None:
        """Improve the values of the positions of the layers until they change no more."""
        begins, positions, _ = layers[-1]
        for _ in range(MAX_SWEEPS):
            bust = 1 - values[self.swapped] if self.players == 2 else -values
            for states, of, offered in layers:
                best = worth[offered].max(1)[self.menus].max(1)
                rolled = np.where(np.isneginf(best), bust[of], best)
                rolling = self.chances @ rolled
                stopping = stop[states]
                worth[states] = np.where(forced[states], stopping, np.maximum(stopping, rolling))
            update = worth[begins] if self.players == 2 else 1 - worth[begins]
            change = np.abs(update - values[positions]).max()
            values[positions] = update
            if change < TOLERANCE * max(1.0, update.max()):
                return
        raise AssertionError(f"values still change by {change} after {MAX_SWEEPS} sweeps")


def _menus(sides: int) -> tuple[Ints, Floats, list[tuple[int, int]]]:
    """The rolls that offer the same pairings: three rows of pairs each, and their chances; and the
    pairs of columns, which count from 0."""
    menus: Counter[tuple[tuple[int, int], ...]] = Counter()
    for a, b, c, d in product(range(1, sides + 1), repeat=4):
        splits = [(a + b, c + d), (a + c, b + d), (a + d, b + c)]
        menus[tuple(sorted({(min(split) - 2, max(split) - 2) for split in splits}))] += 1
    pairs = sorted({pair for menu in menus for pair in menu})
    rows = [[pairs.index(pair) for pair in (*menu, menu[0], menu[0])[:3]] for menu in menus]
    return np.array(rows), np.array([*menus.values()]) / sides**4, pairs
