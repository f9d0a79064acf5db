"""Play blocks on other machines, which are reached by Dask.

    arena ── bridge_connection ── dask_bridge ── Dask ── MachineActor ── machine ── workers
    (cluster_pool)                (a process)            (in a Dask      (a process with
                                                          worker)         its own pool)

Only the bridge imports Dask, in a separate process: so the arena needs no thread beside its
workers, and reads only messages of the types that it expects. On each machine a process of the
arena has a worker pool, as a run on one machine does; Dask transfers bytes.
"""
