"""The part of a ledger that a query covers: disjoint rows of its groups, read as its games.

Above the ledger the bots of a group are in the order of the file: rows in another order are turned.
Nothing that is read here depends on rows of other queries, or on the order in which rows were
written.

`plan_of` says what is to be played for a query: how much of it a ledger has, and what it lacks.
"""

import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.bots.versions import displayed_path
from cantstop_arena.deals.outcomes import (
    BlockResult,
    Fault,
    Span,
    Tally,
    gaps,
    masks_in,
    sum_tallies,
    unbroken_prefix,
    unpacked,
)
from cantstop_arena.deals.payoff import STORED
from cantstop_arena.deals.sampling import Bytes
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes import shutdown
from cantstop_arena.tournaments.file.keys import FAULTS
from cantstop_arena.tournaments.ledger.ledger import Ledger, RowKey
from cantstop_arena.tournaments.ledger.ledger_query import LUCK_BY_STAKE, MEASURES, LedgerQuery
from cantstop_arena.tournaments.ledger.repeated_deals import different_deals, of_one_deal
from cantstop_arena.tournaments.ledger.row_codec import (
    MEASURED,
    faults_in,
    fingerprints_in,
    group_in,
    measure_columns,
    order_of,
    payoff_columns,
    row_of,
    seating_columns,
    tallies_in,
)
from cantstop_arena.tournaments.pool.blame import END, FaultCounter

StoredDeals: TypeAlias = tuple[Group, int, Bytes, NDArray[np.uint32]]
"""A block: its group, its first deal, the winners of its games (deals by seatings, masks of seats),
and the measures of its deals, if they are stored."""
PaidDeals: TypeAlias = tuple[Group, int, NDArray[np.int32]]
"""A block: its group, its first deal, and what its deals paid, by bot of the group, then seat."""
_ADDED_AT_ONCE = 256  # tallies of a seating; they take the memory of ten blocks' winners
_LOCATION = re.compile(r"\((.+):(\d+)\)$")
_NOTHING = "[]", "[]"  # faults of a row, and bots that are not reproducible
_FILE, _FOLDER = "\0file", "\0folder/"  # stand for the path of a bot's file, and for its folder


