"""A bot that misbehaves in a decision, and what it is charged with."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

from cantstop_arena.deals.outcomes import EXCEPTION, ILLEGAL
from cantstop_arena.errors import GameError, Interrupted
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import attribute_text, in_a_line, type_name

_ARENA = str(Path(__file__).parents[1])
_BOTS = "bots"  # folders of the package whose files are bots, as anybody's are


class BotFault(Exception):
    """A decision that a bot failed to take: it raised, or what it answered is no answer.

    Where it is `doubtful` whether it was the bot's doing, the game is worth another try.
    """

    def __init__(self, kind: str, message: str, doubtful: bool = False) -> None:
        self.kind = kind
        self.doubtful = doubtful
        super().__init__(message)


class RemotePlayer:
    """A player of ours that asks a bot elsewhere; it raises BotFault for what happens there."""


class TrustedPlayer:
    """A player of ours that may end the game, by raising Interrupted."""


class RetryingPlayer(TrustedPlayer):
    """One that is told what makes an answer illegal, and asked again: a person."""

    on_complaint: Callable[[str], None]


def fault_of(error: BaseException, player: object = None) -> BotFault:
    """What an exception out of a bot's function is charged as.

    What our own players raise on purpose is raised again, or as it is.
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
    """An exception in one line, with the last place it passed in the bot's own file."""
    text = f"{type_name(error)}: {(attribute_text(error, str) or 'no message')[:200]}"
    positions = [(tb.tb_frame.f_code.co_filename, tb.tb_lineno) for tb in _steps(error)]
    foreign = [position for position in positions if not _is_ours(position[0])]
    own = [position for position in foreign if position[0] == foreign[0][0]]
    return in_a_line(f"{text} ({short_path(own[-1][0])}:{own[-1][1]})") if own else text


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = BaseException.__dict__["__traceback__"].__get__(error)
    while step is not None:
        yield step
        step = step.tb_next


def _is_ours(file: str) -> bool:
    return file.startswith(_ARENA) and _BOTS not in Path(file).parts[len(Path(_ARENA).parts) :]
