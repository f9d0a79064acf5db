"""The arena's connection to the Dask bridge, and through it to machines."""

import subprocess
from collections.abc import Sequence
from typing import Any

from cantstop_arena.extensions.cluster.address import ClusterAddress
from cantstop_arena.extensions.cluster.cluster_messages import (
    ClusterEnded,
    FirstLook,
    FromBridge,
    SentTo,
    ToMachine,
)
from cantstop_arena.processes.channel import ChannelClosed, Connection, frame
from cantstop_arena.processes.system import python_module

_TO_END = 10.0  # seconds in which the bridge ends the processes that it has started


class BridgeConnection:
    """A connection to the bridge, and through it to machines. Use it as a context manager.

    `command` starts the bridge, which takes the first `look` at every machine. `cluster` is the
    cluster's address in messages to users.
    """

    def __init__(self, command: Sequence[str], cluster: str, look: FirstLook) -> None:
        self.cluster = cluster
        self._command = command
        self._look = look

    def __enter__(self) -> "BridgeConnection":
        connection: Connection[FromBridge] = Connection(FromBridge)
        files: dict[str, Any] = connection.standard_files(subprocess.DEVNULL)
        with connection:
            # In a session of its own: Ctrl-C is handled by the arena alone. Its output is lost.
            self._bridge = subprocess.Popen(
                self._command,
                **files,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._channel = connection.channel
        self._channel.send(self._look)
        return self

    def __exit__(self, *problem: object) -> None:
        self._channel.close()
        try:
            self._bridge.wait(_TO_END)
        except subprocess.TimeoutExpired:
            self._bridge.kill()
            self._bridge.wait()

    def send(self, machine: str, message: ToMachine) -> None:
        """Send a message to a machine; it is dropped when the machine has left."""
        self._channel.send(SentTo(machine, frame(message)))

    def messages(self, seconds: float) -> list[FromBridge]:
        """The messages received, after waiting up to `seconds`. Raises ProtocolError."""
        self._channel.wait(seconds)
        try:
            return self._channel.receive()
        except ChannelClosed:
            return [ClusterEnded("the process that speaks with it has ended", was_there=True)]


def connection_to(address: ClusterAddress, processes: int, look: FirstLook) -> BridgeConnection:
    """A connection to a cluster, with so many worker processes on each machine that fits.

    0 means as many as Dask has threads there.
    """
    arguments = (address.kind, address.location, str(processes))
    command = python_module("cantstop_arena.extensions.cluster.dask_bridge", *arguments)
    return BridgeConnection(command, str(address), look)