class Cover:
    """The rows that a query covers, of the first `deals` of each group.

    Groups of the methods are in the order of the file, those of blocks that are added in canonical
    order. Of groups that share their rows, as bots of one version do, the first one is the `owner`.
    """

    def __init__(self, ledger: Ledger, query: LedgerQuery, deals: int | None = None) -> None:
        self.ledger = ledger
        self.query = query
        self.end = query.deals if deals is None else deals
        self._ids = ledger.group_ids(query)
        self._keys = ledger.row_keys(self._ids.values())
        self._owners: dict[tuple[str, ...], Group] = {}
        for group in query.groups if query.has_copies else ():
            self._owners.setdefault(query.versions_of(group), group)
        self._rows = {group: self._disjoint(group) for group in query.groups}
        self._counter: FaultCounter | None = None
        self._fingerprints = ledger.fingerprints(self._ids.values())
        self._different: dict[Group, int | None] = {}

    def _disjoint(self, group: Group) -> list[RowKey]:
        keys = self.stored(group)
        if self.query.learns(group):
            lesson = self.query.lesson
            keys = [
                key
                for key in keys
                if key.first % lesson == 0 and (key.deals == lesson or key.end == self.end)
            ]
        return disjoint_rows(keys)

    def stored(self, group: Group) -> list[RowKey]:
        """The rows of a group that have all that the query needs."""
        keys = self._keys.get(self._ids.get(group, -1), ())
        return [key for key in keys if key.end <= self.end and self._serves(key.detail)]

    def started(self, group: Group) -> list[Span]:
        """The spans of all rows of a group that have what is needed, merged, covered or not."""
        keys = self._keys.get(self._ids.get(group, -1), ())
        spans, reached = list[Span](), 0
        for key in keys:
            if self._serves(key.detail) and key.end > reached:
                first = max(key.first, reached)
                spans.append((first, key.end - first))
                reached = key.end
        return spans

    def _serves(self, detail: int) -> bool:
        """Whether rows with this detail have all that is needed; each kind of luck is its own."""
        needed = self.query.detail
        return detail == needed or (needed < LUCK_BY_STAKE and detail > needed)

    def owner(self, group: Group) -> Group:
        """The first group, in the sequence of the file, that has the same rows."""
        return self._owners[self.query.versions_of(group)] if self._owners else group

    # Adding

    def add(self, result: BlockResult) -> None:
        """Store a block. Once this returns, it survives the end of the process."""
        block, query, notes = result.block, self.query, self._notes
        row = row_of(result, query.detail, without_paths(query))
        self.ledger.add(query, block.group, self._ids[block.group], row)
        key = RowKey(block.first, block.deals, query.detail)
        if (row.faults, row.irreproducible) != _NOTHING:
            notes[self._ids[block.group], key] = row.faults, row.irreproducible
        for group in query.groups if query.has_copies else (block.group,):
            if self.owner(group) == self.owner(block.group):
                self._rows[group].append(key)
                self._different.pop(group, None)
        if row.fingerprints:
            self._fingerprints[self._ids[block.group], key] = row.fingerprints
        self._counter = None

    # Repeated deals

    def played(self, group: Group) -> int:
        """The number of deals from the first on of which none is missing in a group's rows."""
        return unbroken_prefix((key.first, key.deals) for key in self._rows[group])

    def different_deals(self, group: Group) -> int | None:
        """The number of deals from the first on that the others of the group repeat, so that they
        alone count, and no more need be played; None in other groups."""
        if not self._fingerprints:
            return None
        if group not in self._different:
            self._different[group] = self._different_deals(group)
        return self._different[group]

    def _different_deals(self, group: Group) -> int | None:
        number, keys = self._ids.get(group, -1), sorted(self._rows[group])
        played = self.played(group)
        if self.query.learns(group) or not played:
            return None
        with self.ledger.readable():
            rows = [
                fingerprints_in(self._fingerprints.get((number, key), b""), key.deals)
                for key in keys
            ]
        fingerprints = np.concatenate(rows)
        different = different_deals(fingerprints, played >= self.end)
        has_cut = any(key.first == different for key in keys) or played == different
        is_complete = played == len(fingerprints)
        return different if is_complete and (has_cut or different == 1) else None

    def repeated(self) -> dict[Group, tuple[int, int]]:
        """The groups whose deals are repeated: how many deals of theirs count, of how many."""
        repeats = {tuple(sorted(group)): self.different_deals(group) for group in self.query.groups}
        return {group: (deals, self.end) for group, deals in repeats.items() if deals}

    @property
    def is_exhausted(self) -> bool:
        """Whether all further deals would be others again, in every group."""
        return len(self.repeated()) == len(self.query.groups)

    def complete_spans(self) -> dict[Group, list[Span]]:
        """The deals of each group that need not be played: covered, or known to be repeated."""
        return self.spans() | {group: [(0, self.end)] for group in self.repeated()}

    # Reading

    @property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""
        return self.query.orders

    def spans(self) -> dict[Group, list[Span]]:
        """The deals of each group that are covered."""
        return {
            tuple(sorted(group)): [
                (key.first, min(key.deals, self._counts_to(group) - key.first))
                for key in keys
                if key.first < self._counts_to(group)
            ]
            for group, keys in self._rows.items()
            if keys
        }

    def _counts_to(self, group: Group) -> int:
        """The deal from which on deals of a group do not count, as they are repeated."""
        return self.different_deals(group) or self.end

    def counting_spans(self) -> dict[Group, list[Span]]:
        """Those of the groups whose games count, as no bot of theirs is disqualified."""
        counter = self.fault_counter()
        return {group: spans for group, spans in self.spans().items() if not counter.is_void(group)}

    def _covered(self, start: float = 0, end: float = inf) -> Iterator[tuple[Group, RowKey]]:
        """The groups' rows with some of the deals from `start` to `end - 1`."""
        for group, keys in self._rows.items():
            last = min(end, self._counts_to(group))
            for key in keys:
                if key.first < last and key.end > start:
                    yield group, key

    def _read(self, columns: str, group: Group, key: RowKey) -> Any:
        return self.ledger.read(columns, self._ids[group], key)

    def tallies(self) -> dict[Group, Tally]:
        """The tally of every seating, in canonical order."""
        sums: dict[Group, list[Tally]] = {}
        with self.ledger.readable():
            for group, key in self._covered():
                (rows,) = self._read("tallies", group, key)
                is_first = key.end > self._counts_to(group)  # of deals that are all alike
                for order, tally in zip(lineups(group, self.orders), tallies_in(rows), strict=True):
                    tallies = sums.setdefault(order, [])
                    tallies.append(of_one_deal(tally) if is_first else tally)
                    if len(tallies) == _ADDED_AT_ONCE:
                        tallies[:] = [sum_tallies(tallies)]
        return {
            order: sum_tallies(sums[order]) for order in sorted(sums, key=lambda o: (sorted(o), o))
        }

    def shared_by_all(self) -> dict[Group, int]:
        """The games of which all seats share the win, for each seating that has any.

        Those that nobody won are among them.
        """
        everybody = (1 << self.query.players) - 1
        shared: dict[Group, int] = {}
        with self.ledger.readable():
            for group, key in self._covered():
                (packed,) = self._read("winners", group, key)
                games = key.deals * len(self.orders)
                if everybody not in masks_in(packed, games):
                    continue
                winners = unpacked(packed, games).reshape(key.deals, -1)
                counting = winners[: self._counts_to(group) - key.first]
                counts = (counting == everybody).sum(axis=0).tolist()
                for seating, count in zip(lineups(group, self.orders), counts, strict=True):
                    shared[seating] = shared.get(seating, 0) + count
        return shared

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks with some of the `count` deals from `start` on, complete."""
        with self.ledger.readable():
            for group, key in self._covered(start, start + count):
                shutdown.check()  # reading all deals while others are played takes seconds
                packed_winners, packed_measures = self._read("winners, measures", group, key)
                games = key.deals * len(self.orders)
                winners = unpacked(packed_winners, games).reshape(key.deals, -1)
                content = np.frombuffer(zlib.decompress(packed_measures), MEASURED)
                yield self._turned(group, key, winners, content.reshape(key.deals, -1))

    def payoffs(self, start: int, count: int) -> Iterator[PaidDeals]:
        """The payoffs of blocks with some of the `count` deals from `start` on, complete."""
        with self.ledger.readable():
            for group, key in self._covered(start, start + count):
                shutdown.check()
                (packed,) = self._read("payoffs", group, key)
                paid = np.frombuffer(zlib.decompress(packed), STORED).reshape(key.deals, -1)
                paid = paid[: self._counts_to(group) - key.first]
                ascending = tuple(sorted(group))
                if group != ascending:
                    paid = paid[:, payoff_columns(order_of(ascending, group))]
                yield ascending, key.first, paid

    def _turned(
        self, group: Group, key: RowKey, winners: Bytes, measures: NDArray[Any]
    ) -> StoredDeals:
        """A block in the order of the file, with the measures that are needed."""
        ascending = tuple(sorted(group))
        order = order_of(ascending, group)
        counting = self._counts_to(group) - key.first
        winners, measures = winners[:counting], measures[:counting]
        columns = self._measure_columns(order)
        if columns != [*range(measures.shape[1])]:
            measures = measures[:, columns]
        if group != ascending:
            winners = winners[:, seating_columns(self.orders, order)]
        return ascending, key.first, winners, measures

    def _measure_columns(self, order: Group) -> list[int]:
        if self.query.detail < MEASURES:
            return []
        counts = game_named(self.query.setting.game).counts
        return measure_columns(counts, order, self.query.detail >= LUCK_BY_STAKE)

    def faults(self, is_shared: bool = True) -> Iterator[Fault]:
        """All faults, in any order; those of shared rows for each group, or only for the owner."""
        with self.ledger.readable():
            for group, key in self._covered():
                if not is_shared and self.owner(group) != group:
                    continue
                rows, _ = self._notes.get((self._ids[group], key), _NOTHING)
                for fault in faults_in(rows) if rows != "[]" else ():
                    yield self._placed(group, fault)

    @cached_property
    def _notes(self) -> dict[tuple[int, RowKey], tuple[str, str]]:
        return self.ledger.notes(self._ids.values())

    def _placed(self, group: Group, fault: Fault) -> Fault:
        """A stored fault with the numbers of its bots, and where the bot's file lies now."""
        bot = group[fault.bot]
        seating = tuple(group[position] for position in fault.seating)
        message = with_path(fault.message, displayed_path(self.query.bots[bot].path))
        return replace(fault, bot=bot, seating=seating, message=message)

    def disqualified(self) -> dict[int, list[Fault]]:
        """The disqualified bots, and their faults."""
        return dict(sorted(self.fault_counter().disqualified.items()))

    def fault_counter(self) -> FaultCounter:
        """The counter of the faults before the first deal that a group lacks and that counts."""
        if self._counter is None:
            self._counter = self.new_fault_counter(self.query.max_faults)
        return self._counter

    def new_fault_counter(self, max_faults: int) -> FaultCounter:
        """A counter like `fault_counter`, with another limit, to which faults can be added."""
        query = self.query
        if max_faults == FAULTS[-1]:  # nobody is disqualified
            counter = FaultCounter(max_faults, query.copies)
        else:
            groups = [group for group in query.groups if self.owner(group) == group]
            counter = FaultCounter(max_faults, query.copies, groups, len(query.orders))
        counter.add_faults(self.faults(is_shared=False))
        spans = self.complete_spans()
        missing = sorted(
            (first, group)
            for group in map(tuple, map(sorted, self.query.groups))
            for first, _ in [*gaps(spans.get(group, ()), self.end)][:1]
        )
        while True:
            counting = (span for span in missing if not counter.is_void(span[1]))
            counter.advance(next(counting, END))
            if not [*counter.disqualifications()]:
                return counter

    def irreproducible(self) -> list[int]:
        """The bots whose answers differed when a game was played twice, in games that count."""
        bots: set[int] = set()
        counter = self.fault_counter()
        with self.ledger.readable():
            for group, key in self._covered():
                _, positions = self._notes.get((self._ids[group], key), _NOTHING)
                if positions != "[]" and not counter.is_void(group):
                    bots.update(group[position] for position in group_in(positions))
        return sorted(bots)

    def devices(self) -> list[str]:
        """What has computed the answers of batched bots, in all rows that are covered."""
        stored = self.ledger.devices(self._ids.values())
        keys = ((self._ids[group], key) for group, key in self._covered())
        return sorted({stored[key] for key in keys if key in stored})

    def missing_games(self) -> int:
        """The number of missing games of groups that count, once of those with the same rows."""
        counter, spans = self.fault_counter(), self.complete_spans()
        return len(self.orders) * sum(
            count
            for group in self.query.groups
            if self.owner(group) == group and not counter.is_void(group)
            for _, count in gaps(spans.get(tuple(sorted(group)), ()), self.end)
        )


