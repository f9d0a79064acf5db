"""The ledgers of a comparison's parts joined: earlier releases kept one for each rule set."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.ledger_query import QueryBot
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger, part_ledgers
from cantstop_arena.tournaments.ledger.read_ledger import copied_ledger
from cantstop_arena.tournaments.ledger.row_codec import group_in, text


def join_part_ledgers(ledger: Ledger, folder: Path, query_bots: Iterable[QueryBot]) -> list[Path]:
    """Add the games of the ledgers of a comparison's parts, and return the paths of these.

    They stay as they are. Those of release 0.2 are taken over with the help of bots that are
    `query_bots`. Raises LedgerError.
    """
    paths, bots = part_ledgers(folder), [*query_bots]
    for path in paths:
        with (
            copied_ledger(path.parent, fresh=False) as copy,
            open_ledger(copy / LEDGER, query_bots=bots) as part,
        ):
            _join(ledger, part, path.parent.relative_to(folder).as_posix())
    return paths


def _join(ledger: Ledger, other: Ledger, part: str) -> None:
    """Add all that another ledger has; its query becomes that of a part."""
    query, deals = other.query(), other.deals()
    with _attached(ledger, other.path), ledger.writing() as connection:
        for statement in _JOINED:
            connection.execute(statement)
        _join_groups(connection)
    if query is not None and ledger.query(part) is None:
        ledger.set_query(query, part)
        ledger.set_deals(query.deals if deals is None else deals, part)


@contextmanager
def _attached(ledger: Ledger, path: Path) -> Iterator[None]:
    """The database at a path is called `other` in this context."""
    ledger.connection.execute("ATTACH DATABASE ? AS other", (str(path),))
    try:
        yield
    finally:
        ledger.connection.execute("DETACH DATABASE other")


_OWN_VERSION = (
    "JOIN other.versions AS theirs ON theirs.id = version"
    " JOIN main.versions AS own ON own.digest = theirs.digest"
)
_JOINED = (
    "INSERT OR IGNORE INTO main.settings (key) SELECT key FROM other.settings ORDER BY id",
    "INSERT OR IGNORE INTO main.versions (digest, key)"
    " SELECT digest, key FROM other.versions ORDER BY id",
    f"INSERT OR IGNORE INTO main.names SELECT own.id, name FROM other.names {_OWN_VERSION}",
    "INSERT OR IGNORE INTO main.disturbances SELECT own_setting.id, own.id, what"
    f" FROM other.disturbances {_OWN_VERSION}"
    " JOIN other.settings AS their_setting ON their_setting.id = setting"
    " JOIN main.settings AS own_setting ON own_setting.key = their_setting.key",
)
_ROWS = (
    (
        "blocks",
        "first, deals, detail, tallies, winners, measures, payoffs, fingerprints, faults,"
        " irreproducible, device, seal",
    ),
    ("seals", "first, deals, detail"),
)


def _join_groups(connection: Connection) -> None:
    """Add the groups of the database `other`, whose versions and settings are stored, with rows.

    Numbers differ from ledger to ledger; the order of a group's versions does not.
    """
    versions = _numbers(connection, "versions", "digest")
    settings = _numbers(connection, "settings", "key")
    for number, setting, bots in connection.execute(
        "SELECT id, setting, bots FROM other.groups ORDER BY id"
    ).fetchall():
        group = settings[setting], text([versions[bot] for bot in group_in(bots)])
        connection.execute("INSERT OR IGNORE INTO main.groups (setting, bots) VALUES (?, ?)", group)
        own = "SELECT id FROM main.groups WHERE setting = ? AND bots = ?"
        for table, columns in _ROWS:
            connection.execute(
                f"INSERT OR IGNORE INTO main.{table} (grp, {columns})"
                f" SELECT ({own}), {columns} FROM other.{table} WHERE grp = ?",
                (*group, number),
            )


def _numbers(connection: Connection, table: str, key: str) -> dict[int, int]:
    """The number here of each row of a table in the database `other`."""
    return dict(
        connection.execute(
            f"SELECT theirs.id, own.id FROM other.{table} AS theirs"
            f" JOIN main.{table} AS own ON own.{key} = theirs.{key}"
        )
    )
