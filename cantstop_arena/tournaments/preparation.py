"""Preparation of bots: every bot is built and compiled before the games, foreign ones isolated.

Forked workers inherit what the arena's process has compiled; what other processes have compiled is
read from the cache on disk.

`BotFacts` is what the parent of workers needs to know of the bots to handle failures.
"""

import pickle
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.describe import MAX_REPORT_LENGTH, exception_report
from cantstop_arena.bots.isolated_bot import IsolatedBot
from cantstop_arena.bots.known_bot import check_playing, functions_of, source_line_of
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Fault
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import game_named
from cantstop_arena.hookspecs import BATCH_HOOK, BotFunctions
from cantstop_arena.native.code_cache import code_part
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, Raised, run_all
from cantstop_arena.processes.lasting_state import note_shared_code
from cantstop_arena.processes.system import short_path
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.pool.worker_slot import building_limit
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.tournaments.trial import OUT_OF_TIME, BotTrial

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable
from collections.abc import Collection

from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.tournament import FaultPolicy

Backend: TypeAlias = Literal["compiled", "batched", "plain"]
_COMPILING = 300.0  # seconds; the limit to build and compile a compiled bot


class PreparedBot(msgspec.Struct, tag=True, frozen=True):
    """A bot that has been prepared: its backend, and where its functions begin.

    The process in which a foreign bot is built answers with what it has seen.
    """

    backend: Backend
    learns: bool
    source_lines: Mapping[str, str]
    foreign: bool = False
    """Whether these values come from foreign code, which can be wrong in workers, too."""
    lacks_machine_code: bool = False
    """Whether it reports to be compiled, but has no machine code in the cache."""
    disturbs: str = ""
    """What it does to a process that it shares, if a trial has shown anything."""

    @property
    def is_compiled(self) -> bool:
        """Whether it plays as machine code."""
        return self.backend == "compiled"


def prepare_bots(
    spec: TableSpec, compiling: Callable[[list[str]], None], decision_limit: float | None = None
) -> tuple[PreparedBot, ...]:
    """Build every bot, and compile everything once, before workers start.

    With a `decision_limit` foreign bots are tried, too: each plays against itself. `compiling` is
    called with the names of what is compiled for the first time, if anything. Raises BotError.
    """
    _refuse_in_time(spec)
    for start in {(seat.command, seat.isolation, seat.needs): seat for seat in spec.seats}.values():
        if start.command:
            check_start(start)
    compiled = [seat for seat in spec.seats if seat.is_compiled and not seat.isolation]
    marked = {seat.digest: seat.name for seat in compiled}
    if missing := game_named(spec.game).missing_code(marked, spec.has_batched):
        compiling([*dict.fromkeys(missing)])  # variants of one bot have one name
    foreign = [seat for seat in spec.seats if seat.is_foreign]
    if not foreign:
        table = spec.table()
        table.warm_up()
        return tuple(_parts(table))
    own_bots = _warmed(spec)
    _get_ready_to_fork()
    foreign_bots = _built(spec, foreign, decision_limit)
    return tuple(
        own_bots.get(seat) or _with_code_check(seat, foreign_bots[seat]) for seat in spec.seats
    )


def _get_ready_to_fork() -> None:
    """Do once what each process with foreign bots would do for itself."""
    import numpy.random  # noqa: F401 - which every game seeds

    note_shared_code()


def _built(
    spec: TableSpec, seats: Sequence[BotStart], decision_limit: float | None
) -> dict[BotStart, PreparedBot]:
    """Foreign bots, built in processes of their own. Raises BotError.

    One whose process does not survive the trial is built again without. It is a bot like others if
    it was only too slow.
    """
    answers: dict[BotStart, Any] = {}
    for group in split_by_machine_code(seats):
        calls = [_build_call(spec, seat, decision_limit) for seat in group]
        answers |= zip(group, run_all(calls), strict=True)
    failed = {seat: str(a) for seat, a in answers.items() if isinstance(a, CallFailed)}
    if decision_limit is None or not failed:
        return {seat: _prepared(seat, answer) for seat, answer in answers.items()}
    again = run_all([_build_call(spec, seat, None) for seat in failed])
    for (seat, failure), answer in zip(failed.items(), again, strict=True):
        is_slow = failure == OUT_OF_TIME or not isinstance(answer, PreparedBot)
        disturbs = "" if is_slow else f"does not survive a trial: it {failure}"
        answers[seat] = answer if is_slow else replace(answer, disturbs=disturbs)
    return {seat: _prepared(seat, answer) for seat, answer in answers.items()}


