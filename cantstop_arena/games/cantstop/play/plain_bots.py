"""Plain-Python bots: shown the table as a `Turn`, asked, and their answers checked."""

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
from cantstop_arena.processes import interpreter_state, system
from cantstop_arena.table.bot_faults import fault_of

# What changes from roll to roll stands first in the record: seat, turn, rolls, roll, free, placed,
# topped, claimed, move_count, moves, runners.
_SEAT, _CLAIMED, _MOVE_COUNT = slot("seat"), slot("claimed"), slot("move_count")
_MOVES, _CLAIMS, _MARKERS = (8 * slot(name) for name in ("moves", "claims", "markers"))
_NUMBERS = [Struct(f"{count}q").unpack_from for count in range(MAX_MOVES + 1)]
_turn: Callable[[tuple[Any, ...]], Turn] = partial(tuple.__new__, Turn)
"""A turn from its fields, in a tenth of the time that Turn takes to look at each by name."""


class PlainBotCaller:
    """Asks plain bots on behalf of one game record."""

    def __init__(
        self, rules: RuleSet, games: GameArray, undamaged: interpreter_state.InterpreterState
    ) -> None:
        self.rules = rules
        self._handle = handle_of(games)
        self._players = int(games[0].players)
        self._board = int(games[0].board)
        self._record = memoryview(games).cast("B")
        self._width, self._dice = len(rules.lengths), _all_dice(rules.sides)
        # Without the moves, which are of no use in every other decision.
        self._sight = Struct(f"{_MOVE_COUNT + 1}q{8 * MAX_MOVES}x{self._width}q").unpack_from
        self._rows = Struct(f"{self._width}q{8 * (COLUMNS - self._width)}x").iter_unpack
        self._markers = self._record[_MARKERS : _MARKERS + 8 * self._players * COLUMNS]
        self._streams: tuple[Stream, ...] = ()
        self._origin = system.origin()
        self._interpreter_state = undamaged
        self.on_turn: Callable[[int], None] = lambda seat: None  # told the seat before its turn
        self.view: dict[int, Turn] = {}  # by seat, what was shown last
        self._number = 0  # of the turn that what follows is of
        self._unclaimed = 0
        self._standings: tuple[Any, ...] = ()

    @property
    def seat(self) -> int:
        """The seat on turn."""
        return int(self._sight(self._record)[_SEAT])

    def begin(self) -> None:
        """Forget the game before; the next one has been started."""
        self._number = 0
        self.view.clear()
        keys = (int(engine().bot_key(self._handle, seat)) for seat in range(self._players))
        self._streams = tuple(map(Stream, keys))

    def asking(self, players: Sequence[Player]) -> Callable[[int], int]:
        """What asks the player on turn, and gives the answer as the engine takes it.

        It raises BotFault, or IllegalAnswer.
        """
        # Plain bots spend much of their time here, so that all it needs is at hand.
        record, sight, look, visible = self._record, self._sight, self._look, self.view
        undamaged, origin = self._interpreter_state, self._origin
        limit = undamaged.recursion

        def ask(expected: int) -> int:
            observed = sight(record)
            seat = observed[_SEAT]
            player = players[seat]
            turn = visible[seat] = look(observed)
            try:
                if expected == MOVE:
                    moves = moves_in(_NUMBERS[observed[_MOVE_COUNT]](record, _MOVES))
                    answer: object = player.choose_move(turn, moves)
                else:
                    answer = player.roll_again(turn)
            except BaseException as error:  # SystemExit and KeyboardInterrupt too: the bot's own
                raise fault_of(error, player) from error
            finally:
                if getrecursionlimit() != limit:
                    undamaged.restore_quickly()
                if not origin[0]:  # the bot has forked: there is one of us too many
                    _exit(0)
            if expected == MOVE:
                return index_among("choose_move", answer, observed[_MOVE_COUNT])
            return checked_bool("roll_again", answer)

        return ask

    def turn(self) -> Turn:
        """What the player on turn is shown."""
        return self._look(self._sight(self._record))

    def _look(self, observed: tuple[int, ...]) -> Turn:
        """The table as the player on turn sees it; `seen` are the first numbers of the record."""
        seat, number, rolls, roll, free, placed, topped = observed[:_CLAIMED]
        if number != self._number:
            self._begin_turn(seat, number, observed[_CLAIMED])
        unfinished = self._unclaimed & ~topped
        now = (
            seat,
            self._players,
            number,
            rolls,
            self._dice[roll],
            observed[_MOVE_COUNT + 1 :],
            free,
            columns_in(placed),
            columns_in(unfinished if free else unfinished & placed),
        )
        return _turn(now + self._standings)

    def _begin_turn(self, seat: int, number: int, claimed: int) -> None:
        self._interpreter_state.restore_quickly()
        self.on_turn(seat)
        self._number, self._unclaimed = number, self._board & ~claimed
        self._standings = (columns_in(claimed), *self._standings_of(seat))

    def _standings_of(self, seat: int) -> tuple[Any, ...]:
        """What does not change during a turn: the fields of a Turn from `markers` on."""
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
    """The dice of every roll, by its number."""
    return [dice_of(roll, sides) for roll in range(sides**4)]


@lru_cache(1 << 12)
def moves_in(codes: tuple[int, ...]) -> tuple[Move, ...]:
    """The moves of these packed numbers."""
    return tuple(map(move_of, codes))
