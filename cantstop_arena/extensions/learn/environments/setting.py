"""The game, rules and number of players of an environment, from the user's arguments."""

from collections.abc import Mapping
from typing import Any

import msgspec

from cantstop_arena.deals.seeds import Seed, random_seed
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.position import Position
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.tournaments.file.tournament_file import usual_players


class Setting(msgspec.Struct, frozen=True):
    """A game with its rules and number of players."""

    game: Game
    rules: Any
    players: int

    def start(
        self, seed: Seed | None = None, deal: int = 0, bots: Mapping[int, Any] | None = None
    ) -> Position:
        """The position at the start of a deal; see `Game.position`."""
        return self.game.position(self.rules, self.players, seed, deal, bots or {})


def setting_for(rules: Any, players: int | None, game: str = DEFAULT) -> Setting:
    """The setting for a game by its name; without a number of players the usual one.

    `rules` is the name of a rule set, a mapping of parameters (`base` names the rule set that they
    change), a rule set of the game, or None for its default. Raises UsageError.
    """
    definition = game_named(game)
    players = usual_players(definition) if players is None else players
    if players not in definition.players:
        seats = f"{definition.players[0]} to {definition.players[-1]}"
        raise UsageError(f"{definition.title} is played by {seats} players, not {players!r:.20}")
    return Setting(definition, _rules(definition, rules), players)


def _rules(game: Game, rules: Any) -> Any:
    if isinstance(rules, Mapping):
        changes = dict(rules)
        base = _rule_set_called(game, changes.pop("base", game.rules.default.name))
        name = changes.pop("name", None)
        return game.rules.derive(base, changes, name)
    if rules is None:
        return game.rules.default
    return _rule_set_called(game, rules) if isinstance(rules, str) else rules


def _rule_set_called(game: Game, name: str) -> Any:
    if name in game.rules.named:
        return game.rules.named[name].rules
    rules = game.rules_of_pattern(name, {})
    if rules is not None:
        return rules
    names = [*game.rules.named]
    hint = did_you_mean(name, names)
    raise UsageError(f"unknown rules {name!r:.60}{hint}; rule sets are {', '.join(names)}")


class DealSequence:
    """The sequence of deals of an environment; it restarts at 0 with every new seed."""

    def __init__(self) -> None:
        self.seed: Seed | None = None
        self.deal = 0

    def next(self, seed: Seed | None, options: Mapping[str, Any] | None) -> tuple[Seed, int]:
        """The seed and the deal of the next game; `options` may have the `deal`."""
        if seed is not None or self.seed is None:
            self.seed, self.deal = random_seed() if seed is None else seed, 0
        else:
            self.deal += 1
        if options and "deal" in options:
            self.deal = int(options["deal"])
        return self.seed, self.deal