def split_by_machine_code(seats: Sequence[BotStart]) -> tuple[list[BotStart], list[BotStart]]:
    """A seat for each machine code and each plain bot, and the seats that share machine code."""
    first: dict[str | BotStart, BotStart] = {}
    for seat in seats:
        first.setdefault(code_part(seat.digest) if seat.is_compiled else seat, seat)
    return [*first.values()], [seat for seat in seats if seat not in first.values()]


def _refuse_in_time(spec: TableSpec) -> None:
    """Raise BotError for a built-in bot or a net that cannot play under these rules."""
    game = game_named(spec.game)
    for seat in spec.seats:
        check_playing(seat.name, seat.bot, game, spec.rules, spec.players)


def check_start(start: BotStart) -> float:
    """Start a program once; the seconds until it is ready.

    Raises BotError with the last line that it has printed when it is not, GameError when no program
    could be started here.
    """
    begin, program = time.monotonic(), IsolatedBot(replace(start, log=None))
    try:
        program.start()
    except BotError as error:
        raise BotError(f"bot {start.name} {error}") from error
    finally:
        program.close()
    return time.monotonic() - begin


def _warmed(spec: TableSpec) -> dict[BotStart, PreparedBot]:
    """Compile and load the engine and the built-in bots in this process."""
    loader = Loader(spec.folder)
    seats = [seat for seat in spec.seats if not seat.is_foreign]
    seated_bots = [seat_bot(seat, loader) for seat in seats]
    game, players = game_named(spec.game), spec.players
    nobody = SeatedBot("nobody", BotFunctions(**dict.fromkeys(game.decisions, _nothing)), "")
    table: GameTable = game.table(spec.rules, [*seated_bots, *[nobody] * players], players, 0)
    table.luck_measure = spec.luck_measure
    table.warm_up()
    if spec.has_batched:
        table.warm_up_steps()
    return dict(zip(seats, _parts(table), strict=False))


def _nothing(*arguments: object) -> Any:
    raise AssertionError("nobody plays")


def _parts(table: "GameTable") -> Iterator[PreparedBot]:
    for number, bot in enumerate(table.seated_bots):
        functions = functions_of(bot.player, table.game.decisions)
        source_lines = {hook: source_line_of(function) for hook, function in functions.items()}
        is_batched = table.plays_in_step((number,))
        backend: Backend = "batched" if is_batched else "plain"
        if table.is_compiled((number,)):
            backend = "compiled"
        yield PreparedBot(backend, bot.learns, source_lines)


def _build_call(spec: TableSpec, seat: BotStart, decision_limit: float | None) -> IsolatedCall:
    alone = replace(spec, seats=(seat,))
    limit = (_COMPILING if seat.is_compiled else building_limit()) + (decision_limit or 0)
    keywords = {"spec": pack_spec(alone), "decision_limit": decision_limit}
    return IsolatedCall(f"{__name__}:built_alone", keywords, limit)


def pack_spec(spec: TableSpec) -> bytes:
    """A table's spec as bytes, for another process of the arena."""
    return pickle.dumps(spec)


def unpack_spec(spec: bytes) -> TableSpec:
    """The table's spec in the bytes of `pack_spec`."""
    table_spec: TableSpec = pickle.loads(spec)
    return table_spec


def built_alone(spec: bytes, decision_limit: float | None) -> PreparedBot | Raised:
    """Build the only bot of a table's spec, and describe it; runs as an isolated call.

    With a `decision_limit` it is tried, too.
    """
    try:
        trial = None if decision_limit is None else BotTrial(decision_limit)
        table: GameTable = unpack_spec(spec).table()
        table.warm_up()
        part = next(_parts(table))
        disturbs = trial.disturbance(table) if trial else ""
        lines = {hook: _line(line) for hook, line in part.source_lines.items()}
        return replace(part, source_lines=lines, disturbs=_line(disturbs))
    except BaseException as error:
        return Raised(exception_report(error))


