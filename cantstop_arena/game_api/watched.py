"""The state of a plain game in shared memory, where another process observes it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from cantstop_arena.deals.outcomes import SharedWindow, Snapshot
from cantstop_arena.deals.seatings import Group

MAX_SEATS = 8
_CURSOR, _SEAT, _DECISION, _STEP, _POSITIONS = range(5)
_NUMBERS = _POSITIONS + MAX_SEATS
SIZE = 8 * _NUMBERS  # bytes


class Watched:
    """Numbers that other processes read. Bots share the memory, and may have written to it."""

    def __init__(self) -> None:
        self._numbers = np.zeros(_NUMBERS, np.int64)

    def move_to(self, memory: Any) -> None:
        """Continue in memory that other processes share."""
        there = np.frombuffer(memory, np.int64, _NUMBERS)
        there[:] = self._numbers
        self._numbers = there

    def mark_game(self, cursor: int, positions: Group) -> None:
        """Store the game of a block that is played, and the positions in the group by seat."""
        self._numbers[_CURSOR] = cursor
        self._numbers[_POSITIONS : _POSITIONS + len(positions)] = positions
        self._numbers[_STEP] += 1

    def mark_decision(self, seat: int, decision: int) -> None:
        """Store that a seat takes a decision, numbered from 1; 0: none."""
        self._numbers[_SEAT] = seat
        self._numbers[_DECISION] = decision
        self._numbers[_STEP] += 1

    @property
    def position(self) -> int:
        """The position in the group of the bot that has decided last."""
        seat = int(self._numbers[_SEAT]) % MAX_SEATS
        return int(self._numbers[_POSITIONS + seat])


def shared_window(decisions: tuple[str, ...]) -> SharedWindow:
    """The layout and the reader of the shared memory for games with these decisions."""
    return SharedWindow(SIZE, partial(snapshots, decisions))


def snapshots(decisions: Sequence[str], memory: Any) -> Callable[[], Snapshot]:
    """A function that returns a snapshot of the game in this memory."""
    numbers = np.frombuffer(memory, np.int64, _NUMBERS)

    def look() -> Snapshot:
        cursor, seat, number, step, *positions = numbers.tolist()
        named = decisions[number - 1] if 0 < number <= len(decisions) else ""
        position = positions[seat % MAX_SEATS]
        return Snapshot(
            cursor, position, named, bool(named), (cursor, seat, number, step, position)
        )

    return look
