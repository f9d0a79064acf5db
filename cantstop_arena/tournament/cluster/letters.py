"""What the arena, its courier and machines tell each other: MessagePack, read as these types.

Machines hold bots, and a bot may get hold of the pipe of its machine. So what comes from there is
held against its types here, and against what was asked for in `machine_slot`.
"""

from typing import TypeAlias

import msgspec

from cantstop_arena.deals.outcomes import Block, BlockResult
from cantstop_arena.deals.seatings import Group
from cantstop_arena.tournament.pool.messages import Broken, GameFailed

# --- From the arena to a machine ------------------------------------------------------------------


class Hire(msgspec.Struct, tag=True, frozen=True):
    """Get ready for this job, a pickled `Job`, if you are as the arena is by `versions`."""

    versions: dict[str, str]
    job: bytes


class Play(msgspec.Struct, tag=True, frozen=True):
    """Play these blocks, after those that were named before."""

    blocks: tuple[Block, ...]


class Drop(msgspec.Struct, tag=True, frozen=True):
    """Forget the blocks of these groups."""

    groups: tuple[Group, ...]


ToMachine: TypeAlias = Hire | Play | Drop

# --- From a machine to the arena ------------------------------------------------------------------


class AtWork(msgspec.Struct, tag=True, frozen=True):
    """Everything is compiled, and blocks may come."""


class Refused(msgspec.Struct, tag=True, frozen=True):
    """The job cannot be done here, and why."""

    text: str


class Done(msgspec.Struct, tag=True, frozen=True):
    """Blocks that were asked for, and results of theirs, or of parts of them."""

    parts: tuple[tuple[Block, BlockResult], ...]


class Printed(msgspec.Struct, tag=True, frozen=True):
    """What a bot has printed since the last time."""

    bot: int
    text: bytes


class NotBuilt(msgspec.Struct, tag=True, frozen=True):
    """A bot could be built alone, and cannot in a worker that holds `others`."""

    bot: int
    others: tuple[int, ...]
    text: str


FromMachine: TypeAlias = AtWork | Refused | Done | Printed | NotBuilt | GameFailed | Broken

# --- Between the arena and its courier ------------------------------------------------------------


class HireAll(msgspec.Struct, tag=True, frozen=True):
    """What every machine is told first."""

    content: bytes


class To(msgspec.Struct, tag=True, frozen=True):
    """For a machine."""

    machine: str
    content: bytes


ToCourier: TypeAlias = HireAll | To


class Joined(msgspec.Struct, tag=True, frozen=True):
    """A machine is there, with so many processes, and has been told of the job."""

    machine: str
    processes: int


class Said(msgspec.Struct, tag=True, frozen=True):
    """Bytes of what a machine says."""

    machine: str
    content: bytes


class Lost(msgspec.Struct, tag=True, frozen=True):
    """A machine is no longer there, or its process is not, which may be started again."""

    machine: str
    why: str


class Unfit(msgspec.Struct, tag=True, frozen=True):
    """A machine cannot even start the arena's process."""

    machine: str
    why: str


class Gone(msgspec.Struct, tag=True, frozen=True):
    """The cluster is not there, or no longer."""

    why: str
    was_there: bool


FromCourier: TypeAlias = Joined | Said | Lost | Unfit | Gone

to_machine = msgspec.msgpack.Decoder[ToMachine](ToMachine).decode
from_machine = msgspec.msgpack.Decoder[FromMachine](FromMachine).decode
to_courier = msgspec.msgpack.Decoder[ToCourier](ToCourier).decode
from_courier = msgspec.msgpack.Decoder[FromCourier](FromCourier).decode
