"""Plain-Python bots: shown the table as a `Turn`, asked, and their answers checked."""

import traceback
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cantstop_arena.games.cantstop import kernel
from cantstop_arena.games.cantstop.native import handle_of
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.state import FIELDS, MOVE, GameArray
from cantstop_arena.games.cantstop.turn import (
    Move,
    Spaces,
    Stream,
    Turn,
    columns_in,
    dice_of,
    move_of,
)
from cantstop_arena.hookspecs import Player


class Misplay(Exception):
    """A decision that a bot failed to take: it raised, or what it answered is no answer."""

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


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

    def __init__(self, rules: RuleSet, games: GameArray) -> None:
        self.rules = rules
        self._markers, self._claims = games["markers"][0], games["claims"][0]
        self._handle = handle_of(games)
        self._players = int(games[0].players)
        self._board = int(games[0].board)
        self._width = len(rules.lengths)
        # The numbers that change from roll to roll stand first in the record.
        self._numbers = np.frombuffer(games.data, np.int64, _RUNNERS + self._width)
        self._streams: tuple[Stream, ...] = ()
        self._standings_of: tuple[int, int] = (-1, -1)
        self._standings = _Standings((), (), 0, ())

    @property
    def seat(self) -> int:
        """The seat on turn."""
        return int(self._numbers[_SEAT])

    def begin(self) -> None:
        """Forget the game before; the next one has been started."""
        self._standings_of = (-1, -1)
        keys = (int(kernel.bot_key(self._handle, seat)) for seat in range(self._players))
        self._streams = tuple(map(Stream, keys))

    def ask(self, players: Sequence[Player], wanted: int) -> int:
        """The answer of the player on turn, as the engine takes it. Raises Misplay."""
        shown = self._numbers.tolist()
        player = players[shown[_SEAT]]
        turn = self._turn(shown)
        try:
            if wanted == MOVE:
                return _index(player.choose_move(turn, moves_in(shown)), shown[_MOVE_COUNT])
            return _yes(player.roll_again(turn))
        except Misplay:
            raise
        except (Exception, SystemExit) as error:
            raise Misplay("exception", described(error)) from error

    def _turn(self, shown: list[int]) -> Turn:
        if self._standings_of != (shown[_TURN], shown[_SEAT]):
            self._standings_of = (shown[_TURN], shown[_SEAT])
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


def _index(answer: object, count: int) -> int:
    if type(answer) is int and 0 <= answer < count:  # nearly always, and quickly seen
        return answer
    if isinstance(answer, bool | np.bool_) or not isinstance(answer, int | np.integer):
        raise Misplay("illegal answer", f"choose_move must return an index, not {short(answer)}")
    if not 0 <= answer < count:
        raise Misplay(
            "illegal answer", f"choose_move returned {answer}; moves are 0 to {count - 1}"
        )
    return int(answer)


def _yes(answer: object) -> int:
    if answer is True or answer is False:
        return int(answer)
    if not isinstance(answer, int | np.integer | np.bool_):
        raise Misplay(
            "illegal answer", f"roll_again must return True or False, not {short(answer)}"
        )
    return 1 if answer else 0


def short(value: object) -> str:
    """A value as a message shows it: on one line, never long, whatever its repr does."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def described(error: BaseException) -> str:
    """An exception in one line, with the last place it passed."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {_message(error)}{place}"


def _message(error: BaseException) -> str:
    try:
        return " ".join(str(error).split())[:200]
    except Exception:
        return "no message"
