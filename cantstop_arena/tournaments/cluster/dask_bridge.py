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
from typing import Any, NoReturn

from distributed import Client, LocalCluster, Security, Status

from cantstop_arena.processes.channel import MAX_MESSAGE_BYTES, Frames, frame
from cantstop_arena.tournaments.cluster.address import ClusterAddress
from cantstop_arena.tournaments.cluster.cluster_messages import (
    MAX_ORDER_BYTES,
    ClusterEnded,
    ClusterReached,
    FirstLook,
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
from cantstop_arena.tournaments.cluster.dask_errors import connection_problem, later_problem
from cantstop_arena.tournaments.cluster.first_look import differences
from cantstop_arena.tournaments.pool.worker import worker_count

_MAX_READ_BYTES = 1 << 20
_PAUSE = 1.0  # seconds between two looks at the machines of the cluster
_ANSWER_TIMEOUT = 10.0  # seconds, for the first look at a machine


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
        following = asyncio.create_task(self._follow_machines(first))
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

    async def _follow_machines(self, start: StartJobs) -> None:
        """Start serving machines that join, and stop serving those that leave."""
        while self._client.status == "running":
            there = await self._client.nthreads()
            for machine in self._tasks.keys() - there.keys():
                self._tasks.pop(machine).cancel()
            for machine, threads in there.items():
                if machine not in self._tasks:
                    work = self._serve_machine(machine, self._processes or threads, start)
                    self._tasks[machine] = asyncio.create_task(work)
            await asyncio.sleep(_PAUSE)
        raise OSError

    async def _serve_machine(self, machine: str, processes: int, start: StartJobs) -> None:
        """Pass on all messages of a machine, from the first look at it to its end."""
        why = "it is no longer there"
        try:
            if problem := differences(await self._first_look(machine, start.look), start.look):
                await self._leave_out(machine, problem)
            async with self._actor_on(machine) as actor:
                await actor.start(processes, start.content)
                await self._arena.tell(MachineJoined(machine, processes))
                await self._exchange_messages(machine, actor)
        except Exception as error:
            why = later_problem(error)
        finally:
            await asyncio.shield(self._arena.tell(MachineLost(machine, why)))
        self._tasks.pop(machine, None)  # `_follow_machines` starts it again

    async def _first_look(self, machine: str, look: FirstLook) -> object:
        """What a machine answers, or the error; one that does not answer is asked again."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ANSWER_TIMEOUT):
                    answers = await self._client.run(
                        eval, look.question, workers=[machine], on_error="return"
                    )
                    return answers.get(machine)
            await self._arena.tell(MachineUnusable(machine, "it does not answer"))

    async def _leave_out(self, machine: str, why: str) -> NoReturn:
        """Tell the arena that a machine does not play, and wait until the machine leaves."""
        await asyncio.sleep(2 * _PAUSE)  # if the machine has left, this task is cancelled here
        await self._arena.tell(MachineUnusable(machine, why))
        await asyncio.Event().wait()
        raise AssertionError

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
        """The actor; a machine on which it cannot be started is left out."""
        try:
            return await future
        except Exception as error:
            await self._leave_out(machine, later_problem(error))

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


@contextlib.asynccontextmanager
async def local_cluster(count: int, processes: int) -> AsyncIterator[Any]:
    """A cluster of `count` Dask workers; 0 processes are an equal share of the cores for each.

    Its certificates exist only in memory, here and in the processes that it starts. So other users
    of the machine cannot connect to it.
    """
    async with LocalCluster(
        n_workers=count,
        threads_per_worker=processes or max(1, worker_count() // count),
        processes=True,
        host="127.0.0.1",
        security=Security.temporary(),
        dashboard_address=None,
        asynchronous=True,
    ) as cluster:
        restarting = asyncio.create_task(_keep(cluster, count))
        try:
            yield cluster
        finally:
            restarting.cancel()


async def _keep(cluster: Any, count: int) -> None:
    """Replace workers that Dask has given up because they did not return within seconds."""
    while True:
        await asyncio.sleep(_PAUSE)
        for name, worker in list(cluster.workers.items()):
            if worker.status in (Status.closed, Status.failed):
                del cluster.workers[name]
        cluster.scale(count)


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
            await arena.tell(ClusterReached())
            await DaskBridge(client, arena, processes).carry()
    except Exception as error:
        why = (later_problem if was_there else connection_problem)(error)
        await arena.tell(ClusterEnded(why, was_there))


def main() -> None:
    """Run the bridge to the cluster that the command line names."""
    kind, location, processes = sys.argv[1:]
    asyncio.run(_carry(ClusterAddress(kind, location), int(processes)))


if __name__ == "__main__":
    main()
