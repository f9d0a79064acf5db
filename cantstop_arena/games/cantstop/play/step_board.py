"""Where positions are stepped: a game record with the tables of one board, lent to each in turn."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.games.cantstop.engine import steps
from cantstop_arena.games.cantstop.engine.entry_points import handle_of
from cantstop_arena.games.cantstop.engine.game_array import FIELDS, new_game
from cantstop_arena.games.cantstop.play.actions import actions_under
from cantstop_arena.games.cantstop.play.plain_bots import PlainBotCaller
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.processes.interpreter_state import InterpreterState

Head = NDArray[np.int64]
"""A position: the part of a game record that lies before the tables of the board."""

_FIELD_COUNT = int(FIELDS["roll_total"][1]) // 8
_NAMES = [name for name, (_, offset) in FIELDS.items() if offset < 8 * _FIELD_COUNT]
_HEAD = np.dtype(
    {
        "names": _NAMES,
        "formats": [FIELDS[name][0] for name in _NAMES],
        "offsets": [FIELDS[name][1] for name in _NAMES],
        "itemsize": 8 * _FIELD_COUNT,
    }
)


def fields_of(head: Head) -> Any:
    """A position as a record, with the names of `state.GAME`; to write in, too."""
    return head.view(_HEAD).view(np.recarray)[0]


class LeftAlone(InterpreterState):
    """Bots at positions play in somebody's own program, whose state is nobody else's to restore."""

    def restore_quickly(self) -> None:
        pass


class StepBoard:
    """One rule set for a number of seats."""

    def __init__(self, rules: RuleSet, players: int) -> None:
        self.rules = rules
        self.players = players
        self.actions = actions_under(rules)
        columns = len(rules.columns)
        self.observation_size = (players + 2) * columns + 2 * players + rules.sides + 4
        self.games = new_game(rules, players, 0)
        self._words_in_memory = np.frombuffer(self.games.data, np.int64, _FIELD_COUNT)
        self._blank = self._words_in_memory.copy()
        self._at = (handle_of(self.games), self._words_in_memory)
        self._moves = self.actions.masks
        self._free = RLock()  # machine code runs beside other threads

    def blank(self) -> Head:
        """A position before its game has begun."""
        return self._blank.copy()

    def step(self, head: Head, kind: int, value: int) -> int:
        """Do something of the kinds that `steps.step` knows, and play on; returns the status."""
        with self._free:
            return int(steps.step(*self._at, head, self._moves, kind, value))

    def look(self, head: Head, now: int, seat: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """What a seat sees, and what it may do."""
        observed = np.zeros(self.observation_size, np.float32)
        mask = np.zeros(self.actions.count, np.int8)
        with self._free:
            steps.observe(*self._at, head, now, seat, self._moves, mask, observed)
        return observed, mask

    def asker(self, head: Head) -> PlainBotCaller:
        """Who asks plain bots at a position, from the beginning of their random numbers on."""
        with self._in_memory(head):
            asker = PlainBotCaller(self.rules, self.games, LeftAlone())
            asker.begin()
            return asker

    def ask(self, head: Head, asker: PlainBotCaller, players: Sequence[Any], now: int) -> int:
        """The answer of the plain bot on turn. Raises BotFault or IllegalAnswer."""
        with self._in_memory(head):
            return int(asker.asking(players)(now))  # the engine takes one type

    def turn(self, head: Head) -> Turn:
        """What a bot would be shown."""
        asker = self.asker(head)
        with self._in_memory(head):
            return asker.turn()

    @contextmanager
    def _in_memory(self, head: Head) -> Iterator[None]:
        with self._free:
            self._words_in_memory[:] = head
            yield


@cache
def board_for(rules: RuleSet, players: int) -> StepBoard:
    """The board that all positions of these rules share."""
    return StepBoard(rules, players)
