"""The Dask actor on each machine: it starts the arena's process there and transfers bytes."""

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process

from cantstop_arena.processes.system import python_module

_MAX_READ_BYTES = 1 << 20
_READ_TIMEOUT = 5.0  # seconds


class DaskActor:
    """A Dask actor. Its process ends with it, since its pipes are closed."""

    def __init__(self) -> None:
        self._process: Process | None = None

    async def start(self, processes: int, content: bytes) -> None:
        """Start the arena's process with a pool of so many workers, and send it `content`."""
        command = python_module("cantstop_arena.tournaments.cluster.machine", str(processes))
        # In a session of its own: Ctrl-C where Dask was started is handled by Dask.
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, start_new_session=True, limit=_MAX_READ_BYTES
        )
        self._loop = asyncio.get_running_loop()
        await self.give(content)

    async def give(self, content: bytes) -> None:
        """Send content to the process."""
        assert self._process and self._process.stdin
        self._process.stdin.write(content)
        await self._process.stdin.drain()

    async def hear(self) -> bytes:
        """The next output of the process; empty after a timeout. Raises EOFError at its end.

        Without the timeout a call whose caller has ended would keep the actor alive.
        """
        assert self._process and self._process.stdout
        try:
            async with asyncio.timeout(_READ_TIMEOUT):
                content = await self._process.stdout.read(_MAX_READ_BYTES)
        except TimeoutError:
            return b""
        if not content:
            raise EOFError("its process has ended")
        return content

    def __del__(self) -> None:
        if self._process and self._process.stdin:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the pipes with it
                self._loop.call_soon_threadsafe(self._process.stdin.close)
