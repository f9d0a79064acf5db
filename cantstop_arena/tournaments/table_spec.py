"""The specification of a table: all that a process on any machine needs to set it up."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription, LoadedBot
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import BotError, UsageError
from cantstop_arena.game_api.bot_options import files_among
from cantstop_arena.games.registry import game_named
from cantstop_arena.processes import system
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.tournaments.bot_adapters import check_backend, seat_bot
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.pool.bot_logs import BotLogs, Redirection
from cantstop_arena.tournaments.pool.disturbance import SharedTable
from cantstop_arena.tournaments.pool.worker_messages import Building
from cantstop_arena.tournaments.tournament import RESOLVED, FaultPolicy, Tournament

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable
    from cantstop_arena.tournaments.openings import Openings


def bot_start(
    name: str,
    bot: BotDescription | LoadedBot,
    options: Mapping[str, Any],
    dice_name: str = "",
) -> BotStart:
    """The start of a bot with all its options, which plays as `name` in the table's process.

    Its dice follow from its `dice_name`, by default that of the bot.
    """
    return BotStart(
        name=name,
        bot=bot.address,
        options=json.dumps(dict(options)),
        files=tuple(files_among(bot.options, options).items()),
        learns=bot.learns,
        backend=bot.backend,
        dice_name=dice_name or bot.dice_name(bot.name, options),
    )


class TableSpec(msgspec.Struct, frozen=True):
    """All that a process needs to set up a tournament's table."""

    game: str
    rules: Any
    seats: tuple[BotStart, ...]
    players: int
    seed: Seed
    folder: Path
    keeps_counts: bool = False
    luck_measure: str = ""
    openings: Openings | None = None
    is_prepared: bool = False
    """Whether `is_compiled` of seats has been verified, so that processes check it again."""

    @property
    def needs_watching(self) -> bool:
        """Whether any of the bots are not built in."""
        return any(seat.is_foreign or seat.isolation for seat in self.seats)

    def table(self) -> GameTable:
        """The table, set up once in each process.

        A forked worker inherits the table of its parent if all bots are built in.
        """
        deque(self.build(), maxlen=0)
        return _TABLES[self]

    def build(self) -> Iterator[Building]:
        """Set up the table in this process; yields before each foreign bot, and after the last."""
        if self in _TABLES:
            return
        loader, seated_bots = Loader(self.folder), []
        for bot, seat in enumerate(self.seats):
            if seat.is_foreign:
                yield Building(bot)
            seated_bots.append(seat_bot(seat, loader))
            if isinstance(player := seated_bots[-1].player, BatchedBot):
                player.prepare(self.rules, self.players)
            if self.is_prepared:
                check_backend(seat, seated_bots[-1])
        if any(seat.is_foreign for seat in self.seats):
            yield Building(None)  # compiling machine code has no limit
        table = game_named(self.game).table(self.rules, seated_bots, self.players, self.seed)
        table.keeps_counts, table.luck_measure = self.keeps_counts, self.luck_measure
        self.set_openings(table)
        if self.luck_measure:  # else workers would compile it during the first decision
            table.warm_up()
        _TABLES[self] = table

    def set_openings(self, table: GameTable) -> None:
        """Let the deals at a table begin with the openings, if there are any."""
        if self.openings:
            openings = self.openings.by_deal(table.game, self.rules, self.players)
            table.opening_of = openings.of_deal

    @property
    def has_batched(self) -> bool:
        """Whether any of the bots is a batched one, according to their descriptions."""
        return any(seat.backend == "batched" for seat in self.seats)

    def as_prepared(self, backends: Sequence[str]) -> TableSpec:
        """A copy for workers, in which the bots have these backends."""
        if not any(seat.is_foreign for seat in self.seats):
            return self  # the key of the parent's table, which forked workers inherit
        pairs = zip(self.seats, backends, strict=True)
        seats = tuple(replace(seat, backend=backend) for seat, backend in pairs)
        return replace(self, seats=seats, is_prepared=True)

    def with_own_processes(self, bots: Collection[int]) -> TableSpec:
        """A copy in which these bots play in processes of their own."""
        seats = (
            seat.in_own_process() if bot in bots else seat for bot, seat in enumerate(self.seats)
        )
        return replace(self, seats=tuple(seats)) if bots else self

    def at_work(
        self, logs: BotLogs, memory: Any, separate: Group = (), charged: Group = ()
    ) -> Iterator[Building | GameTable | SharedTable]:
        """The table in a worker, with shared memory, and output of bots redirected to their logs.

        Yields a message before each foreign bot that is built, and the table last. For
        `separate` and `charged` see `with_own_processes` and `SharedTable`.
        """
        spec = self.with_own_processes(separate)
        seats = list(enumerate(spec.seats))
        sharing = tuple(bot for bot, seat in seats if seat.is_foreign)
        if not sharing:
            yield from spec._table_at_work(logs, memory)
            return
        shared = SharedTable(sharing, [bot for bot, seat in seats if seat.isolation], charged)
        shared.listen()
        for step in spec._table_at_work(logs, memory):
            yield step if isinstance(step, Building) else shared.take(step)

    def _table_at_work(self, logs: BotLogs, memory: Any) -> Iterator[Building | GameTable]:
        # A forked worker has the ledger open, and any worker the file behind the shared memory.
        # Bots must not reach either; the memory stays mapped.
        system.close_files(logs.folder.parent.resolve(), prefix="pym-")
        yield from self.build()
        table = self.table()
        table.attach_memory(memory)
        redirection = Redirection(logs.paths, lambda: table.speaker)
        table.on_speaker = redirection.turn_to
        table.after_block = redirection.end_lines
        table.note_process()
        yield table