def disjoint_rows(keys: Iterable[RowKey]) -> list[RowKey]:
    """Disjoint rows with the most deals, ascending; the same ones whatever order they come in.

    Among equal choices the one with the fewest rows is taken, then the one that begins first.
    """
    rows = sorted(set(keys))
    if all(row.end <= after.first for row, after in pairwise(rows)):
        return rows
    rows.sort(key=lambda row: (row.end, row))
    ends = [row.end for row in rows]
    best = [(0, 0, -1)]  # of the first rows: deals, fewest rows (negative), and the last row
    for number, row in enumerate(rows):
        deals, count, _ = best[bisect_right(ends, row.first, hi=number)]
        best.append(max(best[-1], (deals + row.deals, count - 1, number), key=lambda b: b[:2]))
    return _chain(rows, ends, best)[::-1]


def _chain(
    rows: Sequence[RowKey], ends: Sequence[int], best: Sequence[tuple[int, int, int]]
) -> list[RowKey]:
    """The rows of the best choice, the last one first."""
    chain, number = list[RowKey](), best[-1][2]
    while number >= 0:
        chain.append(rows[number])
        number = best[bisect_right(ends, rows[number].first, hi=number)][2]
    return chain


def without_paths(query: LedgerQuery) -> Callable[[Fault], Fault]:
    """A function for faults whose messages must not say where files lie, as that can change."""

    def placeless(fault: Fault) -> Fault:
        path = query.bots[fault.bot].path
        return replace(fault, message=without_path(fault.message, path)) if path else fault

    return placeless


