"""One game again, in a process of its own, so that a bot that hangs or dies ends the game only."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cantstop_arena import stopping, system
from cantstop_arena.outcomes import Block, Fault, Glimpse, Group
from cantstop_arena.plugins import Catalogue
from cantstop_arena.tournament.config import Tournament
from cantstop_arena.tournament.recipes import Recipe, table_for
from cantstop_arena.tournament.vigil import Vigil
from cantstop_arena.tournament.worker import READY, Window, Worker, start_methods

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.events import Event
    from cantstop_arena.games.cantstop.play import Table

_PULSE = 0.02
_TO_START = 120.0  # seconds for the process, and for programs, to get ready
_COMPLAINT = "complaint"


def replayed(
    tournament: Tournament,
    catalogue: Catalogue,
    names: Sequence[str],
    deal: int,
    complain: Callable[[str], None],
    silent: bool = False,
) -> Iterator["Event"]:
    """The events of a game, bots in seat order. `complain` is told who misbehaves, and how.

    What bots print goes to the standard error, or nowhere if they are to be `silent`.
    """
    from cantstop_arena.games.cantstop.sight import SIZE, sight_of

    recipe, seats = table_for(tournament, catalogue, names)
    recipe()  # compiled here, where complaints about it belong
    window = Window(SIZE, sight_of)
    player = partial(_Replayer, recipe, seats, silent)
    with stopping.in_order():
        worker = Worker(player, window, start_methods()[0], None, [])
        try:
            worker.give(Block(seats, deal, 1), ())
            limit = tournament.policy.decision_limit
            yield from _Listener(worker, names, limit, complain).events()
        finally:
            worker.dismiss()


class _Replayer:
    """In the process: plays the game, and sends every event when it happens."""

    def __init__(self, recipe: Recipe, seats: Group, silent: bool, memory: Any) -> None:
        if silent:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.dup2(2, 1)  # what bots print is not part of the record
        self.table: Table = recipe()
        self.table.settle_in(memory)
        self.seats = seats

    def play(self, block: Block, condemned: Sequence[Fault] = ()) -> Iterator[Any]:
        """The events; before the last one a complaint, where a bot misbehaves."""
        from cantstop_arena.games.cantstop.notation import Complaint, record

        complaints: list[Complaint] = []
        self.table.games[0].bots[: len(self.seats)] = range(len(self.seats))
        for event in record(self.table, self.seats, block.first, complaints.append):
            yield from ({_COMPLAINT: str(complaint)} for complaint in complaints)
            complaints.clear()
            yield event


@dataclass
class _Listener:
    """In the parent: hears the events, and ends the game when no more can come."""

    worker: Worker
    names: Sequence[str]
    limit: float
    complain: Callable[[str], None]
    turn: int = 0

    def events(self) -> Iterator["Event"]:
        vigil, looked = Vigil(), time.monotonic()
        while True:
            stopping.check()
            self.worker.wait(_PULSE)
            try:
                for message in self.worker.post():
                    if event := self._heard(message):
                        yield event
                        if event["event"] == "end":
                            return
            except EOFError:
                yield self._ended(system.ending(self.worker.ended()))
                return
            glimpse, now = self.worker.look(), time.monotonic()
            activity = system.activity(self.worker.process.pid)
            vigil.look(glimpse, activity, min(now - looked, 4 * _PULSE))
            looked = now
            if self._is_over(glimpse, vigil):
                yield self._ended(f"{glimpse.asked} gave no answer within {self.limit:g} s")
                return

    def _heard(self, message: Any) -> "Event | None":
        if message == READY:
            self.worker.ready = True
        elif isinstance(message, dict) and _COMPLAINT in message:
            self.complain(message[_COMPLAINT])
        elif isinstance(message, dict):
            self.turn = message.get("turn", self.turn)
            return message
        return None

    def _is_over(self, glimpse: Glimpse, vigil: Vigil) -> bool:
        """Whether a bot has had its time; where it is doubtful why, three times as much."""
        if not (self.worker.ready and glimpse.deciding):
            return vigil.still > _TO_START
        return vigil.still > (self.limit if vigil.proven else 3 * self.limit)

    def _ended(self, why: str) -> "Event":
        seat = self.worker.look().place
        self.complain(f"{self.names[seat]} (seat {seat}) misbehaves in turn {self.turn}: {why}")
        winners = [other for other in range(len(self.names)) if other != seat]
        return {"event": "end", "turns": self.turn, "winners": winners, "reason": "fault"}
