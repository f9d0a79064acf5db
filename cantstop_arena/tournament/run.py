"""From a tournament to its results: plays what the ledger lacks, and adds it all up."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import factorial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from cantstop_arena.botspecs import BotSpec
from cantstop_arena.errors import ArenaError, BotError, UsageError
from cantstop_arena.games.cantstop.rules import PLAYERS, RuleSet
from cantstop_arena.outcomes import Group, Results
from cantstop_arena.plugins import Catalogue
from cantstop_arena.tournament.config import Entrant, Tournament, dump
from cantstop_arena.tournament.ledger import Ledger, open_ledger
from cantstop_arena.tournament.schedule import Span, missing_blocks
from cantstop_arena.tournament.workforce import Workforce

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.play import Contestant, Table

LEDGER = "ledger.sqlite"


class Watch(Protocol):
    """Who is told how a run goes on."""

    def compiling(self, names: list[str]) -> None:
        """The engine (no name), or bots, are about to be compiled for the first time."""

    def begins(self, played: int, games: int) -> None:
        """Of all `games`, `played` stand in the ledger already."""

    def advances(self, games: int) -> None:
        """So many more games are in the ledger."""


@dataclass(frozen=True)
class Seat:
    """A bot's address, its options as JSON: all that a process needs to build the bot."""

    name: str
    bot: str
    path: Path | None
    options: str

    def contestant(self, catalogue: Catalogue) -> "Contestant":
        """The bot, built."""
        from cantstop_arena.games.cantstop.play import Contestant, code_digest

        spec = catalogue.reopen(self.bot, self.path)
        digest = code_digest(spec.origin, spec.name, spec.digest, self.options)
        return Contestant(self.name, spec.build(json.loads(self.options)), digest)


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


def play(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    workers: int,
    watch: Watch,
    fresh: bool = False,
) -> Results:
    """Play what is missing of a tournament in `folder`, and return all its results.

    Raises LedgerError, BotError or WorkforceError.
    """
    _make(folder)
    with open_ledger(folder / LEDGER, tournament.identity(), fresh) as ledger:
        spans = ledger.spans()
        asked = sum(1 for _ in tournament.groups()) * _games(tournament, tournament.deals)
        stored = sum(_games(tournament, deals) for gone in spans.values() for _, deals in gone)
        missing = sum(
            _games(tournament, block.deals)
            for block in missing_blocks(tournament, lambda _: "compiled", _lookup(spans))
        )
        watch.begins(stored, max(asked, stored + missing))
        if missing:
            _play_missing(tournament, catalogue, ledger, workers, watch)
            ledger.tidy()
        _write_resolved(tournament, folder, spans)
        return _results(tournament, ledger)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be created: {error.strerror}") from error


def _games(tournament: Tournament, deals: int) -> int:
    return deals * factorial(tournament.players)


def _lookup(spans: Mapping[Group, list[Span]]) -> Any:
    return lambda group: spans.get(group, [])


def _play_missing(
    tournament: Tournament, catalogue: Catalogue, ledger: Ledger, workers: int, watch: Watch
) -> None:
    recipe = recipe_for(tournament, catalogue)
    table = prepare(recipe, catalogue, watch)

    def lane_of(group: Group) -> str:
        return "compiled" if all(table.native[bot] for bot in group) else "plain"

    blocks = missing_blocks(tournament, lane_of, _lookup(ledger.spans()))
    with Workforce(recipe, workers) as workforce:
        for result in workforce.play(blocks):
            ledger.add(result)
            watch.advances(_games(tournament, result.block.deals))


def prepare(recipe: Recipe, catalogue: Catalogue, watch: Watch) -> "Table":
    """Set the table up here, so that everything is compiled once, before workers start."""
    from cantstop_arena.games.cantstop.play import uncompiled

    contestants = [seat.contestant(catalogue) for seat in recipe.seats]
    if missing := uncompiled(contestants):
        watch.compiling(missing)
    table = recipe()
    table.warm_up()
    return table


def _write_resolved(
    tournament: Tournament, folder: Path, spans: Mapping[Group, list[Span]]
) -> None:
    """Write the tournament with everything spelled out, with as many games as were played."""
    before = max((first + deals for gone in spans.values() for first, deals in gone), default=0)
    games = max(tournament.games, _games(tournament, before))
    text = dump(replace(tournament, games=games).resolved(folder))
    target, draft = folder / "tournament.yaml", folder / ".tournament.yaml"
    draft.write_text(text, encoding="utf-8", newline="\n")
    draft.replace(target)


def _results(tournament: Tournament, ledger: Ledger) -> Results:
    from cantstop_arena.games.cantstop.counts import RATES

    return Results(
        name=tournament.name,
        game=tournament.game,
        rules=tournament.rules.as_dict(),
        players=tournament.players,
        seed=tournament.seed,
        bots=tuple(entrant.name for entrant in tournament.entrants),
        tallies=ledger.tallies(),
        deal_sums=ledger.deal_sums(len(tournament.entrants)),
        rates=RATES,
        faults=ledger.faults(),
    )
