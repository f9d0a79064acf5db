"""Checks a bot and plays it, in a process that it may crash or hang.

Each stage is announced before it begins, so that the parent knows in which stage a bot failed.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from msgspec.structs import replace

from cantstop_arena.bots.known_bot import (
    PRINTED_BACKENDS,
    LoadedBot,
    functions_of,
    innermost,
    source_line_of,
)
from cantstop_arena.bots.loader import Loader
from cantstop_arena.bots.onnx_files import NetTensor
from cantstop_arena.check.findings import (
    NOTE,
    OK,
    WRONG,
    CheckRequest,
    CheckStage,
    Finding,
    GamesTraced,
    Report,
)
from cantstop_arena.check.harness import WALL_TIME_FACTOR, Harness, SuiteRun
from cantstop_arena.check.net_setting import CheckedSetting
from cantstop_arena.check.row_check import check_rows
from cantstop_arena.check.suite import difference, suite_of
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import game_named
from cantstop_arena.hookspecs import BATCH_HOOK, SPEED_HINT, BotFunctions
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.texts import how_many, in_a_line, listed, significant
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.tournament_file import usual_players
from cantstop_arena.tournaments.speed import measure
from cantstop_arena.tournaments.table_spec import bot_start

_COMPILE_SECONDS, _BUILD_SECONDS, _MEASURE_SECONDS = 300.0, 10.0, 20.0  # limits of stages
_RUN_SECONDS, _SHORT_RUN_SECONDS = 4.0, 2.0  # for which the suite is played
_REPLAYED_GAMES = 20  # of the suite: enough here, as another process plays all of it again
_TIMED_SECONDS = 0.2  # of games in which the speed is measured
_MAX_HINT = 200  # characters of what a bot says of its speed
_SPARE_SECONDS = 3.0  # that a run may take beyond its time and one decision
_SLOW_BUILD_SECONDS = 0.001
_MIN_SLOW_DECISIONS = 3  # fewer may be due to other load on the machine
_MAX_DEFAULT_LENGTH = 60  # characters of a default


class BotChecks:
    """The checks of one bot, run in the process that it may crash; each returns findings."""

    def __init__(
        self,
        loader: Loader,
        spec: LoadedBot,
        memory: Any,
        request: CheckRequest,
        setting: CheckedSetting,
        report: Callable[[Report], None],
    ) -> None:
        self.loader = loader
        self.spec = spec
        self.memory = memory
        self.limit = request.limit
        self.report = report
        self.game = game_named(spec.game)
        built_in_name = "" if spec.origin.is_foreign else spec.name
        self.games = suite_of(self.game, built_in_name, setting.rules)
        self.max_mean = setting.rules.max_mean if setting.rules else inf
        only = self.games[0] if setting.rules else None
        self.rules = only.rules if only else self.game.rules.default
        self.players = only.players if only else usual_players(self.game)
        self.setting = setting
        self.subject = "file"
        self.player = spec.build({})

    def _enter(self, stage: CheckStage) -> None:
        self.subject = stage.subject
        self.report(stage)

    def _run(
        self, harness: Harness, subject: str, doing: str, mark: str = WRONG, games: int = 0
    ) -> SuiteRun:
        """Announce the stage, then play the suite, or its first `games` games."""
        seconds = _RUN_SECONDS if subject == "legal" else _SHORT_RUN_SECONDS
        limit = WALL_TIME_FACTOR * seconds + self.limit + _SPARE_SECONDS
        self._enter(CheckStage(subject, doing, limit, mark, self._source_lines()))
        return harness.run(self.games[:games] if games else self.games, seconds)

    def _source_lines(self) -> dict[str, str]:
        lines = {hook: source_line_of(getattr(self.player, hook)) for hook in self._hooks()}
        return {hook: line or "no Python function" for hook, line in lines.items()}

    def _hooks(self) -> list[str]:
        """The names of the decisions for which the bot has a function."""
        return [*functions_of(self.player, self.game.decisions)]

    def everything(self) -> Iterator[Finding]:
        """The findings of all checks; the traces of the games are reported on the way."""
        yield from self._properties()
        if not self.setting.plays:
            return
        harness = self._harness()
        if isinstance(harness, Finding):
            yield harness
            return
        start = time.process_time()
        run = self._run(harness, "legal", "plays against itself")
        mean = (time.process_time() - start) / max(1, run.decisions)
        yield from self._legality(harness, run)
        if mean > self.max_mean:
            text = f"too slow: a decision takes {1000 * mean:.3g} ms of processor time on average"
            yield Finding(WRONG, "time", f"{text}; {1000 * self.max_mean:g} ms are allowed")
        finding = self._difference(harness, run)
        if finding is not None:
            yield finding
        else:
            self._report_traces(run)
        if isinstance(self.player, BatchedBot):
            yield self._rows(self.player)
        elif not harness.is_compiled:
            if finding is None and not self.spec.learns:
                yield self._state_between_games(run)
            yield self._build_time()
        yield from self._speed(harness, run)
        if harness.is_compiled and finding is None:
            yield self._plain_version(run)

    def play(self) -> Iterator[Finding]:
        """Play the suite and report its traces; a finding only if the bot cannot play."""
        harness = self._harness()
        if isinstance(harness, Finding):
            yield harness
            return
        self._report_traces(self._run(harness, "reproducible", "plays in another process"))

    def _report_traces(self, run: SuiteRun) -> None:
        self.report(GamesTraced(run.traces))

    # What it is

    def _properties(self) -> Iterator[Finding]:
        hooks = [f"{hook} ({location})" for hook, location in self._source_lines().items()]
        module = sys.modules.get(
            getattr(innermost(getattr(self.player, self._hooks()[0])), "__module__", "")
        )
        suffix = ", by register_bots" if hasattr(module, "register_bots") else ""
        text = f"{listed(hooks)}{suffix}"
        if net := self.setting.net:
            text = (
                f"{BATCH_HOOK}, by the net: from {_size(net.inputs[0])} to {_size(net.outputs[0])}"
            )
        yield Finding(OK, "hooks", text)
        options = [
            f"{name}={value!r:.{_MAX_DEFAULT_LENGTH}}" for name, value in self.spec.defaults.items()
        ]
        yield Finding(OK, "options", ", ".join(options) or "none")
        if self.setting.finding:
            yield self.setting.finding
        if self.spec.path and self.spec.name in self.game.bots:
            text = "a built-in bot has this name: write the path of this one, or rename it"
            yield Finding(NOTE, "name", text)
        if self.spec.learns:
            text = "says that it learns: it keeps what it remembers for a block of deals"
            yield Finding(OK, "learns", text)

    def _harness(self) -> Harness | Finding:
        """The bot at a table, ready to play, or the finding that it cannot play."""
        self._enter(CheckStage("lane", "is compiled", _COMPILE_SECONDS))
        seated_bots = self._seated_bots()
        compiled = (
            {seated_bots[0].digest: self.spec.name} if self.spec.backend == "compiled" else {}
        )
        missing_code, start = self.game.missing_code(compiled), time.perf_counter()
        try:
            harness = Harness(self.game, seated_bots, self.memory)
            harness.table.warm_up()
            if isinstance(self.player, BatchedBot):
                self.player.prepare(self.rules, self.players)
        except BotError as error:
            return Finding(WRONG, "lane", str(error))
        seconds = time.perf_counter() - start
        self.report(self._backend_finding(harness, bool(missing_code), seconds))
        return harness

    def _seated_bots(self) -> list[SeatedBot]:
        """The bot at every seat, each with an instance of its own."""
        start = bot_start(self.spec.name, self.spec, self.spec.defaults)
        return [seat_bot(start, self.loader) for _ in range(self.game.players[-1])]

    def _backend_finding(self, harness: Harness, is_new: bool, seconds: float) -> Finding:
        if harness.is_compiled:
            detail = f", once, in {seconds:.1f} s" if is_new else ""
            return Finding(OK, "lane", f"compiled{detail}")
        if isinstance(self.player, BatchedBot):
            return Finding(OK, "lane", f"batched, {self.player.rows} games at once")
        python = PRINTED_BACKENDS["plain"]
        if self.spec.backend == "plain":
            return Finding(OK, "lane", python)
        reason = "@compiled has no effect, as NUMBA_DISABLE_JIT is set"
        return Finding(NOTE, "lane", f"{python}: {reason}")

    # What it does

    def _legality(self, harness: Harness, run: SuiteRun) -> Iterator[Finding]:
        for kind, (game, turn, seat, fault) in run.failings.items():
            location = f"{game}, turn {turn}, seat {seat}" if turn else f"{game}, as it is built"
            yield Finding(WRONG, "legal", f"{kind}: {fault} (first in {location})")
        unit = "steps" if harness.is_compiled else "decisions"
        complete = sum(trace.is_complete for trace in run.traces)
        played = f"{run.decisions:,} {unit} in {complete} games"
        if not run.is_complete:
            text = f"stopped after {complete} of {len(self.games)} games (time limit)"
            yield Finding(NOTE, "legal", text)
        if run.endless:
            limit = self.game.counts.limit
            text = f"{len(run.endless)} of {complete} games were won by nobody"
            reason = f" before {limit}" if limit else ""
            yield Finding(NOTE, "legal", f"{text}{reason} (first: {run.endless[0]})")
        if not self.games:
            yield Finding(NOTE, "legal", "it can play none of the games of the check")
        elif run.is_complete and not run.failings:
            rule_sets = len({game.rules for game in self.games})
            text = f"{played} under {how_many(rule_sets, 'rule set')}, in {self._seats_text()}"
            yield Finding(OK, "legal", text)

    def _seats_text(self) -> str:
        seats = sorted({game.players for game in self.games})
        return f"{seats[0]} to {seats[-1]} seats" if len(seats) > 1 else f"{seats[0]} seats"

    def _difference(self, harness: Harness, run: SuiteRun) -> Finding | None:
        """The finding that the same games, played again, differ; None if they do not."""
        second_run = self._run(
            harness, "reproducible", "plays the same games again", games=_REPLAYED_GAMES
        )
        trace_difference = difference(self.games, run.traces, second_run.traces)
        causes = "the time, os.urandom, random.SystemRandom, id(), or the order of a set?"
        return (
            Finding(WRONG, "reproducible", f"{trace_difference}; {causes}")
            if trace_difference
            else None
        )

    def _state_between_games(self, run: SuiteRun) -> Finding:
        """Whether it plays other moves when one instance plays all games."""
        harness = Harness(
            self.game,
            [_reused_bot(seated_bot, self.spec) for seated_bot in self._seated_bots()],
            self.memory,
        )
        reused_run = self._run(
            harness, "state", "keeps state between games", NOTE, games=_REPLAYED_GAMES
        )
        if difference(self.games, run.traces, reused_run.traces):
            text = "remembers earlier games; in a tournament each game gets a fresh instance"
            return Finding(NOTE, "state", f"{text} (learns = True keeps it for a block)")
        return Finding(OK, "state", "no answer depends on earlier games")

    def _rows(self, bot: BatchedBot) -> Finding:
        """Whether the answer in a row depends on that row alone, and is always the same."""
        self._enter(CheckStage("rows", "decides for batches", _MEASURE_SECONDS))
        mark, text = check_rows(bot, self.rules, self.players)
        return Finding(mark, "rows", text)

    # How long it takes

    def _build_time(self) -> Finding:
        self._enter(CheckStage("making", "is built", _BUILD_SECONDS))
        times = []
        for _ in range(7):
            start = time.perf_counter()
            self.spec.fresh_instance({})
            times.append(time.perf_counter() - start)
        seconds = statistics.median(times)
        text = f"a fresh instance, as for every game, in {_milliseconds(seconds)}"
        return Finding(NOTE if seconds > _SLOW_BUILD_SECONDS else OK, "making", text)

    def _speed(self, harness: Harness, run: SuiteRun) -> Iterator[Finding]:
        self._enter(CheckStage("time", "is measured", _MEASURE_SECONDS, NOTE))
        if run.is_complete:
            speed = measure(self.loader, self.spec, self.rules, self.players, _TIMED_SECONDS)
            rate = speed.games_per_second
            text = f"about {significant(rate, 2)} games per second, against itself"
            yield Finding(OK, "time", text)
        elif run.decisions:
            text = f"{_milliseconds(run.seconds / run.decisions)} per decision, on average"
            yield Finding(OK, "time", text)
        functions = functions_of(self.spec.fresh_instance({}), self.game.decisions).values()
        if hint := next((getattr(each, SPEED_HINT, "") for each in functions), ""):
            yield Finding(NOTE, "time", in_a_line(str(hint), _MAX_HINT))
        if finding := self._slowest(run):
            yield finding

    def _slowest(self, run: SuiteRun) -> Finding | None:
        """The finding about slow decisions; None if the few there are may be the machine's."""
        slow_decisions = [pair for pair in run.slow if pair[0] > self.limit / 10]
        seconds, decision = max(slow_decisions, default=(0.0, ""))
        if len(slow_decisions) < _MIN_SLOW_DECISIONS and seconds <= self.limit:
            return None
        text = f"{decision or 'a decision'} took up to {_milliseconds(seconds)}"
        mark = WRONG if seconds > self.limit else NOTE
        return Finding(mark, "time", f"{text}; {self.limit:g} s are allowed")

    # The other backend

    def _plain_version(self, run: SuiteRun) -> Finding:
        """Whether the compiled bot plays the same games as plain Python."""
        harness = Harness(
            self.game,
            [_uncompiled(seated_bot, self.spec) for seated_bot in self._seated_bots()],
            self.memory,
        )
        plain_run = self._run(harness, "plain version", "plays uncompiled", NOTE)
        if trace_difference := difference(self.games, run.traces, plain_run.traces):
            text = (
                f"compiled and uncompiled differ (whole numbers that overflow?): {trace_difference}"
            )
            return Finding(NOTE, "plain version", text)
        games = sum(trace.is_complete for trace in plain_run.traces)
        return Finding(OK, "plain version", f"plays the same games uncompiled ({games})")


def _reused_bot(seated_bot: SeatedBot, spec: LoadedBot) -> SeatedBot:
    """A seated bot that plays all its games with one instance."""
    player = spec.fresh_instance({})
    return replace(seated_bot, player=player, make_player=lambda start: player, learns=False)


def _uncompiled(seated_bot: SeatedBot, spec: LoadedBot) -> SeatedBot:
    """A compiled bot as plain Python: its functions without the mark `@compiled`."""

    def plain(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *view: function(*view)

    def new_player() -> BotFunctions:
        player = spec.fresh_instance({})
        hooks = (hook for hook in spec.decisions if hasattr(player, hook))  # some are optional
        return BotFunctions(**{hook: plain(getattr(player, hook)) for hook in hooks})

    return replace(
        seated_bot,
        player=new_player(),
        digest="",
        make_player=lambda start: new_player(),
        learns=False,
    )


def _size(tensor: NetTensor) -> str:
    """The numbers of a row of a net's input or output, and its name."""
    sizes = [size for size in tensor.shape[1:] if size is not None]
    return " ".join([*map(str, sizes), tensor.name])


def _milliseconds(seconds: float) -> str:
    return f"{significant(seconds * 1000, 3)} ms"
