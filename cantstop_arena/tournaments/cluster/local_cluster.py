"""A cluster on this machine, for one run: used by the bridge alone.

Its certificates exist only in memory, in the bridge and in the processes that it starts. So other
users of the machine cannot connect to it.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from distributed import LocalCluster, Security, Status

from cantstop_arena.tournaments.pool.worker import worker_count

_PAUSE = 1.0  # seconds between two looks at the Dask workers


@contextlib.asynccontextmanager
async def local_cluster(count: int, processes: int) -> AsyncIterator[Any]:
    """A cluster of `count` Dask workers; 0 processes are an equal share of the cores for each."""
    async with LocalCluster(
        n_workers=count,
        threads_per_worker=processes or max(1, worker_count() // count),
        processes=True,
        host="127.0.0.1",
        security=Security.temporary(),
        dashboard_address=None,
        asynchronous=True,
    ) as cluster:
        restarting = asyncio.create_task(_keep(cluster, count))
        try:
            yield cluster
        finally:
            restarting.cancel()


async def _keep(cluster: Any, count: int) -> None:
    """Replace workers that Dask has given up because they did not return within seconds."""
    while True:
        await asyncio.sleep(_PAUSE)
        for name, worker in list(cluster.workers.items()):
            if worker.status in (Status.closed, Status.failed):
                del cluster.workers[name]
        cluster.scale(count)
