"""Plain-Python bots: shown the table as a `Turn`, asked, and their answers checked."""

from collections.abc import Callable, Sequence
from os import _exit, getpid
from sys import getrecursionlimit
from typing import NamedTuple

import numpy as np

from cantstop_arena.game_api.answers import index_among, truth
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.cantstop.engine.machine import engine, handle_of
from cantstop_arena.games.cantstop.engine.state import FIELDS, MOVE, GameArray
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import (
    Move,
    Spaces,
    Turn,
    columns_in,
    dice_of,
    move_of,
)
from cantstop_arena.runtime import interpreter_state
from cantstop_arena.table.bot_faults import fault_of


def _slot(name: str) -> int:
    """Where a number stands in the game record, counted in numbers."""
    return int(FIELDS[name][1]) // 8


_SEAT, _TURN, _ROLLS, _ROLL = (_slot(name) for name in ("seat", "turn", "rolls", "roll"))
_FREE, _PLACED, _TOPPED = (_slot(name) for name in ("free", "placed", "topped"))
_CLAIMED, _MOVE_COUNT, _MOVES = (_slot(name) for name in ("claimed", "move_count", "moves"))
_RUNNERS = _slot("runners")


class _Standings(NamedTuple):
    """What does not change during a turn."""

    markers: Spaces
    rivals: tuple[Spaces, ...]
    claims: int
    rival_claims: tuple[int, ...]


class Asker:
    """Asks plain bots on behalf of one game record."""

    def __init__(
        self, rules: RuleSet, games: GameArray, undamaged: interpreter_state.InterpreterState
    ) -> None:
        self.rules = rules
        self._markers, self._claims = games["markers"][0], games["claims"][0]
        self._handle = handle_of(games)
        self._players = int(games[0].players)
        self._board = int(games[0].board)
        self._width = len(rules.lengths)
        # The numbers that change from roll to roll stand first in the record.
        self._numbers = np.frombuffer(games.data, np.int64, _RUNNERS + self._width)
        self._streams: tuple[Stream, ...] = ()
        self._process = getpid()
        self._surroundings = undamaged
        self.on_turn: Callable[[int], None] = lambda seat: None  # told the seat before its turn
        self.shown: dict[int, Turn] = {}  # by seat, what was shown last
        self._standings_of: tuple[int, int] = (-1, -1)
        self._standings = _Standings((), (), 0, ())

    @property
    def seat(self) -> int:
        """The seat on turn."""
        return int(self._numbers[_SEAT])

    def begin(self) -> None:
        """Forget the game before; the next one has been started."""
        self._standings_of = (-1, -1)
        self.shown.clear()
        keys = (int(engine().bot_key(self._handle, seat)) for seat in range(self._players))
        self._streams = tuple(map(Stream, keys))

    def ask(self, players: Sequence[Player], wanted: int) -> int:
        """The answer of the player on turn, as the engine takes it.

        Raises BotFault, or IllegalAnswer.
        """
        shown = self._numbers.tolist()
        player = players[shown[_SEAT]]
        turn = self.shown[shown[_SEAT]] = self._turn(shown)
        try:
            if wanted == MOVE:
                answer: object = player.choose_move(turn, moves_in(shown))
            else:
                answer = player.roll_again(turn)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the bot raised them
            raise fault_of(error, player) from error
        finally:
            if getrecursionlimit() != self._surroundings.recursion:
                self._surroundings.restore_quickly()
            if getpid() != self._process:  # the bot has forked: there is one of us too many
                _exit(0)
        if wanted == MOVE:
            return index_among("choose_move", answer, shown[_MOVE_COUNT])
        return int(truth("roll_again", answer))  # machine code takes one type

    def _turn(self, shown: list[int]) -> Turn:
        if self._standings_of != (shown[_TURN], shown[_SEAT]):
            self._standings_of = (shown[_TURN], shown[_SEAT])
            self._surroundings.restore_quickly()
            self.on_turn(shown[_SEAT])
            self._standings = self._read_standings(shown[_SEAT])
        markers, rivals, claims, rival_claims = self._standings
        free, placed, claimed = shown[_FREE], shown[_PLACED], shown[_CLAIMED]
        unfinished = self._board & ~(claimed | shown[_TOPPED])
        return Turn(  # by position, which takes half the time
            shown[_SEAT],
            self._players,
            shown[_TURN],
            shown[_ROLLS],
            dice_of(shown[_ROLL], self.rules.sides),
            tuple(shown[_RUNNERS:]),
            free,
            columns_in(placed),
            columns_in(unfinished if free else unfinished & placed),
            columns_in(claimed),
            markers,
            rivals,
            claims,
            rival_claims,
            self.rules,
            self._streams[shown[_SEAT]],
        )

    def _read_standings(self, seat: int) -> _Standings:
        rows = [tuple(row) for row in self._markers[:, : self._width].tolist()]
        claims = self._claims.tolist()
        rivals = [(seat + step) % self._players for step in range(1, self._players)]
        return _Standings(
            rows[seat],
            tuple(rows[rival] for rival in rivals),
            claims[seat],
            tuple(claims[rival] for rival in rivals),
        )


def moves_in(shown: list[int]) -> tuple[Move, ...]:
    """The legal moves among the numbers of a game record."""
    return tuple(map(move_of, shown[_MOVES : _MOVES + shown[_MOVE_COUNT]]))
