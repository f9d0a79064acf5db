"""Plain-Python bots: shown the table as a `Turn`, asked, and their answers checked."""

from collections.abc import Callable, Iterator, Sequence
from os import _exit, getpid
from pathlib import Path
from sys import getrecursionlimit
from types import TracebackType
from typing import NamedTuple

import numpy as np

from cantstop_arena import surroundings
from cantstop_arena.errors import Interrupted
from cantstop_arena.games.cantstop import kernel
from cantstop_arena.games.cantstop.native import NoAnswer, handle_of
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
from cantstop_arena.outcomes import EXCEPTION, ILLEGAL
from cantstop_arena.system import short_path
from cantstop_arena.texts import in_a_line, said_by, type_name


class Misplay(Exception):
    """A decision that a bot failed to take: it raised, or what it answered is no answer.

    Where it is `doubtful` whether it was the bot's doing, the game is worth another try.
    """

    def __init__(self, kind: str, message: str, doubtful: bool = False) -> None:
        self.kind = kind
        self.doubtful = doubtful
        super().__init__(message)


class Messenger(Player):
    """A player of ours that asks a bot elsewhere; it raises Misplay for what happens there."""


class Insider(Player):
    """A player of ours that may end the game, by raising Interrupted."""


def misplay_of(error: BaseException, player: Player | None = None) -> Misplay:
    """What an exception out of a bot's function is charged as.

    What our own players raise on purpose is raised again.
    """
    kind = type(error)  # an object can lie about its class
    if isinstance(player, Insider) and issubclass(kind, Interrupted):
        raise error
    if isinstance(player, Messenger) and issubclass(kind, Misplay):
        raise error
    if issubclass(kind, NoAnswer):
        return Misplay(ILLEGAL, str(error))
    return Misplay(EXCEPTION, described(error))


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
        self, rules: RuleSet, games: GameArray, undamaged: surroundings.Surroundings
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
                answer: object = player.choose_move(turn, moves_in(shown))
            else:
                answer = player.roll_again(turn)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the bot raised them
            raise misplay_of(error, player) from error
        finally:
            if getrecursionlimit() != self._surroundings.recursion:
                self._surroundings.restore_quickly()
            if getpid() != self._process:  # the bot has forked: there is one of us too many
                _exit(0)
        return _index(answer, shown[_MOVE_COUNT]) if wanted == MOVE else _yes(answer)

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


# The type is asked for, since an object can lie about its class.


def _index(answer: object, count: int) -> int:
    if type(answer) is int and 0 <= answer < count:  # nearly always, and quickly seen
        return answer
    kind = type(answer)
    if not issubclass(kind, int | np.integer) or issubclass(kind, bool):
        raise Misplay(ILLEGAL, f"choose_move must return an index, not {short(answer)}")
    index = _plain_int(answer)
    if not 0 <= index < count:
        raise Misplay(ILLEGAL, f"choose_move returned {short(index)}; moves are 0 to {count - 1}")
    return index


def _yes(answer: object) -> int:
    if answer is True or answer is False:
        return int(answer)
    if issubclass(type(answer), np.bool_):
        return int(bool(answer))
    if not issubclass(type(answer), int | np.integer):
        raise Misplay(ILLEGAL, f"roll_again must return True or False, not {short(answer)}")
    return 1 if _plain_int(answer) else 0


def _plain_int(answer: object) -> int:
    """An integer without whatever methods a class of the bot's has put in the way."""
    plain = issubclass(type(answer), int)
    return int.__index__(answer) if plain else int(np.int64(answer))  # type: ignore[arg-type]


def short(value: object) -> str:
    """A value as a message shows it: on one line, never long, whatever its repr does."""
    return in_a_line(said_by(value, repr) or f"a {type_name(value)}", 60)


def described(error: BaseException) -> str:
    """An exception in one line, with the last place it passed in the bot's own file."""
    told = f"{type_name(error)}: {(said_by(error, str) or 'no message')[:200]}"
    places = [(tb.tb_frame.f_code.co_filename, tb.tb_lineno) for tb in _steps(error)]
    foreign = [place for place in places if place[0] not in _OURS]
    own = [place for place in foreign if place[0] == foreign[0][0]]
    return in_a_line(f"{told} ({short_path(own[-1][0])}:{own[-1][1]})") if own else told


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = BaseException.__dict__["__traceback__"].__get__(error)
    while step is not None:
        yield step
        step = step.tb_next


_OURS = {surroundings.__file__, *map(str, Path(__file__).parent.glob("*.py"))}
