"""A plain bot and its compiled version: whether they play the same games, and how much faster."""

import ast
import mmap
import time
from collections.abc import Collection, Iterator, Sequence
from importlib.util import decode_source
from math import isfinite
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import read_source
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.compiled_copies import compile_command
from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.known_bot import BotDescription, as_compiled
from cantstop_arena.bots.loader import Loader
from cantstop_arena.check.harness import SEED, Harness
from cantstop_arena.check.suite import difference, suite_of
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.errors import ArenaError, BotError
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import game_named
from cantstop_arena.native.code_cache import (
    cache_folder,
    key_of,
    path_of,
    read_checked,
    toolchain,
    write_checked,
)
from cantstop_arena.processes.isolated_call import (
    CallFailed,
    InvalidResult,
    IsolatedCall,
    Raised,
    run_isolated,
)
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.texts import in_a_line, significant
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.tournament_file import usual_players
from cantstop_arena.tournaments.preparation import pack_spec, unpack_spec
from cantstop_arena.tournaments.table_spec import TableSpec, bot_start

_LIMIT_SECONDS = 300.0  # for the whole comparison; most of it is compiling
_SUITE_SECONDS = 3.0  # for which each version plays the suite
_TIMED_SECONDS = 0.1  # of processor time in which the speed is measured: one digit is told
_MIN_SPEEDUP = 1.2  # from which compiling is advised: short trials differ by some percent
_MAX_LENGTH = 1000  # characters of a text from the other process


class CompiledComparison(msgspec.Struct, tag=True, frozen=True):
    """The comparison of a plain bot with its compiled version: the games and the speedup.

    `games` is the number of complete games of the plain bot. `difference` describes the first
    decision that differs; it is empty if none does.
    """

    games: int
    difference: str
    speedup: float


def can_be_compiled(game: Game, bot: BotDescription) -> bool:
    """Whether compiling may work: a bot from a file, plain, that does not learn."""
    is_plain = bot.path is not None and bot.backend == "plain" and not bot.complaint
    return is_plain and not bot.learns and game.bot_template(compiled=True) is not None


def compare(
    catalogue: Catalogue, plain: BotDescription, compiled: BotDescription | None = None
) -> CompiledComparison:
    """Play the same games with a plain bot and its compiled version, in another process.

    By default the compiled version is the bot's own functions, marked `@compiled`. Raises BotError
    when it does not compile, or is isolated: compiled bots play in the arena's processes.
    """
    if catalogue.isolation:
        raise BotError(f"bot {plain.name} is isolated, and isolated bots are not compiled")
    game, bots = catalogue.game, [plain, compiled] if compiled else [plain]
    starts = (bot_start(bot.name, bot, bot.defaults) for bot in bots)
    seats = tuple(replace(start, dice_name=plain.name) for start in starts)
    players = usual_players(game)
    spec = TableSpec(game.name, game.rules.default, seats, players, SEED, catalogue.folder)
    call = IsolatedCall(f"{__name__}:play_both_versions", {"spec": pack_spec(spec)}, _LIMIT_SECONDS)
    try:
        return _checked_comparison(run_isolated(call))
    except CallFailed as error:
        raise BotError(f"bot {plain.name} cannot be compiled: it {error}") from error


def compile_hint(catalogue: Catalogue, bot: BotDescription) -> str:
    """A hint at the speedup of compiling a bot, or at a difference; empty if it gains nothing."""
    if catalogue.isolation or not can_be_compiled(catalogue.game, bot):
        return ""
    try:
        if bot.path:  # as `arena bots compile` will
            game = catalogue.game
            compiled_text(read_source(bot.path), game.decisions, optional_decisions(game))
        comparison = compare(catalogue, bot)
    except BotError:
        return ""
    if comparison.difference:
        return f"it compiles, but plays differently then: {comparison.difference}"
    if comparison.speedup < _MIN_SPEEDUP:
        return ""
    store_speedup(bot, comparison.speedup)
    return f"{speedup_text(comparison.speedup)} as fast compiled: {compile_command(bot.name)}"


def store_speedup(bot: BotDescription, speedup: float) -> None:
    """Store the speedup of a bot in the cache, for lists, which have no time to measure it."""
    path, key = _speedup_file(bot)
    write_checked(path, key, speedup_text(speedup).encode())


def stored_speedup(bot: BotDescription) -> str:
    """The stored speedup of a bot as text; empty if none is stored."""
    if bot.backend != "plain" or bot.path is None:
        return ""
    try:
        return (read_checked(*_speedup_file(bot)) or b"").decode()
    except ArenaError:  # there is no folder for the cache
        return ""


def speedup_text(speedup: float) -> str:
    """A speedup in words, with the one digit that short trials on a busy machine agree on."""
    return f"about {significant(speedup, 1)} times"


def _speedup_file(bot: BotDescription) -> tuple[Path, bytes]:
    key = key_of(toolchain(), bot.game, bot.digest, bot.name)
    return path_of(cache_folder("factors"), "factor", key), key


