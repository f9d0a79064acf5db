"""Where bots that are asked from Python sit down: in this process, or in one of their own."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cantstop_arena.botspecs import BotSpec
from cantstop_arena.errors import BotError
from cantstop_arena.hookspecs import Player
from cantstop_arena.isolation.remote import (
    Failure,
    Launch,
    Lost,
    Nonsense,
    Overdue,
    Remote,
)
from cantstop_arena.outcomes import DIED, EXCEPTION, ILLEGAL, TOO_SLOW, Group

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.asking import Misplay
    from cantstop_arena.games.cantstop.table import Sitting


class Near:
    """For a bot that lives in this process."""

    def __init__(self, spec: BotSpec, options: Mapping[str, Any]) -> None:
        self.spec = spec
        self.options = options
        self.player: Player | None = None

    def __call__(self, sitting: "Sitting") -> Player:
        """The bot, made anew where it is to forget."""
        if sitting.anew or self.player is None:
            self.player = self.spec.made_anew(self.options)
        return self.player


def messenger(choose_move: Callable[..., Any], roll_again: Callable[..., Any]) -> Player:
    """A player that may say what happened to a bot elsewhere."""
    from cantstop_arena.games.cantstop.asking import Messenger

    return Messenger(choose_move, roll_again)


class Apart:
    """For a bot in a process of its own; what goes wrong there becomes a fault of its."""

    def __init__(self, launch: Launch) -> None:
        self.limit = launch.decision_limit
        self.remote = Remote(launch)
        self.player = messenger(self._choose_move, self._roll_again)
        self.group: Group | None = None

    def __call__(self, sitting: "Sitting") -> Player:
        """The bot, told that a game begins.

        Another group plays on the same dice, so that a process that had met them would know them.
        """
        if self.group != sitting.group:
            self.remote.close()
            self.group = sitting.group
        self._asked(
            "the start",
            lambda: self.remote.begin(
                sitting.seat, sitting.players, sitting.rules, sitting.key, sitting.anew
            ),
        )
        return self.player

    def _choose_move(self, turn: Any, moves: Sequence[Any]) -> Any:
        return self._asked("choose_move", lambda: self.remote.choose_move(turn, moves))

    def _roll_again(self, turn: Any) -> Any:
        return self._asked("roll_again", lambda: self.remote.roll_again(turn))

    def _asked(self, what: str, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except (Failure, BotError) as error:
            raise self._misplay(what, error) from error

    def _misplay(self, what: str, error: Exception) -> "Misplay":
        from cantstop_arena.games.cantstop.asking import Misplay

        if isinstance(error, Overdue):  # its own words say more than is the same in every run
            told = f"{what} gave no answer within {self.limit:g} s"
            return Misplay(TOO_SLOW, told, doubtful=not error.proven)
        if isinstance(error, Lost):
            return Misplay(DIED, f"{what}: {error}", doubtful=not error.proven)
        if isinstance(error, Nonsense):
            return Misplay(ILLEGAL, f"{what}: {error}")
        if isinstance(error, BotError):
            proven = getattr(error.__cause__, "proven", True)
            return Misplay(DIED, f"the program {error}", doubtful=not proven)
        return Misplay(EXCEPTION, str(error))
