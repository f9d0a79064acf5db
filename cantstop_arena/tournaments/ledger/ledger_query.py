"""A query: which deals of which bots a tournament asks a ledger for.

It is plain data, stored in the ledger, so that results can be read without the bots. Groups are
written as the ledger writes them (`canonical_group`), numbers of bots are those of the file.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import combinations
from math import factorial
from typing import Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.seeds import seed_of
from cantstop_arena.tournaments.ledger.identity import BotVersion, GameSetting

LESSON_GAMES = 256  # of a group in a row: for so long a bot that learns keeps its memory
WINNERS, MEASURES, LUCK_BY_STAKE, LUCK_BY_VALUE = range(4)
"""The details of a row: winners only, counts deal by deal, and luck, too."""


class QueryBot(msgspec.Struct, frozen=True):
    """An entrant of a query: its name, its version, and what its results need besides.

    `bot` is its name in its source, `path` its file as messages name it, empty without one.
    """

    name: str
    version: BotVersion
    bot: str
    path: str = ""
    learns: bool = False


class LedgerQuery(msgspec.Struct, frozen=True, dict=True):
    """The games of some bots: `deals` of every group, or of the groups in `lineups`.

    `rules` is the name of the setting's rule set. A bot is disqualified after `max_faults`. With a
    `challenger` only its groups meet.
    """

    name: str
    setting: GameSetting
    rules: str
    bots: tuple[QueryBot, ...]
    deals: int
    detail: int
    max_faults: int
    challenger: str = ""
    lineups: tuple[Group, ...] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the bots, by number."""
        return [bot.name for bot in self.bots]

    @property
    def players(self) -> int:
        """The number of bots in a lineup: one for each side."""
        return self.setting.lineup_size

    @property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""
        return self.setting.orders

    @property
    def rule_set(self) -> Mapping[str, Any]:
        """The parameters of the rules, and their name."""
        return {"name": self.rules, **self.setting.rules}

    @property
    def versions(self) -> list[tuple[str, str]]:
        """The name of each bot, and what identifies the version that played."""
        return [(bot.name, bot.version.text) for bot in self.bots]

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The groups that meet, in the sequence of the file, each in canonical order."""
        lineups = self.lineups
        if lineups is None:
            groups: Iterable[Group] = combinations(range(len(self.bots)), self.players)
        else:
            groups = sorted(map(tuple, map(sorted, lineups)))
        return tuple(map(self.canonical_group, groups))

    def canonical_group(self, bots: Iterable[int]) -> Group:
        """The bots of a group as the ledger writes them, by version.

        Where their order decides about their games it is that of the file: not all orders are
        played, or lessons of bots that learn are in another order.
        """
        group = tuple(sorted(bots))
        has_all_orders = len(self.orders) == factorial(self.players)
        if not has_all_orders or self.learns(group):
            return group
        return tuple(sorted(group, key=lambda bot: (self.bots[bot].version.id, bot)))

    def learns(self, group: Iterable[int]) -> bool:
        """Whether a bot of the group keeps its memory from game to game."""
        return any(self.bots[bot].learns for bot in group)

    @property
    def lesson(self) -> int:
        """The number of deals for which bots keep what they have learnt."""
        return max(1, LESSON_GAMES // len(self.orders))

    @property
    def own_processes(self) -> list[int]:
        """The bots that play in processes of their own, as they would disturb a shared one."""
        return [n for n, bot in enumerate(self.bots) if bot.version.isolate == "processes"]

    @cached_property
    def copies(self) -> tuple[int, ...]:
        """For each bot the first one of its version."""
        first: dict[str, int] = {}
        return tuple(first.setdefault(bot.version.id, n) for n, bot in enumerate(self.bots))

    @property
    def has_copies(self) -> bool:
        """Whether any two bots are of one version."""
        return self.copies != tuple(range(len(self.bots)))

    def versions_of(self, group: Group) -> tuple[str, ...]:
        """The digests of the versions of a group's bots."""
        return tuple(self.bots[bot].version.id for bot in group)

    def with_deals(self, deals: int) -> "LedgerQuery":
        """The same query for another number of deals."""
        return replace(self, deals=deals)

    @cached_property
    def text(self) -> str:
        """The query as JSON."""
        return json.dumps(msgspec.to_builtins(self), separators=(",", ":"))


def query_in(text: str) -> LedgerQuery:
    """The query of `LedgerQuery.text`. Raises ValueError when it is damaged."""
    query = msgspec.convert(json.loads(text), LedgerQuery)
    if not is_consistent(query):
        raise ValueError("the query is inconsistent")
    return query


def is_consistent(query: LedgerQuery) -> bool:
    """Whether a query has a seed, bots of different names, and groups of them."""
    names, seats = set(query.names), query.players
    if seed_of(query.setting.seed) is None or len(names) != len(query.bots):
        return False
    numbers = {*range(len(names))}
    lineups = query.lineups or ()
    is_played = all(len(group) == seats and {*group} <= numbers for group in lineups)
    return 1 <= seats <= len(names) and is_played
