"""The bridge: a process that finds machines by Dask, and passes messages to and from the arena.

Dask is used only here and in the processes that Dask starts. The bridge ends when the arena closes
its pipe or ends.
"""

import asyncio
import contextlib
import socket
import sys
import uuid
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from typing import Any, NoReturn

import dask.config
from distributed import Client, LocalCluster, Security, Status

from cantstop_arena.extensions.cluster.address import ClusterAddress
from cantstop_arena.extensions.cluster.cluster_messages import (
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
    ToBridge,
)
from cantstop_arena.extensions.cluster.dask_errors import connection_problem, later_problem
from cantstop_arena.extensions.cluster.first_look import differences
from cantstop_arena.processes.channel import Frames, decoder, frame, take_standard_input
from cantstop_arena.processes.system import core_count

_MAX_READ_BYTES = 1 << 20
_READ_TIMEOUT = 5.0  # seconds
_PAUSE = 1.0  # seconds between two looks at the machines of the cluster
_ANSWER_TIMEOUT = 10.0  # seconds, for the first look at a machine
_QUIET = {  # without what Dask does many times a second for its dashboard, and for tasks
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.scheduler.work-stealing": False,
    "distributed.worker.memory.monitor-interval": "10s",
}


class MachineActor:
    """On a machine: starts the arena's process there, and transfers bytes.

    A Dask actor. This module runs as `__main__`, so Dask sends the class by its content, and a
    scheduler needs no package of the arena. The process ends with the actor, which closes its
    socket.
    """

    def __init__(self) -> None:
        self._process: Process | None = None

    async def start(self, processes: int) -> None:
        """Start the arena's process with a pool of so many workers."""
        from cantstop_arena.processes.system import python_module  # the scheduler may have none

        arena_end, child_end = socket.socketpair()
        command = python_module("cantstop_arena.extensions.cluster.machine", str(processes))
        with child_end:
            # In a session of its own: Ctrl-C where Dask was started is handled by Dask.
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=child_end.fileno(), start_new_session=True
            )
        self._loop = asyncio.get_running_loop()
        self._reader, self._writer = await asyncio.open_connection(
            sock=arena_end, limit=_MAX_READ_BYTES
        )

    async def give(self, content: bytes) -> None:
        """Send content to the process."""
        self._writer.write(content)
        await self._writer.drain()

    async def hear(self) -> bytes:
        """What the process sends next; empty after a timeout. Raises EOFError at its end.

        Without the timeout a call whose caller has ended would keep the actor alive.
        """
        try:
            async with asyncio.timeout(_READ_TIMEOUT):
                content = await self._reader.read(_MAX_READ_BYTES)
        except TimeoutError:
            return b""
        if not content:
            raise EOFError("its process has ended")
        return content

    def __del__(self) -> None:
        if self._process:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the socket with it
                self._loop.call_soon_threadsafe(self._writer.close)


class ArenaConnection:
    """The socket to the arena."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._frames: Frames[ToBridge] = Frames(decoder(ToBridge), MAX_ORDER_BYTES)

    async def messages(self) -> AsyncIterator[ToBridge]:
        """The messages of the arena, until it closes the connection."""
        while chunk := await self._reader.read(_MAX_READ_BYTES):
            for message in self._frames.messages_in(chunk):
                yield message

    async def send(self, message: FromBridge) -> None:
        """Send a message; waits while the arena has much to read."""
        self._writer.write(frame(message))
        await self._writer.drain()


class DaskBridge:
    """Runs an actor on every machine of the cluster."""

    def __init__(self, client: Any, arena: ArenaConnection, processes: int) -> None:
        self._client = client
        self._arena = arena
        self._processes = processes
        self._outboxes: dict[str, asyncio.Queue[bytes]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def carry(self) -> None:
        """Pass messages until the arena ends. Raises OSError when the scheduler ends."""
        messages = self._arena.messages()
        look = await anext(messages, None)
        if not isinstance(look, FirstLook):
            return
        await self._arena.send(ClusterReached(tuple(await self._client.nthreads())))
        following = asyncio.create_task(self._follow_machines(look))
        queueing = asyncio.create_task(self._queue_messages(messages))
        await asyncio.wait({following, queueing}, return_when=asyncio.FIRST_COMPLETED)
        for task in (queueing, following, *self._tasks.values()):
            if task.done():
                task.result()
            task.cancel()

    async def _queue_messages(self, messages: AsyncIterator[ToBridge]) -> None:
        async for message in messages:
            if isinstance(message, SentTo) and message.machine in self._outboxes:
                self._outboxes[message.machine].put_nowait(message.content)

    async def _follow_machines(self, look: FirstLook) -> None:
        """Start serving machines that join, and stop serving those that leave."""
        while self._client.status == "running":
            there = await self._client.nthreads()
            for machine in self._tasks.keys() - there.keys():
                self._tasks.pop(machine).cancel()
            for machine, threads in there.items():
                if machine not in self._tasks:
                    work = self._serve_machine(machine, self._processes or threads, look)
                    self._tasks[machine] = asyncio.create_task(work)
            await asyncio.sleep(_PAUSE)
        raise OSError

    async def _serve_machine(self, machine: str, processes: int, look: FirstLook) -> None:
        """Pass on all messages of a machine, from the first look at it to its end."""
        why = "it is no longer there"
        try:
            if problem := differences(await self._first_look(machine, look), look):
                await self._leave_out(machine, problem)
            async with self._actor_on(machine) as actor:
                await actor.start(processes)
                await self._exchange_messages(MachineJoined(machine, processes), actor)
        except Exception as error:
            why = later_problem(error)
        finally:
            await asyncio.shield(self._arena.send(MachineLost(machine, why)))
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
            await self._arena.send(MachineUnusable(machine, "it does not answer"))

    async def _leave_out(self, machine: str, why: str) -> NoReturn:
        """Tell the arena that a machine does not play, and wait until the machine leaves."""
        await asyncio.sleep(2 * _PAUSE)  # if the machine has left, this task is cancelled here
        await self._arena.send(MachineUnusable(machine, why))
        await asyncio.Event().wait()
        raise AssertionError

    @contextlib.asynccontextmanager
    async def _actor_on(self, machine: str) -> AsyncIterator[Any]:
        future = self._client.submit(
            MachineActor,
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

    async def _exchange_messages(self, joined: MachineJoined, actor: Any) -> None:
        machine = joined.machine
        self._outboxes[machine] = asyncio.Queue()  # the arena answers at once
        sending = asyncio.create_task(self._send_queued(self._outboxes[machine], actor))
        try:
            await self._arena.send(joined)
            while True:
                if content := await actor.hear():
                    await self._arena.send(ReceivedFrom(machine, content))
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
    dask.config.set(_QUIET)  # also in workers that are started later
    async with LocalCluster(
        n_workers=count,
        threads_per_worker=processes or max(1, core_count() // count),
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


async def _carry(address: ClusterAddress, processes: int) -> None:
    streams = await asyncio.open_connection(sock=take_standard_input(), limit=_MAX_READ_BYTES)
    arena, was_there = ArenaConnection(*streams), False
    try:
        async with _client_of(address, processes) as client:
            was_there = True
            await DaskBridge(client, arena, processes).carry()
    except Exception as error:
        why = (later_problem if was_there else connection_problem)(error)
        await arena.send(ClusterEnded(why, was_there))


def main() -> None:
    """Run the bridge to the cluster that the command line names."""
    kind, location, processes = sys.argv[1:]
    asyncio.run(_carry(ClusterAddress(kind, location), int(processes)))


if __name__ == "__main__":
    main()
