"""Messages between a worker process and its parent: MessagePack, decoded as these types only.

Bots play in workers, and may write anything into the channel. So nothing that the parent receives
is trusted: the length, the types and the numbers of each message are checked.
"""

from itertools import chain
from typing import Any, TypeAlias

import msgspec

from cantstop_arena.deals.outcomes import (
    DIED,
    EXCEPTION,
    ILLEGAL,
    TOO_SLOW,
    Block,
    BlockResult,
    Fault,
    Tally,
    masks_in,
    win_units,
)
from cantstop_arena.deals.seatings import Group

_MAX_REPORT_LENGTH = 100_000  # characters of a traceback that are sent
_MAX_FAULT_LENGTH = 10_000  # characters of a fault's message
_MAX = 1 << 56  # of any count, so that sums over many blocks fit in 64 bits
_KINDS = (EXCEPTION, ILLEGAL, TOO_SLOW, DIED)


class Play(msgspec.Struct, tag=True, frozen=True):
    """From the parent: play this block; games in `forfeits` are lost unplayed.

    With `alone` games are played one after the other, though they can be in step.
    """

    block: Block
    forfeits: tuple[Fault, ...] = ()
    alone: bool = False


class Ready(msgspec.Struct, tag=True, frozen=True):
    """The worker has started, and accepts blocks."""


class Building(msgspec.Struct, tag=True, frozen=True):
    """A foreign bot is about to be built while a worker starts; it causes what happens next.

    None means that all of them are built.
    """

    bot: int | None


class BlockPlayed(msgspec.Struct, tag=True, frozen=True):
    """A block has been played."""

    result: BlockResult


class Disturbed(msgspec.Struct, tag=True, frozen=True):
    """The interpreter has changed for good, so that the block does not count.

    `bot` has done `what`, if it is known; faults of the `accused` in the block may be due to it.
    """

    what: str
    bot: int | None = None
    accused: Group = ()


class ReplayedEvent(msgspec.Struct, tag=True, frozen=True):
    """An event of a game that is replayed."""

    event: dict[str, Any]


class ReplayedFault(msgspec.Struct, tag=True, frozen=True):
    """A bot has misbehaved in a game that is replayed."""

    text: str


class GameLocation(msgspec.Struct, tag=True, frozen=True):
    """The answer to SIGUSR1: the line of the game's code that is running, empty if unknown."""

    text: str


class GameFailed(msgspec.Struct, tag=True, frozen=True):
    """The game's own code has failed; `text` is the message of the GameError."""

    text: str


class WorkerBroken(msgspec.Struct, tag=True, frozen=True):
    """The worker cannot continue; `report` is a traceback."""

    report: str


Message: TypeAlias = (
    Building
    | Ready
    | BlockPlayed
    | Disturbed
    | ReplayedEvent
    | ReplayedFault
    | GameLocation
    | GameFailed
    | WorkerBroken
)
"""What a worker may send."""


def worker_broken(report: str) -> WorkerBroken:
    """The message with a report, of which the last characters are kept if it is too long."""
    return WorkerBroken(report[-_MAX_REPORT_LENGTH:])


# --- Validation of results ------------------------------------------------------------------------


def is_result_of(result: BlockResult, block: Block, orders: int) -> bool:
    """Whether this is a possible result of a block, each deal played in so many orders."""
    return (
        result.block == block
        and len(result.tallies) == orders
        and all(_is_possible_tally(tally, block) for tally in result.tallies)
        and len({(tuple(tally.counts), tuple(tally.squares)) for tally in result.tallies}) == 1
        and _are_winners(result.winners, block.deals * orders, len(block.group))
        and len(result.measures) % (4 * block.deals) == 0
        and len(result.payoffs) in (0, 8 * block.deals * len(block.group))
        and len(result.fingerprints) in (0, 4 * block.deals)
        and all(_is_possible_fault(fault, block, orders) for fault in result.faults)
        and set(result.irreproducible) <= set(block.group)
        and len(result.device) <= _MAX_FAULT_LENGTH
        and (result.device.isprintable())
    )


def _are_winners(packed: bytes, games: int, seats: int) -> bool:
    try:
        return max(masks_in(packed, games)) < 1 << seats
    except ValueError:
        return False


def _is_possible_tally(tally: Tally, block: Block) -> bool:
    players = len(block.group)
    counts = [*tally.counts.values(), tally.wins]
    squares = tally.squares.values()
    deals = [deal for _, deal in (*tally.lengths.values(), *tally.highlights.values())]
    numbers = [*chain(*counts, squares)]
    return (
        tally.games == block.deals
        and sum(tally.wins)
        <= win_units(players) * block.deals  # less if games with one seat are lost
        and 0 <= tally.unfinished <= block.deals
        and 0 <= tally.forfeits <= block.deals
        and all(len(count) == players for count in counts)
        and -_MAX < min(numbers) <= max(numbers) < _MAX
        and min(chain(tally.wins, squares), default=0) >= 0
        and (not deals or block.first <= min(deals) <= max(deals) < block.end)
    )


def _is_possible_fault(fault: Fault, block: Block, orders: int) -> bool:
    return (
        fault.bot in block.group
        and fault.kind in _KINDS
        and len(fault.message) <= _MAX_FAULT_LENGTH
        and fault.message.isprintable()
        and sorted(fault.seating) == sorted(block.group)
        and block.first <= fault.deal < block.end
        and 0 < fault.count <= orders
    )
