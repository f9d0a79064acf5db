"""A plain bot and its compiled version: whether they play the same games, and how much faster."""

import ast
import mmap
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib.util import decode_source
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_functions import as_compiled
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.loader import Loader
from cantstop_arena.check.harness import SEED, Harness
from cantstop_arena.check.suite import difference, suite_of
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.errors import ERROR, ArenaError, BotError
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import game_named
from cantstop_arena.native.code_files import (
    cache_root,
    key_of,
    path_of,
    private_folder,
    read_checked,
    write_checked,
)
from cantstop_arena.native.fingerprint import toolchain
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, run_isolated
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.file.keys import usual_players
from cantstop_arena.tournaments.preparation import pack_spec, unpack_spec
from cantstop_arena.tournaments.table_spec import TableSpec, seat_for

_LIMIT = 300.0  # seconds for compiling, mostly
_PLAYED = 3.0  # seconds for which each plays the suite
_TIMED = 0.2  # seconds in which its speed is measured
_MAX_LENGTH = 1000


class CompiledComparison(msgspec.Struct, frozen=True):
    """What comes of playing the same games plain and compiled, and the factor between speeds.

    `difference` says in which decision they differ first; it is empty where they do not.
    """

    games: int
    difference: str
    speedup: float


def can_be_compiled(game: Game, bot: BotDescription) -> bool:
    """Whether it is worth trying: a file's bot that plays as plain Python, and forgets."""
    is_plain = bot.path is not None and bot.backend == "plain" and not bot.complaint
    return is_plain and not bot.learns and game.bot_template(compiled=True) is not None


def compare(
    catalogue: Catalogue, plain: BotDescription, compiled: BotDescription | None = None
) -> CompiledComparison:
    """Play a plain bot's games, and its compiled version's: by default its functions, marked.

    They do so in a process of their own. Raises BotError where it does not compile.
    """
    game, bots = catalogue.game, [plain, compiled] if compiled else [plain]
    seats = tuple(seat_for(bot.name, bot, bot.defaults) for bot in bots)
    players = usual_players(game)
    spec = TableSpec(game.name, game.rules.default, seats, players, SEED, catalogue.folder)
    try:
        return _comparison_from_data(
            run_isolated(
                IsolatedCall(f"{__name__}:play_both_versions", {"spec": pack_spec(spec)}, _LIMIT)
            )
        )
    except CallFailed as error:
        raise BotError(f"bot {plain.name} cannot be compiled: it {error}") from error


def compile_hint(catalogue: Catalogue, bot: BotDescription) -> str:
    """What it would bring to compile a bot, in words; empty where it is not to be compiled."""
    if not can_be_compiled(catalogue.game, bot):
        return ""
    try:
        comparison = compare(catalogue, bot)
    except BotError:
        return ""
    if comparison.difference:
        return f"would compile, but play otherwise then: {comparison.difference}"
    store_speedup(bot, comparison.speedup)
    return f"{_times(comparison.speedup)} as fast compiled: arena bots compile {bot.name}"


def store_speedup(bot: BotDescription, speedup: float) -> None:
    """Remember how much faster a bot is compiled, for lists, which have no time to find out."""
    path, key = _speedup_file(bot)
    write_checked(path, key, _times(speedup).encode())


def stored_speedup(bot: BotDescription) -> str:
    """How much faster a bot is compiled, in words, if that was found out; else nothing."""
    if bot.backend != "plain" or bot.path is None:
        return ""
    try:
        return (read_checked(*_speedup_file(bot)) or b"").decode()
    except ArenaError:  # there is no folder to note anything in
        return ""


def _times(speedup: float) -> str:
    return f"{speedup:,.0f} times"


def _speedup_file(bot: BotDescription) -> tuple[Path, bytes]:
    key = key_of(toolchain(), bot.game, bot.digest, bot.name)
    return path_of(private_folder(cache_root(), "factors"), "factor", key), key


