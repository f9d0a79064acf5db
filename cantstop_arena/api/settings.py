"""How something is to be played: what run, match and compare have in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from cantstop_arena.api.progress import ProgressLines, Silence
from cantstop_arena.errors import UsageError
from cantstop_arena.runtime import shutdown
from cantstop_arena.runtime.system import bytes_of
from cantstop_arena.tournament import match, until
from cantstop_arena.tournament.pool import worker
from cantstop_arena.tournament.pool.cluster_address import Address, address_in
from cantstop_arena.tournament.pool.worker_pool import Terms


class Onlooker(until.Onlooker, match.Onlooker, Protocol):
    """Who is told how games go on, and at last that nothing more comes."""

    def close(self) -> None:
        """Nothing more comes."""


Progress: TypeAlias = bool | Callable[[str], Onlooker]


@dataclass(frozen=True)
class Settings:
    """How many processes play, how they are kept, and who is told of it.

    `progress` is whether to print lines to the standard error, or who is told instead, by the name
    of what is played.
    """

    workers: int | None = None
    start_method: str | None = None
    memory: int | str | None = None
    progress: Progress = False
    fresh: bool = False
    cluster: Address | str | None = None

    @property
    def terms(self) -> Terms:
        """The terms on which workers play. Raises UsageError."""
        methods = worker.start_methods()
        if self.start_method not in (None, *methods):
            known = " or ".join(methods)
            raise UsageError(f"start_method must be {known}, not {self.start_method!r}")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"workers must be 1 or more, not {self.workers}")
        cluster = address_in(self.cluster) if isinstance(self.cluster, str) else self.cluster
        count = self.workers or (0 if cluster else worker.worker_count())  # a machine knows its own
        return Terms(count, self.start_method or methods[0], self._bytes, cluster=cluster)

    @property
    def _bytes(self) -> int | None:
        if not isinstance(self.memory, str):
            return self.memory
        try:
            return bytes_of(self.memory)
        except ValueError:
            raise UsageError(f"memory: {self.memory!r} is no size like 512M or 2G") from None

    @contextmanager
    def watched(self, name: str) -> Iterator[Onlooker]:
        """Who watches what is played under a name; Ctrl-C is heard where that does no harm."""
        watch = self._watch(name)
        try:
            with shutdown.noted():
                yield watch
        finally:
            watch.close()

    def _watch(self, name: str) -> Onlooker:
        if not isinstance(self.progress, bool):
            return self.progress(name)
        return ProgressLines(name) if self.progress else Silence()
