"""Looks at a bot and plays it, in a process that it may wreck.

Each stage is announced before it begins, so that whoever listens knows where a bot came to grief.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cantstop_arena.botspecs import DECISIONS, BotSpec, innermost, place_of
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.course import course, difference
from cantstop_arena.games.cantstop.drill import Drill, Go
from cantstop_arena.games.cantstop.rules import PLAYERS
from cantstop_arena.games.cantstop.table import Contestant, uncompiled
from cantstop_arena.hookspecs import Player
from cantstop_arena.plugins import Loader, is_built_in
from cantstop_arena.tournament.findings import NOTE, OK, WRONG, Finding, Stage
from cantstop_arena.tournament.recipes import seat_for
from cantstop_arena.tournament.speed import measure

Tell = Callable[[Mapping[str, Any]], None]

_COMPILING, _MAKING, _MEASURING = 300.0, 10.0, 20.0  # seconds that a stage may take
_GO, _SHORT_GO = 4.0, 2.0  # seconds for which the course is played
_FEW = 20  # games of the course that say enough of a bot that is seen to play it all elsewhere
_SPARE = 3.0  # seconds that a go may take beyond that
_SLOW_TO_MAKE = 0.001
_FEW_SLOW = 3
_SHOWN = 60  # characters of a default


class Examiner:
    """Looks at one bot: every method is something to look at, and yields what was found."""

    def __init__(
        self, loader: Loader, spec: BotSpec, memory: Any, limit: float, tell: Tell
    ) -> None:
        self.loader = loader
        self.spec = spec
        self.memory = memory
        self.limit = limit
        self.tell = tell
        self.legs = course()
        self.subject = "file"
        self.player = spec.build({})

    def _enter(self, stage: Stage) -> None:
        self.subject = stage.subject
        self.tell(stage.told())

    def _go(self, drill: Drill, subject: str, doing: str, mark: str = WRONG, games: int = 0) -> Go:
        """Play the course, or so many games of it, where others can watch."""
        seconds = _GO if subject == "legal" else _SHORT_GO
        self._enter(Stage(subject, doing, seconds + self.limit + _SPARE, mark, self._places()))
        return drill.run(self.legs[:games] if games else self.legs, seconds)

    def _places(self) -> dict[str, str]:
        found = {hook: place_of(getattr(self.player, hook)) for hook in DECISIONS}
        return {hook: place or "no Python function" for hook, place in found.items()}

    def everything(self) -> Iterator[Finding]:
        """All that there is to find."""
        yield from self._looks()
        drill = self._drill()
        if isinstance(drill, Finding):
            yield drill
            return
        go = self._go(drill, "legal", "plays against itself")
        yield from self._legality(drill, go)
        found = self._difference(drill, go)
        if found is not None:
            yield found
        else:
            self._tell_traces(go)
        if not drill.is_native:
            if found is None and not self.spec.learns:
                yield self._state(go)
            yield self._making()
        yield from self._speed(drill, go)
        if drill.is_native and found is None:
            yield self._plain_version(go)

    def play(self) -> Iterator[Finding]:
        """Play the course, and tell no more than what happened, if nothing is wrong."""
        drill = self._drill()
        if isinstance(drill, Finding):
            yield drill
            return
        self._tell_traces(self._go(drill, "reproducible", "plays in another process"))

    def _tell_traces(self, go: Go) -> None:
        self.tell({"traces": go.traces})

    # What it is

    def _looks(self) -> Iterator[Finding]:
        hooks = [f"{hook} ({place})" for hook, place in self._places().items()]
        module = sys.modules.get(getattr(innermost(self.player.choose_move), "__module__", ""))
        by = ", by register_bots" if hasattr(module, "register_bots") else ""
        yield Finding(OK, "hooks", f"{' and '.join(hooks)}{by}")
        options = [f"{name}={value!r:.{_SHOWN}}" for name, value in self.spec.defaults.items()]
        yield Finding(OK, "options", ", ".join(options) or "none")
        if self.spec.path and is_built_in(self.spec.name):
            told = "a built-in bot has this name; tournaments find this one by its path only"
            yield Finding(NOTE, "name", told)
        if self.spec.learns:
            told = "says that it learns: it keeps what it remembers for a block of deals"
            yield Finding(OK, "learns", told)

    def _drill(self) -> Drill | Finding:
        """The bot, ready to play, or why it cannot."""
        self._enter(Stage("lane", "is compiled", _COMPILING))
        contestants = [self._contestant(seat) for seat in PLAYERS]
        missing, start = uncompiled(contestants[:1]), time.perf_counter()
        try:
            drill = Drill(contestants, self.memory)
            drill.table.warm_up()
        except BotError as error:
            return Finding(WRONG, "lane", str(error))
        self.tell(self._lane(drill, bool(missing), time.perf_counter() - start).told())
        return drill

    def _contestant(self, number: int) -> Contestant:
        seat = seat_for(f"{self.spec.name} {number}", self.spec, self.spec.defaults)
        return seat.contestant(self.loader)

    def _lane(self, drill: Drill, is_new: bool, seconds: float) -> Finding:
        if drill.is_native:
            how = f"in {seconds:.1f} s, once" if is_new else "and kept from before"
            return Finding(OK, "lane", f"compiled, {how}")
        if self.spec.lane == "plain":
            return Finding(OK, "lane", "plain")
        return Finding(NOTE, "lane", "@compiled, but NUMBA_DISABLE_JIT is set: plays as plain")

    # What it does

    def _legality(self, drill: Drill, go: Go) -> Iterator[Finding]:
        for kind, (leg, turn, seat, misplay) in go.failings.items():
            where = f"{leg}, turn {turn}, seat {seat}" if turn else f"{leg}, as it is made anew"
            yield Finding(WRONG, "legal", f"{kind}: {misplay} (first in {where})")
        counted = "rolls" if drill.is_native else "decisions"
        played = f"{go.decisions:,} {counted} in {len(go.traces)} games"
        if not go.is_complete:
            told = f"time was up after {played}: too slow to be looked at further"
            yield Finding(NOTE, "legal", told)
        if go.endless:
            told = f"{len(go.endless)} of {len(go.traces)} games came to the turn limit"
            yield Finding(NOTE, "legal", f"{told}, won by nobody (first: {go.endless[0]})")
        if go.is_complete and not go.failings:
            sets = len({leg.rules for leg in self.legs})
            yield Finding(OK, "legal", f"{played} under {sets} rule sets, in 1 to 4 seats")

    def _difference(self, drill: Drill, go: Go) -> Finding | None:
        """What differs when the same games are played again."""
        again = self._go(drill, "reproducible", "plays the same games again", games=_FEW)
        found = difference(self.legs, go.traces, again.traces)
        causes = "the time, os.urandom, random.SystemRandom, id(), or the order of a set?"
        return Finding(WRONG, "reproducible", f"{found}; {causes}") if found else None

    def _state(self, go: Go) -> Finding:
        """Whether it answers otherwise when it is not made anew for each game."""
        drill = Drill([_kept(self._contestant(seat), self.spec) for seat in PLAYERS], self.memory)
        other = self._go(drill, "state", "plays without being made anew", NOTE, games=_FEW)
        if difference(self.legs, go.traces, other.traces):
            told = "remembers earlier games; in a tournament it is made anew for every game"
            return Finding(NOTE, "state", f"{told} (learns = True keeps it for a block)")
        return Finding(OK, "state", "no answer depends on earlier games")

    # How long it takes

    def _making(self) -> Finding:
        self._enter(Stage("making", "is made anew", _MAKING))
        spent = []
        for _ in range(7):
            start = time.perf_counter()
            self.spec.made_anew({})
            spent.append(time.perf_counter() - start)
        seconds = statistics.median(spent)
        told = f"made anew, as it is for every game, in {_milliseconds(seconds)}"
        return Finding(NOTE if seconds > _SLOW_TO_MAKE else OK, "making", told)

    def _speed(self, drill: Drill, go: Go) -> Iterator[Finding]:
        self._enter(Stage("time", "is measured", _MEASURING, NOTE))
        if drill.is_native:
            speed = measure(self.loader, self.spec, 0.2)
            yield Finding(OK, "time", f"{speed.games_per_second:,.0f} games a second")
        elif go.seconds:
            yield Finding(OK, "time", f"{go.decisions / go.seconds:,.0f} decisions a second")
        if finding := self._slowest(go):
            yield finding

    def _slowest(self, go: Go) -> Finding | None:
        """What there is to say of slow decisions; one or two may be the machine's doing."""
        slow = [one for one in go.slow if one[0] > self.limit / 10]
        seconds, asked = max(slow, default=(0.0, ""))
        if len(slow) < _FEW_SLOW and seconds <= self.limit:
            return None
        told = f"{asked or 'a decision'} took up to {_milliseconds(seconds)}"
        mark = WRONG if seconds > self.limit else NOTE
        return Finding(mark, "time", f"{told}; {self.limit:g} s are allowed")

    # The other lane

    def _plain_version(self, go: Go) -> Finding:
        """Whether the compiled bot plays the same games as ordinary Python."""
        drill = Drill([_uncompiled(self._contestant(seat)) for seat in PLAYERS], self.memory)
        other = self._go(drill, "plain version", "plays uncompiled", NOTE)
        if found := difference(self.legs, go.traces, other.traces):
            told = f"compiled and uncompiled differ (whole numbers that overflow?): {found}"
            return Finding(NOTE, "plain version", told)
        games = sum(trace.whole for trace in other.traces)
        return Finding(OK, "plain version", f"plays the same games uncompiled ({games})")


def _kept(contestant: Contestant, spec: BotSpec) -> Contestant:
    """A contestant that is never made anew."""
    player = spec.made_anew({})
    return Contestant(contestant.name, player, contestant.digest, lambda sitting: player)


def _uncompiled(contestant: Contestant) -> Contestant:
    """A compiled contestant as ordinary Python: functions that carry no mark."""
    choose, again = contestant.player.choose_move, contestant.player.roll_again
    player = Player(lambda turn, moves: choose(turn, moves), lambda turn: again(turn))
    return Contestant(contestant.name, player, "", None)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:,.3g} ms"
