"""A bot that plays the suite of its game: what it does, what it does wrong, how long it takes."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cantstop_arena.check.suite import FAILS, Trace, TraceStep
from cantstop_arena.errors import Interrupted
from cantstop_arena.game_api.game import CheckGame, Event, Game
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.bot_faults import BotFault, TrustedPlayer
from cantstop_arena.table.recording import Complaint, record
from cantstop_arena.table.seated_bot import GameStart, SeatedBot
from cantstop_arena.table.table import GameTable

SEED = 1980
_SLOW_SECONDS = 0.001


class _TimeUp(Interrupted):
    """The time for a run is over. No bot is blamed for it."""


class _Timed(TrustedPlayer, BotFunctions):
    """A bot, the time of whose decisions is taken; it may end a run whose time is up."""


class Failing(NamedTuple):
    """The first time that a bot misbehaved in some way."""

    game: CheckGame
    turn: int
    seat: int
    fault: BotFault


@dataclass
class SuiteRun:
    """One run of the suite: what happened in each game, and what there was to measure.

    `endless` are the games that nobody won, `slow` the decisions that took more than a millisecond:
    how long, and the function. Of compiled bots no single decision can be seen; what is measured is
    what lies between two events, and what is counted is those.
    """

    traces: list[Trace] = field(default_factory=list)
    failings: dict[str, Failing] = field(default_factory=dict)
    endless: list[CheckGame] = field(default_factory=list)
    decisions: int = 0
    seconds: float = 0.0
    slow: list[tuple[float, str]] = field(default_factory=list)
    is_complete: bool = True

    def note(self, question: str, seconds: float) -> None:
        """Take note of a decision."""
        self.decisions += 1
        self.seconds += seconds
        if seconds > _SLOW_SECONDS:
            self.slow.append((seconds, question))


class Harness:
    """One bot at all seats of a table, its game lying in memory that others can watch."""

    def __init__(self, game: Game, seated_bots: Sequence[SeatedBot], memory: Any) -> None:
        """Raises BotError where the bot does not compile."""
        self._game = game
        self._memory = memory
        self._run = SuiteRun()
        self._deadline = 0.0
        timed = [self._timed(seated_bot) for seated_bot in seated_bots]
        self.table: GameTable = game.table(game.rules.default, timed, len(timed), SEED)

    @property
    def is_compiled(self) -> bool:
        """Whether the bot plays as machine code."""
        return bool(self.table.is_compiled((0,)))

    def run(self, games: Sequence[CheckGame], seconds: float) -> SuiteRun:
        """Play the games, for as long as there is time."""
        self._run, self._deadline = SuiteRun(), time.perf_counter() + seconds
        self.table.restore_process()
        for number, game in enumerate(games):
            if self._run.is_complete:
                self._run.traces.append(self._play(number, game))
        self.table.clear_decision()  # for watchers: nobody is deciding any more
        return self._run

    def _play(self, number: int, game: CheckGame) -> Trace:
        self.table.change_rules(game.rules, game.players, self._memory)
        self.table.mark_game(number, tuple(range(game.players)))
        steps: list[TraceStep] = []
        try:
            for step in self._steps(game):
                steps.append(step)
        except _TimeUp:
            self._run.is_complete = False
        return Trace(tuple(steps), self._run.is_complete)

    def _steps(self, game: CheckGame) -> Iterator[TraceStep]:
        complaints: list[Complaint] = []
        seats = tuple(range(game.players))
        events = self._ended(game, record(self.table, seats, game.deal, complaints.append))
        for event in self._clocked(events) if self.is_compiled else events:
            if action := self._game.action_text(event):
                yield TraceStep(event.get("turn", 0), event["seat"], action)
        for complaint in complaints:
            kind = complaint.fault.kind
            failing = Failing(game, complaint.turn, complaint.seat, complaint.fault)
            self._run.failings.setdefault(kind, failing)
            yield TraceStep(complaint.turn, complaint.seat, f"{FAILS} ({kind})")

    def _ended(self, game: CheckGame, events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            if event["event"] == "end" and not event["winners"]:
                self._run.endless.append(game)
            yield event

    def _clocked(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events of a game, the time between them taken."""
        start = time.perf_counter()
        for event in events:
            self._keep_time()
            if event["event"] not in ("game", "end"):
                self._run.note("", time.perf_counter() - start)
            yield event
            start = time.perf_counter()

    def _timed(self, seated_bot: SeatedBot) -> SeatedBot:
        def sit(start: GameStart) -> Any:
            player = seated_bot.make_player(start) if seated_bot.make_player else seated_bot.player
            return self._observed(player)

        return SeatedBot(
            seated_bot.name, seated_bot.player, seated_bot.digest, sit, seated_bot.learns
        )

    def _observed(self, player: Any) -> _Timed:
        """The player, the time of its decisions taken. Frames of this file are no bot's."""

        def timed(question: str, decide: Callable[..., Any]) -> Callable[..., Any]:
            def decided(*visible: Any) -> Any:
                self._keep_time()
                start = time.perf_counter()
                try:
                    return decide(*visible)
                finally:
                    self._run.note(question, time.perf_counter() - start)

            return decided

        there = {name: getattr(player, name, None) for name in self._game.decisions}
        return _Timed(**{name: timed(name, item) for name, item in there.items() if item})

    def _keep_time(self) -> None:
        if time.perf_counter() > self._deadline:
            raise _TimeUp
