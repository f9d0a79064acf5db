"""Recording of one game of any kind, event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import in_json
from cantstop_arena.game_api.state import Event
from cantstop_arena.game_api.state import Opening as Actions
from cantstop_arena.table.bot_faults import BotFault

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable


class Opening(msgspec.Struct, frozen=True, tag_field="event", tag="game"):
    """The first event of a record: the game, its rules, and the bots in seat order."""

    game: str
    rules: dict[str, Any]
    seats: list[str]
    seed: int | str
    deal: int
    opening: Actions | UnsetType = UNSET
    """The numbers of the actions that were played before the bots were asked."""


class Complaint(NamedTuple):
    """A fault in a recorded game: the bot, its seat and the turn."""

    bot: str
    seat: int
    turn: int
    fault: BotFault

    def __str__(self) -> str:
        return f"{self.bot} (seat {self.seat}) misbehaves in turn {self.turn}: {self.fault}"


def record(
    table: GameTable, seats: Group, deal: int, complain: Callable[[Complaint], None] | None = None
) -> Iterator[Event]:
    """Play one game and yield its events: the opening, those of the game, the ending.

    `complain` is called for a fault of a bot. With people at the table see `conversation`.
    """
    yield opening(table, seats, deal)
    try:
        table.start(seats, deal)
        yield from table.events()
    except BotFault as fault:
        seat = table.seat
        table.forfeit(seat)
        if complain:
            bot = table.seated_bots[table.by_seat(seats)[seat]]
            complain(Complaint(bot.name, seat, table.turn, fault))
    yield table.ending()


def early_end(turns: int, winners: Sequence[int], reason: str) -> Event:
    """The last event of a game that its table cannot end: without what the game itself adds."""
    return {"event": "end", "turns": turns, "winners": [*winners], "reason": reason}


def opening(table: GameTable, seats: Group, deal: int) -> Event:
    """The first event of a record."""
    first = Opening(
        game=table.game.name,
        rules=table.game.rules.as_dict(table.rules),
        seats=[table.seated_bots[bot].name for bot in table.by_seat(seats)],
        seed=in_json(table.seed),
        deal=deal,
        opening=table.opening_of(table.dice_of(table.by_seat(seats)), deal) or UNSET,
    )
    event: Event = msgspec.to_builtins(first)
    return event