def _checked_comparison(result: CompiledComparison | Raised) -> CompiledComparison:
    """The comparison that a call returned. Raises BotError for a reason why there is none."""
    if isinstance(result, Raised):
        raise BotError(result.reason)
    if not (result.games > 0 and result.speedup > 0 and isfinite(result.speedup)):
        raise InvalidResult
    return replace(result, difference=in_a_line(result.difference, _MAX_LENGTH))


# --- In the other process -------------------------------------------------------------------------


def play_both_versions(spec: bytes) -> CompiledComparison | Raised:
    """Compare a plain bot and its compiled version, or say why they cannot be compared."""
    table_spec = unpack_spec(spec)
    try:
        loader = Loader(table_spec.folder)
        plain, *compiled = [seat_bot(seat, loader) for seat in table_spec.seats]
        game = game_named(table_spec.game)
        return _comparison(
            game, table_spec, plain, compiled[0] if compiled else _marked_bot(game, plain)
        )
    except BotError as error:
        return Raised(exception_report(error))


def _marked_bot(game: Game, plain: SeatedBot) -> SeatedBot:
    """The compiled version of a plain bot: its own functions, marked `@compiled`."""
    return replace(plain, player=as_compiled(plain.player, game.decisions), make_player=None)


def _comparison(
    game: Game, spec: TableSpec, plain: SeatedBot, compiled: SeatedBot
) -> CompiledComparison:
    compiled_harness = _harness(game, compiled)
    if not compiled_harness.is_compiled:
        raise BotError(f"{compiled.name} plays as plain Python here")
    games = suite_of(game)
    plain_run, compiled_run = (
        harness.run(games, _SUITE_SECONDS) for harness in (_harness(game, plain), compiled_harness)
    )
    if failing := next(iter(plain_run.failings.values()), None):
        raise BotError(f"{plain.name} plays with faults ({failing.fault}); correct it first")
    trace_difference = difference(games, plain_run.traces, compiled_run.traces)
    games_compared = sum(trace.is_complete for trace in plain_run.traces)
    if not games_compared:
        raise BotError(f"{plain.name} does not finish a game within {_SUITE_SECONDS:g} s")
    rates = [_games_per_second(game, spec, seated_bot) for seated_bot in (plain, compiled)]
    text = f"{trace_difference}" if trace_difference else ""
    return CompiledComparison(games_compared, text, rates[1] / rates[0])


def _harness(game: Game, seated_bot: SeatedBot) -> Harness:
    seats: Sequence[SeatedBot] = [seated_bot] * game.players[-1]
    harness = Harness(game, seats, mmap.mmap(-1, game.window.size))
    harness.table.warm_up()  # else the time for the games goes to loading the engine
    return harness


def _games_per_second(game: Game, spec: TableSpec, seated_bot: SeatedBot) -> float:
    """Games per second of processor time of a bot against itself."""
    lineup = tuple(range(spec.players))
    table = game.table(spec.rules, [seated_bot] * spec.players, spec.players, SEED)
    table.play(Block(lineup, 0, 1))
    deals, start = 1, time.process_time()
    while (seconds := time.process_time() - start) < _TIMED_SECONDS:
        table.play(Block(lineup, deals, deals))  # blocks double in size
        deals *= 2
    return (deals - 1) * len(table.orders) / seconds


_IMPORT = "from cantstop_arena import compiled"
_MARK = "@compiled"


def optional_decisions(game: Game) -> list[str]:
    """The decisions that a bot need not implement."""
    return [name for name, decision in game.decisions.items() if decision.optional]


def compiled_text(source: bytes, decisions: Collection[str], optional: Collection[str] = ()) -> str:
    """A bot's source text with `@compiled` above each decision, and the import.

    Raises BotError when a decision that is not `optional` is not defined by `def` at the top level.
    """
    text = decode_source(source)
    body = ast.parse(text).body
    functions = {
        statement.name: statement for statement in body if isinstance(statement, ast.FunctionDef)
    }
    if missing := [name for name in decisions if name not in {*functions, *optional}]:
        raise BotError(f"{' and '.join(missing)} must be defined by def at the top of the file")
    lines = text.splitlines()
    marked = [functions[name].lineno for name in decisions if name in functions]
    for line in sorted(marked, reverse=True):
        lines.insert(line - 1, _MARK)
    first = next(_statements_after_header(body))
    blank_lines = [] if isinstance(first, ast.Import | ast.ImportFrom) else ["", ""]
    lines[_first_line(first) - 1 : _first_line(first) - 1] = [_IMPORT, *blank_lines]
    return "\n".join(lines) + "\n"


def _statements_after_header(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements after the docstring and the imports from __future__."""
    for index, statement in enumerate(body):
        is_docstring = not index and isinstance(statement, ast.Expr)
        is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not (is_docstring or is_future):
            yield statement


def _first_line(statement: ast.stmt) -> int:
    """The first line of a statement, counting its decorators."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])
