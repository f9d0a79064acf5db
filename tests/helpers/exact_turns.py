"""The exact turn, worked out slowly: every roll of every state, with nothing of the engine.

Run as a program it holds the solver against this on small boards; without compiling that takes a
second, with it every state is looked at on larger ones.
"""

import sys
from functools import cache
from itertools import product
from math import exp
from typing import Any

import numpy as np

from cantstop_arena.extensions.strength.exact.three_runner_turn import (
    enter,
    look_up,
    position_value,
)
from cantstop_arena.extensions.strength.exact.turn_board import board_for
from cantstop_arena.extensions.strength.exact.workspace import new_workspace
from cantstop_arena.extensions.strength.nets.net import HIDDEN, NET, UNIT
from cantstop_arena.games.cantstop.rules import CLASSIC, RuleSet

Advances = tuple[int, ...]


def random_net(players: int, seed: int, kind: Any = NET) -> Any:
    """A net of random numbers, as a record array of length 1."""
    generator = np.random.default_rng(seed)
    nets = np.zeros(1, kind).view(np.recarray)
    nets[0].players, nets[0].turns = players, players == 1
    for name in [name for name in ("rows", "bias", "weights", "sets") if name in kind.names]:
        part = nets[0][name]
        part[:] = generator.integers(-UNIT // 4, UNIT // 4, part.shape)
    return nets


class SlowTurn:
    """A turn of the first player at a position: markers of all players by column."""

    def __init__(self, rules: RuleSet, net: Any, markers: list[list[int]]) -> None:
        self.rules, self.net, self.markers = rules, net, markers
        self.lengths = rules.column_lengths
        taken = zip(*markers, strict=True)
        self.claimed = [top in spaces for top, spaces in zip(self.lengths, taken, strict=True)]
        self.claims = sum(own == top for own, top in zip(markers[0], self.lengths, strict=True))
        self.remaining = self.left(tuple([0] * len(self.lengths)))
        self.best = cache(self._best)

    def left(self, advances: Advances) -> float:
        """What the position is worth when the turn ends with these advances."""
        hidden = self.net.bias.astype(float)
        for seat, markers in enumerate(self.markers):
            first = 0
            for column, length in enumerate(self.lengths):
                own = self.markers[0][column] + advances[column]
                lost = advances[column] and own == length
                space = own if seat == 0 else 0 if lost else markers[column]
                hidden = hidden + self.net.rows[seat, first + space]
                first += length + 1
        total = float(np.maximum(hidden, 0) @ self.net.weights[:HIDDEN]) / UNIT**2
        return -total if self.net.turns else 1 / (1 + exp(-total))

    def room(self, advances: Advances, column: int) -> int:
        if self.claimed[column]:
            return 0
        return self.lengths[column] - self.markers[0][column] - advances[column]

    def wins(self, advances: Advances) -> bool:
        tops = [c for c, steps in enumerate(advances) if steps and not self.room(advances, c)]
        return self.claims + len(tops) >= self.rules.columns_to_win

    def moves(self, advances: Advances, dice: tuple[int, ...]) -> set[Advances]:
        """The advances that a roll can lead to."""
        a, b, c, d = dice
        after = set()
        for pairing in ((a + b, c + d), (a + c, b + d), (a + d, b + c)):
            for x, y in (pairing, pairing[::-1]):
                one = self.advanced(advances, x - 2)
                both = self.advanced(one, y - 2) if one else None
                after.add(both or one)
        return {state for state in after if state}

    def advanced(self, advances: Advances, column: int) -> Advances | None:
        free = 3 - sum(map(bool, advances))
        if not self.room(advances, column) or not (advances[column] or free):
            return None
        return tuple(steps + (c == column) for c, steps in enumerate(advances))

    def roll(self, advances: Advances) -> float:
        """What rolling on is worth."""
        rolls = list(product(range(1, self.rules.sides + 1), repeat=4))
        return sum(self.after(advances, dice) for dice in rolls) / len(rolls)

    def after(self, advances: Advances, dice: tuple[int, ...]) -> float:
        return max((self.best(move) for move in self.moves(advances, dice)), default=self.remaining)

    def _best(self, advances: Advances) -> float:
        if self.wins(advances) and not self.must_roll(advances):
            return 0.0 if self.net.turns else 1.0
        stop, roll = self.left(advances), self.roll(advances)
        return roll if self.must_roll(advances) else max(stop, roll)

    def must_roll(self, advances: Advances) -> bool:
        placeable = [c for c, steps in enumerate(advances) if not steps and not self.claimed[c]]
        late = self.rules.stop == "after-all-runners"
        return late and sum(map(bool, advances)) < 3 and bool(placeable)

    def states(self) -> list[Advances]:
        """All states in which the turn can be, one to three runners."""
        ranges = [range(self.room(tuple([0] * len(self.lengths)), c) + 1) for c in self.columns]
        return [state for state in product(*ranges) if 1 <= sum(map(bool, state)) <= 3]

    @property
    def columns(self) -> range:
        return range(len(self.lengths))


def compare(rules: RuleSet, markers: list[list[int]], seed: int) -> int:
    """Hold every state of a turn against the solver; returns how many there are."""
    nets, boards, workspaces = random_net(len(markers), seed), board_for(rules), new_workspace()
    board, net, workspace = boards[0], nets[0], workspaces[0]
    slow = SlowTurn(rules, net, markers)
    for seat, spaces in enumerate(markers):
        workspace.markers[seat, : len(spaces)] = spaces
    enter(board, net, workspace)
    states = slow.states()
    for state in states:
        workspace.climbs[: len(state)] = state
        best, roll = map(float, look_up(board, net, workspace))
        assert abs(best - slow.best(state)) < 1e-4, (state, best, slow.best(state))
        is_won = slow.wins(state) and not slow.must_roll(state)
        if not is_won and any(slow.room(state, c) for c in slow.columns if state[c]):
            assert abs(roll - slow.roll(state)) < 1e-4, (state, roll, slow.roll(state))
    whole = sum(slow.after(tuple([0] * len(markers[0])), d) for d in _rolls(rules)) / rules.sides**4
    assert abs(float(position_value(board, net, workspace)) - whole) < 1e-4
    return len(states)


def _rolls(rules: RuleSet) -> list[tuple[int, ...]]:
    return list(product(range(1, rules.sides + 1), repeat=4))


def small(sides: int, lengths: Advances, to_win: int, stop: str = "any-time") -> RuleSet:
    """Rules of a small board."""
    return CLASSIC._replace(
        name="small", sides=sides, column_lengths=lengths, columns_to_win=to_win, stop=stop
    )


TINY = [
    (small(2, (2, 3, 2), 2), [[0, 0, 0], [1, 2, 0]]),
    (small(2, (2, 3, 2), 2), [[1, 0, 0]]),
    (small(2, (2, 3, 2), 2, "after-all-runners"), [[0, 1, 0], [0, 0, 2]]),
    (small(2, (1, 2, 2), 1, "after-all-runners"), [[0, 0, 0], [0, 1, 0]]),
]
SMALL = [
    (small(3, (2, 3, 3, 3, 2), 2), [[0, 1, 0, 0, 0], [1, 0, 2, 0, 1]]),
    (small(3, (2, 3, 3, 3, 2), 2, "after-all-runners"), [[0, 0, 0, 2, 0], [1, 3, 0, 0, 0]]),
    (small(3, (1, 2, 4, 3, 2), 3), [[0, 0, 0, 0, 0]]),
    (small(3, (2, 2, 3, 2, 2), 2), [[0, 1, 0, 0, 2], [1, 0, 2, 0, 0], [0, 0, 1, 1, 0]]),
]


if __name__ == "__main__":
    boards = SMALL if "small" in sys.argv else TINY
    print(sum(compare(*told, seed) for seed, told in enumerate(boards)), "states agree")
