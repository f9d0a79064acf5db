"""Plays blocks on the machines of a cluster; machines may join and leave during a run."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from math import inf

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import ArenaError, GameError, WorkerPoolError
from cantstop_arena.extensions.cluster.bridge_connection import BridgeConnection
from cantstop_arena.extensions.cluster.cluster_messages import (
    BotBuildFailed,
    BotsDisturb,
    BundlePlayed,
    ClusterEnded,
    ClusterReached,
    DropGroups,
    FromBridge,
    FromMachine,
    LogText,
    MachineJoined,
    MachineLost,
    MachineUnusable,
    PlayBlocks,
    ReceivedFrom,
    SetTable,
    TableRefused,
)
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.channel import Frames, ProtocolError, decoder
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.pool.block_pool import BotNotBuilt, InterpreterDisturbed, PartResult
from cantstop_arena.tournaments.pool.worker_messages import (
    GameFailed,
    Ready,
    WorkerBroken,
    is_result_of,
)
from cantstop_arena.tournaments.preparation import BotFacts
from cantstop_arena.tournaments.run_observer import RunObserver

_BUNDLE = 1.5  # seconds that a bundle of blocks should take
_WINDOW = 3  # maximum number of bundles of a machine
_SOON = 0.01  # seconds; shorter times are too short to measure a pace


class ClusterError(ArenaError):
    """A cluster that cannot be reached, that ends, or none of whose machines can play."""


class OpenBlock(msgspec.Struct):
    """A block or a part of it; `left` are the spans (first, end) of deals without a result."""

    block: Block
    full_block: Block
    left: list[tuple[int, int]]

    @classmethod
    def of(cls, block: Block, full_block: Block) -> "OpenBlock":
        """A part of which nothing has been played."""
        return cls(block, full_block, [(block.first, block.end)])

    def missing(self) -> Iterator["OpenBlock"]:
        """The parts of it that have no result."""
        return (OpenBlock.of(self.block.part(*span), self.full_block) for span in self.left)

    def played(self, played: Block) -> None:
        """Remove deals that have a result now. Raises ProtocolError when they are not `left`."""
        for number, (first, end) in enumerate(self.left):
            if first <= played.first < played.end <= end:
                cut = [(first, played.first), (played.end, end)]
                self.left[number : number + 1] = [span for span in cut if span[0] < span[1]]
                return
        raise ProtocolError


class MachineSlot:
    """A machine with so many processes, its messages, and the parts that it has to play."""

    def __init__(self, name: str, processes: int) -> None:
        self.name = name
        self.processes = processes
        self.is_at_work = False
        self.has_played = False
        self.given: dict[Block, OpenBlock] = {}
        self._frames: Frames[FromMachine] = Frames(decoder(FromMachine))
        self._tables = 0  # that have been sent, and not been answered
        self._last_message_at = 0.0
        self._started_at = 0.0
        self._played = 0

    def begin_table(self) -> None:
        """Note that another table has been sent; what the machine played before is void."""
        self._tables += 1
        self.is_at_work = False
        self._last_message_at = time.monotonic()
        self.given.clear()
        self._started_at, self._played = 0.0, 0

    def messages(self, content: bytes) -> Iterator[FromMachine]:
        """The messages about its table that are complete now. Raises ProtocolError."""
        self._last_message_at = time.monotonic()
        for message in self._frames.messages_in(content):
            if isinstance(message, Ready | TableRefused):
                self._end_wait()
            if not self._tables:  # else it is about an earlier table
                yield message

    def _end_wait(self) -> None:
        if not self._tables:
            raise ProtocolError
        self._tables -= 1

    @property
    def silence(self) -> str:
        """What it does not do, with the limit that has passed; empty while all is well."""
        what, limit = ("answered", _SILENCE) if self.given else ("got ready", _TO_GET_READY)
        is_awaited = bool(self.given or self._tables)
        if not is_awaited or time.monotonic() - self._last_message_at <= limit:
            return ""
        return f"it has not {what} for {limit:g} s"

    @property
    def bundle(self) -> int:
        """The number of blocks that it plays in the time of a bundle, by its pace so far."""
        passed = max(time.monotonic() - self._started_at, _SOON)
        pace = self._played / passed
        return max(self.processes, round(_BUNDLE * pace))

    @property
    def load(self) -> float:
        """The number of bundles that it has."""
        return len(self.given) / self.bundle

    @property
    def is_hungry(self) -> bool:
        """Whether it should get another bundle."""
        return self.is_at_work and self.load <= _WINDOW - 1

    def give(self, parts: list[OpenBlock]) -> None:
        """Add parts that it has to play."""
        now = time.monotonic()
        self._started_at = self._started_at or now
        self._last_message_at = self._last_message_at if self.given else now
        self.given.update((part.block, part) for part in parts)

    def finish(self, message: BundlePlayed, orders: int) -> Iterator[PartResult]:
        """The results in a message. Raises ProtocolError for results of other deals."""
        self.has_played |= bool(message.parts)
        for block, result in message.parts:
            if part := self.given.get(block):  # else it is void by now
                yield self._result(part, result, orders)

    def _result(self, part: OpenBlock, result: BlockResult, orders: int) -> PartResult:
        is_same_group = result.block.group == part.block.group
        if not (is_same_group and is_result_of(result, result.block, orders)):
            raise ProtocolError
        part.played(result.block)
        if not part.left:
            del self.given[part.block]
            self._played += 1
        return PartResult(result, part.full_block)

    def drop(self, void: Callable[[Group], bool]) -> set[Group]:
        """Remove the blocks of void groups, and return those groups."""
        dropped = [block for block in self.given if void(block.group)]
        for block in dropped:
            del self.given[block]
        return {block.group for block in dropped}


_PULSE = 0.05  # seconds
_SILENCE = 30.0  # seconds without a message of a machine that plays, which sends one each second
_TO_GET_READY = 330.0  # seconds without a message of one that compiles, which may take 300
_LOST_IN_TURN = 20  # machines lost without a result between them, before the run fails
_MAX_REASON_LENGTH = 1000  # characters


class ClusterTable(msgspec.Struct, frozen=True):
    """What the machines play: a table, and where to report what happens at it."""

    message: SetTable
    bots: BotFacts
    observer: RunObserver


class ClusterPool:
    """Plays streams of blocks on the machines of a cluster. Use it as a context manager.

    `set_table` sends another table to the machines; they stay otherwise as they are.
    """

    def __init__(self, line: BridgeConnection, table: ClusterTable, wait: float) -> None:
        self._line = line
        self._table = table
        self._wait = wait  # seconds, for a machine that can play
        self._slots: dict[str, MachineSlot] = {}
        self._silent: dict[str, MachineSlot] = {}
        self._refused: dict[str, str] = {}
        self._queue = PartQueue()
        self._lost_in_turn = 0
        self._inspected: set[str] = set()  # machines whose first look has not ended
        self._give_up_at = inf  # until the cluster has been reached, which Dask limits

    def __enter__(self) -> "ClusterPool":
        self._line.__enter__()
        self._report_size()
        return self

    def __exit__(self, *problem: object) -> None:
        self._line.__exit__(*problem)

    def set_table(self, table: ClusterTable) -> None:
        """Play another table from now on; what was to be played at the last one is dropped."""
        self._table = table
        self._queue = PartQueue()
        for slot in self._slots.values():
            self._send_table(slot)
        self._report_size()

    def _send_table(self, slot: MachineSlot) -> None:
        slot.begin_table()
        self._line.send(slot.name, self._table.message)

    def play(
        self, blocks: Iterator[Block], meanwhile: Callable[[], None] = lambda: None
    ) -> Iterator[PartResult]:
        """See `BlockPool`. Also raises ClusterError when the cluster ends."""
        self._queue = PartQueue(blocks)
        while self._queue or any(slot.given for slot in self._slots.values()):
            shutdown.check()
            self._give_out()
            for message in self._line.messages(_PULSE):
                yield from self._handle(message)
            self._leave_out_silent()
            self._check_machines()
            meanwhile()

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Drop the blocks of void groups, whether they are being played or queued."""
        self._queue.drop(void)
        for slot in self._slots.values():
            if groups := slot.drop(void):
                self._line.send(slot.name, DropGroups(tuple(groups)))

    def _give_out(self) -> None:
        """Send bundles to the machines that need one, those with the least load first."""
        while waiting := [slot for slot in self._slots.values() if slot.is_hungry]:
            slot = min(waiting, key=lambda slot: slot.load)
            parts = self._queue.bundle(slot.bundle, self._at_work())
            if not parts:
                return
            slot.give(parts)
            self._line.send(slot.name, PlayBlocks(tuple(part.block for part in parts)))

    def _at_work(self) -> int:
        return sum(slot.is_at_work for slot in self._slots.values())

    # Messages received

    def _handle(self, message: FromBridge) -> Iterator[PartResult]:
        if isinstance(message, ReceivedFrom):
            yield from self._handle_received(message)
        elif isinstance(message, ClusterReached):
            self._inspected = set(message.machines)
            self._give_up_at = time.monotonic() + self._wait
        elif isinstance(message, MachineJoined):
            self._inspected.discard(message.machine)
            self._add_slot(MachineSlot(message.machine, message.processes))
        elif isinstance(message, MachineLost):
            self._lose(message)
        elif isinstance(message, MachineUnusable):
            self._refuse(message.machine, message.why)
        else:
            raise ClusterError(self._end_message(message))

    def _end_message(self, lost: ClusterEnded) -> str:
        where = self._line.cluster
        if lost.was_there:
            return f"The cluster at {where} has ended: {lost.why}.{shutdown.end_message()}"
        return f"The cluster at {where} {lost.why}."

    def _handle_received(self, received: ReceivedFrom) -> Iterator[PartResult]:
        if silent := self._silent.pop(received.machine, None):
            self._add_slot(silent)
        if (slot := self._slots.get(received.machine)) is None:
            return  # the machine has been refused
        try:
            for message in slot.messages(received.content):
                yield from self._handle_machine_message(slot, message)
        except ProtocolError:
            self._refuse(
                received.machine, "invalid message from this machine (possibly written by a bot)"
            )

    def _handle_machine_message(
        self, slot: MachineSlot, message: FromMachine
    ) -> Iterator[PartResult]:
        if isinstance(message, BundlePlayed):
            yield from slot.finish(message, len(self._table.bots.orders))
        elif isinstance(message, LogText):
            self._table.bots.logs.add(message.bot, message.text)
        elif isinstance(message, Ready):
            slot.is_at_work = True
            self._report_size()
        elif isinstance(message, TableRefused):
            self._refuse(slot.name, message.text)
        else:
            self._raise_failure(slot, message)

    def _raise_failure(
        self,
        slot: MachineSlot,
        message: BotBuildFailed | BotsDisturb | GameFailed | WorkerBroken,
    ) -> None:
        """End the run with the error that a worker of this machine would raise."""
        if isinstance(message, BotsDisturb):
            if not message.bots or not {*message.bots} <= {*range(len(self._table.bots.prepared))}:
                raise ProtocolError
            what = in_a_line(message.what, _MAX_REASON_LENGTH)
            raise InterpreterDisturbed(message.bots, what)
        if isinstance(message, BotBuildFailed):
            raise BotNotBuilt(message.bot, message.others, message.text)
        if isinstance(message, GameFailed):
            raise GameError(message.text)
        raise WorkerPoolError(f"on the machine {slot.name}: {message.report}")

    # Machines that leave

    def _lose(self, lost: MachineLost) -> None:
        """Queue the parts of a lost machine again; the machine may come back."""
        self._refused.pop(lost.machine, None)
        self._silent.pop(lost.machine, None)
        self._inspected.discard(lost.machine)
        if (slot := self._remove_slot(lost.machine)) is None:
            return
        self._lost_in_turn = 0 if slot.has_played else self._lost_in_turn + 1
        if self._lost_in_turn == _LOST_IN_TURN:
            why = f"{_LOST_IN_TURN} machines in turn were lost before they had played anything"
            raise ClusterError(f"{why}; the last was {lost.machine}: {lost.why}")

    def _refuse(self, machine: str, why: str) -> None:
        """Exclude a machine, and report why, once."""
        self._inspected.discard(machine)
        self._remove_slot(machine)
        reason = in_a_line(why, _MAX_REASON_LENGTH)
        if self._refused.get(machine) != reason:
            self._refused[machine] = reason
            self._table.observer.on_notice(
                f"The machine {machine} does not play: {reason.rstrip('.')}."
            )

    def _leave_out_silent(self) -> None:
        """Queue the parts of silent machines again, until they send something."""
        for slot in [slot for slot in self._slots.values() if slot.silence]:
            self._refuse(slot.name, slot.silence)
            self._silent[slot.name] = slot

    def _check_machines(self) -> None:
        """Raise ClusterError when no machine has been able to play for too long."""
        if self._slots or self._inspected or time.monotonic() < self._give_up_at:
            return
        reasons = "".join(f"\n  {machine}: {why}" for machine, why in self._refused.items())
        nobody = f" none has answered within {self._wait:g} s; --cluster-wait SECONDS waits longer"
        raise ClusterError(f"No machine of {self._line.cluster} can play:{reasons or nobody}")

    def _add_slot(self, slot: MachineSlot) -> None:
        """Add a machine that may play, and send it the table."""
        self._refused.pop(slot.name, None)
        self._slots[slot.name] = slot
        self._send_table(slot)

    def _remove_slot(self, machine: str) -> MachineSlot | None:
        """Remove a machine's slot, queue its parts again, and return it."""
        slot = self._slots.pop(machine, None)
        if slot is not None:
            self._give_up_at = time.monotonic() + self._wait
            self._queue.take_back(slot.given.values())
            self._report_size()
        return slot

    def _report_size(self) -> None:
        at_work = [slot for slot in self._slots.values() if slot.is_at_work]
        self._table.observer.on_cluster(len(at_work), sum(slot.processes for slot in at_work))


