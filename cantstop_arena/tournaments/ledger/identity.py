"""What a ledger knows bots and games by: versions of bots, and settings.

Two bots of one version play the same games, whatever they are called and wherever they lie; two
tournaments of one setting play the same games of the same versions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from cantstop_arena.bots.bot_paths import bot_name
from cantstop_arena.deals.seeds import Seed, in_json, seed_of
from cantstop_arena.games.registry import game_named

if TYPE_CHECKING:
    from cantstop_arena.deals.seatings import Orders
    from cantstop_arena.tournaments.file.entrants import Entrant
    from cantstop_arena.tournaments.tournament import Tournament


class BotVersion(msgspec.Struct, frozen=True, dict=True, omit_defaults=True):
    """All of a bot that decides how it plays.

    `digest` is that of its source: a file with what it reads and imports beside it, a package, a
    command. Built-in bots have an `edition` in its place, which is raised when their games change:
    their digest is that of all sources in the game's folder of bots. `files` are digests of nets
    and other files that it plays with. `bot` is its name where its source holds several bots.
    """

    origin: str
    digest: str = ""
    options: Mapping[str, Any] = {}
    files: Mapping[str, str] = {}
    isolate: bool | str = False
    edition: int = 0
    bot: str = ""

    @property
    def text(self) -> str:
        """The origin of its source, and the beginning of the digest or the edition."""
        return (
            f"{self.origin} {self.digest[:7]}" if self.digest else f"{self.origin} {self.edition}"
        )

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
    options, files = dict(entrant.options), dict(entrant.files)
    if bot.origin == "built-in":
        edition = game_named(bot.game).editions.get(bot.name, 1)
        return BotVersion(bot.origin, "", options, files, isolate, edition, bot.name)
    is_alone = bot.origin == "command" or (bot.path is not None and bot_name(bot.path) == bot.name)
    return BotVersion(
        bot.origin, bot.digest, options, files, isolate, bot="" if is_alone else bot.name
    )


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


def _canonical_json(value: BotVersion | GameSetting) -> str:
    return json.dumps(msgspec.to_builtins(value), sort_keys=True, separators=(",", ":"))
