"""A bot put through the course: what it does, what it does wrong, and how long it takes."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cantstop_arena.errors import Interrupted
from cantstop_arena.games.cantstop.asking import Insider, Misplay
from cantstop_arena.games.cantstop.course import FAILS, Leg, Step, Trace, steps_in
from cantstop_arena.games.cantstop.events import Event
from cantstop_arena.games.cantstop.notation import Complaint, record
from cantstop_arena.games.cantstop.play import Table
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.games.cantstop.state import OVER
from cantstop_arena.games.cantstop.table import Contestant, Sitting
from cantstop_arena.hookspecs import Player

SEED = 1980
_WORTH_NOTING = 0.001


class _TimeUp(Interrupted):
    """The time for a go is over. No bot is blamed for it."""


class Failing(NamedTuple):
    """The first time that a bot misbehaved in some way."""

    leg: Leg
    turn: int
    seat: int
    misplay: Misplay


@dataclass
class Go:
    """One go at the course: what happened in each game, and what there was to measure.

    `endless` are the games that came to their turn limit, `slow` the decisions that took more than
    a millisecond: how long, and the function.
    Of compiled bots no single decision can be seen; what is measured is what lies between two
    events, and what is counted is rolls.
    """

    traces: list[Trace] = field(default_factory=list)
    failings: dict[str, Failing] = field(default_factory=dict)
    endless: list[Leg] = field(default_factory=list)
    decisions: int = 0
    seconds: float = 0.0
    slow: list[tuple[float, str]] = field(default_factory=list)
    is_complete: bool = True

    def note(self, asked: str, seconds: float) -> None:
        """Take note of a decision."""
        self.decisions += 1
        self.seconds += seconds
        if seconds > _WORTH_NOTING:
            self.slow.append((seconds, asked))


class Drill:
    """One bot at all seats of a table, its game lying in memory that others can watch."""

    def __init__(self, contestants: Sequence[Contestant], memory: Any) -> None:
        """Raises BotError where the bot does not compile."""
        self._memory = memory
        self._go = Go()
        self._deadline = 0.0
        timed = [self._timed(contestant) for contestant in contestants]
        self.table = Table(CLASSIC, timed, len(timed), SEED)

    @property
    def is_native(self) -> bool:
        """Whether the bot plays as machine code."""
        return self.table.native[0] is not None

    def run(self, legs: Sequence[Leg], seconds: float) -> Go:
        """Play the games of the course, for as long as there is time."""
        self._go, self._deadline = Go(), time.perf_counter() + seconds
        self.table.tidy_up()
        for number, leg in enumerate(legs):
            if self._go.is_complete:
                self._go.traces.append(self._play(number, leg))
        self.table.games[0].waiting = OVER  # for watchers: nobody is deciding any more
        return self._go

    def _play(self, number: int, leg: Leg) -> Trace:
        self.table.play_by(leg.rules, leg.players, self._memory)
        self.table.games[0].cursor = number
        steps: list[Step] = []
        try:
            for step in self._steps(leg):
                steps.append(step)
        except _TimeUp:
            self._go.is_complete = False
        return Trace(tuple(steps), self._go.is_complete)

    def _steps(self, leg: Leg) -> Iterator[Step]:
        complaints: list[Complaint] = []
        seats = tuple(range(leg.players))
        events = self._ended(leg, record(self.table, seats, leg.deal, complaints.append))
        yield from steps_in(self._clocked(events) if self.is_native else events)
        for complaint in complaints:
            kind = complaint.misplay.kind
            failing = Failing(leg, complaint.turn, complaint.seat, complaint.misplay)
            self._go.failings.setdefault(kind, failing)
            yield Step(complaint.turn, complaint.seat, f"{FAILS} ({kind})")

    def _ended(self, leg: Leg, events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            if event.get("reason") == "turn-limit":
                self._go.endless.append(leg)
            yield event

    def _clocked(self, events: Iterator[Event]) -> Iterator[Event]:
        """The events of a game, the time between them taken."""
        start = time.perf_counter()
        for event in events:
            self._keep_time()
            if event["event"] == "roll":
                self._go.note("", time.perf_counter() - start)
            yield event
            start = time.perf_counter()

    def _timed(self, contestant: Contestant) -> Contestant:
        def sit(sitting: Sitting) -> Player:
            player = contestant.sit(sitting) if contestant.sit else contestant.player
            return self._observed(player)

        return Contestant(
            contestant.name, contestant.player, contestant.digest, sit, contestant.learns
        )

    def _observed(self, player: Player) -> Player:
        """The player, the time of its decisions taken. Frames of this file are no bot's."""

        def timed(asked: str, decide: Callable[..., Any]) -> Callable[..., Any]:
            def decided(*shown: Any) -> Any:
                self._keep_time()
                start = time.perf_counter()
                try:
                    return decide(*shown)
                finally:
                    self._go.note(asked, time.perf_counter() - start)

            return decided

        choose, again = player.choose_move, player.roll_again
        return Insider(timed("choose_move", choose), timed("roll_again", again))

    def _keep_time(self) -> None:
        if time.perf_counter() > self._deadline:
            raise _TimeUp
