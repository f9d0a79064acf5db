"""The board that steps positions: one game record, into which each position is copied in turn."""

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
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.play.actions import actions_under
from cantstop_arena.games.cantstop.play.plain_bots import PlainBotCaller
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import Turn
from cantstop_arena.processes.interpreter_guard import LeftAlone

Head = NDArray[np.int64]
"""A position: the part of a game record before the tables of the board."""

_HEAD_WORDS = int(FIELDS["roll_total"][1]) // 8
_NAMES = [name for name, (_, offset) in FIELDS.items() if offset < 8 * _HEAD_WORDS]
_HEAD = np.dtype(
    {
        "names": _NAMES,
        "formats": [FIELDS[name][0] for name in _NAMES],
        "offsets": [FIELDS[name][1] for name in _NAMES],
        "itemsize": 8 * _HEAD_WORDS,
    }
)


def fields_of(head: Head) -> Any:
    """A writable view of a position as a record, with the names of `game_array.GAME`."""
    return head.view(_HEAD).view(np.recarray)[0]


class StepBoard:
    """The board of one rule set and number of seats."""

    def __init__(self, rules: RuleSet, players: int) -> None:
        self.rules = rules
        self.players = players
        self.actions = actions_under(rules)
        self.observation_size = GAME.encoding(rules, players).size
        self.games = new_game(rules, players, 0)
        self._game_head = np.frombuffer(self.games.data, np.int64, _HEAD_WORDS)
        self._blank = self._game_head.copy()
        self._at = (handle_of(self.games), self._game_head)
        self._free = RLock()  # machine code releases the GIL, and all positions share the record

    def blank(self) -> Head:
        """A new position whose game has not begun."""
        return self._blank.copy()

    def step(self, head: Head, kind: int, value: int) -> int:
        """Apply a step of a kind of `steps.step`, and play on; returns the status."""
        with self._free:
            return int(steps.step(*self._at, head, kind, value))

    def look(self, head: Head, now: int, seat: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """The observation of a seat, and the mask of its legal actions."""
        observation = np.zeros(self.observation_size, np.float32)
        mask = np.zeros(self.actions.count, np.int8)
        with self._free:
            steps.observe(*self._at, head, now, seat, mask, observation)
        return observation, mask

    def asker(self, head: Head) -> PlainBotCaller:
        """A caller of plain bots at a position; their random numbers start from the beginning."""
        with self._at_position(head):
            asker = PlainBotCaller(self.rules, self.games, LeftAlone())
            asker.begin()
            return asker

    def ask(self, head: Head, asker: PlainBotCaller, players: Sequence[Any], now: int) -> int:
        """The answer of the plain bot on turn. Raises BotFault or IllegalAnswer."""
        with self._at_position(head):
            return int(asker.asking(players)(now))  # the engine takes one type

    def turn(self, head: Head) -> Turn:
        """The turn as a bot at this position would see it."""
        asker = self.asker(head)
        with self._at_position(head):
            return asker.turn()

    @contextmanager
    def _at_position(self, head: Head) -> Iterator[None]:
        with self._free:
            self._game_head[:] = head
            yield


@cache
def board_for(rules: RuleSet, players: int) -> StepBoard:
    """The board shared by all positions with these rules and number of seats."""
    return StepBoard(rules, players)
