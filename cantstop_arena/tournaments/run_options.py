"""Options that the commands run, match, gauntlet, compare and tune share."""

from dataclasses import dataclass
from math import inf

from cantstop_arena.errors import UsageError
from cantstop_arena.processes.system import bytes_of
from cantstop_arena.tournaments.cluster.address import CLUSTER_WAIT, ClusterAddress, address_in
from cantstop_arena.tournaments.pool import worker
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions


@dataclass(frozen=True)
class RunOptions:
    """Options of a run as users give them: worker processes, memory, and cluster."""

    workers: int | None = None
    start_method: str | None = None
    memory: int | str | None = None
    fresh: bool = False
    cluster: ClusterAddress | str | None = None
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
        count = self.workers or (0 if cluster else worker.worker_count())  # 0: the machine decides
        method = self.start_method or methods[0]
        return PoolOptions(count, method, self._bytes, cluster=cluster, cluster_wait=wait)

    @property
    def _bytes(self) -> int | None:
        if not isinstance(self.memory, str):
            return self.memory
        try:
            return bytes_of(self.memory)
        except ValueError:
            raise UsageError(
                f"memory: invalid size {self.memory!r}: use bytes, or a number with K, M or G"
            ) from None
