"""The pools that play for a command: workers on this machine, or the machines of a cluster."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.pool.block_pool import BlockPool
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool
from cantstop_arena.tournaments.preparation import BotFacts
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec

if TYPE_CHECKING:
    from cantstop_arena.tournaments.cluster.cluster_pool import ClusterPool


class PoolOwner:
    """Creates pools: new workers for each table, or a cluster, which it keeps for all of them.

    Use it as a context manager. All pools of one owner play the same game, with the same cluster.
    """

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._cluster: ClusterPool | None = None
        self._spec: TableSpec | None = None  # the cluster's table

    def __enter__(self) -> "PoolOwner":
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()
        self._cluster = None

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
        return nullcontext(self._cluster_with(spec, bots, names, options, observer))

    def _cluster_with(
        self,
        spec: TableSpec,
        bots: BotFacts,
        names: Sequence[str],
        options: PoolOptions,
        observer: RunObserver,
    ) -> "ClusterPool":
        """The cluster, whose machines play this table."""
        from cantstop_arena.tournaments.cluster.bridge_connection import connection_to
        from cantstop_arena.tournaments.cluster.cluster_pool import ClusterPool, ClusterTable
        from cantstop_arena.tournaments.cluster.first_look import first_look
        from cantstop_arena.tournaments.cluster.job import job_for

        if self._cluster and self._spec == spec:
            return self._cluster
        table = ClusterTable(job_for(spec, bots, names, options).message, bots, observer)
        self._spec = spec
        if self._cluster:
            self._cluster.set_table(table)
        else:
            assert options.cluster
            connection = connection_to(options.cluster, options.workers, first_look(spec))
            pool = ClusterPool(connection, table, options.cluster_wait)
            self._cluster = self._stack.enter_context(pool)
        return self._cluster
