"""Replay of one game in a separate process: a bot that hangs or dies ends only this game."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Block, Fault, Snapshot
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import GameError, WorkerPoolError
from cantstop_arena.game_api.watched import ARENA, GAME
from cantstop_arena.processes import shutdown, system
from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.processes.watchdog import Watchdog, counted_seconds, pulse
from cantstop_arena.table.recording import Complaint, record
from cantstop_arena.texts import last_line
from cantstop_arena.tournaments.pool.worker import TRIES, Worker, start_methods
from cantstop_arena.tournaments.pool.worker_messages import (
    Building,
    GameFailed,
    Message,
    Ready,
    ReplayedEvent,
    ReplayedFault,
    WorkerBroken,
)
from cantstop_arena.tournaments.pool.worker_pool import building_limit
from cantstop_arena.tournaments.preparation import disturbing, prepare_bots
from cantstop_arena.tournaments.table_spec import TableSpec, table_for
from cantstop_arena.tournaments.tournament import FaultPolicy, Tournament

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Event
    from cantstop_arena.table.table import GameTable


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
        table_spec = table_spec.with_apart(disturbing(bots))
        for event in _game_events(tournament, table_spec, seats, complain, deal, silent=False):
            turn = event.get("turn", turn or 0)
            yield event
    except _GameCutOff as cut:
        raise GameError(str(cut)) from None
    except _ReplayCutOff as cut:
        if turn is None:
            raise WorkerPoolError(f"the game did not begin: {cut}") from None
        complain(f"{names[cut.seat]} (seat {cut.seat}) misbehaves in turn {turn}: {cut}")
        winners = [other for other in range(len(names)) if other != cut.seat]
        yield {"event": "end", "turns": turn, "winners": winners, "reason": "fault"}


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
        except _ReplayCutOff:
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
    """The events of a game from a separate process. Raises _ReplayCutOff if that ends first."""
    isolated = [table_spec.seats[bot].launch is not None for bot in seats]
    window = tournament.game.window
    player = partial(_replayer, table_spec, seats, silent)
    with shutdown.defer_until_safe():
        worker = Worker(player, window, start_methods()[0], None, [])
        try:
            worker.send_block(Block(seats, deal, 1), ())
            policy = tournament.policy
            yield from _Listener(worker, policy, table_spec, isolated, complain, deal).events()
        finally:
            worker.close()


class _ReplayCutOff(Exception):
    """The process of a game has died or stalled while `seat` was deciding."""

    def __init__(self, why: str, seat: int) -> None:
        super().__init__(why)
        self.seat = seat


class _GameCutOff(_ReplayCutOff):
    """The game's own code has ended the process, or takes too long."""


class _ReplayNotBuilt(_ReplayCutOff):
    """A bot that was built before cannot be built in the process of a game."""


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

    def play(self, block: Block, forfeits: Sequence[Fault] = ()) -> Iterator[Message]:
        """Messages with the events; a fault comes before the last event."""
        complaints: list[Complaint] = []
        self.table.mark_game(0, tuple(range(len(self.seats))))
        for event in record(self.table, self.seats, block.first, complaints.append):
            yield from (ReplayedFault(str(complaint)) for complaint in complaints)
            complaints.clear()
            yield ReplayedEvent(dict(event))


@dataclass
class _Listener:
    """In the parent: receives the events, and ends the game when the process fails."""

    worker: Worker
    policy: FaultPolicy
    table_spec: TableSpec
    isolated: Sequence[bool]  # whether a seat's bot plays in a process of its own
    complain: Callable[[str], None]
    deal: int

    def __post_init__(self) -> None:
        self.watchdog = Watchdog(self.worker.process.pid)

    def events(self) -> Iterator["Event"]:
        watchdog, checked_at = self.watchdog, time.monotonic()
        while True:
            shutdown.check()
            self.worker.wait(pulse(self.policy.decision_limit))
            for message in self._messages():
                if event := self._event_in(message):
                    yield event
                    if event.get("event") == "end":
                        return
            now = time.monotonic()
            passed, checked_at = (
                counted_seconds(now - checked_at, pulse(self.policy.decision_limit)),
                now,
            )
            snapshot = self.worker.look()
            watchdog.observe(snapshot.step, passed)
            limit = self._limit(snapshot)
            if watchdog.overdue(limit):
                decision = snapshot.function or "its process"
                raise self._failed(f"{decision} gave no answer within {limit:g} s", limit)

    def _messages(self) -> list[Message]:
        try:
            messages = self.worker.messages()
        except EOFError:
            code = self.worker.ended()
            fail = self._cut_off if code is None else self._failed
            raise fail(system.ending(code)) from None
        except ProtocolError:
            raise self._cut_off("wrote into the pipe of its process") from None
        if Ready() in messages:
            self.worker.ready = True
            self.watchdog.begin()
        return messages

    def _event_in(self, message: Message) -> "Event | None":
        if isinstance(message, ReplayedEvent):
            return message.event
        if isinstance(message, ReplayedFault):
            self.complain(message.text)
        elif isinstance(message, Building):
            self._building(message)
        elif isinstance(message, GameFailed):
            raise GameError(message.text)
        elif isinstance(message, WorkerBroken):
            raise self._cut_off(f"broke its process: {last_line(message.report)}")
        return None

    def _building(self, message: Building) -> None:
        with suppress(ProtocolError):
            self.worker.construction.note(message, range(len(self.table_spec.seats)))
            self.watchdog.begin()

    def _limit(self, snapshot: Snapshot) -> float:
        """The time limit of what the process is doing, in seconds."""
        if self.worker.construction.goes_on:
            return building_limit()
        if not self.worker.ready or snapshot.phase == ARENA:
            return self.policy.start_limit
        if snapshot.phase == GAME:
            return self.policy.game_limit
        is_isolated = self.isolated[snapshot.position % len(self.isolated)]
        return self.policy.isolated_limit if is_isolated else self.policy.decision_limit

    def _failed(self, why: str, seconds: float | None = None) -> _ReplayCutOff:
        """The process has ended, or taken too many seconds: the bot's fault, or the game's."""
        snapshot = self.worker.look()
        if not self.worker.ready or snapshot.phase != GAME:
            return self._cut_off(why)
        error = self.worker.game_failure(snapshot.function, self.deal, seconds)
        return _GameCutOff(str(error), snapshot.position)

    def _cut_off(self, why: str) -> _ReplayCutOff:
        seat, construction = self.worker.look().position, self.worker.construction
        if construction.goes_on:
            bot = self.table_spec.seats[construction.started[-1]].name
            return _ReplayNotBuilt(f"bot {bot} cannot be built: {why}", seat)
        return _ReplayCutOff(why, seat)
