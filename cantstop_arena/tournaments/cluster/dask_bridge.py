"""The bridge: a process that finds machines by Dask, and passes messages to and from the arena.

Dask is used only here and in the processes that Dask starts. The bridge ends when the arena closes
its pipe or ends.
"""

import asyncio
import contextlib
import os
import sys
import uuid
from collections.abc import AsyncIterator
from typing import Any

from distributed import Client

from cantstop_arena.processes.channel import MAX_MESSAGE_BYTES, Frames, frame
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.cluster.address import ClusterAddress
from cantstop_arena.tournaments.cluster.cluster_messages import (
    MAX_ORDER_BYTES,
    ClusterEnded,
    FromBridge,
    MachineJoined,
    MachineLost,
    MachineUnusable,
    ReceivedFrom,
    SentTo,
    StartJobs,
    to_bridge,
)
from cantstop_arena.tournaments.cluster.dask_actor import DaskActor
from cantstop_arena.tournaments.cluster.local_cluster import local_cluster

_MAX_READ_BYTES = 1 << 20
_PAUSE = 1.0  # seconds between two queries for the machines of the cluster
_MAX_REASON_LENGTH = 500  # characters


class ArenaPipe:
    """The pipes to the arena."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._frames = Frames(to_bridge, MAX_ORDER_BYTES)

    async def letters(self) -> AsyncIterator[StartJobs | SentTo]:
        """The messages of the arena, until it closes the pipe."""
        while chunk := await self._reader.read(_MAX_READ_BYTES):
            for message in self._frames.messages_in(chunk):
                yield message

    async def tell(self, message: FromBridge) -> None:
        """Send a message; waits while the arena has much to read."""
        self._writer.write(frame(message))
        await self._writer.drain()


class DaskBridge:
    """Runs an actor on every machine of the cluster."""

    def __init__(self, client: Any, arena: ArenaPipe, processes: int) -> None:
        self._client = client
        self._arena = arena
        self._processes = processes
        self._outboxes: dict[str, asyncio.Queue[bytes]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def carry(self) -> None:
        """Pass messages until the arena ends. Raises OSError when the scheduler ends."""
        messages = self._arena.letters()
        first = await anext(messages, None)
        if not isinstance(first, StartJobs):
            return
        following = asyncio.create_task(self._follow_machines(first.content))
        queueing = asyncio.create_task(self._queue_messages(messages))
        await asyncio.wait({following, queueing}, return_when=asyncio.FIRST_COMPLETED)
        for task in (queueing, following, *self._tasks.values()):
            if task.done():
                task.result()
            task.cancel()

    async def _queue_messages(self, messages: AsyncIterator[StartJobs | SentTo]) -> None:
        async for message in messages:
            if isinstance(message, SentTo) and message.machine in self._outboxes:
                self._outboxes[message.machine].put_nowait(message.content)

    async def _follow_machines(self, job: bytes) -> None:
        """Start serving machines that join, and stop serving those that leave."""
        while self._client.status == "running":
            there = await self._client.nthreads()
            for machine in self._tasks.keys() - there.keys():
                self._tasks.pop(machine).cancel()
            for machine, threads in there.items():
                if machine not in self._tasks:
                    work = self._serve_machine(machine, self._processes or threads, job)
                    self._tasks[machine] = asyncio.create_task(work)
            await asyncio.sleep(_PAUSE)
        raise OSError("the scheduler does not answer any more")

    async def _serve_machine(self, machine: str, processes: int, job: bytes) -> None:
        """Pass on all messages of a machine, from its start to its end."""
        why = "it is no longer there"
        try:
            async with self._actor_on(machine) as actor:
                await actor.start(processes, job)
                await self._arena.tell(MachineJoined(machine, processes))
                await self._exchange_messages(machine, actor)
        except Exception as error:
            why = _error_text(error)
        finally:
            await asyncio.shield(self._arena.tell(MachineLost(machine, why)))
        self._tasks.pop(machine, None)  # `_follow_machines` starts it again

    @contextlib.asynccontextmanager
    async def _actor_on(self, machine: str) -> AsyncIterator[Any]:
        future = self._client.submit(
            DaskActor,
            key=f"arena-{uuid.uuid4().hex}",
            workers=[machine],
            allow_other_workers=False,
            actor=True,
            pure=False,
        )
        try:
            yield await self._started_actor(machine, future)
        finally:
            future.release()

    async def _started_actor(self, machine: str, future: Any) -> Any:
        """The actor; waits for ever when the arena's package is not on the machine."""
        try:
            return await future
        except Exception as error:
            await asyncio.sleep(2 * _PAUSE)  # if the machine has left, this task is cancelled here
            await self._arena.tell(MachineUnusable(machine, _error_text(error)))
            return await asyncio.Event().wait()  # until the machine leaves

    async def _exchange_messages(self, machine: str, actor: Any) -> None:
        self._outboxes[machine] = asyncio.Queue()
        sending = asyncio.create_task(self._send_queued(self._outboxes[machine], actor))
        try:
            while True:
                if content := await actor.hear():
                    await self._arena.tell(ReceivedFrom(machine, content))
        finally:
            sending.cancel()
            del self._outboxes[machine]

    async def _send_queued(self, outbox: asyncio.Queue[bytes], actor: Any) -> None:
        while True:
            await actor.give(await outbox.get())


def _error_text(error: BaseException) -> str:
    return in_a_line(str(error) or type(error).__name__, _MAX_REASON_LENGTH)


@contextlib.asynccontextmanager
async def _client_of(address: ClusterAddress, processes: int) -> AsyncIterator[Any]:
    """A Dask client; for a local address, with a cluster on this machine."""
    if address.kind == "local":
        async with (
            local_cluster(int(address.location), processes) as cluster,
            Client(cluster, asynchronous=True) as client,
        ):
            yield client
        return
    key = "scheduler_file" if address.kind == "file" else "address"
    async with Client(**{key: address.scheduler}, asynchronous=True) as client:
        yield client


async def _arena() -> ArenaPipe:
    """The standard pipes to the arena; nothing else in this process can write to them."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=MAX_MESSAGE_BYTES)
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    for standard in (0, 1):
        os.dup2(2, standard)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    flow = asyncio.StreamReaderProtocol(asyncio.StreamReader())
    transport, protocol = await loop.connect_write_pipe(lambda: flow, sink)
    return ArenaPipe(reader, asyncio.StreamWriter(transport, protocol, None, loop))


async def _carry(address: ClusterAddress, processes: int) -> None:
    arena, was_there = await _arena(), False
    try:
        async with _client_of(address, processes) as client:
            was_there = True
            await DaskBridge(client, arena, processes).carry()
    except Exception as error:
        await arena.tell(ClusterEnded(_error_text(error), was_there))


def main() -> None:
    """Run the bridge to the cluster that the command line names."""
    kind, location, processes = sys.argv[1:]
    asyncio.run(_carry(ClusterAddress(kind, location), int(processes)))


if __name__ == "__main__":
    main()
