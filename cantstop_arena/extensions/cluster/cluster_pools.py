"""The pools of a run on a cluster, which is kept for all of its tables."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext

from cantstop_arena.extensions.cluster.address import ClusterAddress, address_in
from cantstop_arena.extensions.cluster.bridge_connection import connection_to
from cantstop_arena.extensions.cluster.cluster_pool import ClusterPool, ClusterTable
from cantstop_arena.extensions.cluster.first_look import first_look
from cantstop_arena.extensions.cluster.job import job_for
from cantstop_arena.tournaments.pool.block_pool import BlockPool
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import BotFacts
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec


class ClusterPools:
    """See `tournaments.pool.remote_pools.RemotePools`."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._cluster: ClusterPool | None = None
        self._spec: TableSpec | None = None  # the cluster's table

    @staticmethod
    def address_in(text: str) -> ClusterAddress:
        """The address that a text describes. Raises UsageError."""
        return address_in(text)

    def __enter__(self) -> "ClusterPools":
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
        """The cluster, whose machines play this table."""
        if self._cluster and self._spec == spec:
            return nullcontext(self._cluster)
        table = ClusterTable(job_for(spec, bots, names, options).message, bots, observer)
        self._spec = spec
        if self._cluster:
            self._cluster.set_table(table)
        else:
            assert options.cluster
            connection = connection_to(options.cluster, options.workers, first_look(spec))
            pool = ClusterPool(connection, table, options.cluster_wait)
            self._cluster = self._stack.enter_context(pool)
        return nullcontext(self._cluster)
