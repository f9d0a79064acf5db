"""Faults of bots in decisions, and how exceptions become faults."""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile, takewhile
from pathlib import Path
from traceback import walk_stack
from types import FrameType, TracebackType

from cantstop_arena.deals.outcomes import EXCEPTION, ILLEGAL
from cantstop_arena.errors import GameError, Interrupted
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import attribute_text, in_a_line, type_name

_ARENA = str(Path(__file__).parents[1])
_BOTS = "bots"  # folders of games with bots, whose errors are treated like those of others
_STANDARD_LIBRARY = str(Path(os.__file__).parent)
_PACKAGES = ("site-packages", "dist-packages")  # below it, too


class BotFault(Exception):
    """A decision that a bot failed to take: it raised an exception, or gave an illegal answer.

    If it is `doubtful` whether the bot caused it, the game is tried again.
    """

    def __init__(self, kind: str, message: str, doubtful: bool = False) -> None:
        self.kind = kind
        self.doubtful = doubtful
        super().__init__(message)


class RemotePlayer:
    """The arena's player for a bot in another process; it raises BotFault for failures there."""


class TrustedPlayer:
    """A player of the arena that may end the game by raising Interrupted."""


class RetryingPlayer(TrustedPlayer):
    """A player who is told what makes an answer illegal, and decides again: a person."""

    on_complaint: Callable[[str], None]


def fault_of(error: BaseException, player: object = None) -> BotFault:
    """The fault for an exception from a bot's function.

    Exceptions that the arena's own players raise on purpose are raised again or returned.
    """
    kind = type(error)  # an object can lie about its class
    if isinstance(player, TrustedPlayer) and issubclass(kind, Interrupted):
        raise error
    if isinstance(player, RemotePlayer) and isinstance(error, BotFault):
        return error
    if isinstance(player, RemotePlayer) and issubclass(kind, GameError):
        raise error
    if issubclass(kind, IllegalAnswer):
        return BotFault(ILLEGAL, str(error))
    return BotFault(EXCEPTION, bot_exception_line(error))


def bot_exception_line(error: BaseException) -> str:
    """An exception in one line, with the last line of the bot's own file in its traceback."""
    text = f"{type_name(error)}: {(attribute_text(error, str) or 'no message')[:200]}"
    locations = [(tb.tb_frame.f_code.co_filename, tb.tb_lineno) for tb in _steps(error)]
    line = _own_line([location for location in locations if not _is_arena_code(location[0])])
    return in_a_line(f"{text} ({line})") if line else text


def called_function(error: BaseException) -> str:
    """The name of the function of foreign code that the arena has called; empty if it was none."""
    codes = (tb.tb_frame.f_code for tb in _steps(error))
    return next((code.co_name for code in codes if not _is_arena_code(code.co_filename)), "")


def running_line(frame: FrameType | None) -> str:
    """The line of foreign code that this frame runs, as `file:line`; empty if it runs none.

    It is in the file of the function that the arena has called, itself or by the standard library,
    as what it calls in turn may be the standard library's.
    """
    locations = [(step.f_code.co_filename, line) for step, line in walk_stack(frame)]
    called = dropwhile(lambda location: _is_arena_code(location[0]), locations)
    foreign = list(takewhile(lambda location: not _is_arena_code(location[0]), called))
    if len(foreign) == len(locations):
        return ""
    return _own_line([*dropwhile(lambda location: _is_standard(location[0]), foreign[::-1])])


def _own_line(locations: Sequence[tuple[str, int]]) -> str:
    """The last of these locations that is in the file of the first; empty if there are none."""
    own = [location for location in locations if location[0] == locations[0][0]]
    return f"{short_path(own[-1][0])}:{own[-1][1]}" if own else ""


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = BaseException.__dict__["__traceback__"].__get__(error)
    while step is not None:
        yield step
        step = step.tb_next


def _is_arena_code(file: str) -> bool:
    below = Path(file).parts[len(Path(_ARENA).parts) + 1 :]  # of the folder `bots` itself, too
    return file.startswith(_ARENA) and _BOTS not in below


def _is_standard(file: str) -> bool:
    """Whether a file belongs to the standard library."""
    is_below = file.startswith(_STANDARD_LIBRARY) and not any(name in file for name in _PACKAGES)
    return is_below or file.startswith("<frozen ")