def without_path(message: str, path: str) -> str:
    """A message that ends with a line of code, with a mark in place of the path."""

    def marked(match: re.Match[str]) -> str:
        file, line = match.groups()
        if file == path:
            return f"({_FILE}:{line})"
        folder = _folder_of(path)
        is_inside = file.startswith(folder) and not (folder == "" and file.startswith("/"))
        return f"({_FOLDER}{file.removeprefix(folder)}:{line})" if is_inside else match[0]

    return _LOCATION.sub(marked, message)


def with_path(message: str, path: str) -> str:
    """A message of `without_path`, with the path that the file has now."""
    return message.replace(_FOLDER, _folder_of(path)).replace(_FILE, path)


def _folder_of(path: str) -> str:
    return path.removesuffix(path.rpartition("/")[2])


class QueryPlan(NamedTuple):
    """The lineups of a query, with so many `players` each, and the games that will be played.

    Of the `groups`, those of disqualified bots apart, `complete` have all their games in the ledger
    and `partial` some. Of the missing games, an upper bound where bots get disqualified, `again`
    have been played before, in blocks that end beyond the requested number of games for each group.
    `missing` has the lineups that lack games, and how many.
    """

    players: int
    groups: int
    complete: int
    partial: int
    again: int
    missing: Sequence[tuple[Group, int]]

    @property
    def games(self) -> int:
        """The number of games that will be played."""
        return sum(games for _, games in self.missing)


def plan_of(cover: Cover) -> QueryPlan:
    """The plan for what a query lacks. Groups with the same rows, as of twins, count each."""
    counter, spans = cover.fault_counter(), cover.complete_spans()
    groups = complete = partial = again = 0
    lacking, per_deal = list[tuple[Group, int]](), len(cover.orders)
    for group in cover.query.groups:
        if counter.is_void(group):
            continue
        missing = [*gaps(spans.get(tuple(sorted(group)), ()), cover.end)]
        started = _overlap(missing, cover.started(group))
        groups += 1
        complete += not missing
        partial += bool(missing) and (started > 0 or tuple(sorted(group)) in spans)
        if missing and cover.owner(group) == group:
            lacking.append((group, sum(deals for _, deals in missing) * per_deal))
            again += started
    return QueryPlan(cover.query.players, groups, complete, partial, again * per_deal, lacking)


def _overlap(missing: Sequence[Span], stored: Sequence[Span]) -> int:
    """The number of missing deals that are in stored spans."""
    return sum(
        max(0, min(first + count, start + length) - max(first, start))
        for first, count in missing
        for start, length in stored
    )