_SHARES = 2
"""Of the parts ahead a machine gets at most the share that it would get if all machines took two
bundles each. So the last bundles become small, and all machines end at the same time."""


class PartQueue:
    """The parts to be played: those taken back from machines first, then those of a schedule."""

    def __init__(self, blocks: Iterable[Block] = ()) -> None:
        self._blocks = iter(blocks)
        self._parts: deque[OpenBlock] = deque()

    def __bool__(self) -> bool:
        self._look_ahead(1)
        return bool(self._parts)

    def bundle(self, size: int, machines: int) -> list[OpenBlock]:
        """The next parts for one of `machines`: `size` of them, fewer near the end."""
        self._look_ahead(_SHARES * machines * size)
        share = -(-len(self._parts) // (_SHARES * machines))
        return [self._parts.popleft() for _ in range(min(size, share))]

    def take_back(self, parts: Iterable[OpenBlock]) -> None:
        """Put what these parts are missing at the front."""
        self._parts.extendleft([missing for part in parts for missing in part.missing()][::-1])

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Remove the parts of void groups."""
        self._parts = deque(part for part in self._parts if not void(part.block.group))

    def _look_ahead(self, count: int) -> None:
        while len(self._parts) < count and (block := next(self._blocks, None)):
            self._parts.append(OpenBlock.of(block, block))
