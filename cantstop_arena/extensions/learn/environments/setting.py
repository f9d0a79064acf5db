"""The game, rules and number of players of an environment, from the user's arguments."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import msgspec

from cantstop_arena.deals.seeds import Seed, checked_seed, random_seed
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
    if not isinstance(players, Integral) or players not in definition.players:
        seats = f"{definition.players[0]} to {definition.players[-1]}"
        raise UsageError(f"{definition.title} is played by {seats} players, not {players!r:.20}")
    return Setting(definition, _rules(definition, rules), int(players))


def checked_seat(seat: Any, players: int) -> int | None:
    """The seat of an agent; None: all in turn. Raises UsageError."""
    if seat is None:
        return None
    if not isinstance(seat, Integral) or seat not in range(players):
        raise UsageError(f"seat must be 0 to {players - 1}, or None for all in turn, not {seat}")
    return int(seat)


def gymnasium_seed(seed: Any) -> int | None:
    """A seed for Gymnasium's own generator, which knows no texts. Raises UsageError."""
    number = None if seed is None else checked_seed(seed)
    return number if isinstance(number, int) else None


def _rules(game: Game, rules: Any) -> Any:
    if isinstance(rules, Mapping):
        changes = dict(rules)
        base = _rule_set_called(game, changes.pop("base", game.rules.default.name))
        name = changes.pop("name", None)
        return game.rules.derive(base, changes, name)
    if rules is None:
        return game.rules.default
    if isinstance(rules, type(game.rules.default)):
        return rules
    return _rule_set_called(game, rules)


def _rule_set_called(game: Game, name: Any) -> Any:
    if not isinstance(name, str):
        raise UsageError(f"rules must be a name, a mapping or a rule set, not {name!r:.60}")
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
            self.seed, self.deal = random_seed() if seed is None else checked_seed(seed), 0
        else:
            self.deal += 1
        if options and "deal" in options:
            deal = options["deal"]
            if not isinstance(deal, Integral) or deal < 0:
                raise UsageError(f"deal must be a whole number from 0 on, not {deal!r:.40}")
            self.deal = int(deal)
        return self.seed, self.deal
