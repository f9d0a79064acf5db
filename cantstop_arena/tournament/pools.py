"""Who plays for a run: workers on this machine, or the machines of a cluster."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial

from cantstop_arena.games.registry import game_called
from cantstop_arena.tournament.cluster.cluster_pool import ClusterPool, Watch
from cantstop_arena.tournament.cluster.job import job_for
from cantstop_arena.tournament.cluster.line import line_to
from cantstop_arena.tournament.pool.block_pool import BlockPool
from cantstop_arena.tournament.pool.cluster_address import Address
from cantstop_arena.tournament.pool.worker_pool import Terms, WorkerPool
from cantstop_arena.tournament.setup.known_bots import Bots
from cantstop_arena.tournament.setup.table_specs import TableSpec


class Pools:
    """Workers, new ones each time, or a cluster that stays until a stack is left."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._clusters: dict[Address, ClusterPool] = {}

    def pool(
        self, spec: TableSpec, bots: Bots, names: Sequence[str], terms: Terms, watch: Watch
    ) -> AbstractContextManager[BlockPool]:
        """A pool for a tournament's table, whose bots have these names."""
        if terms.cluster is None:
            window = game_called(spec.game).window
            return WorkerPool(partial(spec.at_work, bots.logs), window, bots, terms)
        if terms.cluster not in self._clusters:
            hire = job_for(spec, bots, names, terms).hire
            line = line_to(terms.cluster, terms.workers, hire)
            pool = self._stack.enter_context(ClusterPool(line, bots, watch))
            self._clusters[terms.cluster] = pool
        return nullcontext(self._clusters[terms.cluster])
