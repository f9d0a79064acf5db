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

GAME_FUNCTIONS = ("begin", "question", "answer", "check", "result", "ending", "chance")
"""The functions of a game that run in the phase GAME."""

MAX_SEATS = 8
_CURSOR, _SEAT, _PHASE, _FUNCTION, _STEP, _POSITIONS = range(6)
_NUMBERS = _POSITIONS + MAX_SEATS
SIZE = 8 * _NUMBERS  # bytes


class Watched:
    """Numbers that other processes read. Bots share the memory, and may have written to it."""

    def __init__(self) -> None:
        self._numbers = np.zeros(_NUMBERS, np.int64).data  # quicker than an array

    def move_to(self, memory: Any) -> None:
        """Continue in memory that other processes share."""
        there = np.frombuffer(memory, np.int64, _NUMBERS).data
        there[:] = self._numbers
        self._numbers = there

    def mark_game(self, cursor: int, positions: Group) -> None:
        """Store the game of a block that is played, and the positions in the group by seat."""
        self._numbers[_CURSOR] = cursor
        for seat, position in enumerate(positions, _POSITIONS):
            self._numbers[seat] = position
        self.mark(ARENA)

    def mark_decision(self, seat: int, decision: int) -> None:
        """Store that a seat takes a decision, numbered from 1."""
        self._numbers[_SEAT] = seat
        self.mark(BOT, decision)

    def mark(self, phase: int, function: int = 0) -> None:
        """Store whose code runs, and which function of it, numbered from 1; 0: none."""
        self._numbers[_PHASE] = phase
        self._numbers[_FUNCTION] = function
        self._numbers[_STEP] += 1

    @property
    def position(self) -> int:
        """The position in the group of the bot that has decided last."""
        position: int = self._numbers[_POSITIONS + self._numbers[_SEAT] % MAX_SEATS]
        return position


def shared_window(title: str, decisions: tuple[str, ...]) -> SharedWindow:
    """The layout and the reader of the shared memory for a game with these decisions."""
    return SharedWindow(SIZE, partial(snapshots, decisions), title)


def snapshots(decisions: Sequence[str], memory: Any) -> Callable[[], Snapshot]:
    """A function that returns a snapshot of the game in this memory."""
    numbers = np.frombuffer(memory, np.int64, _NUMBERS)

    def look() -> Snapshot:
        cursor, seat, phase, number, step, *positions = numbers.tolist()
        names = {BOT: decisions, GAME: GAME_FUNCTIONS}.get(phase, ())
        named = names[number - 1] if 0 < number <= len(names) else ""
        position = positions[seat % MAX_SEATS]
        return Snapshot(
            cursor,
            position,
            named,
            phase if named else ARENA,
            (cursor, seat, number, phase, step, position),
        )

    return look
