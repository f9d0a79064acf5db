"""Ledgers of release 0.2, and of versions between it and the next, which are only read.

Their rows refer to bots by number, and those of a disqualified bot are deleted.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cantstop_arena.bots.origins import Origin
from cantstop_arena.deals.outcomes import Fault, Span, Tally, gaps, sum_tallies
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.deals.seeds import in_json, seed_of
from cantstop_arena.errors import LedgerError
from cantstop_arena.games.registry import built_in, game_named
from cantstop_arena.processes import shutdown
from cantstop_arena.tournaments.ledger.ledger import damage_message, reading
from cantstop_arena.tournaments.ledger.ledger_check import LedgerCheck, OldRow
from cantstop_arena.tournaments.ledger.ledger_query import (
    LUCK_BY_STAKE,
    LUCK_BY_VALUE,
    MEASURES,
    WINNERS,
    BotVersion,
    GameSetting,
    LedgerQuery,
    QueryBot,
    is_consistent,
)
from cantstop_arena.tournaments.ledger.row_codec import (
    MEASURED,
    faults_in,
    group_in,
    row_checksum,
    tallies_in,
    winners_in,
)

OLD_VERSIONS = (4, 5)
_LOST_BLOCKS = (
    "SELECT first, bots FROM seals WHERE bots != '' AND NOT EXISTS"
    " (SELECT 1 FROM blocks WHERE blocks.first = seals.first AND blocks.bots = seals.bots)"
)


class OldLedger:
    """The games of a ledger of version 4 or 5. Creating one raises LedgerError for a damaged file.

    `query_bots` are bots whose versions are taken where the ledger has the same bot: what it stored
    does not tell whether a bot learns, or whether its file has several. So many `games` of each
    group were requested, or as many as there are.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        query_bots: Iterable[QueryBot] = (),
        games: int = 0,
    ) -> None:
        self.path = path
        self._connection = connection
        with reading(path):
            (self._text,) = next(self._select("SELECT value FROM about WHERE key = 'tournament'"))
            self._identity: Mapping[str, Any] = json.loads(self._text)
            self.query = self._query([*query_bots])
            self._check()
        ends = (first + count for spans in self.spans().values() for first, count in spans)
        self.deals_requested = max(-(-games // len(self.query.orders)), max(ends, default=0))

    def _query(self, query_bots: list[QueryBot]) -> LedgerQuery:
        """What was played, as a query. Raises ValueError when the identity is damaged."""
        identity, rules = self._identity, self._identity["rules"]
        luck = identity.get("luck_removed")
        detail = MEASURES if identity.get("measured") else WINNERS
        if luck:
            detail = LUCK_BY_VALUE if luck == "value" else LUCK_BY_STAKE
        game = identity["game"]
        setting = GameSetting(
            game,
            "1" if game in built_in() else game_named(game).edition,  # it stored no versions
            {key: value for key, value in rules.items() if key != "name"},
            identity["players"],
            in_json(_seed(identity)),
            identity.get("decision_limit", 1.0),
        )
        lineups = identity.get("lineups")
        disturbing = self.disturbances()
        query = LedgerQuery(
            identity["name"],
            setting,
            rules["name"],
            tuple(
                _bot(bot, number in disturbing, query_bots)
                for number, bot in enumerate(identity["bots"])
            ),
            1,
            detail,
            identity.get("max_faults", 100),
            identity.get("gauntlet") or "",
            None if lineups is None else tuple(map(tuple, lineups)),
        )
        if not is_consistent(query) or setting.players not in game_named(setting.game).players:
            raise ValueError("it does not say of which tournament it is")
        return query

    # As `LedgerReader`

    def disturbances(self) -> dict[int, str]:
        """The bots that played in processes of their own, as they disturb a shared one."""
        query = "SELECT value FROM about WHERE key = 'disturbances'"
        stored = next(self._select(query), ("{}",))
        return {int(bot): str(what) for bot, what in json.loads(stored[0]).items()}

    def disqualified(self) -> dict[int, list[Fault]]:
        """The disqualified bots, and their faults."""
        rows = self._select("SELECT bot, faults FROM disqualified ORDER BY bot")
        with reading(self.path):
            return {bot: faults_in(faults) for bot, faults in rows}

    def spans(self) -> dict[Group, list[Span]]:
        """The deals that each group has played."""
        spans: dict[Group, list[Span]] = {}
        with reading(self.path):
            for bots, first, deals in self._select("SELECT bots, first, deals FROM blocks"):
                spans.setdefault(group_in(bots), []).append((first, deals))
        return spans

    counting_spans = spans  # blocks of disqualified bots are deleted

    def shared_by_all(self) -> dict[Group, int]:
        """None: they are not told from those that nobody won."""
        return {}

    def repeated(self) -> dict[Group, tuple[int, int]]:
        """None: it does not tell which deals are others again."""
        return {}

    def tallies(self) -> dict[Group, Tally]:
        """The tally of every seating, in canonical order."""
        sums: dict[Group, Tally] = {}
        with reading(self.path):
            for bots, rows in self._select("SELECT bots, tallies FROM blocks"):
                seatings = lineups(group_in(bots), self.query.orders)
                for order, tally in zip(seatings, tallies_in(rows), strict=True):
                    sums[order] = sum_tallies([sums[order], tally]) if order in sums else tally
        return {order: sums[order] for order in sorted(sums, key=lambda o: (sorted(o), o))}

    def deals(self, start: int, count: int) -> Iterator[Any]:
        """The blocks with some of the `count` deals from `start` on, complete."""
        query = "SELECT * FROM blocks WHERE first < ? AND first + deals > ?"
        with reading(self.path):
            for row in map(OldRow._make, self._select(query, start + count, start)):
                shutdown.check()
                winners = winners_in(row.winners, row.deals * len(self.query.orders))
                measures = np.frombuffer(zlib.decompress(row.measures), MEASURED)
                yield (
                    group_in(row.bots),
                    row.first,
                    winners.reshape(row.deals, -1),
                    measures.reshape(row.deals, -1),
                )

    def payoffs(self, start: int, count: int) -> Iterator[Any]:
        """No payoffs: ledgers of this version have none."""
        return iter(())

    def faults(self) -> Iterator[Fault]:
        """All faults, in any order."""
        with reading(self.path):
            for (rows,) in self._select("SELECT faults FROM blocks WHERE faults != '[]'"):
                yield from faults_in(rows)

    def devices(self) -> list[str]:
        """None: such ledgers have no batched bots."""
        return []

    def irreproducible(self) -> list[int]:
        """The bots whose answers differed when a game was played twice."""
        query = "SELECT DISTINCT irreproducible FROM blocks WHERE irreproducible != '[]'"
        with reading(self.path):
            return sorted({bot for (bots,) in self._select(query) for bot in group_in(bots)})

    def missing_games(self) -> int:
        """The number of missing games of the groups that count."""
        out, spans = self.disqualified().keys(), self.spans()
        counting = (
            group for group in map(tuple, map(sorted, self.query.groups)) if out.isdisjoint(group)
        )
        left = (gap for g in counting for gap in gaps(spans.get(g, ()), self.deals_requested))
        return sum(count for _, count in left) * len(self.query.orders)

    def rows(self) -> Iterator[OldRow]:
        """The blocks, by group."""
        return map(OldRow._make, self._select("SELECT * FROM blocks ORDER BY bots, first"))

    # Checks

    def _check(self) -> None:
        """Check that every row is as it was written, or without seals at least valid."""
        tables = self._select("SELECT name FROM sqlite_master WHERE name = 'seals'")
        has_seals = next(tables, None) is not None
        out = self._check_disqualified(has_seals)
        check = LedgerCheck(self._identity, self.query.orders, out)
        rows = self._select("SELECT * FROM seals WHERE bots != ''") if has_seals else ()
        seals = {(first, bots): seal for first, bots, seal in rows}
        for row in self.rows():
            shutdown.check()
            if seals.get((row.first, row.bots)) != row_checksum(self._text, row):
                where = f"the block {row.first!r} of {row.bots!r}"
                self._complain(has_seals, where, check.block(row))
        for first, bots in self._select(_LOST_BLOCKS) if has_seals else ():
            self._complain(has_seals, f"the block {first!r} of {bots!r}", "it is no longer there")
        for group, spans in self.spans().items():
            for (first, deals), (following, _) in pairwise(sorted(spans)):
                if first + deals > following:
                    where = f"the block {following} of {list(group)}"
                    self._complain(has_seals, where, "it overlaps another")

    def _check_disqualified(self, has_seals: bool) -> list[int]:
        rows = list(self._select("SELECT bot, faults FROM disqualified"))
        query = "SELECT -1 - first, seal FROM seals WHERE bots = ''"
        seals = dict(self._select(query)) if has_seals else {}
        for bot, faults in rows:
            if seals.get(bot) != row_checksum(self._text, (bot, faults)):
                check = LedgerCheck(self._identity, self.query.orders)
                wrong = check.disqualification_problem(bot, faults)
                self._complain(has_seals, f"the disqualified bot {bot!r}", wrong)
        for bot in seals.keys() - {bot for bot, _ in rows}:
            self._complain(has_seals, f"the disqualified bot {bot!r}", "it is no longer there")
        return [bot for bot, _ in rows]

    def _complain(self, has_seals: bool, where: str, wrong: str) -> None:
        """Raise LedgerError for a row that is invalid, or whose seal is wrong or missing."""
        if wrong or has_seals:
            text = f"{where}: {wrong or 'not as it was written'}"
            raise LedgerError(damage_message(self.path, text))

    def _select(self, query: str, *values: object) -> Iterator[Any]:
        return iter(self._connection.execute(query, values))


def _seed(identity: Mapping[str, Any]) -> int | str:
    seed = seed_of(identity["seed"])
    if seed is None:
        raise ValueError("its seed is none")
    return seed


def _bot(stored: Mapping[str, Any], is_separated: bool, query_bots: list[QueryBot]) -> QueryBot:
    """A bot of an identity, as the one that is known if there is one."""
    origin, name = Origin(stored["origin"]), stored["bot"]
    isolate = stored.get("isolate") or ("processes" if is_separated else False)
    options, files = stored.get("options", {}), stored.get("files", {})
    digest, edition = (stored["digest"], 0) if origin.is_foreign else ("", 1)
    bot = "" if origin.has_path else name
    version = BotVersion(origin, digest, options, files, isolate, edition, bot)
    content = _content(version)
    same = (bot for bot in query_bots if bot.bot == name and _content(bot.version) == content)
    same_bot = next(same, None)
    if same_bot is not None:
        return QueryBot(stored["name"], same_bot.version, name, same_bot.path, same_bot.learns)
    return QueryBot(stored["name"], version, name)


def _content(version: BotVersion) -> tuple[object, ...]:
    return version.origin, version.digest, version.options, version.files, version.isolate
