"""The limits of a child process."""

from collections.abc import Mapping

import msgspec

MAX_THREADS = 64
"""Threads of a child that may start no processes."""

_MAX_FILE_BYTES = 1 << 28
_MAX_SIGNALS = 1 << 10  # waiting ones, which are counted by user, as timers are


class ChildLimits(msgspec.Struct, frozen=True):
    """The limits of a child: bytes of `memory`, `processes` that it may start, open `files`.

    `memory` is that of the child with all its descendants. In a sandbox there are `scratch` bytes
    for temporary files, twice, and at most `scratch_files` may be there at a time; threads count as
    processes, and without any `processes` a child may start MAX_THREADS threads, but no process.
    """

    memory: int | None = None
    processes: int = 0
    scratch: int = 64 << 20
    scratch_files: int = 1 << 14
    files: int = 256

    def by_resource(self) -> Mapping[int, int]:
        """The limits of each process in a sandbox, by the number of the resource."""
        import resource

        limits = {
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_NOFILE: self.files,
            resource.RLIMIT_FSIZE: _MAX_FILE_BYTES,
            resource.RLIMIT_SIGPENDING: _MAX_SIGNALS,
            resource.RLIMIT_NPROC: self.processes or MAX_THREADS,
        }
        return limits if self.memory is None else {**limits, resource.RLIMIT_AS: self.memory}
