"""Bots are seated at a table: in this process, or in processes of their own."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from cantstop_arena.bots.bot_messages import BotStarted
from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.isolated_bot import BotRaised, IsolatedBot, failure_text
from cantstop_arena.bots.known_bot import LoadedBot, backend_of
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import DIED, EXCEPTION, ILLEGAL, TOO_SLOW
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.batches import Batch
from cantstop_arena.game_api.bot_options import files_among
from cantstop_arena.game_api.decisions import Decision, GameOver
from cantstop_arena.games.registry import game_named
from cantstop_arena.hookspecs import BATCH_HOOK
from cantstop_arena.processes.child import ChildFailed
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.bot_faults import BotFault, RemotePlayer
from cantstop_arena.table.seated_bot import GameStart, SeatedBot
from cantstop_arena.texts import in_a_line

_LIBRARY = 40  # characters of its name and version, which the process tells


def seat_bot(start: BotStart, loader: Loader, as_plain: bool = False) -> SeatedBot:
    """Build a bot for a table. Raises BotError when that fails, or when its files have changed.

    With `as_plain` built-in bots have a `make_player` too, as those that record their decisions in
    Python need it: its players have the memory that compiled bots are given otherwise.
    """
    if start.isolation:
        seating = IsolatedSeating(start)
        return SeatedBot(
            start.name, seating.player, repr(start), seating, start.learns, start.dice_name
        )
    bot, options = loader.open(start.bot), json.loads(start.options)
    _check_files(start, bot, options)
    player = bot.build(options)
    is_local, learns = as_plain or bot.origin.is_foreign, bot.learns
    make_player: Callable[[GameStart], Any] | None
    make_player = LocalSeating(bot, options) if is_local else None
    if isinstance(player, BatchedBot):
        make_player, learns = player.seated, False
    return SeatedBot(start.name, player, start.digest, make_player, learns, start.dice_name)


def _check_files(start: BotStart, bot: LoadedBot, options: Mapping[str, Any]) -> None:
    """Raise BotError when a file that an option names has changed, or differs here."""
    now = files_among(bot.options, options)
    for name, digest in start.files:
        if now.get(name) != digest:
            named = f" {options[name]!r:.60}" if options[name] else ""
            raise BotError(f"{name}{named} has changed since the run started")


def check_backend(start: BotStart, bot: SeatedBot) -> None:
    """Raise BotError when a bot that was compiled before is plain in this process."""
    decisions = game_named(start.bot.game).decisions
    if start.is_foreign and start.is_compiled and backend_of(bot.player, decisions) == "plain":
        raise BotError(
            "it was compiled when the run started, and is plain now; run the command again"
        )


class LocalSeating:
    """Seats a bot that runs in this process."""

    def __init__(self, spec: LoadedBot, options: Mapping[str, Any]) -> None:
        self.spec = spec
        self.options = options
        self.players: dict[int, Any] = {}  # of a side, by partner

    def __call__(self, start: GameStart) -> Any:
        """The bot; a new instance if the game starts fresh."""
        if start.is_fresh or start.partner not in self.players:
            self.players[start.partner] = self.spec.fresh_instance(self.options)
        return self.players[start.partner]


class IsolatedSeating:
    """Seats a bot in a separate process; failures of that process become faults of the bot.

    Partners have processes of their own: in one they could tell each other what they hold.
    """

    def __init__(self, bot_start: BotStart) -> None:
        self.partners: dict[int, IsolatedSeating] = {}
        self.bot_start = bot_start
        self.limit = bot_start.decision_limit
        self.remote = IsolatedBot(bot_start)
        self.group: Group | None = None
        self.player: RemotePlayer = RemotePlayer()
        if bot_start.backend == "batched":
            self.player = IsolatedBatchedBot(self)
            return
        for decision in self.remote.game.decisions.values():
            setattr(self.player, decision.name, partial(self._decide, decision))
        self.hearing = RemotePlayer()
        vars(self.hearing).update(vars(self.player), game_over=self._finish)

    def __call__(self, start: GameStart) -> RemotePlayer:
        """Start a game in the bot's process, and return the player.

        Each group gets a new process, since versions of a rival play the same deals.
        """
        if start.partner:
            seating = self.partners.get(start.partner) or IsolatedSeating(self.bot_start)
            self.partners[start.partner] = seating
            return seating(replace(start, partner=0))
        if isinstance(self.player, IsolatedBatchedBot):
            self.player.seated(start)
            return self.player
        self._meet(start.group)
        self.ask(
            "the start",
            lambda: self.remote.begin(
                start.seat,
                start.players,
                start.rules,
                start.key,
                start.is_fresh,
            ),
        )
        return self.hearing if self.remote.started.listens else self.player

    def start(self, group: Group) -> BotStarted:
        """Start the process, if it does not run, before the bot meets a group. Raises BotFault."""
        self._meet(group)
        self.ask("the start", self.remote.start)
        return self.remote.started

    def _meet(self, group: Group) -> None:
        """End the process if it has played in another group."""
        if self.group != group:
            self.remote.close()
            self.group = group

    def close(self) -> None:
        """End the processes."""
        for seating in (self, *self.partners.values()):
            seating.remote.close()

    def _finish(self, _: Any, result: GameOver) -> None:
        """Send the end of the game; the process has its last view already."""
        self.remote.finish(result)

    def _decide(self, decision: Decision, view: Any, moves: Sequence[Any] | None = None) -> Any:
        return self.ask(decision.name, lambda: self.remote.decide(decision, view, moves))

    def ask(self, what: str, ask: Callable[[], Any]) -> Any:
        """The answer of the process. Raises BotFault."""
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


class IsolatedBatchedBot(BatchedBot, RemotePlayer):
    """A bot with `decide(batch)` in a process of its own, to which whole batches are sent."""

    def __init__(self, seating: IsolatedSeating) -> None:
        self._seating = seating
        super().__init__(seating.remote.game, self._decide_there)

    def prepare(self, rules: Any, players: int) -> None:
        self.compile_positions(rules, players)

    @property
    def libraries(self) -> Sequence[str]:
        return [in_a_line(text, _LIBRARY) for text in self._seating.remote.started.libraries[:9]]

    def get_ready(self, group: Group) -> None:
        """Start the process, which knows the settings of its batches. Raises BotFault."""
        started = self._seating.start(group)
        try:
            self.set_batches(started.rows, started.temperature)
        except BotError as error:
            raise BotFault(DIED, str(error)) from None

    def _decide_there(self, batch: Batch) -> Any:
        remote = self._seating.remote
        return self._seating.ask(BATCH_HOOK, lambda: remote.decide_batch(batch))
