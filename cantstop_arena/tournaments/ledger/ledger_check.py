"""Validation of the rows of a ledger; problems are described as text."""

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from cantstop_arena.deals.outcomes import Fault, Tally, win_units
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.tournaments.ledger.row_codec import (
    MEASURED,
    decompressed,
    faults_in,
    group_in,
    tallies_in,
    text,
    winners_in,
)

_MAX_DEALS = 10**12  # of a group: the maximum number of games of a tournament


class OldRow(NamedTuple):
    """A row of a ledger of version 4 or 5."""

    first: int
    bots: str
    deals: int
    tallies: bytes
    winners: bytes
    measures: bytes
    faults: str
    irreproducible: str


class LedgerCheck:
    """Checks rows against a tournament's identity, with each deal played in these orders.

    `out` are the disqualified bots.
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

    def block(self, row: OldRow) -> str:
        """What is wrong with a block, as text; empty when it is valid for the tournament."""
        return _first(self._problems(row))

    def disqualification_problem(self, bot: object, faults: object) -> str:
        """What is wrong with the row of a disqualified bot, as text; empty when it is valid."""
        if type(bot) is not int or bot not in self._bots:
            return f"there is no bot {bot!r}"
        return _first(
            self._wrong_fault(fault, None, 0, _MAX_DEALS)
            for fault in faults_in(_text(faults, "the faults"))
        )

    def _problems(self, row: OldRow) -> Iterator[str]:
        yield from self._wrong_key(row)
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
        for fault in faults_in(_text(row.faults, "the faults")):
            yield self._wrong_fault(fault, group, row.first, end)
        if not set(group_in(_text(row.irreproducible, "irreproducible"))) <= set(group):
            yield f"the bots that are irreproducible, {row.irreproducible}, did not play"

    def _wrong_key(self, row: OldRow) -> Iterator[str]:
        for name, value, span in (
            ("first deal", row.first, range(_MAX_DEALS)),
            ("number of deals", row.deals, range(1, _MAX_DEALS + 1)),
        ):
            if type(value) is not int or value not in span:
                yield f"the {name} is {value!r:.40}"
        yield self.wrong_group(row.bots)

    def wrong_group(self, bots: object) -> str:
        """Why these bots cannot be a group of the tournament; empty when they can."""
        group = group_in(_text(bots, "the group"))
        if not all(bot in self._bots for bot in group):
            return f"there are no such bots as {bots!r:.40}"
        if len(group) != self._players or len(set(group)) != len(group):
            return f"{bots} is no group of {self._players} bots"
        if self._groups and group not in self._groups:
            return f"the group {bots} does not meet"
        out = sorted(self._out.intersection(group))
        return f"bot {out[0]}, who plays in it, is disqualified" if out else ""

    def _wrong_measures(self, row: OldRow, orders: int) -> Iterator[str]:
        measures = _blob(row.measures, row.deals * 4 * 256, "the measures")
        if bool(measures) != self._measured or len(measures) % (4 * row.deals):
            yield f"there are {len(measures)} bytes of measures for {row.deals} deals"
        elif self._measured:
            table = np.frombuffer(measures, MEASURED).reshape(row.deals, -1)
            if (table[:, 0] > orders).any() or (table[:, 1] > table[:, 0]).any():
                yield "the measures tell of more games than there were"

    def _wrong_fault(self, fault: Fault, group: Group | None, first: int, end: int) -> str:
        seating = list(fault.seating)
        if fault.bot not in seating or (group is not None and sorted(seating) != sorted(group)):
            return f"a fault of bot {fault.bot} in the seating {seating}"
        if self.wrong_group(text(sorted(seating))) and group is not None:
            return f"a fault in the seating {seating}"
        if fault.deal not in range(first, end) or fault.count < 1:
            return f"a fault in deal {fault.deal}, {fault.count} times"
        return ""


def _first(wrongs: Iterator[str]) -> str:
    """The first of these problems; errors raised by values of unexpected types count, too."""
    try:
        return next(filter(None, wrongs), "")
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as e:
        return str(e) or type(e).__name__
    except zlib.error:
        return "what is packed cannot be unpacked"


def _text(value: object, what: str) -> str:
    if type(value) is not str:
        raise ValueError(f"{what}: {value!r:.60} is no text")
    return value


def _bytes(value: object, what: str) -> bytes:
    if type(value) is not bytes:
        raise ValueError(f"{what}: {value!r:.60} is nothing packed")
    return value


def _blob(value: object, max_bytes: int, what: str) -> bytes:
    return decompressed(_bytes(value, what), max_bytes)


def _wrong_winners(masks: Bytes, players: int) -> Iterator[str]:
    if not 1 <= masks.min() <= masks.max() < 1 << players:
        yield "seats have won that there are not"


def _wrong_tally(tally: Tally, masks: Bytes, first: int, end: int, players: int) -> Iterator[str]:
    won = Counter(masks.tolist())
    wins = tuple(
        sum(
            win_units(players) // mask.bit_count() * n
            for mask, n in won.items()
            if mask >> seat & 1
        )
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
    lengths = [games for games, _ in tally.lengths.values()]
    if sum(lengths) != tally.games - tally.forfeits or min(lengths, default=0) < 0:
        yield "its lengths tell of another number of games"
    deals = [deal for _, deal in (*tally.lengths.values(), *tally.highlights.values())]
    if not all(type(deal) is int and first <= deal < end for deal in deals):
        yield "it tells of games that it has not"
