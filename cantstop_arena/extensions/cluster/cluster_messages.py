"""Messages between the arena, the Dask bridge and machines: MessagePack, decoded as these types.

Machines run bots, and a bot may get hold of the pipe of its machine. So messages from machines are
checked twice: their types here, and their values against the requested blocks in `cluster_pool`.
"""

from typing import TypeAlias

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournaments.pool.worker_messages import GameFailed, Ready, WorkerBroken

MAX_ORDER_BYTES = 1 << 32
"""Maximum size of a message from the arena, in bytes: a job holds the sources of all bots."""

# --- From the arena to a machine ------------------------------------------------------------------


class SetTable(msgspec.Struct, tag=True, frozen=True):
    """Play the blocks that follow at the table of this job, a pickled `Job`, or refuse it.

    What is left to be played at an earlier table is dropped.
    """

    job: bytes


class PlayBlocks(msgspec.Struct, tag=True, frozen=True):
    """Play these blocks, after those of earlier messages."""

    blocks: tuple[Block, ...]


class DropGroups(msgspec.Struct, tag=True, frozen=True):
    """Remove the blocks of these groups from the queue."""

    groups: tuple[Group, ...]


ToMachine: TypeAlias = SetTable | PlayBlocks | DropGroups

# --- From a machine to the arena ------------------------------------------------------------------


class TableRefused(msgspec.Struct, tag=True, frozen=True):
    """The machine cannot play at this table, for the reason in `text`. Else it is `Ready`."""

    text: str


class BundlePlayed(msgspec.Struct, tag=True, frozen=True):
    """Blocks that were requested, each with its result or that of a part of it.

    A machine that plays sends one at least every few seconds, without results if there are none.
    """

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
    Ready
    | TableRefused
    | BundlePlayed
    | LogText
    | BotBuildFailed
    | BotsDisturb
    | GameFailed
    | WorkerBroken
)

# --- Between the arena and the bridge -------------------------------------------------------------


class FirstLook(msgspec.Struct, tag=True, frozen=True):
    """An expression that every machine evaluates first, and the expected value: facts by name.

    Nothing else is sent to a machine that has another value. If a bot needs a sandbox, it is the
    bot `isolated`.
    """

    question: str
    facts: dict[str, str]
    isolated: str = ""


class SentTo(msgspec.Struct, tag=True, frozen=True):
    """A message to pass on to a machine."""

    machine: str
    content: bytes


ToBridge: TypeAlias = FirstLook | SentTo


class ClusterReached(msgspec.Struct, tag=True, frozen=True):
    """The scheduler has been reached, and the first look at its machines has begun."""

    machines: tuple[str, ...]


class MachineJoined(msgspec.Struct, tag=True, frozen=True):
    """A machine has joined with so many processes, and waits for a table."""

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
