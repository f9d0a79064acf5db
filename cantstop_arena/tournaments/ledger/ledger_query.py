"""What a ledger knows bots and games by, and a query: which deals of which bots one asks it for.

Two bots of one version play the same games, whatever they play as and wherever they lie; two
tournaments of one setting play the same games of the same versions.

A query is plain data, stored in the ledger, so that results can be read without the bots. Groups
are written as the ledger writes them (`canonical_group`), numbers of bots are those of the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import combinations
from math import factorial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.origins import Origin
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.seeds import Seed, in_json, seed_of
from cantstop_arena.games.registry import game_named

if TYPE_CHECKING:
    from cantstop_arena.tournaments.file.entrants import Entrant
    from cantstop_arena.tournaments.tournament import Tournament


class BotVersion(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """All of a bot that decides how it plays.

    `digest` is that of its source: a file with what it reads and imports beside it, a package, a
    command. Built-in bots have an `edition` in its place, which is raised when their games change:
    their digest is that of all sources in the game's folder of bots. `files` are digests of nets
    and other files that it plays with. `bot` is its name in its source: the dice of its games
    follow from that, too, so that a renamed file plays other games. With chosen options they follow
    from `bot_and_options`.
    """

    origin: Origin
    digest: str = ""
    options: Mapping[str, Any] = {}
    files: Mapping[str, str] = {}
    isolate: bool | str = False
    edition: int = 0
    bot: str = ""
    bot_and_options: str = ""

    @property
    def text(self) -> str:
        """The origin of its source, and the beginning of the digest or the edition."""
        return (
            f"{self.origin} {self.digest[:7]}" if self.digest else f"{self.origin} {self.edition}"
        )

    @property
    def dice_name(self) -> str:
        """What its dice follow from: equal for versions that meet a rival on the same dice."""
        return self.bot_and_options or self.bot

    @cached_property
    def key(self) -> str:
        """The version as JSON, equal for equal versions."""
        return _canonical_json(self)

    @cached_property
    def id(self) -> str:
        """The digest of the key, by which a ledger knows the version."""
        return hashlib.sha256(self.key.encode()).hexdigest()


def version_of(entrant: Entrant) -> BotVersion:
    """The version of a bot that plays."""
    bot, isolate = entrant.bot, entrant.isolate.identity or False
    edition = 0 if bot.origin.is_foreign else game_named(bot.game).editions.get(bot.name, 1)
    digest = "" if edition else bot.digest
    options, files = dict(entrant.options), dict(entrant.files)
    name, dice_name = entrant.source_name, entrant.dice_name
    chosen = dice_name if dice_name != name else ""
    return BotVersion(bot.origin, digest, options, files, isolate, edition, name, chosen)


class GameSetting(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """All that decides a game but the bots and the deal; `rules` are without their name.

    `openings` is their `identity`, if the deals have any.
    Payoffs are stored as whole numbers of `payoff_parts` of their unit; 0 without payoffs.
    """

    game: str
    edition: str
    rules: Mapping[str, Any]
    players: int
    seed: Seed
    decision_limit: float
    openings: Mapping[str, Any] | str | None = None
    payoff_parts: int = 0

    @cached_property
    def key(self) -> str:
        """The setting as JSON, equal for equal settings."""
        return _canonical_json(self)

    @property
    def deal_seed(self) -> Seed:
        """The seed as the games use it: large numbers are stored as text."""
        seed = seed_of(self.seed)
        assert seed is not None
        return seed

    @cached_property
    def lineup_size(self) -> int:
        """The number of bots that meet: one for each side of the game."""
        return game_named(self.game).lineup_size(self.players)

    @cached_property
    def orders(self) -> Orders:
        """The orders in which bots take their seats in each deal."""
        return game_named(self.game).orders(self.players)


def setting_of(tournament: Tournament) -> GameSetting:
    """The setting of a tournament."""
    rules = tournament.game.rules.as_dict(tournament.rules)
    return GameSetting(
        tournament.game.name,
        tournament.game.edition,
        {key: value for key, value in rules.items() if key != "name"},
        tournament.players,
        in_json(tournament.seed),
        float(tournament.policy.decision_limit),
        tournament.openings.identity if tournament.openings else None,
        tournament.game.payoff.parts if tournament.game.payoff else 0,
    )


def _canonical_json(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value), sort_keys=True, separators=(",", ":"))


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

    def with_deals(self, deals: int) -> LedgerQuery:
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
