"""The arena's end of the pipes to the Dask bridge."""

import contextlib
import os
import subprocess
from collections.abc import Sequence
from multiprocessing.connection import wait

from cantstop_arena.processes.channel import Frames, frame
from cantstop_arena.processes.system import python_module
from cantstop_arena.tournaments.cluster.address import ClusterAddress
from cantstop_arena.tournaments.cluster.cluster_messages import (
    ClusterEnded,
    FirstLook,
    FromBridge,
    SentTo,
    StartJob,
    StartJobs,
    ToMachine,
    from_bridge,
)

_TO_END = 10.0  # seconds in which the bridge ends the processes that it has started


class MachineConnection:
    """A connection to the bridge, and through it to machines. Use it as a context manager.

    `command` starts it; `start` is what it does with every machine first. `cluster` is the
    cluster's address in messages to users.
    """

    def __init__(self, command: Sequence[str], cluster: str, start: StartJobs) -> None:
        self.cluster = cluster
        self._command = command
        self._start_jobs = start
        self._frames = Frames(from_bridge)

    def __enter__(self) -> "MachineConnection":
        # In a session of its own: Ctrl-C is handled by the arena alone. Its output is discarded.
        self._bridge = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._write(frame(self._start_jobs))
        return self

    def __exit__(self, *problem: object) -> None:
        assert self._bridge.stdin and self._bridge.stdout
        with contextlib.suppress(BrokenPipeError):
            self._bridge.stdin.close()
        self._bridge.stdout.close()
        try:
            self._bridge.wait(_TO_END)
        except subprocess.TimeoutExpired:
            self._bridge.kill()
            self._bridge.wait()

    def send(self, machine: str, message: ToMachine) -> None:
        """Send a message to a machine; it is dropped when the machine has left."""
        self._write(frame(SentTo(machine, frame(message))))

    def messages(self, seconds: float) -> list[FromBridge]:
        """The messages received, after waiting up to `seconds`. Raises ProtocolError."""
        assert self._bridge.stdout
        pipe = self._bridge.stdout.fileno()
        if not wait([pipe], seconds):
            return []
        try:
            return self._frames.receive(pipe)
        except EOFError:
            return [ClusterEnded("the process that speaks with it has ended", was_there=True)]

    def _write(self, content: bytes) -> None:
        assert self._bridge.stdin
        left = memoryview(content)
        with contextlib.suppress(BrokenPipeError):  # `messages` reports the end
            while left:
                left = left[os.write(self._bridge.stdin.fileno(), left) :]


def line_to(
    address: ClusterAddress, processes: int, look: FirstLook, job: StartJob
) -> MachineConnection:
    """A connection to a cluster, with so many worker processes on each machine that fits.

    0 means as many as Dask has threads there.
    """
    arguments = (address.kind, address.location, str(processes))
    return MachineConnection(
        python_module("cantstop_arena.tournaments.cluster.dask_bridge", *arguments),
        str(address),
        StartJobs(look, frame(job)),
    )
