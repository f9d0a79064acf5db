"""A plain bot and its compiled version: whether they play the same games, and how much faster."""

import mmap
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bot_sources.bot_functions import marked
from cantstop_arena.bot_sources.bot_specs import Description
from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.bot_sources.complaints import complaint_of
from cantstop_arena.bot_sources.plugins import Loader
from cantstop_arena.check.harness import SEED, Harness
from cantstop_arena.check.suite import difference, suite_of
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.errors import ERROR, ArenaError, BotError
from cantstop_arena.game_api.game import Game
from cantstop_arena.games.registry import game_called
from cantstop_arena.runtime.errands import Errand, Failed, run
from cantstop_arena.runtime.machinecode.files import (
    cache_root,
    key_of,
    path_of,
    private_folder,
    seal,
    unsealed,
)
from cantstop_arena.runtime.machinecode.toolchain import toolchain
from cantstop_arena.table.contestants import Contestant
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournament.files.keys import usual_players
from cantstop_arena.tournament.setup.preparation import packed, unpacked
from cantstop_arena.tournament.setup.table_specs import TableSpec, seat_for

_LIMIT = 300.0  # seconds for compiling, mostly
_PLAYED = 3.0  # seconds for which each plays the suite
_TIMED = 0.2  # seconds in which its speed is measured
_LONGEST = 1000


class Twins(msgspec.Struct, frozen=True):
    """What comes of playing the same games plain and compiled, and the factor between speeds.

    `difference` says in which decision they differ first; it is empty where they do not.
    """

    games: int
    difference: str
    factor: float


def can_be_compiled(game: Game, bot: Description) -> bool:
    """Whether it is worth trying: a file's bot that plays as plain Python, and forgets."""
    is_plain = bot.path is not None and bot.lane == "plain" and not bot.complaint
    return is_plain and not bot.learns and game.bot_template(compiled=True) is not None


def compare(catalogue: Catalogue, plain: Description, compiled: Description | None = None) -> Twins:
    """Play a plain bot's games, and its compiled version's: by default its functions, marked.

    They do so in a process of their own. Raises BotError where it does not compile.
    """
    game, bots = catalogue.game, [plain, compiled] if compiled else [plain]
    seats = tuple(seat_for(bot.name, bot, bot.defaults) for bot in bots)
    players = usual_players(game)
    spec = TableSpec(game.name, game.rules.default, seats, players, SEED, catalogue.folder)
    try:
        return _believed(run(Errand(f"{__name__}:compared", {"spec": packed(spec)}, _LIMIT)))
    except Failed as error:
        raise BotError(f"bot {plain.name} cannot be compiled: it {error}") from error


def outlook(catalogue: Catalogue, bot: Description) -> str:
    """What it would bring to compile a bot, in words; empty where it is not to be compiled."""
    if not can_be_compiled(catalogue.game, bot):
        return ""
    try:
        twins = compare(catalogue, bot)
    except BotError:
        return ""
    if twins.difference:
        return f"would compile, but play otherwise then: {twins.difference}"
    note_factor(bot, twins.factor)
    return f"{_times(twins.factor)} as fast compiled: arena bots compile {bot.name}"


def note_factor(bot: Description, factor: float) -> None:
    """Remember how much faster a bot is compiled, for lists, which have no time to find out."""
    path, key = _noted(bot)
    seal(path, key, _times(factor).encode())


def noted_factor(bot: Description) -> str:
    """How much faster a bot is compiled, in words, if that was found out; else nothing."""
    if bot.lane != "plain" or bot.path is None:
        return ""
    try:
        return (unsealed(*_noted(bot)) or b"").decode()
    except ArenaError:  # there is no folder to note anything in
        return ""


def _times(factor: float) -> str:
    return f"{factor:,.0f} times"


def _noted(bot: Description) -> tuple[Path, bytes]:
    key = key_of(toolchain(), bot.game, bot.digest, bot.name)
    return path_of(private_folder(cache_root(), "factors"), "factor", key), key


def _believed(told: Any) -> Twins:
    """What was told, as far as it makes sense. Raises BotError, and Failed."""
    if isinstance(told, dict) and isinstance(complaint := told.get(ERROR), str):
        raise BotError(in_a_line(complaint, _LONGEST))
    try:
        found = in_a_line(str(told["difference"]), _LONGEST)
        return Twins(int(told["games"]), found, float(told["factor"]))
    except (TypeError, KeyError, ValueError) as error:
        raise Failed("tells nonsense") from error


# --- In the errand's process ----------------------------------------------------------------------


def compared(spec: str) -> Mapping[str, Any]:
    """Play both, as JSON."""
    table_spec = unpacked(spec)
    try:
        loader = Loader(table_spec.folder)
        plain, *other = [seat.contestant(loader) for seat in table_spec.seats]
        game = game_called(table_spec.game)
        return _compared(game, table_spec, plain, other[0] if other else _marked(game, plain))
    except BotError as error:
        return {ERROR: complaint_of(error)}


def _marked(game: Game, plain: Contestant) -> Contestant:
    """A bot that would not be asked from Python any more."""
    return replace(plain, player=marked(plain.player, game.decisions), sit=None)


def _compared(
    game: Game, spec: TableSpec, plain: Contestant, compiled: Contestant
) -> Mapping[str, Any]:
    fast = _harness(game, compiled)
    if not fast.is_compiled:
        raise BotError(f"{compiled.name} plays as plain Python here")
    games = suite_of(game)
    slow_run, fast_run = (one.run(games, _PLAYED) for one in (_harness(game, plain), fast))
    found = difference(games, slow_run.traces, fast_run.traces)
    whole = sum(trace.whole for trace in slow_run.traces)
    rates = [_rate(game, spec, contestant) for contestant in (plain, compiled)]
    told = f"{found}" if found else ""
    return {"games": whole, "difference": told, "factor": rates[1] / rates[0]}


def _harness(game: Game, contestant: Contestant) -> Harness:
    seats: Sequence[Contestant] = [contestant] * game.players[-1]
    return Harness(game, seats, mmap.mmap(-1, game.window.size))


def _rate(game: Game, spec: TableSpec, contestant: Contestant) -> float:
    """Games a second of a bot against itself."""
    group = tuple(range(spec.players))
    table = game.table(spec.rules, [contestant] * spec.players, spec.players, SEED)
    table.play(Block(group, 0, 1))
    deals, spent = 1, 0.0
    while spent < _TIMED:
        deals *= 2
        start = time.process_time()
        table.play(Block(group, 0, deals))
        spent = time.process_time() - start
    return deals * len(table.orders) / spent
