"""A person at a table: sees what happens when it has been taken down, and may leave."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import Interrupted
from cantstop_arena.game_api.game import Event
from cantstop_arena.table.recording import Complaint, record
from cantstop_arena.table.table import GameTable


class PersonLeft(Interrupted):
    """The person has left the game, by a word or because there is nothing more to read.

    It comes from an OSError, where the terminal failed.
    """

    def __init__(self, is_requested: bool) -> None:
        super().__init__()
        self.was_asked = is_requested


@contextmanager
def terminal() -> Iterator[None]:
    """A terminal that fails is no fault of the person's. Raises Left."""
    try:
        yield
    except OSError as error:
        raise PersonLeft(is_requested=False) from error


class Person(Protocol):
    """Somebody who takes a seat: has a function for every decision, and sees what happens."""

    def sees(self, event: Event) -> None:
        """Show what has happened. Raises Left."""


def with_person(
    person: Person, table: GameTable, seats: Group, deal: int, complain: Callable[[Complaint], None]
) -> Iterator[Event]:
    """The events of a game in which the person sits, who sees each when it has been taken down.

    A person who leaves ends the game: Left is raised after the last event.
    """
    try:
        for event in record(table, seats, deal, complain):
            yield event
            person.sees(event)
    except PersonLeft as left:
        event = table.abandoned_event()
        yield event
        if left.__cause__ is None:
            person.sees(event)
        raise
