"""One game again, in a process of its own, so that a bot that hangs or dies ends the game only."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from cantstop_arena import stopping, system
from cantstop_arena.catalogue import Catalogue
from cantstop_arena.errors import WorkforceError
from cantstop_arena.outcomes import Block, Fault, Glimpse, Group
from cantstop_arena.texts import last_line
from cantstop_arena.tournament.config import Tournament
from cantstop_arena.tournament.recipes import Recipe, table_for
from cantstop_arena.tournament.rehearsal import rehearse
from cantstop_arena.tournament.vigil import Vigil
from cantstop_arena.tournament.worker import READY, TRIES, Window, Worker, start_methods

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
) -> Iterator["Event"]:
    """The events of a game, bots in seat order. `complain` is told who misbehaves, and how.

    What bots print goes to the standard error. Raises WorkforceError where no game begins.
    """
    turn = None
    try:
        for event in _played(tournament, catalogue, names, deal, complain, silent=False):
            turn = event.get("turn", turn or 0)
            yield event
    except _CutOff as cut:
        if turn is None:
            raise WorkforceError(f"the game did not begin: {cut}") from None
        complain(f"{names[cut.seat]} (seat {cut.seat}) misbehaves in turn {turn}: {cut}")
        winners = [other for other in range(len(names)) if other != cut.seat]
        yield {"event": "end", "turns": turn, "winners": winners, "reason": "fault"}


def recorded(
    tournament: Tournament, catalogue: Catalogue, names: Sequence[str], deal: int
) -> Sequence["Event"]:
    """The events of a game, bots in seat order, in silence; none where it comes to no end.

    As the game may have been played before, its bots are not to blame if its process dies: it
    is played again, as often as a block of a tournament would be.
    """
    for _ in range(TRIES):
        with suppress(_CutOff):
            return list(_played(tournament, catalogue, names, deal, lambda _: None, silent=True))
    return []


def _played(
    tournament: Tournament,
    catalogue: Catalogue,
    names: Sequence[str],
    deal: int,
    complain: Callable[[str], None],
    silent: bool,
) -> Iterator["Event"]:
    """The events of a game, from a process of its own. Raises _CutOff where that ends first."""
    from cantstop_arena.games.cantstop.sight import SIZE, sight_of

    recipe, seats = table_for(tournament, catalogue, names)
    rehearse(recipe, lambda _: None)  # complaints belong here
    window = Window(SIZE, sight_of)
    player = partial(_Replayer, recipe, seats, silent)
    with stopping.in_order():
        worker = Worker(player, window, start_methods()[0], None, [])
        try:
            worker.give(Block(seats, deal, 1), ())
            limit = tournament.policy.decision_limit
            yield from _Listener(worker, limit, complain).events()
        finally:
            worker.dismiss()


class _CutOff(Exception):
    """The process of a game has died, or stands still, while a seat was to decide."""

    def __init__(self, why: str, seat: int) -> None:
        super().__init__(why)
        self.seat = seat


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
    limit: float
    complain: Callable[[str], None]

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
                raise self._cut_off(system.ending(self.worker.ended())) from None
            glimpse, now = self.worker.look(), time.monotonic()
            activity = system.activity(self.worker.process.pid)
            vigil.look(glimpse, activity, min(now - looked, 4 * _PULSE))
            looked = now
            if self._is_over(glimpse, vigil):
                asked = glimpse.asked or "its process"
                raise self._cut_off(f"{asked} gave no answer within {self.limit:g} s")

    def _heard(self, message: Any) -> "Event | None":
        if message == READY:
            self.worker.ready = True
        elif isinstance(message, dict) and _COMPLAINT in message:
            self.complain(message[_COMPLAINT])
        elif isinstance(message, dict):
            return message
        else:
            raise self._cut_off(f"broke its process: {last_line(str(message))}")
        return None

    def _is_over(self, glimpse: Glimpse, vigil: Vigil) -> bool:
        """Whether a bot has had its time; where it is doubtful why, three times as much."""
        if self.worker.ready and glimpse.deciding:
            return vigil.still > (self.limit if vigil.proven else 3 * self.limit)
        return vigil.still > (self.limit if vigil.stopped else _TO_START)

    def _cut_off(self, why: str) -> _CutOff:
        return _CutOff(why, self.worker.look().place)
