"""Versions of bots that a ledger forgets, with all their games."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

import msgspec

from cantstop_arena.bots.versions import short_digest
from cantstop_arena.tournaments.ledger.ledger import Ledger
from cantstop_arena.tournaments.ledger.ledger_query import BotVersion
from cantstop_arena.tournaments.ledger.row_codec import group_in


class StoredBot(NamedTuple):
    """A version in a ledger: its number there, its names, and whether the last run's file has it.

    `games` are those of the groups in which it plays, each block once.
    """

    number: int
    names: tuple[str, ...]
    version: BotVersion
    is_in_file: bool
    games: int

    @property
    def title(self) -> str:
        """Its first name, with the first digits of its source's digest where it has one."""
        digest = short_digest(self.version.digest)
        name = self.names[0] if self.names else f"version {self.number}"
        return f"{name}@{digest}" if digest and not name.endswith(f"@{digest}") else name


def stored_bots(ledger: Ledger) -> list[StoredBot]:
    """The versions in a ledger, in the order of their arrival."""
    with ledger.readable():
        named = {bot.version.id for query in ledger.queries() for bot in query.bots}
        names: dict[int, list[str]] = {}
        for number, name in ledger.select("SELECT version, name FROM names ORDER BY name"):
            names.setdefault(number, []).append(name)
        games: dict[int, int] = {}
        for bots, played in _played(ledger):
            for bot in set(group_in(bots)):
                games[bot] = games.get(bot, 0) + played
        return [
            StoredBot(
                number,
                tuple(names.get(number, ())),
                msgspec.json.decode(key, type=BotVersion),
                digest in named,
                games.get(number, 0),
            )
            for number, digest, key in ledger.select(
                "SELECT id, digest, key FROM versions ORDER BY id"
            )
        ]


def stored_games(ledger: Ledger) -> int:
    """The number of games in a ledger, of whatever runs."""
    with ledger.readable():
        return sum(games for _, games in _played(ledger))


def _played(ledger: Ledger) -> Iterator[tuple[str, int]]:
    """The bots of each group, and the number of its games; a deal has a tally for each seating."""
    from cantstop_arena.games.registry import game_named

    orders = {}
    for number, key in ledger.select("SELECT id, key FROM settings"):
        setting = msgspec.json.decode(key)
        orders[number] = len(game_named(setting["game"]).orders(setting["players"]))
    for setting, bots, deals in ledger.select(
        "SELECT setting, bots, SUM(deals) FROM blocks JOIN groups ON groups.id = grp GROUP BY grp"
    ):
        yield bots, deals * orders[setting]


def forget(ledger: Ledger, bots: Collection[StoredBot]) -> None:
    """Delete all games of these versions; those that the last run's file names are played again.

    What the query of the last run names stays, without games.
    """
    numbers = {bot.number for bot in bots}
    removed = [(bot.number,) for bot in bots if not bot.is_in_file]
    used = {group for query in ledger.queries() for group in ledger.group_ids(query).values()}
    groups = [
        (number,)
        for number, played in ledger.select("SELECT id, bots FROM groups")
        if numbers.intersection(group_in(played))
    ]
    with ledger.writing() as connection:
        for table in ("blocks", "seals"):
            connection.executemany(f"DELETE FROM {table} WHERE grp = ?", groups)
        unused = [key for key in groups if key[0] not in used]
        connection.executemany("DELETE FROM groups WHERE id = ?", unused)
        connection.executemany(
            "DELETE FROM disturbances WHERE version = ?", [(n,) for n in numbers]
        )
        connection.executemany("DELETE FROM names WHERE version = ?", removed)
        connection.executemany("DELETE FROM versions WHERE id = ?", removed)
    ledger.tidy()
