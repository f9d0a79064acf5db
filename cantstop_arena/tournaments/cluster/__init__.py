"""Blocks that are played on other machines, which Dask reaches.

    arena ── bridge_connection ── dask_bridge ── Dask ── dask_actor ── machine ── workers
    (cluster_pool)                (a process)            (in a Dask    (a process with
                                                          worker)       its own pool)

Only the bridge imports Dask, in a process of its own: so the arena needs no thread beside its
workers, and reads only messages of types that it expects. On each machine a process of the arena
keeps a pool, as a run on one machine does; Dask passes bytes.
"""
