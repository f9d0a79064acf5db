"""Encoding and decoding of the rows of a ledger.

Each row is stored with a seal: a hash of the row, its setting and its versions, which shows whether
the row is still as it was written.

A row may have its group in another order than a query: its columns are then turned. An `order` has,
for each bot of the new order, its position in the old one.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from cantstop_arena.deals.counting import Counts, stored_measures
from cantstop_arena.deals.outcomes import BlockResult, Fault, Tally
from cantstop_arena.deals.seatings import Group, Orders, lineups, pairs_of_positions

_MAX_TEXT = 1 << 24  # bytes of tallies, decompressed

FINGERPRINT = "<u4"
MEASURED = "<i4"  # counts of a deal, summed over all its games and seats


class LedgerRow(NamedTuple):
    """The row of a block in the ledger; bots are positions in its group.

    `payoffs` are empty in games without, `fingerprints` where something was drawn in every deal,
    `device` without batched bots.
    """

    first: int
    deals: int
    detail: int
    tallies: bytes
    winners: bytes
    measures: bytes
    payoffs: bytes
    fingerprints: bytes
    faults: str
    irreproducible: str
    device: str


# Writing --------------------------------------------------------------------------------------


def row_of(
    result: BlockResult, detail: int, convert: Callable[[Fault], Fault] = lambda fault: fault
) -> LedgerRow:
    """The row for a block's result; `convert` converts a fault to what does not change its row."""
    position = {bot: index for index, bot in enumerate(result.block.group)}
    faults = [
        replace(
            convert(fault),
            bot=position[fault.bot],
            seating=tuple(position[bot] for bot in fault.seating),
        )
        for fault in result.faults
    ]
    faults.sort(key=lambda fault: (fault.deal, fault.bot, fault.kind))
    return LedgerRow(
        result.block.first,
        result.block.deals,
        detail,
        packed_tallies(result.tallies),
        result.winners,
        zlib.compress(result.measures, 1),
        zlib.compress(result.payoffs, 1) if result.payoffs else b"",
        zlib.compress(result.fingerprints, 1) if result.fingerprints else b"",
        faults_text(faults),
        text(sorted(position[bot] for bot in result.irreproducible)),
        result.device,
    )


def packed_tallies(tallies: Iterable[Tally]) -> bytes:
    """The tallies of a row, one for each seating."""
    return zlib.compress(_ENCODER.encode([*map(_as_row, tallies)]), 1)


def text(value: object) -> str:
    """A value as JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))


def faults_text(faults: Iterable[Fault]) -> str:
    """Faults, as JSON."""
    return text([asdict(fault) for fault in faults])


def row_checksum(owner: str, row: Sequence[object]) -> bytes:
    """The seal of a row: BLAKE2b of its owner, the lengths of the values, and the values.

    The owner is the text of its setting and its versions.
    """
    parts = [part if type(part) is bytes else repr(part).encode() for part in row]
    seal = _owner_hash(owner).copy()
    lengths = ",".join([str(len(part)) for part in parts])
    seal.update(b"".join((lengths.encode(), b":", *parts)))
    return seal.digest()


@lru_cache(maxsize=16)
def _owner_hash(owner: str) -> "hashlib.blake2b":
    return hashlib.blake2b(owner.encode(), digest_size=16)


class _TallyRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A tally as a list; `lengths` has for each class its games and the first deal with one."""

    games: int
    wins: tuple[int, ...]
    unfinished: int
    forfeits: int
    counts: Mapping[str, tuple[int, ...]]
    squares: Mapping[str, int]
    lengths: list[tuple[int, int, int]]
    highlights: Mapping[str, tuple[int, int]]


# Sorted, so that a block that was played in parts and joined gives the same bytes.
_ENCODER = msgspec.json.Encoder(order="sorted")
_TALLIES_DECODER = msgspec.json.Decoder(list[_TallyRow])
_FAULTS_DECODER = msgspec.json.Decoder(list[Fault])
_GROUP_DECODER = msgspec.json.Decoder(Group)


def _as_row(tally: Tally) -> _TallyRow:
    return _TallyRow(
        *(tally.games, tally.wins, tally.unfinished, tally.forfeits, tally.counts, tally.squares),
        [(number, games, deal) for number, (games, deal) in sorted(tally.lengths.items())],
        tally.highlights,
    )


# Reading --------------------------------------------------------------------------------------


def group_in(bots: str) -> Group:
    """The group of a row, or its irreproducible bots. Raises ValueError."""
    try:
        return _GROUP_DECODER.decode(bots)
    except msgspec.DecodeError as error:
        raise ValueError(f"{bots!r:.60} is no list of bots: {error}") from None


def faults_in(faults: str) -> list[Fault]:
    """The faults of a row. Raises ValueError."""
    try:
        return _FAULTS_DECODER.decode(faults)
    except msgspec.DecodeError as error:
        raise ValueError(f"its faults are none: {error}") from None


def tallies_in(packed: bytes) -> list[Tally]:
    """The tallies of a row, one for each seating. Raises ValueError."""
    try:
        return [*map(_tally, _TALLIES_DECODER.decode(decompressed(packed, _MAX_TEXT)))]
    except msgspec.DecodeError as error:
        raise ValueError(f"its tallies are none: {error}") from None


def _tally(row: _TallyRow) -> Tally:
    lengths = {number: (games, deal) for number, games, deal in row.lengths}
    return Tally(
        *(row.games, row.wins, row.unfinished, row.forfeits, row.counts, row.squares),
        lengths,
        row.highlights,
    )


def fingerprints_in(packed: bytes, deals: int) -> NDArray[np.uint32]:
    """The fingerprints of so many deals; zeros where none are stored. Raises ValueError."""
    if not packed:
        return np.zeros(deals, FINGERPRINT)
    fingerprints = np.frombuffer(decompressed(packed, 4 * deals), FINGERPRINT)
    if len(fingerprints) != deals:
        raise ValueError(f"it has fingerprints of {len(fingerprints)} deals, not of {deals}")
    return fingerprints


def decompressed(packed: bytes, max_bytes: int) -> bytes:
    """The decompressed content. Raises ValueError when it has more than `max_bytes` bytes."""
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed, max_bytes + 1)
    if len(content) > max_bytes or not unpacker.eof or unpacker.unused_data:
        raise ValueError("what is packed has another length than it should")
    return content


def order_of(group: Group, stored: Group) -> Group:
    """The order that turns a row of the stored group into one of the same bots as `group`."""
    return tuple(stored.index(bot) for bot in group)


def seating_columns(orders: Orders, order: Group) -> slice | list[int]:
    """The old columns of the new seatings, where all of them are played."""
    if order == (1, 0):
        return slice(None, None, -1)  # without a copy
    columns = {seating: number for number, seating in enumerate(orders)}
    return [columns[seating] for seating in lineups(order, orders)]


def payoff_columns(order: Group) -> list[int]:
    """The old columns of the payoffs by position, and then of those by seat."""
    return [*order, *range(len(order), 2 * len(order))]


def measure_columns(counts: Counts, order: Group, has_luck: bool) -> list[int]:
    """The old columns of the counts of a deal and, with luck, of that by position and by seat."""
    players = len(order)
    pairs = pairs_of_positions(players) if counts.followed else ()
    end = len(stored_measures(counts, players))
    begin = end - len(pairs)
    columns = [*range(begin)]
    columns += [begin + pairs.index((order[index], order[after])) for index, after in pairs]
    if has_luck:
        columns += [
            *(end + position for position in order),
            *range(end + players, end + 2 * players),
        ]
    return columns
