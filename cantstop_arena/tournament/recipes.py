"""From a tournament to a table: all that a process needs to set one up, wherever it runs."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantstop_arena.botspecs import BotSpec
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.games.cantstop.rules import PLAYERS, RuleSet
from cantstop_arena.hookspecs import Player
from cantstop_arena.outcomes import Group
from cantstop_arena.plugins import Catalogue
from cantstop_arena.tournament.botlogs import BotLogs, Redirection
from cantstop_arena.tournament.config import Entrant, Tournament

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.play import Table
    from cantstop_arena.games.cantstop.table import Contestant, Sitting


@dataclass(frozen=True)
class Seat:
    """A bot's address, its options as JSON: all that a process needs to build the bot."""

    name: str
    bot: str
    path: Path | None
    options: str

    def contestant(self, catalogue: Catalogue) -> "Contestant":
        """The bot, built."""
        from cantstop_arena.games.cantstop.table import Contestant, code_digest

        spec = catalogue.reopen(self.bot, self.path)
        digest = code_digest(spec.origin, spec.name, spec.digest, self.options)
        options = json.loads(self.options)
        sit = None if spec.origin == "built-in" else _Chair(spec, options)
        return Contestant(self.name, spec.build(options), digest, sit, spec.learns)


class _Chair:
    """Where a bot sits down that lives in this process."""

    def __init__(self, spec: BotSpec, options: Mapping[str, Any]) -> None:
        self.spec = spec
        self.options = options
        self.player: Player | None = None

    def __call__(self, sitting: "Sitting") -> Player:
        """The bot, made anew where it is to forget."""
        if sitting.anew or self.player is None:
            self.player = self.spec.made_anew(self.options)
        return self.player


def seat_for(name: str, spec: BotSpec, options: Mapping[str, Any]) -> Seat:
    """A seat under some name for a bot with all its options."""
    return Seat(name, spec.name, spec.path, json.dumps(dict(options)))


@dataclass(frozen=True)
class Recipe:
    """All that a process needs to set up a tournament's table."""

    rules: RuleSet
    seats: tuple[Seat, ...]
    players: int
    seed: int
    folder: Path

    def __call__(self) -> "Table":
        """The table, set up once in a process; a forked worker finds its parent's."""
        if self not in _TABLES:
            from cantstop_arena.games.cantstop.play import Table

            catalogue = Catalogue(self.folder)
            contestants = [seat.contestant(catalogue) for seat in self.seats]
            _TABLES[self] = Table(self.rules, contestants, self.players, self.seed)
        return _TABLES[self]

    def at_work(self, logs: BotLogs, memory: Any) -> "Table":
        """The table in a worker: seen from outside, what bots print going to their logs."""
        table = self()
        table.settle_in(memory)
        redirection = Redirection(logs.paths, lambda: table.seats[table.asker.seat])
        table.on_speaker = redirection.turn_to
        return table


_TABLES: dict[Recipe, "Table"] = {}


def recipe_for(tournament: Tournament, catalogue: Catalogue) -> Recipe:
    """The recipe of a tournament's table."""
    seats = tuple(map(_entrant_seat, tournament.entrants))
    return Recipe(tournament.rules, seats, tournament.players, tournament.seed, catalogue.folder)


def _entrant_seat(entrant: Entrant) -> Seat:
    return seat_for(entrant.name, entrant.bot, entrant.options)


def table_for(
    tournament: Tournament, catalogue: Catalogue, names: Sequence[str]
) -> tuple["Table", Group]:
    """A table for bots by name, in seat order, and who sits where.

    Names are the tournament's, or else any bot's. Raises BotError for others, and UsageError
    where the rules have not so many seats.
    """
    if len(names) not in PLAYERS:
        raise UsageError(f"{len(names)} bots cannot play; seats are {PLAYERS[0]} to {PLAYERS[-1]}")
    entrants = {entrant.name: _entrant_seat(entrant) for entrant in tournament.entrants}
    chosen = {name: entrants.get(name) or _free_seat(name, entrants, catalogue) for name in names}
    seats = tuple(chosen.values())
    recipe = Recipe(tournament.rules, seats, len(names), tournament.seed, catalogue.folder)
    return recipe(), tuple(list(chosen).index(name) for name in names)


def _free_seat(name: str, entrants: Mapping[str, Seat], catalogue: Catalogue) -> Seat:
    """A seat for a bot that is not in the tournament, with its default options."""
    try:
        spec = catalogue.find(name)
    except BotError as error:
        names = ", ".join(entrants)
        raise BotError(f"{error}; the tournament's bots are {names}") from error
    return seat_for(name, spec, spec.defaults)


def prepare(
    recipe: Recipe, catalogue: Catalogue, compiling: Callable[[list[str]], None]
) -> "Table":
    """Set the table up here, so that everything is compiled once, before workers start.

    `compiling` is told what has to be compiled for the first time, if anything.
    """
    from cantstop_arena.games.cantstop.table import uncompiled

    contestants = [seat.contestant(catalogue) for seat in recipe.seats]
    if missing := uncompiled(contestants):
        compiling(missing)
    table = recipe()
    table.warm_up()
    return table
