"""The pool that plays for a run: workers on this machine, or the machines of a cluster."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.bot_facts import BotFacts
from cantstop_arena.tournaments.cluster.address import ClusterAddress
from cantstop_arena.tournaments.pool.block_pool import BlockPool
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions, WorkerPool
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec

if TYPE_CHECKING:
    from cantstop_arena.tournaments.cluster.cluster_pool import ClusterPool


class PoolOwner:
    """Creates pools: new workers each time, or a cluster that is kept until `stack` is closed."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._clusters: dict[ClusterAddress, ClusterPool] = {}

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
        if options.cluster not in self._clusters:
            from cantstop_arena.tournaments.cluster.bridge_connection import line_to
            from cantstop_arena.tournaments.cluster.cluster_pool import ClusterPool
            from cantstop_arena.tournaments.cluster.first_look import first_look
            from cantstop_arena.tournaments.cluster.job import job_for

            look = first_look(game_named(spec.game))
            job = job_for(spec, bots, names, options).start_message
            line = line_to(options.cluster, options.workers, look, job)
            pool = ClusterPool(line, bots, observer, options.cluster_wait)
            self._clusters[options.cluster] = self._stack.enter_context(pool)
        return nullcontext(self._clusters[options.cluster])
