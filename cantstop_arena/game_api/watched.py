"""The state of a plain game in shared memory, where another process observes it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from cantstop_arena.deals.outcomes import SharedWindow, Snapshot
from cantstop_arena.deals.seatings import Group

ARENA, BOT, GAME = range(3)
"""The phases: whose code runs. A bot is never charged for what happens in another phase than BOT,
unless its code can act outside of its decisions; in GAME the game is to blame."""

GAME_FUNCTIONS = ("begin", "question", "answer", "check", "result", "ending", "chance", "kernel")
"""The functions of a game that run in the phase GAME."""

MAX_SEATS = 8
CURSOR, SEAT, MARK, STEP, POSITIONS = range(5)
_NUMBERS = POSITIONS + MAX_SEATS
SIZE = 8 * _NUMBERS  # bytes


def mark_of(phase: int, function: int = 0) -> int:
    """The mark of whose code runs: the phase, and the function, numbered from 1; 0: none."""
    return phase | function << 2


class Watched:
    """Numbers that other processes read. Bots share the memory, and may have written to it.

    `numbers[MARK]` says whose code runs. A plain game sets it several times a decision, and does so
    without a call. `numbers[SEAT]` is the seat that decides, or has decided last; `numbers[STEP]`
    changes with every question.
    """

    def __init__(self) -> None:
        self.numbers = np.zeros(_NUMBERS, np.int64).data  # quicker than an array

    def move_to(self, memory: Any) -> None:
        """Continue in memory that other processes share."""
        there = np.frombuffer(memory, np.int64, _NUMBERS).data
        there[:] = self.numbers
        self.numbers = there

    def mark_game(self, cursor: int, positions: Group) -> None:
        """Store the game of a block that is played, and the positions in the group by seat."""
        self.numbers[CURSOR] = cursor
        for seat, position in enumerate(positions, POSITIONS):
            self.numbers[seat] = position
        self.mark(ARENA)

    def mark_decision(self, seat: int, decision: int) -> None:
        """Store that a seat takes a decision, numbered from 1."""
        self.numbers[SEAT] = seat
        self.mark(BOT, decision)

    def mark(self, phase: int, function: int = 0) -> None:
        """Store whose code runs; see `mark_of`."""
        self.numbers[MARK] = mark_of(phase, function)
        self.numbers[STEP] += 1

    @property
    def position(self) -> int:
        """The position in the group of the bot that has decided last."""
        position: int = self.numbers[POSITIONS + self.numbers[SEAT] % MAX_SEATS]
        return position


def shared_window(title: str, decisions: tuple[str, ...]) -> SharedWindow:
    """The layout and the reader of the shared memory for a game with these decisions."""
    return SharedWindow(SIZE, partial(snapshots, decisions), title)


def snapshots(decisions: Sequence[str], memory: Any) -> Callable[[], Snapshot]:
    """A function that returns a snapshot of the game in this memory."""
    numbers = np.frombuffer(memory, np.int64, _NUMBERS)

    def look() -> Snapshot:
        cursor, seat, mark, step, *positions = numbers.tolist()
        phase, number = mark & 3, mark >> 2
        position = positions[seat % MAX_SEATS]
        names = {BOT: decisions, GAME: GAME_FUNCTIONS}.get(phase, ())
        named = names[number - 1] if 0 < number <= len(names) else ""
        return Snapshot(
            cursor,
            position,
            named,
            phase if named else ARENA,
            (cursor, seat, mark, step, position),
        )

    return look
