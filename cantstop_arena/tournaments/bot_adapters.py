"""Functions that seat bots called from Python: in this process, or in separate ones."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.isolated_bot import BotRaised, IsolatedBot, failure_text
from cantstop_arena.bots.known_bot import LoadedBot
from cantstop_arena.deals.outcomes import DIED, EXCEPTION, ILLEGAL, TOO_SLOW
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.decisions import Decision, GameOver
from cantstop_arena.processes.child import ChildFailed
from cantstop_arena.table.bot_faults import BotFault, RemotePlayer
from cantstop_arena.table.seated_bot import GameStart


class LocalSeating:
    """Seats a bot that runs in this process."""

    def __init__(self, spec: LoadedBot, options: Mapping[str, Any]) -> None:
        self.spec = spec
        self.options = options
        self.player: Any = None

    def __call__(self, start: GameStart) -> Any:
        """The bot; a new instance if the game starts fresh."""
        if start.is_fresh or self.player is None:
            self.player = self.spec.fresh_instance(self.options)
        return self.player


class IsolatedSeating:
    """Seats a bot in a separate process; failures of that process become faults of the bot."""

    def __init__(self, launch: BotStart) -> None:
        self.limit = launch.decision_limit
        self.remote = IsolatedBot(launch)
        self.player = RemotePlayer()
        for decision in self.remote.game.decisions.values():
            setattr(self.player, decision.name, partial(self._decide, decision))
        self.group: Group | None = None
        self.hearing = RemotePlayer()
        vars(self.hearing).update(vars(self.player), game_over=self._finish)

    def __call__(self, start: GameStart) -> RemotePlayer:
        """Start a game in the bot's process, and return the player.

        Each group gets a new process, since it plays the same deals as other groups.
        """
        if self.group != start.group:
            self.remote.close()
            self.group = start.group
        self._answer(
            "the start",
            lambda: self.remote.begin(
                start.seat, start.players, start.rules, start.key, start.is_fresh
            ),
        )
        return self.hearing if self.remote.listens else self.player

    def _finish(self, _: Any, result: GameOver) -> None:
        """Send the end of the game; the process has its last view already."""
        self.remote.finish(result)

    def _decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> Any:
        return self._answer(decision.name, lambda: self.remote.decide(decision, view, moves))

    def _answer(self, what: str, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except (ChildFailed, BotRaised, BotError) as error:
            raise self._fault(what, error) from error

    def _fault(self, what: str, error: Exception) -> BotFault:
        if isinstance(error, ChildFailed):
            failure = error.failure
            if failure.kind == "too slow":  # its own message differs from run to run
                text = f"{what} gave no answer within {self.limit:g} s"
                return BotFault(TOO_SLOW, text, doubtful=not failure.proven)
            if failure.kind == "died":
                text = f"{what}: {failure_text(failure)}"
                return BotFault(DIED, text, doubtful=not failure.proven)
            return BotFault(ILLEGAL, f"{what}: {failure.text}")
        if isinstance(error, BotError):
            cause = error.__cause__
            is_doubtful = isinstance(cause, ChildFailed) and not cause.failure.proven
            return BotFault(DIED, f"the program {error}", doubtful=is_doubtful)
        return BotFault(EXCEPTION, str(error))
