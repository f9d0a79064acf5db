"""Runs of the suite of check games by one bot: traces, faults, and times of decisions."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec.structs import replace

from cantstop_arena.check.suite import FAILS, CheckStep, Trace
from cantstop_arena.errors import Interrupted
from cantstop_arena.game_api.game import CheckGame, Game
from cantstop_arena.game_api.state import Event
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.table.bot_faults import BotFault, RemotePlayer, TrustedPlayer
from cantstop_arena.table.recording import Complaint, record
from cantstop_arena.table.seated_bot import GameStart, SeatedBot
from cantstop_arena.table.table import GameTable

SEED = 1980
WALL_TIME_FACTOR = 3
"""How many times its processor time a run may take: bots sleep, and machines are busy."""
_SLOW_SECONDS = 0.001


class _TimeUp(Interrupted):
    """The time for a run is over. No bot is blamed for it."""


class _TimedPlayer(TrustedPlayer, BotFunctions):
    """A bot whose decisions are timed; a decision raises _TimeUp when the run's time is over."""


class _TimedRemotePlayer(_TimedPlayer, RemotePlayer):
    """Such a bot in another process, whose failures are faults already."""


class Failing(NamedTuple):
    """The first fault of a kind: in which game, turn and seat."""

    game: CheckGame
    turn: int
    seat: int
    fault: BotFault


@dataclass
class SuiteRun:
    """One run of the suite: the trace of each game, faults by kind, and times.

    `endless` are the games that nobody won, `slow` the decisions that took more than a millisecond,
    as (seconds, name of the decision). Single decisions of compiled bots cannot be timed: for them
    `decisions`, `seconds` and `slow` are about the steps between two events.
    """

    traces: list[Trace] = field(default_factory=list)
    failings: dict[str, Failing] = field(default_factory=dict)
    endless: list[CheckGame] = field(default_factory=list)
    decisions: int = 0
    seconds: float = 0.0
    slow: list[tuple[float, str]] = field(default_factory=list)
    is_complete: bool = True

    def note(self, decision: str, seconds: float) -> None:
        """Record the time of a decision."""
        self.decisions += 1
        self.seconds += seconds
        if seconds > _SLOW_SECONDS:
            self.slow.append((seconds, decision))


class Harness:
    """One bot at all seats of a table, with the game in memory that the parent can read."""

    def __init__(self, game: Game, seated_bots: Sequence[SeatedBot], memory: Any) -> None:
        """Raises BotError when the bot does not compile."""
        self._game = game
        self._memory = memory
        self._run = SuiteRun()
        self._cpu_end = self._end = 0.0
        timed_bots = [self._timed_bot(seated_bot) for seated_bot in seated_bots]
        self.table: GameTable = game.table(game.rules.default, timed_bots, len(timed_bots), SEED)
        self.is_compiled = self._plays_compiled()
        """Whether the bot plays the default rules as machine code."""

    def _plays_compiled(self) -> bool:
        """Whether it plays the rules of the last game as machine code."""
        return bool(self.table.is_compiled((0,)))

    def run(self, games: Sequence[CheckGame], seconds: float) -> SuiteRun:
        """Play the games for so many `seconds` of processor time.

        A run also ends WALL_TIME_FACTOR times as many seconds after its start.
        """
        self._run = SuiteRun()
        self._cpu_end = time.process_time() + seconds
        self._end = time.perf_counter() + WALL_TIME_FACTOR * seconds
        self.table.restore_process()
        for index, game in enumerate(games):
            if self._run.is_complete:
                self._run.traces.append(self._play(index, game))
        self.table.clear_decision()  # for the parent: no decision is pending
        return self._run

    def _play(self, index: int, game: CheckGame) -> Trace:
        self.table.change_rules(game.rules, game.players, self._memory)
        self.table.mark_game(index, tuple(range(game.players)))
        steps: list[CheckStep] = []
        try:
            for step in self._steps(game):
                steps.append(step)
        except _TimeUp:
            self._run.is_complete = False
        return Trace(tuple(steps), self._run.is_complete)

    def _steps(self, game: CheckGame) -> Iterator[CheckStep]:
        complaints: list[Complaint] = []
        seats = tuple(range(game.players))
        events = self._record_endless(game, record(self.table, seats, game.deal, complaints.append))
        is_compiled = self._plays_compiled()
        for event in self._timed_events(events) if is_compiled else events:
            if action := self._game.action_text(event):
                yield CheckStep(event.get("turn", 0), event["seat"], action)
        for complaint in complaints:
            kind = complaint.fault.kind
            failing = Failing(game, complaint.turn, complaint.seat, complaint.fault)
            self._run.failings.setdefault(kind, failing)
            yield CheckStep(complaint.turn, complaint.seat, f"{FAILS} ({kind})")
        if not complaints and is_compiled and self.table.ends_otherwise(seats, game.deal):
            yield CheckStep(self.table.turn, 0, "ends otherwise in machine code")

    def _record_endless(self, game: CheckGame, events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            if event["event"] == "end" and not event["winners"]:
                self._run.endless.append(game)
            yield event

    def _timed_events(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events of a game; the time between two events is recorded."""
        start = time.perf_counter()
        for event in events:
            self._check_deadline()
            if event["event"] not in ("game", "end"):
                self._run.note("", time.perf_counter() - start)
            yield event
            start = time.perf_counter()

    def _timed_bot(self, seated_bot: SeatedBot) -> SeatedBot:
        def make_player(start: GameStart) -> Any:
            player = seated_bot.make_player(start) if seated_bot.make_player else seated_bot.player
            return self._timed_player(player)

        return replace(seated_bot, make_player=make_player)

    def _timed_player(self, player: Any) -> _TimedPlayer:
        """The player with its decisions timed; frames of this file do not count as the bot's."""

        def timed(decision: str, decide: Callable[..., Any]) -> Callable[..., Any]:
            def decided(*arguments: Any) -> Any:
                self._check_deadline()
                start = time.perf_counter()
                try:
                    return decide(*arguments)
                finally:
                    self._run.note(decision, time.perf_counter() - start)

            return decided

        functions = {name: getattr(player, name, None) for name in self._game.decisions}
        timed_class = _TimedRemotePlayer if isinstance(player, RemotePlayer) else _TimedPlayer
        return timed_class(
            **{name: timed(name, function) for name, function in functions.items() if function}
        )

    def _check_deadline(self) -> None:
        if time.process_time() > self._cpu_end or time.perf_counter() > self._end:
            raise _TimeUp
