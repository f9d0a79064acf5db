"""Calls of plain Python bots: the table as a `Turn`, the decision, and the check of the answer."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from os import _exit
from struct import Struct
from sys import getrecursionlimit
from typing import Any

from cantstop_arena.game_api.answers import checked_bool, index_among
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.cantstop.engine.entry_points import engine, handle_of
from cantstop_arena.games.cantstop.engine.game_array import (
    COLUMNS,
    MAX_MOVES,
    MOVE,
    GameArray,
    slot,
)
from cantstop_arena.games.cantstop.hooks import Player
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import (
    NO_MEMORY,
    Move,
    Turn,
    columns_in,
    dice_of,
    move_of,
)
from cantstop_arena.processes import system
from cantstop_arena.processes.interpreter_guard import InterpreterGuard
from cantstop_arena.table.bot_faults import fault_of

# What changes from roll to roll stands first in the record: seat, turn, rolls, roll, free, placed,
# topped, claimed, move_count, moves, runners.
_SEAT, _CLAIMED, _MOVE_COUNT = slot("seat"), slot("claimed"), slot("move_count")
_MOVES, _CLAIMS, _MARKERS = (8 * slot(name) for name in ("moves", "claims", "markers"))
_NUMBERS = [Struct(f"{count}q").unpack_from for count in range(MAX_MOVES + 1)]
_turn: Callable[[tuple[Any, ...]], Turn] = partial(tuple.__new__, Turn)
"""A Turn from a tuple of its fields, in a tenth of the time of Turn's own constructor."""


class PlainBotCaller:
    """Calls plain bots for the decisions of one game record."""

    def __init__(self, rules: RuleSet, games: GameArray, guard: InterpreterGuard) -> None:
        self.rules = rules
        self._handle = handle_of(games)
        self._players = int(games[0].players)
        self._board = int(games[0].board)
        self._record = memoryview(games).cast("B")
        self._width, self._dice = len(rules.lengths), _all_dice(rules.sides)
        # Without the moves, which every other decision does not need.
        self._read_numbers = Struct(f"{_MOVE_COUNT + 1}q{8 * MAX_MOVES}x{self._width}q").unpack_from
        self._rows = Struct(f"{self._width}q{8 * (COLUMNS - self._width)}x").iter_unpack
        self._markers = self._record[_MARKERS : _MARKERS + 8 * self._players * COLUMNS]
        self._streams: tuple[Stream, ...] = ()
        self._origin = system.origin()
        self._guard = guard
        self.on_turn: Callable[[int], None] = lambda seat: None  # called before each seat's turn
        self.view: dict[int, Turn] = {}  # by seat, the turn in its last decision
        self._number = 0  # of the turn that the two attributes below are for
        self._unclaimed = 0
        self._standings: tuple[Any, ...] = ()

    def begin(self) -> None:
        """Reset for the game that has just been started."""
        self._number = 0
        self.view.clear()
        keys = (int(engine().bot_key(self._handle, seat)) for seat in range(self._players))
        self._streams = tuple(map(Stream, keys))

    def asking(self, players: Sequence[Player]) -> Callable[[int], int]:
        """A function that calls the player on turn, and returns its answer as the engine's number.

        The function raises BotFault or IllegalAnswer.
        """
        # Local variables, because plain bots spend much of their time in this function.
        record, read_numbers, turn_from, views = (
            self._record,
            self._read_numbers,
            self._turn_from,
            self.view,
        )
        guard, origin = self._guard, self._origin
        limit = guard.recursion

        def ask(decision: int) -> int:
            numbers = read_numbers(record)
            seat = numbers[_SEAT]
            player = players[seat]
            turn = views[seat] = turn_from(numbers)
            try:
                if decision == MOVE:
                    moves = moves_in(_NUMBERS[numbers[_MOVE_COUNT]](record, _MOVES))
                    answer: object = player.choose_move(turn, moves)
                else:
                    answer = player.roll_again(turn)
            except BaseException as error:  # SystemExit and KeyboardInterrupt too: from the bot
                raise fault_of(error, player) from error
            finally:
                if getrecursionlimit() != limit:
                    guard.restore_quickly()
                if not origin[0]:  # the bot has forked, and this is the child process
                    _exit(0)
            if decision == MOVE:
                return index_among("choose_move", answer, numbers[_MOVE_COUNT])
            return checked_bool("roll_again", answer)

        return ask

    def turn(self) -> Turn:
        """The turn as the player on turn sees it."""
        return self._turn_from(self._read_numbers(self._record))

    def _turn_from(self, numbers: tuple[int, ...]) -> Turn:
        """The turn as the player on turn sees it; `numbers` are the first numbers of the record."""
        seat, number, rolls, roll, free, placed, topped = numbers[:_CLAIMED]
        if number != self._number:
            self._begin_turn(seat, number, numbers[_CLAIMED])
        unfinished = self._unclaimed & ~topped
        now = (
            seat,
            self._players,
            number,
            rolls,
            self._dice[roll],
            numbers[_MOVE_COUNT + 1 :],
            free,
            columns_in(placed),
            columns_in(unfinished if free else unfinished & placed),
        )
        return _turn(now + self._standings)

    def _begin_turn(self, seat: int, number: int, claimed: int) -> None:
        self._guard.restore_quickly()
        self.on_turn(seat)
        self._number, self._unclaimed = number, self._board & ~claimed
        self._standings = (columns_in(claimed), *self._standings_of(seat))

    def _standings_of(self, seat: int) -> tuple[Any, ...]:
        """The fields of a Turn from `markers` on, which do not change during a turn."""
        claims = _NUMBERS[self._players](self._record, _CLAIMS)
        markers = tuple(self._rows(self._markers))
        claims, markers, rivals = claims * 2, markers * 2, slice(seat + 1, seat + self._players)
        return (
            markers[seat],
            markers[rivals],
            claims[seat],
            claims[rivals],
            self.rules,
            self._streams[seat],
            NO_MEMORY,
        )


@cache
def _all_dice(sides: int) -> list[tuple[int, ...]]:
    """The dice of every roll, by the roll's number."""
    return [dice_of(roll, sides) for roll in range(sides**4)]


@lru_cache(1 << 12)
def moves_in(codes: tuple[int, ...]) -> tuple[Move, ...]:
    """The moves with these codes, which are numbers in a game record."""
    return tuple(map(move_of, codes))
