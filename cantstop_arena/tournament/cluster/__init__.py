"""Blocks that are played on other machines, as Dask reaches them.

    arena ── line ── courier ── Dask ── relay ── machine ── workers
    (cluster_pool)   (a process)        (in a Dask worker)  (a process with a pool of its own)

The courier is the only one that speaks Dask's language, and a process of its own: so the arena has
no thread beside its workers, and reads nothing but messages of types it expects. On each machine a
process of the arena's keeps a pool as any run does; Dask hands on bytes.
"""
