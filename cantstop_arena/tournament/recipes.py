"""From a tournament to a table: all that a process needs to set one up, wherever it runs."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantstop_arena import system
from cantstop_arena.botspecs import BotSpec
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.games.cantstop.rules import PLAYERS, RuleSet
from cantstop_arena.isolation.launch import Launch, served_bot
from cantstop_arena.outcomes import Group
from cantstop_arena.plugins import Catalogue
from cantstop_arena.seeds import Seed
from cantstop_arena.tournament.botlogs import BotLogs, Redirection
from cantstop_arena.tournament.chairs import Apart, Near
from cantstop_arena.tournament.config import RESOLVED, Entrant, FaultPolicy, Tournament

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.play import Table
    from cantstop_arena.games.cantstop.table import Contestant


@dataclass(frozen=True)
class Seat:
    """A bot's address, its options as JSON: all that a process needs to build the bot.

    One with a `launch` plays in a process of its own, and is not built here.
    """

    name: str
    bot: str
    path: Path | None
    options: str
    launch: Launch | None = None
    learns: bool = False

    def contestant(self, catalogue: Catalogue) -> "Contestant":
        """The bot, built."""
        from cantstop_arena.games.cantstop.table import Contestant, code_digest

        if self.launch:
            chair = Apart(self.launch)
            return Contestant(self.name, chair.player, repr(self.launch), chair, self.learns)
        spec = catalogue.reopen(self.bot, self.path)
        digest = code_digest(spec.origin, spec.name, spec.digest, self.options)
        options = json.loads(self.options)
        sit = None if spec.origin == "built-in" else Near(spec, options)
        return Contestant(self.name, spec.build(options), digest, sit, spec.learns)


def seat_for(name: str, spec: BotSpec, options: Mapping[str, Any]) -> Seat:
    """A seat under some name for a bot with all its options."""
    return Seat(name, spec.name, spec.path, json.dumps(dict(options)))


@dataclass(frozen=True)
class Recipe:
    """All that a process needs to set up a tournament's table."""

    rules: RuleSet
    seats: tuple[Seat, ...]
    players: int
    seed: Seed
    folder: Path
    measured: bool = False

    def __call__(self) -> "Table":
        """The table, set up once in a process; a forked worker finds its parent's."""
        if self not in _TABLES:
            from cantstop_arena.games.cantstop.play import Table

            catalogue = Catalogue(self.folder)
            contestants = [seat.contestant(catalogue) for seat in self.seats]
            _TABLES[self] = Table(self.rules, contestants, self.players, self.seed)
            _TABLES[self].measured = self.measured
        return _TABLES[self]

    def at_work(self, logs: BotLogs, memory: Any) -> "Table":
        """The table in a worker: seen from outside, what bots print going to their logs."""
        # A forked worker has the ledger open, and any worker the file behind the shared memory,
        # which stays where it is: neither is the bots' business.
        system.close_files(logs.folder.parent.resolve(), prefix="pym-")
        table = self()
        table.settle_in(memory)
        redirection = Redirection(logs.paths, lambda: table.speaker)
        table.on_speaker = redirection.turn_to
        return table


_TABLES: dict[Recipe, "Table"] = {}


def recipe_for(
    tournament: Tournament,
    catalogue: Catalogue,
    logs: BotLogs | None = None,
    memory: int | None = None,
) -> Recipe:
    """The recipe of a tournament's table.

    Bots in processes of their own write to their logs, and may take so many bytes of memory.
    """
    seats = []
    limits, hidden = tournament.policy, _hidden(tournament, logs)
    for number, entrant in enumerate(tournament.entrants):
        log = logs.paths[number] if logs else None
        seats.append(entrant_seat(entrant, catalogue, limits, log, memory, hidden))
    rules, players, seed = tournament.rules, tournament.players, tournament.seed
    return Recipe(rules, tuple(seats), players, seed, catalogue.folder, tournament.measured)


def _hidden(tournament: Tournament, logs: BotLogs | None) -> tuple[Path, ...]:
    """Where the seed of a tournament can stand."""
    results = [logs.folder.parent] if logs else []
    if tournament.source.name == RESOLVED:
        results.append(tournament.source.parent)
    return (tournament.source, *tournament.hidden, *results)


def entrant_seat(
    entrant: Entrant,
    catalogue: Catalogue,
    limits: FaultPolicy,
    log: Path | None = None,
    memory: int | None = None,
    hidden: tuple[Path, ...] = (),
) -> Seat:
    """The seat of an entrant, with the limits for its start and its decisions.

    In the sandbox it cannot read what is `hidden`.
    """
    seat = seat_for(entrant.name, entrant.bot, entrant.options)
    if not entrant.isolate:
        return seat
    argv, cwd, bound = entrant.command, _home_of(entrant.command), memory
    if not argv:
        argv = served_bot(entrant.bot.name, catalogue.folder, entrant.bot.path, memory)
        cwd, bound = Path.cwd(), None  # whoever serves it sees to the memory
    limit, start = limits.decision_limit, limits.start_limit
    launch = Launch(argv, cwd, seat.options, limit, bound, log, start, hidden)
    return replace(seat, launch=launch, learns=entrant.bot.learns)


def _home_of(command: Sequence[str]) -> Path:
    """Where a program runs: beside the first file that its command names."""
    files = (Path(word).parent for word in command if os.path.isfile(word))
    return next(files, Path.cwd())


def table_for(
    tournament: Tournament, catalogue: Catalogue, names: Sequence[str]
) -> tuple[Recipe, Group]:
    """The recipe of a table for bots by name, in seat order, and who sits where.

    Names are the tournament's, or else any bot's. Raises BotError for others, and UsageError
    where the rules have not so many seats.
    """
    if len(names) not in PLAYERS:
        raise UsageError(f"{len(names)} bots cannot play; seats are {PLAYERS[0]} to {PLAYERS[-1]}")
    limits, hidden = tournament.policy, _hidden(tournament, None)
    entrants = {
        entrant.name: entrant_seat(entrant, catalogue, limits, hidden=hidden)
        for entrant in tournament.entrants
    }
    chosen = {name: entrants.get(name) or _free_seat(name, entrants, catalogue) for name in names}
    seats = tuple(chosen.values())
    recipe = Recipe(tournament.rules, seats, len(names), tournament.seed, catalogue.folder)
    return recipe, tuple(list(chosen).index(name) for name in names)


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
