"""Preparation of bots: every bot is built and compiled before the games, foreign ones isolated.

Forked workers inherit what the arena's process has compiled; what other processes have compiled is
read from the cache on disk.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_functions import source_line_of
from cantstop_arena.bots.describe import MAX_REPORT_LENGTH, exception_report
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.games.registry import game_named
from cantstop_arena.hookspecs import BotFunctions
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, run_all
from cantstop_arena.processes.json_lines import ERROR
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.pool.worker_slot import building_limit
from cantstop_arena.tournaments.table_spec import SeatSpec, TableSpec

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

_COMPILING = 300.0  # seconds; the limit to build and compile a compiled bot


class PreparedBot(msgspec.Struct, frozen=True):
    """A bot that has been prepared: whether it is compiled, and where its functions begin."""

    is_compiled: bool
    learns: bool
    source_lines: Mapping[str, str]
    foreign: bool = False
    """Whether these values come from foreign code, which can be wrong in workers, too."""
    lacks_machine_code: bool = False
    """Whether it reports to be compiled, but has no machine code in the cache."""


def prepare_bots(
    spec: TableSpec, compiling: Callable[[list[str]], None]
) -> tuple[PreparedBot, ...]:
    """Build every bot, and compile everything once, before workers start.

    `compiling` is called with the names of what is compiled for the first time, if anything. Raises
    BotError.
    """
    _refuse_in_time(spec)
    marked = {seat.digest: seat.name for seat in spec.seats if not seat.launch and seat.native}
    if missing := game_named(spec.game).missing_code(marked):
        compiling(missing)
    foreign = [seat for seat in spec.seats if seat.is_foreign]
    if not foreign:
        table = spec.table()
        table.warm_up()
        return tuple(_parts(table))
    ours = _warmed(spec)
    answers = dict(
        zip(foreign, run_all([_build_call(spec, seat) for seat in foreign]), strict=True)
    )
    return tuple(
        ours.get(seat) or _with_code_check(seat, _parsed_bot(seat, answers[seat]))
        for seat in spec.seats
    )


def _refuse_in_time(spec: TableSpec) -> None:
    """Raise BotError for a built-in bot that cannot play under these rules."""
    game = game_named(spec.game)
    for seat in spec.seats:
        if seat.bot.origin != "built-in":
            continue
        if why := game.refusal(seat.bot.name, spec.rules, spec.players):
            raise BotError(f"bot {seat.name} cannot play: {why}")


def _warmed(spec: TableSpec) -> dict[SeatSpec, PreparedBot]:
    """Compile and load the engine and the built-in bots in this process."""
    loader = Loader(spec.folder)
    seats = [seat for seat in spec.seats if not seat.is_foreign]
    seated_bots = [seat.seated_bot(loader) for seat in seats]
    game, players = game_named(spec.game), spec.players
    nobody = SeatedBot("nobody", BotFunctions(**dict.fromkeys(game.decisions, _nothing)), "")
    table: GameTable = game.table(spec.rules, [*seated_bots, *[nobody] * players], players, 0)
    table.scores_luck = spec.scores_luck
    table.warm_up()
    return dict(zip(seats, _parts(table), strict=False))


def _nothing(*arguments: object) -> Any:
    raise AssertionError("nobody plays")


def _parts(table: "GameTable") -> Iterator[PreparedBot]:
    for number, bot in enumerate(table.seated_bots):
        functions = {hook: getattr(bot.player, hook, None) for hook in table.game.decisions}
        source_lines = {
            hook: source_line_of(function) for hook, function in functions.items() if function
        }
        yield PreparedBot(table.is_compiled((number,)), bot.learns, source_lines)


def _build_call(spec: TableSpec, seat: SeatSpec) -> IsolatedCall:
    alone = replace(spec, seats=(seat,))
    limit = _COMPILING if seat.native else building_limit()
    return IsolatedCall(f"{__name__}:built_alone", {"spec": pack_spec(alone)}, limit)


def pack_spec(spec: TableSpec) -> bytes:
    """A table's spec as bytes, for another process of the arena."""
    return pickle.dumps(spec)


def unpack_spec(spec: bytes) -> TableSpec:
    """The table's spec in the bytes of `pack_spec`."""
    table_spec: TableSpec = pickle.loads(spec)
    return table_spec


def built_alone(spec: bytes) -> Mapping[str, Any]:
    """Build the only bot of a table's spec, and describe it as JSON; runs as an isolated call."""
    try:
        table: GameTable = unpack_spec(spec).table()
        table.warm_up()
        part = next(_parts(table))
        return {"native": part.is_compiled, "learns": part.learns, "places": part.source_lines}
    except BaseException as error:
        return {ERROR: exception_report(error)}


def _parsed_bot(seat: SeatSpec, answer: Any) -> PreparedBot:
    if isinstance(answer, CallFailed):
        raise BotError(f"bot {seat.name} cannot be built: it {answer}")
    if not isinstance(answer, dict) or not isinstance(
        source_lines := answer.get("places", {}), dict
    ):
        raise BotError(f"bot {seat.name} cannot be built: its description is invalid")
    if isinstance(complaint := answer.get(ERROR), str):
        raise BotError(in_a_line(complaint, _MAX_COMPLAINT_LENGTH))
    hooks = game_named(seat.bot.game).decisions
    texts = {hook: in_a_line(str(source_lines.get(hook, "")), MAX_REPORT_LENGTH) for hook in hooks}
    is_native = seat.native and answer.get("native") is True
    return PreparedBot(is_native, answer.get("learns") is True, texts, foreign=True)


def _with_code_check(seat: SeatSpec, part: PreparedBot) -> PreparedBot:
    """A foreign bot, checked for machine code in the cache."""
    missing = game_named(seat.bot.game).missing_code({seat.digest: seat.name})
    return replace(part, lacks_machine_code=part.is_compiled and seat.name in missing)


_MAX_COMPLAINT_LENGTH = 2000


def native(parts: Sequence[PreparedBot], group: Sequence[int]) -> bool:
    """Whether all bots of a group are compiled."""
    return all(parts[bot].is_compiled for bot in group)
