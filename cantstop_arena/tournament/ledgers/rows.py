"""The rows of a ledger: how they are written, and what they can say and what not.

A row is sealed when it is written: a hash of it and of the tournament, which shows whether it is
still what was written. A row that is not, or that was written before there were seals, is held
against the tournament in all its parts (`Examiner`), and told by what is wrong with it.
"""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import asdict

from cantstop_arena.deals import winners
from cantstop_arena.deals.outcomes import BlockResult, Fault, Tally
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.shares import whole

MOST_DEALS = 10**12  # of a group, as many as a tournament can have games
_MOST_TEXT = 1 << 24  # bytes of tallies, unpacked
_FAULT = {"bot": int, "kind": str, "message": str, "seating": list, "deal": int, "count": int}

MEASURED = "<i4"  # counts of a deal, all its games and seats added up


class Row(NamedTuple):
    """A block as it stands in the ledger."""

    first: int
    bots: str
    deals: int
    tallies: bytes
    winners: bytes
    measures: bytes
    faults: str
    irreproducible: str


# Writing --------------------------------------------------------------------------------------


def row_of(result: BlockResult) -> Row:
    """What is written down of a block."""
    return Row(
        result.block.first,
        text(result.block.group),
        result.block.deals,
        zlib.compress(_ENCODER.encode([*map(_as_row, result.tallies)]), 1),
        result.winners,
        zlib.compress(result.measures, 1),
        faults_text(result.faults),
        text(result.irreproducible),
    )


def text(value: object) -> str:
    """As JSON, without spaces."""
    return json.dumps(value, separators=(",", ":"))


def faults_text(faults: Iterable[Fault]) -> str:
    """Faults, as JSON."""
    return text([asdict(fault) for fault in faults])


def seal_of(identity: str, row: Sequence[object]) -> bytes:
    """What shows that a row is what was written of the tournament with this identity."""
    told = [part if type(part) is bytes else repr(part).encode() for part in row]
    seal = _begun(identity).copy()
    lengths = ",".join([str(len(part)) for part in told])
    seal.update(b"".join((lengths.encode(), b":", *told)))
    return seal.digest()


@lru_cache(maxsize=16)
def _begun(identity: str) -> "hashlib.blake2b":
    return hashlib.blake2b(identity.encode(), digest_size=16)


