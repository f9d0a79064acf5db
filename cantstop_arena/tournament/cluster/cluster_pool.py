"""Plays blocks on the machines of a cluster, whichever are there, and survives their loss."""

from collections.abc import Callable, Iterator
from typing import Protocol

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import ClusterError, GameError, WorkerPoolError
from cantstop_arena.runtime import shutdown
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournament.cluster.letters import (
    AtWork,
    Done,
    Drop,
    FromCourier,
    FromMachine,
    Gone,
    Joined,
    Lost,
    NotBuilt,
    Play,
    Printed,
    Refused,
    Said,
    Unfit,
)
from cantstop_arena.tournament.cluster.line import Line
from cantstop_arena.tournament.cluster.machine_slot import MachineSlot
from cantstop_arena.tournament.cluster.stock import Stock
from cantstop_arena.tournament.pool.block_pool import PlayedPart, Unbuilt
from cantstop_arena.tournament.pool.frames import Nonsense
from cantstop_arena.tournament.pool.messages import Broken, GameFailed
from cantstop_arena.tournament.setup.known_bots import Bots

_PULSE = 0.05  # seconds
_LOST_IN_TURN = 20  # machines without a result between them, before that is more than bad luck
_LONGEST_REASON = 1000  # characters


class Watch(Protocol):
    """Who is told of the machines of a cluster."""

    def plays_on(self, machines: int, processes: int) -> None:
        """So many machines play now, with so many processes together."""

    def remarks(self, words: str) -> None:
        """Something has to be said of a machine."""


class ClusterPool:
    """Plays streams of blocks on machines at the end of a line. Use it as a context manager."""

    def __init__(self, line: Line, bots: Bots, watch: Watch) -> None:
        self._line = line
        self._logs = bots.logs
        self._orders = len(bots.orders)
        self._watch = watch
        self._slots: dict[str, MachineSlot] = {}
        self._refused: dict[str, str] = {}
        self._stock = Stock()
        self._lost_in_turn = 0

    def __enter__(self) -> "ClusterPool":
        self._line.__enter__()
        self._tell()
        return self

    def __exit__(self, *problem: object) -> None:
        self._line.__exit__(*problem)

    def play(
        self, blocks: Iterator[Block], meanwhile: Callable[[], None] = lambda: None
    ) -> Iterator[PlayedPart]:
        """What `BlockPool` says; raises ClusterError, too, where the cluster ends."""
        self._stock = Stock(blocks)
        while self._stock or any(slot.given for slot in self._slots.values()):
            shutdown.check()
            self._give_out()
            for letter in self._line.letters(_PULSE):
                yield from self._read(letter)
            meanwhile()

    def drop(self, void: Callable[[Group], bool]) -> None:
        """Forget what is being played, or waits to be played, by groups that are void."""
        self._stock.drop(void)
        for slot in self._slots.values():
            if groups := slot.drop(void):
                self._line.send(slot.name, Drop(tuple(groups)))

    def _give_out(self) -> None:
        """Give bundles to machines that have few, those with the least first."""
        while hungry := [slot for slot in self._slots.values() if slot.is_hungry]:
            slot = min(hungry, key=lambda slot: slot.load)
            pieces = self._stock.bundle(slot.bundle, self._at_work())
            if not pieces:
                return
            slot.give(pieces)
            self._line.send(slot.name, Play(tuple(piece.block for piece in pieces)))

    def _at_work(self) -> int:
        return sum(slot.is_at_work for slot in self._slots.values())

    # What comes in

    def _read(self, letter: FromCourier) -> Iterator[PlayedPart]:
        if isinstance(letter, Said):
            yield from self._hear(letter)
        elif isinstance(letter, Joined):
            self._slots[letter.machine] = MachineSlot(letter.machine, letter.processes)
        elif isinstance(letter, Lost):
            self._lose(letter)
        elif isinstance(letter, Unfit):
            self._refuse(letter.machine, letter.why)
        else:
            raise ClusterError(self._end(letter))

    def _end(self, gone: Gone) -> str:
        where = self._line.cluster
        if gone.was_there:
            return f"The cluster at {where} has ended: {gone.why}.{shutdown.farewell()}"
        return f"No cluster can be reached at {where}: {gone.why}"

    def _hear(self, said: Said) -> Iterator[PlayedPart]:
        if (slot := self._slots.get(said.machine)) is None:
            return  # it has been refused
        try:
            for message in slot.messages(said.content):
                yield from self._heed(slot, message)
        except Nonsense:
            self._refuse(said.machine, "what it says makes no sense; a bot may have said it")

    def _heed(self, slot: MachineSlot, message: FromMachine) -> Iterator[PlayedPart]:
        if isinstance(message, Done):
            self._lost_in_turn = 0
            yield from slot.done(message, self._orders)
        elif isinstance(message, Printed):
            self._logs.add(message.bot, message.text)
        elif isinstance(message, AtWork):
            slot.is_at_work = True
            self._tell()
        elif isinstance(message, Refused):
            self._refuse(slot.name, message.text)
        else:
            self._give_up(slot, message)

    def _give_up(self, slot: MachineSlot, message: NotBuilt | GameFailed | Broken) -> None:
        """End the run, as it would end where it was started."""
        if isinstance(message, NotBuilt):
            raise Unbuilt(message.bot, message.others, message.text)
        if isinstance(message, GameFailed):
            raise GameError(message.text)
        raise WorkerPoolError(f"on the machine {slot.name}: {message.report}")

    # Machines that go

    def _lose(self, lost: Lost) -> None:
        """Have others play what a machine had; it may come back."""
        self._refused.pop(lost.machine, None)
        if not self._taken_from(lost.machine):
            return
        self._lost_in_turn += 1
        if self._lost_in_turn == _LOST_IN_TURN:
            why = f"{_LOST_IN_TURN} machines in turn were lost before they had played anything"
            raise ClusterError(f"{why}; the last was {lost.machine}: {lost.why}")

    def _refuse(self, machine: str, why: str) -> None:
        """Do without a machine. Raises ClusterError where there is no other."""
        self._taken_from(machine)
        self._refused[machine] = in_a_line(why, _LONGEST_REASON)
        told = f"The machine {machine} does not play: {self._refused[machine]}"
        if not self._slots:
            raise ClusterError(f"{told}. There is no other.")
        self._watch.remarks(told)

    def _taken_from(self, machine: str) -> bool:
        """Take back what a machine had; whether it was there."""
        slot = self._slots.pop(machine, None)
        if slot is not None:
            self._stock.take_back(slot.given.values())
            self._tell()
        return slot is not None

    def _tell(self) -> None:
        at_work = [slot for slot in self._slots.values() if slot.is_at_work]
        self._watch.plays_on(len(at_work), sum(slot.processes for slot in at_work))
