"""Ledgers of release 0.2 taken over: their games are added to a new ledger, in canonical order.

Games that are not there any more, of disqualified bots, are played again, and so are lessons of
bots that learn: they could have begun in the middle of one.
"""

import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import numpy as np

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.deals.outcomes import Block, BlockResult, packed
from cantstop_arena.deals.seatings import Group
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.ledger.cover import without_paths
from cantstop_arena.tournaments.ledger.ledger import Ledger, connect
from cantstop_arena.tournaments.ledger.ledger_check import OldRow
from cantstop_arena.tournaments.ledger.ledger_query import LUCK_BY_STAKE, LedgerQuery, QueryBot
from cantstop_arena.tournaments.ledger.old_ledger import OldLedger
from cantstop_arena.tournaments.ledger.row_codec import (
    MEASURED,
    LedgerRow,
    faults_in,
    group_in,
    measure_columns,
    order_of,
    row_of,
    seating_columns,
    tallies_in,
    winners_in,
)


def take_over(path: Path, query_bots: Iterable[QueryBot]) -> None:
    """Replace a ledger of release 0.2 by one with its games; it stays beside the new one.

    `query_bots` are bots whose versions are taken where the ledger has the same bot. Raises
    LedgerError for a damaged ledger.
    """
    new = path.with_suffix(".new.sqlite")
    _delete(new)
    try:
        with closing(connect(path)) as connection, closing(connect(new)) as new_connection:
            old = OldLedger(path, connection, query_bots)
            _write(old, Ledger(new, new_connection))
        with draft_of(path.with_suffix(".0.2.sqlite")) as draft:
            copyfile(path, draft)
        new.replace(path)
    finally:
        _delete(new)


def _write(old: OldLedger, ledger: Ledger) -> None:
    ledger.create()
    ledger.set_query(old.query.with_deals(old.deals_requested))
    _add_rows(old, ledger)
    ledger.tidy()
    ledger.close()


def _delete(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def _add_rows(old: OldLedger, ledger: Ledger) -> None:
    query, placeless = old.query, without_paths(old.query)
    ids = ledger.group_ids(query)

    def rows() -> Iterator[tuple[Group, int, LedgerRow]]:
        for row in old.rows():
            group = query.canonical_group(group_in(row.bots))
            if not query.learns(group):
                result = _turned(query, group, row)
                yield group, ids[group], row_of(result, query.detail, placeless)

    ledger.add_all(query, rows())


def _turned(query: LedgerQuery, group: Group, row: OldRow) -> BlockResult:
    """The result of an old row's block, with its group in canonical order."""
    was = group_in(row.bots)
    order = order_of(group, was)
    seatings = seating_columns(query.orders, order) if group != was else slice(None)
    winners = winners_in(row.winners, row.deals * len(query.orders)).reshape(row.deals, -1)
    measures = np.frombuffer(zlib.decompress(row.measures), MEASURED).reshape(row.deals, -1)
    if measures.size and group != was:
        counts = game_named(query.setting.game).counts
        measures = measures[:, measure_columns(counts, order, query.detail >= LUCK_BY_STAKE)]
    tallies = tallies_in(row.tallies)
    numbers = range(len(tallies))[seatings] if isinstance(seatings, slice) else seatings
    return BlockResult(
        Block(group, row.first, row.deals),
        tuple(tallies[number] for number in numbers),
        packed(np.ascontiguousarray(winners[:, seatings]).tobytes()),
        np.ascontiguousarray(measures).tobytes(),
        tuple(faults_in(row.faults)),
        group_in(row.irreproducible),
    )
