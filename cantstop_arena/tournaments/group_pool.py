"""A pool that plays groups of bots, and hands on their results: nothing is stored.

The searches of `tune` and `design`, and `profile`, play with it.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.deals.outcomes import Block, BlockResult, join_parts
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import BotError, FaultError, WorkerPoolError
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes import shutdown
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.pool.block_pool import (
    BlockPool,
    BotNotBuilt,
    InterpreterDisturbed,
    PartResult,
)
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import BotFacts, PreparedBot, prepare_bots
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import PoolOwner
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.tournaments.tournament import FaultPolicy

_BLOCK_DEALS = 100  # of bots that do not learn
_MAX_REASON_LENGTH = 1000  # characters


class GroupPool:
    """Plays groups of a table's bots on the workers of one pool. Use it as a context manager.

    The workers of a table are kept until another table plays, as its bots are built already; the
    other machines are kept for all tables.
    """

    def __init__(self, options: PoolOptions, observer: RunObserver) -> None:
        self._options = options
        self._observer = observer
        self._pools = PoolOwner()
        self._stack = ExitStack()  # of the pool that is open
        self._open: _OpenPool | None = None
        self._plain: dict[BotAddress | int, PreparedBot] = {}  # foreign bots that are plain

    def __enter__(self) -> "GroupPool":
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()
        self._pools.__exit__()

    def play(
        self, spec: TableSpec, groups: Sequence[Group], first: int, deals: int
    ) -> Iterator[BlockResult]:
        """The results of each group in these deals, in the order of the groups.

        Raises BotError when a bot cannot be built, FaultError when one commits a fault, and
        WorkerPoolError when one harms others.
        """
        blocks = {group: [*_blocks(spec, group, first, deals)] for group in groups}
        parts: dict[Block, list[BlockResult]] = {}
        orders = len(game_named(spec.game).orders(spec.players))
        try:
            with shutdown.defer_until_safe():
                pool = self._pool_for(spec)
                for part in pool.play(chain.from_iterable(blocks.values()), self._observer.on_tick):
                    _refuse_faults(part, spec)
                    parts.setdefault(part.full_block, []).append(part.result)
                    self._observer.on_progress(orders * part.result.block.deals)
        except BotNotBuilt as error:
            reason = in_a_line(str(error), _MAX_REASON_LENGTH)
            name = spec.seats[error.bot].name
            raise BotError(f"{name} cannot be built: {reason}") from error
        except InterpreterDisturbed as error:
            names = dict.fromkeys(spec.seats[bot].bot.name for bot in error.bots)
            raise WorkerPoolError(error.text([*names])) from error
        for group in groups:
            results = [result for block in blocks[group] for result in parts[block]]
            yield join_parts(Block(group, first, deals), results)

    def _pool_for(self, spec: TableSpec) -> BlockPool:
        if self._open is None or self._open.spec != spec:
            self._stack.close()
            self._open = _OpenPool(spec, self._new_pool(spec))
        return self._open.pool

    def _new_pool(self, spec: TableSpec) -> BlockPool:
        parts = self._prepared(spec)
        prepared = spec.as_prepared([part.backend for part in parts])
        names = [seat.name for seat in spec.seats]
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-games-"))
        logs = BotLogs(Path(folder) / "logs", names)
        logs.begin()
        orders = game_named(spec.game).orders(spec.players)
        isolated = frozenset(bot for bot, seat in enumerate(prepared.seats) if seat.isolation)
        bots = BotFacts(parts, FaultPolicy(), isolated, logs, orders)
        foreign = [number for number, seat in enumerate(prepared.seats) if seat.is_foreign]
        options = replace(self._options, foreign=foreign)
        pool = self._pools.pool(prepared, bots, names, options, self._observer)
        return self._stack.enter_context(pool)

    def _prepared(self, spec: TableSpec) -> Sequence[PreparedBot]:
        """The bots of a table; a plain foreign bot is prepared once, whatever its options."""
        keys = [_plain_bot(seat) or number for number, seat in enumerate(spec.seats)]
        seats = dict(zip(keys, spec.seats, strict=True))
        new = {key: seat for key, seat in seats.items() if key not in self._plain}
        parts = {**self._plain}
        if new:
            distinct = replace(spec, seats=tuple(new.values()))
            prepared = prepare_bots(distinct, self._observer.on_compile)
            parts |= zip(new, prepared, strict=True)
        self._plain = {key: part for key, part in parts.items() if isinstance(key, BotAddress)}
        return [parts[key] for key in keys]


def _plain_bot(seat: BotStart) -> BotAddress | None:
    """The foreign bot in a seat, if it is plain."""
    return seat.bot if seat.is_foreign and not seat.is_compiled else None


class _OpenPool(msgspec.Struct, frozen=True):
    """The pool of a table."""

    spec: TableSpec
    pool: BlockPool


def _blocks(spec: TableSpec, group: Group, first: int, deals: int) -> Iterator[Block]:
    """The deals of a group in blocks; a single one if a bot learns from game to game."""
    size = deals if any(spec.seats[bot].learns for bot in group) else _BLOCK_DEALS
    for start in range(first, first + deals, size):
        yield Block(group, start, min(size, first + deals - start))


def _refuse_faults(part: PartResult, spec: TableSpec) -> None:
    """Raise FaultError for the first fault in a result."""
    if part.result.faults:
        fault = part.result.faults[0]
        names = " and ".join(
            dict.fromkeys(spec.seats[bot].bot.name for bot in part.full_block.group)
        )
        raise FaultError(f"{names}: {spec.seats[fault.bot].name} cannot play: {fault.message}")
