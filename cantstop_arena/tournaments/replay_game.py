"""Replay of one game in a separate process: a bot that hangs or dies ends only this game."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Block, Fault
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.errors import WorkerPoolError
from cantstop_arena.game_api.state import FAULT, Event
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.watchdog import counted_seconds, pulse
from cantstop_arena.table.recording import Complaint, early_end, record
from cantstop_arena.tournaments.pool.blame import WorkerFailure
from cantstop_arena.tournaments.pool.worker import TRIES, GameStopped, Worker, start_methods
from cantstop_arena.tournaments.pool.worker_messages import (
    Building,
    Message,
    ReplayedEvent,
    ReplayedFault,
)
from cantstop_arena.tournaments.pool.worker_slot import (
    BlockPart,
    WorkerFailed,
    WorkerSlot,
    unexpected_message,
)
from cantstop_arena.tournaments.preparation import disturbing, prepare_bots
from cantstop_arena.tournaments.table_spec import TableSpec, table_for
from cantstop_arena.tournaments.tournament import FaultPolicy, Tournament

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

_SLOWER_AS_PYTHON = 30
"""Records are of plain Python: a compiled bot gets so many times the time that it had."""


def replay_game(
    tournament: Tournament,
    catalogue: Catalogue,
    names: Sequence[str],
    deal: int,
    complain: Callable[[str], None],
) -> Iterator["Event"]:
    """The events of a game, bots in seat order. `complain` is called with a message for each fault.

    Output of bots is written to standard error. Raises WorkerPoolError when no game begins, and
    GameError when the game itself fails.
    """
    turn = None
    try:
        table_spec, seats = table_for(tournament, catalogue, names)
        limit = tournament.policy.decision_limit
        bots = prepare_bots(table_spec, lambda _: None, limit)  # raises errors in bots here
        table_spec = table_spec.with_own_processes(disturbing(bots))
        for event in _game_events(tournament, table_spec, seats, complain, deal, silent=False):
            turn = event.get("turn", turn or 0)
            yield event
    except _ReplayCutOff as cut:
        if turn is None:
            raise WorkerPoolError(f"the game did not begin: {cut}") from None
        complain(f"{names[cut.seat]} (seat {cut.seat}) misbehaves in turn {turn}: {cut}")
        sides = tournament.game.side_by_seat(table_spec.players)
        winners = [seat for seat, side in enumerate(sides) if side != sides[cut.seat]]
        yield early_end(turn, winners, FAULT)


def record_game(
    tournament: Tournament,
    catalogue: Catalogue,
    copies: Path,
    names: Sequence[str],
    deal: int,
) -> Sequence["Event"]:
    """The events of a game, bots in seat order, without their output; empty if it does not end.

    Files of bots are read from the copies in `path`, in case the originals have changed. The game
    may have been played before, so that its bots are not to blame if its process dies: it is played
    again, as often as a block of a tournament would be. Built-in bots play in this process.
    """
    for _ in range(TRIES):
        try:
            table_spec, seats = table_for(tournament, catalogue, names, copies)
            if not table_spec.needs_watching:
                return list(record(table_spec.table(), seats, deal))
            return list(
                _game_events(tournament, table_spec, seats, lambda _: None, deal, silent=True)
            )
        except _ReplayNotBuilt:
            break  # trying again could take long
        except (_ReplayCutOff, GameStopped):
            continue
    return []


def _game_events(
    tournament: Tournament,
    table_spec: TableSpec,
    seats: Group,
    complain: Callable[[str], None],
    deal: int,
    silent: bool,
) -> Iterator["Event"]:
    """The events of a game from a separate process.

    Raises _ReplayCutOff if that ends first, and GameError when the game itself fails.
    """
    policy, block = tournament.policy, Block(seats, deal, 1)
    player = partial(_replayer, table_spec, seats, silent)
    foreign = [bot for bot, seat in enumerate(table_spec.seats) if seat.is_foreign]
    with shutdown.defer_until_safe():
        worker = Worker(player, tournament.game.window, start_methods()[0], None)
        slot = WorkerSlot(worker, _ReplayLimits(policy, table_spec), policy.start_limit, foreign)
        try:
            slot.give(BlockPart(block, block), ())
            for report in _reports(slot, policy):
                if isinstance(report, ReplayedFault):
                    complain(report.text)
                elif isinstance(report, ReplayedEvent):
                    yield report.event
                    if report.event.get("event") == "end":
                        return
                else:
                    raise unexpected_message()
        except WorkerFailed as failed:
            raise _cut_off(worker, table_spec, failed.failure) from None
        finally:
            worker.close()


def _reports(slot: WorkerSlot, policy: FaultPolicy) -> Iterator[Message]:
    """What the worker of a game reports, without end. Raises what its slot raises."""
    interval, checked_at = pulse(policy.decision_limit), time.monotonic()
    while True:
        shutdown.check()
        slot.worker.wait(max(0.0, checked_at + interval - time.monotonic()))
        yield from slot.reports()
        now = time.monotonic()
        if now >= checked_at + interval:
            slot.check(counted_seconds(now - checked_at, interval), policy.start_limit)
            checked_at = now


@dataclass(frozen=True)
class _ReplayLimits:
    """The limits of the bots of one game."""

    policy: FaultPolicy
    table_spec: TableSpec

    def decision_limit(self, bot: int) -> float:
        seat = self.table_spec.seats[bot]
        if seat.isolation:
            return self.policy.isolated_limit
        return self.policy.decision_limit * (_SLOWER_AS_PYTHON if seat.is_compiled else 1)

    @property
    def game_limit(self) -> float:
        return self.policy.game_limit

    def suspects(self, group: Group) -> list[int]:
        return list(group)

    @property
    def orders(self) -> Orders:
        return (tuple(range(self.table_spec.players)),)


def _cut_off(worker: Worker, table_spec: TableSpec, failure: WorkerFailure) -> "_ReplayCutOff":
    """The error for a game whose worker has failed."""
    seat, construction = worker.look().position, worker.construction
    if not construction.goes_on:
        return _ReplayCutOff(failure.text, seat)
    bot = table_spec.seats[construction.started[-1]].name
    kind = _ReplayNotBuilt if failure.proven else _ReplayCutOff
    return kind(f"bot {bot} cannot be built: {failure.text}", seat)


class _ReplayCutOff(Exception):
    """The process of a game has died or stalled while `seat` was deciding."""

    def __init__(self, why: str, seat: int) -> None:
        super().__init__(why)
        self.seat = seat


class _ReplayNotBuilt(_ReplayCutOff):
    """A bot that was built before cannot be built in the process of a game, by its own doing."""


def _replayer(
    table_spec: TableSpec, seats: Group, silent: bool, memory: Any
) -> "Iterator[Building | _Replayer]":
    """In the process: sets up the table, and yields a message before each foreign bot."""
    if silent:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.dup2(2, 1)  # bots' output is not part of the record
    yield from table_spec.build()
    table = table_spec.table()
    table.attach_memory(memory)
    table.note_process()
    yield _Replayer(table, seats)


@dataclass
class _Replayer:
    """In the process: plays the game, and yields a message for every event."""

    table: "GameTable"
    seats: Group

    def play(
        self, block: Block, forfeits: Sequence[Fault] = (), alone: bool = True
    ) -> Iterator[Message]:
        """Messages with the events; a fault comes before the last event."""
        complaints: list[Complaint] = []
        self.table.mark_game(0, tuple(range(len(self.table.by_seat(self.seats)))))
        for event in record(self.table, self.seats, block.first, complaints.append):
            yield from (ReplayedFault(str(complaint)) for complaint in complaints)
            complaints.clear()
            yield ReplayedEvent(dict(event))
