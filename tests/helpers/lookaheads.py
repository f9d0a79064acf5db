"""A roll looked ahead, worked out slowly from both nets: every roll of every state.

Run as a program, without compiling, it holds `lookahead` against this on boards of three columns.
"""

from itertools import combinations
from math import exp
from typing import Any

import numpy as np

from cantstop_arena.extensions.strength.exact.turn_board import board_for
from cantstop_arena.extensions.strength.nets.lookahead import SHEET, begin, best, choice
from cantstop_arena.extensions.strength.nets.net import ROLLING_NET, UNIT
from cantstop_arena.games.cantstop.rules import RuleSet
from helpers.exact_turns import TINY, Advances, SlowTurn, random_net

FIRST_SETS = (0, 0, 12, 79)


class SlowGlance(SlowTurn):
    """A turn by what one net says of stopping, and the other of rolling on."""

    def __init__(self, rules: RuleSet, ends: Any, rolls: Any, markers: list[list[int]]) -> None:
        super().__init__(rules, ends, markers)
        self.rolls = rolls
        sizes = range(4)
        self.sets = [chosen for size in sizes for chosen in combinations(self.columns, size)]

    def rolling(self, advances: Advances) -> float:
        """What the second net says."""
        hidden = self.rolls.bias.astype(float)
        first = 0
        for column, length in enumerate(self.lengths):
            own = self.markers[0][column] + advances[column]
            lost = advances[column] and own == length
            for seat, markers in enumerate(self.markers):
                space = own if seat == 0 else 0 if lost else markers[column]
                hidden = hidden + self.rolls.rows[seat, first + space]
            if advances[column]:
                hidden = hidden + self.rolls.rows[len(self.markers), first + advances[column]]
            first += length + 1
        runners = [column for column in self.columns if advances[column]]
        moving = tuple(column for column in runners if self.room(advances, column))
        row = FIRST_SETS[len(runners)] + self.sets.index(moving)
        hidden = hidden + self.rolls.sets[row]
        total = float(np.maximum(hidden, 0) @ self.rolls.weights) / UNIT**2
        return -total if self.net.turns else 1 / (1 + exp(-total))

    def is_full(self, advances: Advances) -> bool:
        """Whether no runner can move, or be placed."""
        placed = [column for column in self.columns if advances[column]]
        return len(placed) == 3 and not any(self.room(advances, column) for column in placed)

    def _best(self, advances: Advances) -> float:
        """What it is worth after a roll that was looked ahead."""
        if self.wins(advances):
            return 0.0 if self.net.turns else 1.0
        stop = self.left(advances)
        return stop if self.is_full(advances) else max(stop, self.rolling(advances))

    def choice(self, advances: Advances) -> tuple[float, float]:
        """What stopping and rolling on are worth."""
        all_placed = sum(map(bool, advances)) == 3
        roll = self.roll(advances) if all_placed else self.rolling(advances)
        return self.left(advances), roll


def compare(rules: RuleSet, markers: list[list[int]], seed: int) -> int:
    """Hold the states of a turn against the slow glance; returns how many there are."""
    players = len(markers)
    ends = random_net(players, seed)
    rolls = random_net(players, seed + 50, ROLLING_NET)
    sheets = np.zeros(2, SHEET).view(np.recarray)
    stopping = sheets[0]
    glance = board_for(rules)[0], ends[0], rolls[0], stopping, sheets[1]
    slow = SlowGlance(rules, ends[0], rolls[0], markers)
    for seat, spaces in enumerate(markers):
        stopping.markers[seat, : len(spaces)] = spaces
    begin(*glance)
    states = [state for state in slow.states() if not slow.wins(state) or slow.must_roll(state)]
    for state in states:
        stopping.climbs[: len(state)] = state
        stop, roll = map(float, choice(*glance))
        wanted = slow.choice(state)
        assert abs(stop - wanted[0]) < 1e-4, (state, stop, wanted)
        if not slow.is_full(state):
            assert abs(roll - wanted[1]) < 1e-4, (state, roll, wanted)
            most = roll if slow.must_roll(state) else max(stop, roll)
            assert float(best(*glance)) == most
    return len(states)


if __name__ == "__main__":
    print(sum(compare(*told, seed) for seed, told in enumerate(TINY)), "states agree")