_TABLES: dict[TableSpec, GameTable] = {}


def table_spec_for(
    tournament: Tournament,
    catalogue: Catalogue,
    logs: BotLogs | None = None,
    memory: int | None = None,
    copies: Path | None = None,
) -> TableSpec:
    """The spec of a tournament's table.

    Isolated bots write to their `logs`, and may use so many bytes of `memory`. Files of bots are
    copied to folders in `path`. Raises BotError when that fails.
    """
    seats = []
    limits, hidden = tournament.policy, _hidden(tournament, logs)
    for number, entrant in enumerate(tournament.entrants):
        log = logs.paths[number] if logs else None
        seats.append(entrant_start(entrant, catalogue, limits, log, memory, hidden, copies))
    rules, players, seed = tournament.rules, tournament.players, tournament.seed
    seated, game = tuple(seats), tournament.game.name
    measured, scored = tournament.keeps_counts, tournament.luck_measure
    folder = catalogue.folder
    return TableSpec(
        game, rules, seated, players, seed, folder, measured, scored, tournament.openings
    )


def _hidden(tournament: Tournament, logs: BotLogs | None) -> tuple[Path, ...]:
    """The paths that may contain the seed of a tournament."""
    results = [logs.folder.parent] if logs else []
    if tournament.source.name == RESOLVED:
        results.append(tournament.source.parent)
    return (tournament.source, *tournament.hidden, *results)


def entrant_start(
    entrant: Entrant,
    catalogue: Catalogue,
    limits: FaultPolicy,
    log: Path | None = None,
    memory: int | None = None,
    hidden: tuple[Path, ...] = (),
    copies: Path | None = None,
) -> BotStart:
    """The start of an entrant, with the time limits for its start and its decisions.

    In the sandbox it cannot read the `hidden` paths, nor the results and the folder of bots.
    """
    start = bot_start(entrant.name, entrant.bot, entrant.options, entrant.dice_name)
    if copies and (source := start.bot.source):
        start = replace(start, bot=replace(start.bot, source=source.copied(copies)))
    if not (entrant.isolate or start.is_foreign):
        return start
    return replace(
        start,
        isolation=entrant.isolate,
        command=entrant.command,
        cwd=_home_of(entrant.command),
        limits=ChildLimits(memory, entrant.processes),
        log=log,
        decision_limit=limits.decision_limit,
        start_limit=limits.start_limit,
        folder=catalogue.folder.absolute(),
        needs=(*entrant.needs, *entrant.named_files),
        hidden=tuple(path.absolute() for path in (*hidden, catalogue.results, catalogue.folder)),
    )


def _home_of(command: Sequence[str]) -> Path:
    """The working directory of a program: the folder of the first file in its command."""
    files = (Path(word).parent for word in command if os.path.isfile(word))
    return next(files, Path.cwd())


def table_for(
    tournament: Tournament, catalogue: Catalogue, names: Sequence[str], copies: Path | None = None
) -> tuple[TableSpec, Group]:
    """The spec of a table for bots by name, in seat order, and the bots' numbers by seat.

    Names are those of entrants, or else of any bot; files of entrants are copied to `copies`.
    Raises BotError for unknown names, and UsageError for an invalid number of seats.
    """
    players = _seats_for(tournament, len(names))
    limits, hidden = tournament.policy, _hidden(tournament, None)
    entrants = {
        entrant.name: entrant_start(entrant, catalogue, limits, hidden=hidden, copies=copies)
        for entrant in tournament.entrants
    }
    chosen = {
        name: entrants.get(name) or _other_start(name, entrants, catalogue)
        for name in _in_order_of_group(tournament, names)
    }
    seats = tuple(chosen.values())
    game, rules, seed = tournament.game.name, tournament.rules, tournament.seed
    openings = tournament.openings if players == tournament.players else None
    spec = TableSpec(game, rules, seats, players, seed, catalogue.folder, openings=openings)
    return spec, tuple(list(chosen).index(name) for name in names)


def _in_order_of_group(tournament: Tournament, names: Sequence[str]) -> list[str]:
    """The bots that meet, in the order in which the ledger writes their group.

    It decides the number of a game, and so its row in batches. Other bots come last.
    """
    numbers = {entrant.name: number for number, entrant in enumerate(tournament.entrants)}
    group = tournament.query.canonical_group(numbers[name] for name in {*names} if name in numbers)
    return [
        *(tournament.entrants[number].name for number in group),
        *sorted(name for name in {*names} if name not in numbers),
    ]


def _seats_for(tournament: Tournament, bots: int) -> int:
    """The number of seats at which so many bots meet, if possible that of the tournament."""
    game = tournament.game
    sizes = {game.lineup_size(players): players for players in reversed(game.players)}
    sizes[tournament.lineup_size] = tournament.players
    if bots not in sizes:
        raise UsageError(f"{bots} bots cannot play; seats are {min(sizes)} to {max(sizes)}")
    return sizes[bots]


def _other_start(name: str, entrants: Mapping[str, BotStart], catalogue: Catalogue) -> BotStart:
    """The start of a bot that is not in the tournament, with its default options."""
    try:
        spec = catalogue.find(name)
    except BotError as error:
        names = ", ".join(entrants)
        raise BotError(f"{error}; the tournament's bots are {names}") from error
    return bot_start(name, spec, spec.defaults)
