"""Options of a run as users give them, and the pools that are made from them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from math import inf

from cantstop_arena.errors import UsageError
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes import system
from cantstop_arena.tournaments.pool import worker
from cantstop_arena.tournaments.pool.block_pool import BlockPool
from cantstop_arena.tournaments.pool.remote_pools import (
    CLUSTER_WAIT,
    PoolAddress,
    RemotePools,
    address_in,
    remote_pools,
)
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool
from cantstop_arena.tournaments.preparation import BotFacts
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec


@dataclass(frozen=True)
class RunOptions:
    """Options of a run as users give them: worker processes, memory, and other machines."""

    workers: int | None = None
    start_method: str | None = None
    memory: int | str | None = None
    fresh: bool = False
    cluster: PoolAddress | str | None = None
    cluster_wait: float | None = None

    @property
    def pool_options(self) -> PoolOptions:
        """The options of a pool, with defaults filled in. Raises UsageError."""
        methods = worker.start_methods()
        if self.start_method not in (None, *methods):
            expected = " or ".join(methods)
            raise UsageError(f"start_method must be {expected}, not {self.start_method!r}")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"workers must be 1 or more, not {self.workers}")
        wait = CLUSTER_WAIT if self.cluster_wait is None else self.cluster_wait
        if not 0 <= wait < inf:
            raise UsageError(f"cluster_wait must be a number of seconds, not {wait}")
        cluster = address_in(self.cluster) if isinstance(self.cluster, str) else self.cluster
        count = self.workers or (0 if cluster else system.core_count())  # 0: the machine decides
        method = self.start_method or methods[0]
        return PoolOptions(count, method, self._bytes, cluster=cluster, cluster_wait=wait)

    @property
    def _bytes(self) -> int | None:
        if not isinstance(self.memory, str):
            return self.memory
        try:
            return system.bytes_of(self.memory)
        except ValueError:
            raise UsageError(
                f"memory: invalid size {self.memory!r}: use bytes, or a number with K, M or G"
            ) from None


class PoolOwner:
    """Creates pools: new workers for each table, or other machines, which it keeps for all of them.

    Use it as a context manager. All pools of one owner play the same game, on the same machines.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._remote: RemotePools | None = None

    def __enter__(self) -> "PoolOwner":
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()
        self._remote = None

    def pool(
        self,
        spec: TableSpec,
        bots: BotFacts,
        names: Sequence[str],
        options: PoolOptions,
        observer: RunObserver,
    ) -> AbstractContextManager[BlockPool]:
        """A pool for a tournament's table, whose bots have these `names`."""
        if options.cluster is None:
            window = game_named(spec.game).window
            return WorkerPool(partial(spec.at_work, bots.logs), window, bots, options)
        if self._remote is None:
            self._remote = self._stack.enter_context(remote_pools()())
        return self._remote.pool(spec, bots, names, options, observer)
