"""Messages between the arena, the Dask bridge and machines: MessagePack, decoded as these types.

Machines run bots, and a bot may get hold of the pipe of its machine. So messages from machines are
checked twice: their types here, and their values against the requested blocks in `cluster_pool`.
"""

from typing import TypeAlias

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournaments.pool.worker_messages import GameFailed, WorkerBroken

MAX_ORDER_BYTES = 1 << 32
"""Maximum size of a message from the arena, in bytes: a job holds the sources of all bots."""

# --- From the arena to a machine ------------------------------------------------------------------


class StartJob(msgspec.Struct, tag=True, frozen=True):
    """Prepare this job, a pickled `Job`, or refuse it."""

    job: bytes


class PlayBlocks(msgspec.Struct, tag=True, frozen=True):
    """Play these blocks, after those of earlier messages."""

    blocks: tuple[Block, ...]


class DropGroups(msgspec.Struct, tag=True, frozen=True):
    """Remove the blocks of these groups from the queue."""

    groups: tuple[Group, ...]


ToMachine: TypeAlias = StartJob | PlayBlocks | DropGroups

# --- From a machine to the arena ------------------------------------------------------------------


class MachineReady(msgspec.Struct, tag=True, frozen=True):
    """Everything is compiled; the machine accepts blocks."""


class JobRefused(msgspec.Struct, tag=True, frozen=True):
    """The machine cannot play this job, for the reason in `text`."""

    text: str


class BundlePlayed(msgspec.Struct, tag=True, frozen=True):
    """Blocks that were requested, each with its result or that of a part of it."""

    parts: tuple[tuple[Block, BlockResult], ...]


class LogText(msgspec.Struct, tag=True, frozen=True):
    """What a bot has printed since the last message."""

    bot: int
    text: bytes


class BotBuildFailed(msgspec.Struct, tag=True, frozen=True):
    """A bot could be built on its own, but not in a worker that holds `others`."""

    bot: int
    others: tuple[int, ...]
    text: str


class BotsDisturb(msgspec.Struct, tag=True, frozen=True):
    """One of these bots disturbs the process that they share: it does `what`."""

    bots: Group
    what: str


FromMachine: TypeAlias = (
    MachineReady
    | JobRefused
    | BundlePlayed
    | LogText
    | BotBuildFailed
    | BotsDisturb
    | GameFailed
    | WorkerBroken
)

# --- Between the arena and the bridge -------------------------------------------------------------


class FirstLook(msgspec.Struct, frozen=True):
    """An expression that every machine evaluates first, and the expected value: versions by name.

    Nothing else is sent to a machine that has other versions.
    """

    question: str
    versions: dict[str, str]


class StartJobs(msgspec.Struct, tag=True, frozen=True):
    """The first look at every machine, and the first message for those that fit."""

    look: FirstLook
    content: bytes


class SentTo(msgspec.Struct, tag=True, frozen=True):
    """A message to pass on to a machine."""

    machine: str
    content: bytes


ToBridge: TypeAlias = StartJobs | SentTo


class ClusterReached(msgspec.Struct, tag=True, frozen=True):
    """The scheduler has been reached; its machines follow."""


class MachineJoined(msgspec.Struct, tag=True, frozen=True):
    """A machine has joined with so many processes, and has received the job."""

    machine: str
    processes: int


class ReceivedFrom(msgspec.Struct, tag=True, frozen=True):
    """Bytes of messages from a machine."""

    machine: str
    content: bytes


class MachineLost(msgspec.Struct, tag=True, frozen=True):
    """A machine, or the arena's process on it, has ended. The process may be started again."""

    machine: str
    why: str


class MachineUnusable(msgspec.Struct, tag=True, frozen=True):
    """A machine cannot start the arena's process."""

    machine: str
    why: str


class ClusterEnded(msgspec.Struct, tag=True, frozen=True):
    """The cluster has ended, for the reason `why`.

    Without `was_there` it has not been reached: "The cluster at ADDRESS" begins that sentence.
    """

    why: str
    was_there: bool


FromBridge: TypeAlias = (
    ClusterReached | MachineJoined | ReceivedFrom | MachineLost | MachineUnusable | ClusterEnded
)

to_machine = msgspec.msgpack.Decoder[ToMachine](ToMachine).decode
from_machine = msgspec.msgpack.Decoder[FromMachine](FromMachine).decode
to_bridge = msgspec.msgpack.Decoder[ToBridge](ToBridge).decode
from_bridge = msgspec.msgpack.Decoder[FromBridge](FromBridge).decode