class _TallyRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A tally as a list; of `lengths` each class, its games, and the first deal with one."""

    games: int
    wins: tuple[int, ...]
    unfinished: int
    forfeits: int
    counts: Mapping[str, tuple[int, ...]]
    squares: Mapping[str, int]
    lengths: list[tuple[int, int, int]]
    telling: Mapping[str, tuple[int, int]]


# Sorted: a block that was played in parts, and put together, has to give the same bytes.
_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(list[_TallyRow])


def _as_row(tally: Tally) -> _TallyRow:
    return _TallyRow(
        *(tally.games, tally.wins, tally.unfinished, tally.forfeits, tally.counts, tally.squares),
        [(number, games, deal) for number, (games, deal) in sorted(tally.lengths.items())],
        tally.telling,
    )


# Reading --------------------------------------------------------------------------------------


def group_in(bots: str) -> Group:
    """The group of a row."""
    return tuple(json.loads(bots))


def faults_in(faults: str) -> list[Fault]:
    """The faults of a row."""
    return [Fault(**{**one, "seating": tuple(one["seating"])}) for one in json.loads(faults)]


def tallies_in(packed: bytes) -> list[Tally]:
    """The tallies of a row, a seating each."""
    try:
        return [*map(_tally, _DECODER.decode(unpacked(packed, _MOST_TEXT)))]
    except msgspec.DecodeError as error:
        raise ValueError(f"its tallies are none: {error}") from None


def _tally(row: _TallyRow) -> Tally:
    lengths = {number: (games, deal) for number, games, deal in row.lengths}
    return Tally(
        *(row.games, row.wins, row.unfinished, row.forfeits, row.counts, row.squares),
        lengths,
        row.telling,
    )


def winners_in(packed: bytes, games: int) -> Bytes:
    """The winners of a row. Raises ValueError where these are not those of so many games.

    Ledgers of 0.2 and before have them as zlib packs them, a byte each.
    """
    if packed[:1] == winners.MARK:
        return winners.unpacked(packed, games)
    masks = np.frombuffer(unpacked(packed, games), np.uint8)
    if len(masks) != games:
        raise ValueError(f"it has winners of {len(masks)} games, not of {games}")
    return masks


def unpacked(packed: bytes, most: int) -> bytes:
    """What was compressed, if it is no more than so many bytes. Raises ValueError if it is."""
    unpacker = zlib.decompressobj()
    found = unpacker.decompress(packed, most + 1)
    if len(found) > most or not unpacker.eof or unpacker.unused_data:
        raise ValueError("what is packed has another length than it should")
    return found


# Examining ------------------------------------------------------------------------------------


class Examiner:
    """Holds rows against a tournament's identity, each deal played in these orders.

    `out` are the bots that are disqualified.
    """

    def __init__(
        self, identity: Mapping[str, Any], orders: Orders, out: Iterable[int] = ()
    ) -> None:
        self._players = identity.get("players", 0)
        self._orders = len(orders)
        self._bots = range(len(identity.get("bots", ())))
        self._groups = {tuple(group) for group in identity.get("lineups", ())}
        self._measured = bool(identity.get("measured"))
        self._out = set(out)

    def block(self, row: Row) -> str:
        """What is wrong with a block, in words; nothing where it can be one of the tournament."""
        return _first(self._wrong_with(row))

    def sentence(self, bot: object, faults: object) -> str:
        """What is wrong with what is said of a bot that is out."""
        if type(bot) is not int or bot not in self._bots:
            return f"there is no bot {bot!r}"
        return _first(
            self._wrong_fault(one, None, 0, MOST_DEALS) for one in _json(faults, "the faults")
        )

    def _wrong_with(self, row: Row) -> Iterator[str]:
        yield from self._wrong_place(row)
        group, end = group_in(row.bots), row.first + row.deals
        orders = self._orders
        masks = winners_in(_bytes(row.winners, "the winners"), row.deals * orders)
        yield from _wrong_winners(masks, self._players)
        rows = tallies_in(_bytes(row.tallies, "the tallies"))
        if len(rows) != orders:
            yield f"it has {len(rows)} tallies for {orders} seatings"
        columns = masks.reshape(row.deals, orders).T
        for column, tally in zip(columns, rows, strict=True):
            yield from _wrong_tally(tally, column, row.first, end, self._players)
        yield from self._wrong_measures(row, orders)
        for one in _json(row.faults, "the faults"):
            yield self._wrong_fault(one, group, row.first, end)
        if not set(_json(row.irreproducible, "irreproducible")) <= set(group):
            yield f"the bots that are irreproducible, {row.irreproducible}, did not play"

    def _wrong_place(self, row: Row) -> Iterator[str]:
        for name, value, span in (
            ("first deal", row.first, range(MOST_DEALS)),
            ("number of deals", row.deals, range(1, MOST_DEALS + 1)),
        ):
            if type(value) is not int or value not in span:
                yield f"the {name} is {value!r:.40}"
        yield self.wrong_group(row.bots)

    def wrong_group(self, bots: object) -> str:
        """Why these bots cannot have met."""
        group = tuple(_json(bots, "the group"))
        if not all(type(bot) is int and bot in self._bots for bot in group):
            return f"there are no such bots as {bots!r:.40}"
        if len(group) != self._players or len(set(group)) != len(group):
            return f"{bots} is no group of {self._players} bots"
        if self._groups and group not in self._groups:
            return f"the group {bots} does not meet"
        out = sorted(self._out.intersection(group))
        return f"bot {out[0]}, who plays in it, is disqualified" if out else ""

    def _wrong_measures(self, row: Row, orders: int) -> Iterator[str]:
        measures = _blob(row.measures, row.deals * 4 * 256, "the measures")
        if bool(measures) != self._measured or len(measures) % (4 * row.deals):
            yield f"there are {len(measures)} bytes of measures for {row.deals} deals"
        elif self._measured:
            table = np.frombuffer(measures, MEASURED).reshape(row.deals, -1)
            if (table[:, 0] > orders).any() or (table[:, 1] > table[:, 0]).any():
                yield "the measures tell of more games than there were"

    def _wrong_fault(self, one: Any, group: Group | None, first: int, end: int) -> str:
        if type(one) is not dict or {name: type(value) for name, value in one.items()} != _FAULT:
            return f"{one!r:.60} is no fault"
        seating = one["seating"]
        if one["bot"] not in seating or (group is not None and sorted(seating) != sorted(group)):
            return f"a fault of bot {one['bot']} in the seating {seating}"
        if self.wrong_group(text(sorted(seating))) and group is not None:
            return f"a fault in the seating {seating}"
        if one["deal"] not in range(first, end) or one["count"] < 1:
            return f"a fault in deal {one['deal']}, {one['count']} times"
        return ""


def _first(wrongs: Iterator[str]) -> str:
    """The first of these words; values of a kind that nobody expected are wrong, too."""
    try:
        return next(filter(None, wrongs), "")
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as e:
        return str(e) or type(e).__name__
    except zlib.error:
        return "what is packed cannot be unpacked"


def _json(value: object, what: str) -> list[Any]:
    found = json.loads(value) if type(value) is str else None
    if type(found) is not list:
        raise ValueError(f"{what}: {value!r:.60} is no list")
    return found


def _bytes(value: object, what: str) -> bytes:
    if type(value) is not bytes:
        raise ValueError(f"{what}: {value!r:.60} is nothing packed")
    return value


def _blob(value: object, most: int, what: str) -> bytes:
    return unpacked(_bytes(value, what), most)


def _wrong_winners(masks: Bytes, players: int) -> Iterator[str]:
    if not 1 <= masks.min() <= masks.max() < 1 << players:
        yield "seats have won that there are not"


def _wrong_tally(tally: Tally, masks: Bytes, first: int, end: int, players: int) -> Iterator[str]:
    won = Counter(masks.tolist())
    wins = tuple(
        sum(whole(players) // mask.bit_count() * n for mask, n in won.items() if mask >> seat & 1)
        for seat in range(players)
    )
    if (tally.games, tally.wins) != (len(masks), wins):
        yield "its tallies are not what its winners won"
    if not 0 <= tally.unfinished + tally.forfeits <= tally.games:
        yield f"{tally.unfinished} unfinished games and {tally.forfeits} forfeits"
    if any(len(values) != players for values in tally.counts.values()):
        yield "counts for another number of seats"
    numbers = [number for values in tally.counts.values() for number in values]
    squares = tally.squares.values()
    if not all(type(n) is int for n in [*numbers, *squares]) or min(squares, default=0) < 0:
        yield "its counts are not all whole numbers"
    if tally.counts.keys() != tally.squares.keys():
        yield "its counts have other names than their squares"
    lengths = [found for found, _ in tally.lengths.values()]
    if sum(lengths) != tally.games - tally.forfeits or min(lengths, default=0) < 0:
        yield "its lengths tell of another number of games"
    deals = [deal for _, deal in (*tally.lengths.values(), *tally.telling.values())]
    if not all(type(deal) is int and first <= deal < end for deal in deals):
        yield "it tells of games that it has not"