def _comparison_from_data(data: Any) -> CompiledComparison:
    """What was told, as far as it makes sense. Raises BotError, and Failed."""
    if isinstance(data, dict) and isinstance(complaint := data.get(ERROR), str):
        raise BotError(in_a_line(complaint, _MAX_LENGTH))
    try:
        match = in_a_line(str(data["difference"]), _MAX_LENGTH)
        return CompiledComparison(int(data["games"]), match, float(data["factor"]))
    except (TypeError, KeyError, ValueError) as error:
        raise CallFailed("sent an invalid message") from error


# --- In the errand's process ----------------------------------------------------------------------


def play_both_versions(spec: str) -> Mapping[str, Any]:
    """Play both, as JSON."""
    table_spec = unpack_spec(spec)
    try:
        loader = Loader(table_spec.folder)
        plain, *other = [seat.seated_bot(loader) for seat in table_spec.seats]
        game = game_named(table_spec.game)
        return _compared(game, table_spec, plain, other[0] if other else _marked(game, plain))
    except BotError as error:
        return {ERROR: exception_report(error)}


def _marked(game: Game, plain: SeatedBot) -> SeatedBot:
    """A bot that would not be asked from Python any more."""
    return replace(plain, player=as_compiled(plain.player, game.decisions), make_player=None)


def _compared(
    game: Game, spec: TableSpec, plain: SeatedBot, compiled: SeatedBot
) -> Mapping[str, Any]:
    fast = _harness(game, compiled)
    if not fast.is_compiled:
        raise BotError(f"{compiled.name} plays as plain Python here")
    games = suite_of(game)
    slow_run, fast_run = (harness.run(games, _PLAYED) for harness in (_harness(game, plain), fast))
    trace_difference = difference(games, slow_run.traces, fast_run.traces)
    total = sum(trace.is_complete for trace in slow_run.traces)
    rates = [_rate(game, spec, seated_bot) for seated_bot in (plain, compiled)]
    text = f"{trace_difference}" if trace_difference else ""
    return {"games": total, "difference": text, "factor": rates[1] / rates[0]}


def _harness(game: Game, seated_bot: SeatedBot) -> Harness:
    seats: Sequence[SeatedBot] = [seated_bot] * game.players[-1]
    return Harness(game, seats, mmap.mmap(-1, game.window.size))


def _rate(game: Game, spec: TableSpec, seated_bot: SeatedBot) -> float:
    """Games a second of a bot against itself."""
    group = tuple(range(spec.players))
    table = game.table(spec.rules, [seated_bot] * spec.players, spec.players, SEED)
    table.play(Block(group, 0, 1))
    deals, spent = 1, 0.0
    while spent < _TIMED:
        deals *= 2
        start = time.process_time()
        table.play(Block(group, 0, deals))
        spent = time.process_time() - start
    return deals * len(table.orders) / spent


_IMPORT = "from cantstop_arena import compiled"
_MARK = "@compiled"


def compiled_text(source: bytes, decisions: Collection[str]) -> str:
    """The text with its decisions marked. Raises BotError where they are not defined in it."""
    text = decode_source(source)
    body = ast.parse(text).body
    functions = {item.name: item for item in body if isinstance(item, ast.FunctionDef)}
    if missing := [name for name in decisions if name not in functions]:
        raise BotError(f"{' and '.join(missing)} must be defined by def at the top of the file")
    lines = text.splitlines()
    for number in sorted((functions[name].lineno for name in decisions), reverse=True):
        lines.insert(number - 1, _MARK)
    first = next(_after_the_head(body))
    gap = [] if isinstance(first, ast.Import | ast.ImportFrom) else ["", ""]
    lines[_begins(first) - 1 : _begins(first) - 1] = [_IMPORT, *gap]
    return "\n".join(lines) + "\n"


def _after_the_head(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What follows the docstring and imports from __future__."""
    for number, item in enumerate(body):
        is_docstring = not number and isinstance(item, ast.Expr)
        is_future = isinstance(item, ast.ImportFrom) and item.module == "__future__"
        if not (is_docstring or is_future):
            yield item


def _begins(item: ast.stmt) -> int:
    """The line in which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(item, "decorator_list", [])
    return min([item.lineno, *(decorator.lineno for decorator in decorators)])