def _prepared(seat: BotStart, answer: PreparedBot | Raised | CallFailed) -> PreparedBot:
    """A foreign bot, from the outcome of its call. Raises BotError."""
    if isinstance(answer, Raised):
        is_named = seat.name in answer.reason
        raise BotError(answer.reason if is_named else f"bot {seat.name} {answer.reason}")
    if isinstance(answer, CallFailed):
        raise BotError(f"bot {seat.name} cannot be built: it {answer}")
    hooks = (*game_named(seat.bot.game).decisions, BATCH_HOOK)
    lines = {hook: _line(answer.source_lines.get(hook, "")) for hook in hooks}
    backend = answer.backend if answer.backend == seat.backend else "plain"
    disturbs = _with_file(seat, _line(answer.disturbs))
    return PreparedBot(backend, answer.learns, lines, foreign=True, disturbs=disturbs)


def _line(text: str) -> str:
    return in_a_line(text, MAX_REPORT_LENGTH)


def _with_file(seat: BotStart, disturbs: str) -> str:
    """What a bot does, with its file where the line that does it is not known."""
    if not disturbs or disturbs.endswith(")") or not seat.bot.source:
        return disturbs
    return f"{disturbs} ({short_path(str(seat.bot.source.path))})"


def _with_code_check(seat: BotStart, part: PreparedBot) -> PreparedBot:
    """A foreign bot, checked for machine code in the cache."""
    missing = game_named(seat.bot.game).missing_code({seat.digest: seat.name})
    return replace(part, lacks_machine_code=part.is_compiled and seat.name in missing)


def disturbing(bots: Sequence[PreparedBot]) -> dict[int, str]:
    """The bots that disturb a process that they share, and what they do to it."""
    return {number: bot.disturbs for number, bot in enumerate(bots) if bot.disturbs}


def disturbance_notice(name: str, what: str) -> str:
    """The line for a bot that plays in a process of its own, as it does `what` in a shared one."""
    return f"{name} {what}, so it plays in a process of its own."


def backend_of_group(parts: Sequence[PreparedBot], group: Sequence[int]) -> Backend:
    """What plays the games of a group: machine code, batched bots beside it, or else Python."""
    backends = {parts[bot].backend for bot in group}
    if "plain" in backends:
        return "plain"
    return "batched" if "batched" in backends else "compiled"


def ignore_fault(fault: Fault) -> None:
    """Do nothing: nobody is to be told of faults at once."""


class BotFacts(msgspec.Struct, frozen=True):
    """Facts about a tournament's bots, for the parent of the workers that they play in."""

    prepared: Sequence[PreparedBot]
    policy: FaultPolicy
    isolated: frozenset[int]
    logs: BotLogs
    orders: Orders
    note_fault: Callable[[Fault], None] = ignore_fault
    """Called when a bot forfeits a game, before the result of its block is there."""

    def decision_limit(self, bot: int) -> float:
        """The time limit in seconds, longer for isolated bots: workers time their decisions."""
        return self.policy.isolated_limit if bot in self.isolated else self.policy.decision_limit

    @property
    def game_limit(self) -> float:
        """The time limit of the game's functions, in seconds."""
        return self.policy.game_limit

    def source_line(self, bot: int, decision: str) -> str:
        """The first line of the function; the current line would vary from run to run."""
        if bot in self.isolated:
            return ""
        line = self.prepared[bot].source_lines.get(decision)
        return f" ({short_path(line)})" if line else ""

    def suspects(self, group: Group) -> list[int]:
        """The bots that are plain Python in the worker itself.

        If there are none, the foreign bots: they report to be compiled, which may be wrong.
        """
        near = [bot for bot in group if bot not in self.isolated]
        plain = [
            bot
            for bot in near
            if not self.prepared[bot].is_compiled or self.prepared[bot].lacks_machine_code
        ]
        return plain or [bot for bot in near if self.prepared[bot].foreign]

    @property
    def sharing(self) -> Group:
        """The foreign bots that run in the workers themselves, and can harm each other there."""
        return tuple(
            bot
            for bot, prepared in enumerate(self.prepared)
            if prepared.foreign and bot not in self.isolated
        )

    def with_own_processes(self, bots: Collection[int]) -> "BotFacts":
        """The facts where these bots play in processes of their own."""
        return replace(self, isolated=self.isolated.union(bots))

    def divisible(self, group: Group) -> bool:
        """Whether blocks can be split: what a bot learns depends on the start of its block."""
        return not any(self.prepared[bot].learns for bot in group)

    def trim_logs(self) -> None:
        """Trim the logs while bots are printing."""
        self.logs.trim()
