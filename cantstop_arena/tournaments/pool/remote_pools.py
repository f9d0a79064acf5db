"""Pools on other machines, which an extension has for the slot `pool`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from cantstop_arena.extension_registry import needed

if TYPE_CHECKING:
    from cantstop_arena.tournaments.pool.block_pool import BlockPool
    from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
    from cantstop_arena.tournaments.preparation import BotFacts
    from cantstop_arena.tournaments.run_observer import RunObserver
    from cantstop_arena.tournaments.table_spec import TableSpec

PoolAddress: TypeAlias = Any
"""An address that the extension has read; it can be sent to other processes."""
CLUSTER_WAIT = 30.0
"""Seconds to wait for a machine that can play, by default."""


class RemotePools(Protocol):
    """The pools of a run, which keeps its machines for all tables; a context manager."""

    @staticmethod
    def address_in(text: str) -> PoolAddress:
        """The address that a text describes. Raises UsageError."""

    def __enter__(self) -> RemotePools: ...
    def __exit__(self, *problem: object) -> None: ...
    def pool(
        self,
        spec: TableSpec,
        bots: BotFacts,
        names: Sequence[str],
        options: PoolOptions,
        observer: RunObserver,
    ) -> AbstractContextManager[BlockPool]:
        """A pool at `options.cluster` for a table."""


def remote_pools() -> type[RemotePools]:
    """What makes pools on other machines. Raises UsageError without the extension."""
    pools: type[RemotePools] = needed("pool", "--cluster")
    return pools


def address_in(text: str) -> PoolAddress:
    """The address of other machines that a text describes. Raises UsageError."""
    return remote_pools().address_in(text)
