"""A person at a table, who is shown each event after it was recorded, and may leave."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import Interrupted
from cantstop_arena.game_api.state import Event, event_of
from cantstop_arena.table.recording import Complaint, record
from cantstop_arena.table.table import GameTable


class PersonLeft(Interrupted):
    """The person has left the game, by a command (`by_command`) or at the end of the input.

    Its cause is an OSError when the terminal has failed.
    """

    def __init__(self, by_command: bool) -> None:
        super().__init__()
        self.by_command = by_command


@contextmanager
def terminal() -> Iterator[None]:
    """Raise PersonLeft for an OSError of the terminal, which is no fault of the person."""
    try:
        yield
    except OSError as error:
        raise PersonLeft(by_command=False) from error


class Person(Protocol):
    """A person in a seat: has a function for every decision, and is shown events."""

    def sees(self, event: Event) -> None:
        """Show an event. Raises PersonLeft."""


def with_person(
    person: Person,
    seat: int,
    table: GameTable,
    seats: Group,
    deal: int,
    complain: Callable[[Complaint], None],
) -> Iterator[Event]:
    """The events of a game with a person, who is shown each that the seat sees, once recorded.

    A person who leaves ends the game: PersonLeft is raised after the last event.
    """
    try:
        for event in record(table, seats, deal, complain):
            yield event
            if (seen := event_of(seat, event)) is not None:
                person.sees(seen)
    except PersonLeft as left:
        event = table.abandoned_event()
        yield event
        if left.__cause__ is None:
            person.sees(event)
        raise
