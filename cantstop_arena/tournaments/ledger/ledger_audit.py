"""All rows of a ledger, also those that its last query does not read: are they as written?"""

import hashlib
from collections.abc import Iterator, Mapping

from cantstop_arena.processes import shutdown
from cantstop_arena.tournaments.ledger.ledger import Ledger, row_seal
from cantstop_arena.tournaments.ledger.row_codec import LedgerRow, group_in


def wrong_rows(ledger: Ledger) -> Iterator[str]:
    """What is not as it was written, a line each; nothing for a sound ledger."""
    with ledger.readable():
        for (text,) in ledger.select("PRAGMA integrity_check"):
            if text != "ok":
                yield f"SQLite: {text}"
        ledger.queries()  # raises LedgerError for a damaged one
        settings = dict(ledger.select("SELECT id, key FROM settings"))
        versions = dict(ledger.select("SELECT id, digest FROM versions"))
        names: dict[int, str] = dict(
            ledger.select("SELECT version, MIN(name) FROM names GROUP BY version")
        )
        for number, digest, key in ledger.select("SELECT id, digest, key FROM versions"):
            if hashlib.sha256(key.encode()).hexdigest() != digest:
                yield f"{names.get(number, f'version {number}')}: not the version that played"
        groups = {}
        for number, setting, bots in ledger.select("SELECT id, setting, bots FROM groups"):
            group = group_in(bots)
            if setting in settings and all(bot in versions for bot in group):
                title = ", ".join(names.get(bot, f"version {bot}") for bot in group)
                identity = settings[setting], tuple(versions[bot] for bot in group)
                groups[number] = title, identity
            else:
                yield f"group {number}: its bots or its setting are no longer there"
        yield from _wrong_blocks(ledger, groups)


def _wrong_blocks(
    ledger: Ledger, groups: Mapping[int, tuple[str, tuple[str, tuple[str, ...]]]]
) -> Iterator[str]:
    lost = {tuple(key) for key in ledger.select("SELECT * FROM seals")}
    for number, *values, seal in ledger.select("SELECT * FROM blocks"):
        shutdown.check()
        row = LedgerRow._make(values)
        lost.discard((number, *row[:3]))
        if number not in groups:
            yield f"{_block(row.first)} of group {number}, which is no longer there"
            continue
        title, (setting, versions) = groups[number]
        if seal != row_seal(setting, versions, row):
            yield f"{_block(row.first)} of {title}: not as it was written"
    for number, first, *_ in sorted(lost):
        title = groups[number][0] if number in groups else f"group {number}"
        yield f"{_block(first)} of {title}: it is no longer there"


def _block(first: object) -> str:
    return f"the block from deal {first!r:.40} on"
