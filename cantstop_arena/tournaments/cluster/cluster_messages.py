"""What the arena, its courier and machines tell each other: MessagePack, read as these types.

Machines hold bots, and a bot may get hold of the pipe of its machine. So what comes from there is
held against its types here, and against what was asked for in `machine_slot`.
"""

from typing import TypeAlias

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournaments.pool.worker_messages import GameFailed, WorkerBroken

MAX_ORDER_BYTES = 1 << 32
"""Bytes of what the arena says at once: a job holds the texts of all bots."""

# --- From the arena to a machine ------------------------------------------------------------------


class StartJob(msgspec.Struct, tag=True, frozen=True):
    """Get ready for this job, a pickled `Job`, if you are as the arena is by `versions`."""

    versions: dict[str, str]
    job: bytes


class PlayBlocks(msgspec.Struct, tag=True, frozen=True):
    """Play these blocks, after those that were named before."""

    blocks: tuple[Block, ...]


class DropGroups(msgspec.Struct, tag=True, frozen=True):
    """Forget the blocks of these groups."""

    groups: tuple[Group, ...]


ToMachine: TypeAlias = StartJob | PlayBlocks | DropGroups

# --- From a machine to the arena ------------------------------------------------------------------


class MachineReady(msgspec.Struct, tag=True, frozen=True):
    """Everything is compiled, and blocks may come."""


class JobRefused(msgspec.Struct, tag=True, frozen=True):
    """The job cannot be done here, and why."""

    text: str


class BundlePlayed(msgspec.Struct, tag=True, frozen=True):
    """Blocks that were asked for, and results of theirs, or of parts of them."""

    parts: tuple[tuple[Block, BlockResult], ...]


class LogText(msgspec.Struct, tag=True, frozen=True):
    """What a bot has printed since the last time."""

    bot: int
    text: bytes


class BotBuildFailed(msgspec.Struct, tag=True, frozen=True):
    """A bot could be built alone, and cannot in a worker that holds `others`."""

    bot: int
    others: tuple[int, ...]
    text: str


FromMachine: TypeAlias = (
    MachineReady | JobRefused | BundlePlayed | LogText | BotBuildFailed | GameFailed | WorkerBroken
)

# --- Between the arena and its courier ------------------------------------------------------------


class StartJobs(msgspec.Struct, tag=True, frozen=True):
    """What every machine is told first."""

    content: bytes


class SentTo(msgspec.Struct, tag=True, frozen=True):
    """For a machine."""

    machine: str
    content: bytes


ToBridge: TypeAlias = StartJobs | SentTo


class MachineJoined(msgspec.Struct, tag=True, frozen=True):
    """A machine is there, with so many processes, and has been told of the job."""

    machine: str
    processes: int


class ReceivedFrom(msgspec.Struct, tag=True, frozen=True):
    """Bytes of what a machine says."""

    machine: str
    content: bytes


class MachineLost(msgspec.Struct, tag=True, frozen=True):
    """A machine is no longer there, or its process is not, which may be started again."""

    machine: str
    why: str


class MachineUnusable(msgspec.Struct, tag=True, frozen=True):
    """A machine cannot even start the arena's process."""

    machine: str
    why: str


class ClusterEnded(msgspec.Struct, tag=True, frozen=True):
    """The cluster is not there, or no longer."""

    why: str
    was_there: bool


FromBridge: TypeAlias = MachineJoined | ReceivedFrom | MachineLost | MachineUnusable | ClusterEnded

to_machine = msgspec.msgpack.Decoder[ToMachine](ToMachine).decode
from_machine = msgspec.msgpack.Decoder[FromMachine](FromMachine).decode
to_bridge = msgspec.msgpack.Decoder[ToBridge](ToBridge).decode
from_bridge = msgspec.msgpack.Decoder[FromBridge](FromBridge).decode
