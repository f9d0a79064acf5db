"""People's games at tables: opened, answered, taken back, and set up again from what is stored."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.deals.seeds import random_seed, seed_of
from cantstop_arena.errors import ArenaError, BotError, UsageError
from cantstop_arena.extensions.serve.people_store import (
    LEFT,
    OVER,
    PERSON,
    PRACTICE,
    PeopleGame,
    PeopleStore,
    SeatRow,
    StoredAnswer,
    new_id,
)
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.state import Event, event_of
from cantstop_arena.games.registry import game_named
from cantstop_arena.table.conversation import PendingDecision, conversation
from cantstop_arena.table.recording import Complaint, early_end
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.ledger.ledger_query import version_of
from cantstop_arena.tournaments.person_seat import named_entrant, table_with
from cantstop_arena.tournaments.tournament import COPIES
from cantstop_arena.views.default_view import MAX_NAME_LENGTH, read_record

MAX_AT_TABLES = 64
"""Games at tables at once. Of those that nobody plays now, the longest idle is closed."""
_CHANGED = (
    "The game went on differently when it was set up again, so it ends here: a bot was edited, or"
    " does not play the same game twice"
)


def with_plain_names(events: Sequence[Event]) -> list[Event]:
    """Events whose opening has people by their names alone."""
    opening, *others = events
    names = [str(name).removeprefix(PERSON) for name in opening["seats"]]
    return [{**opening, "seats": names}, *others]


class GameAtTable:
    """A game that goes on: its events so far, and the decision that the person is to take.

    Without a table it is one that has ended, of which the record is left.
    """

    def __init__(self, game: PeopleGame, events: Sequence[Event] = ()) -> None:
        self.game = game
        self.events: list[Event] = [*events]
        self.pending: PendingDecision | None = None
        self.problem = game.problem
        self.answered = 0
        self.pending_since = self.used_at = time.monotonic()
        self._table: Any = None
        self._steps: Iterator[Event | PendingDecision] = iter(())
        self._open = ExitStack()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to decide."""
        return self.pending is None

    @property
    def visible_events(self) -> list[Event]:
        """The events that the person's seat sees; those of an open game tell no seed."""
        me = self.game.me
        visible_events = [event for each in self.events if (event := event_of(me, each))]
        visible_events = with_plain_names(visible_events)
        if visible_events and not self.is_over:
            visible_events[0] = {**visible_events[0], "seed": 0, "deal": 0}
        return visible_events

    @property
    def digest(self) -> str:
        """A digest of all events so far."""
        text = json.dumps(self.events, sort_keys=True).encode()
        return hashlib.blake2b(text, digest_size=16).hexdigest()

    def set_up(self, catalogue: Catalogue, entrants: Sequence[Entrant], hidden: Path) -> None:
        """Seat everybody, and play until the person is to decide. Raises ArenaError."""
        game = self.game
        people = {n: f"{PERSON}{seat.person}" for n, seat in enumerate(game.seats) if seat.person}
        seed = seed_of(game.seed)
        assert seed is not None
        table = self._open.enter_context(
            table_with(
                people,
                entrants,
                catalogue.rules_called(game.rules),
                seed,
                catalogue,
                lambda names: None,
                hidden=(hidden,),
                in_server=True,
            )
        )
        self._table = table
        seats = tuple(range(len(game.seats)))
        self._steps = conversation(table, seats, game.deal, self._note_fault)
        self._go_on()

    def answer(self, value: Any) -> None:
        """Take the person's answer, and play until the next one is needed. Raises IllegalAnswer."""
        pending = self.pending
        assert pending is not None
        answer = pending.decision.checked(value, pending.moves)
        self._table.people[0].set_answer(answer)
        self._go_on()
        if self.pending and self.pending.problem:
            raise IllegalAnswer(self.pending.problem)
        self.answered += 1

    def leave(self) -> None:
        """End the game before its end."""
        self._steps = iter(())
        try:
            end = self._table.abandoned_event()
        except ArenaError:  # the game's own code fails
            turns = max((event.get("turn", 0) for event in self.events), default=0)
            end = early_end(turns, (), LEFT)
        self.events.append(end)
        self.pending = None
        self.close()

    def close(self) -> None:
        """End the processes of the bots."""
        self._open.close()

    def _go_on(self) -> None:
        self.pending = None
        for step in self._steps:
            if isinstance(step, PendingDecision):
                self.pending, self.pending_since = step, time.monotonic()
                return
            self.events.append(step)
        self.close()

    def _note_fault(self, complaint: Complaint) -> None:
        self.problem = in_a_line(f"Fault: {complaint}.", 500)


class PeopleGames:
    """All games of people: those at tables, and the store."""

    def __init__(
        self, store: PeopleStore, catalogue: Callable[[], Catalogue], results: Path
    ) -> None:
        self.store = store
        self.catalogue = catalogue
        self.results = results
        self._at_tables: dict[str, GameAtTable] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, key: str) -> asyncio.Lock:
        """The lock of a game, to be held while it is read or changed."""
        return self._locks.setdefault(key, asyncio.Lock())

    def begin(
        self, game: str, rules: str, name: str, seat: int, bots: Sequence[str], mode: str
    ) -> str:
        """Store a new game, and return its id. Raises ArenaError where it cannot be played."""
        catalogue = self.catalogue().playing(game_named(game))
        person = in_a_line(name.strip(), MAX_NAME_LENGTH)[:MAX_NAME_LENGTH]
        if not person:
            raise UsageError("Enter a name.")
        catalogue.rules_called(rules)
        players = catalogue.game.players
        if len(bots) + 1 not in players:
            raise UsageError(
                f"{catalogue.game.title} has {players[0]} to {players[-1]} seats, one of them"
                " yours."
            )
        seats = [self._seat_of(bot, catalogue) for bot in bots]
        seats.insert(seat, SeatRow(person=person))
        stored = PeopleGame(
            id=new_id(),
            made=time.time(),
            game=game,
            rules=rules,
            seats=tuple(seats),
            seed=str(random_seed()),
            deal=0,
            mode=mode,
            version=catalogue.game.edition,
        )
        at_table = GameAtTable(stored)
        try:
            self._set_up(at_table)
        except ArenaError:
            at_table.close()
            raise
        self.store.begin(stored)
        self._seat(stored.id, at_table)
        self._finish_if_over(at_table)
        return stored.id

    def _seat_of(self, bot: str, catalogue: Catalogue) -> SeatRow:
        if bot not in catalogue.names:
            raise UsageError(f"No bot is called {in_a_line(bot, MAX_NAME_LENGTH)}.")
        entrant = named_entrant(bot, catalogue)
        if entrant.bot.source:
            entrant.bot.source.copied(self.store.folder / COPIES)
        version = replace(version_of(entrant), isolate=False).id
        return SeatRow(
            bot=bot, options=dict(entrant.options), digest=entrant.bot.digest, version=version
        )

    def open(self, key: str) -> GameAtTable | None:
        """A game as it stands, set up again where it is at no table; None if there is none.

        Raises ArenaError where it cannot be set up.
        """
        if at_table := self._at_tables.get(key):
            at_table.used_at = time.monotonic()
            return at_table
        game = self.store.game(key)
        if game is None:
            return None
        if game.state != "open":
            return GameAtTable(game, self._recorded(game))
        at_table = GameAtTable(game)
        try:
            self._set_up(at_table)
            self._give_answers(at_table)
        except BaseException:
            at_table.close()
            raise
        self._seat(key, at_table)
        return at_table

    def _recorded(self, game: PeopleGame) -> list[Event]:
        try:
            lines = self.store.record(game.id).read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"The record of this game cannot be read: {error}") from None
        return list(read_record(lines, f"{game.id}.jsonl"))

    def _set_up(self, at_table: GameAtTable) -> None:
        game = at_table.game
        catalogue = self.catalogue().playing(game_named(game.game))
        entrants = [self._entrant(seat, catalogue) for seat in game.seats if seat.bot]
        at_table.set_up(catalogue, entrants, self.results)

    def _entrant(self, seat: SeatRow, catalogue: Catalogue) -> Entrant:
        """The bot of a seat; an edited one as it was when the game began. Raises BotError."""
        bot: BotDescription | None = None
        try:
            entrant = named_entrant(seat.bot, catalogue)
            if entrant.bot.digest == seat.digest or not entrant.bot.path:
                return replace(entrant, options=seat.options)
            bot = entrant.bot
        except BotError:
            entrant = None
        path = bot.path if bot else catalogue.folder / f"{seat.bot}.py"
        assert path is not None
        former = catalogue.version(path, seat.digest)
        return Entrant(seat.bot, former, seat.options, catalogue.isolation)

    def _give_answers(self, at_table: GameAtTable) -> None:
        """Give the stored answers again; a game that goes on differently is left."""
        for answer in self.store.answers(at_table.game.id):
            is_same = answer.events == at_table.digest and at_table.pending is not None
            try:
                if not is_same:
                    raise IllegalAnswer(_CHANGED)
                at_table.answer(json.loads(answer.answer))
            except IllegalAnswer:
                if not at_table.is_over:
                    at_table.leave()
                at_table.problem = f"{_CHANGED}."
                self.store.finish(at_table.game.id, at_table.events, LEFT, at_table.problem)
                return
        self._finish_if_over(at_table)

    def _finish_if_over(self, at_table: GameAtTable) -> None:
        if at_table.is_over:
            key = at_table.game.id
            self.store.finish(key, at_table.events, OVER, at_table.problem)
            self._at_tables.pop(key, None)

    def _seat(self, key: str, at_table: GameAtTable) -> None:
        """Note a game at a table, and close the longest idle one where there are too many."""
        self._at_tables[key] = at_table
        for other, idle in sorted(self._at_tables.items(), key=lambda item: item[1].used_at):
            if len(self._at_tables) <= MAX_AT_TABLES:
                return
            if other != key and not self.lock(other).locked():
                del self._at_tables[other]
                idle.close()

    def answer(self, key: str, n: int, value: Any) -> GameAtTable | None:
        """Take answer number `n`, an old or repeated one changes nothing. Raises IllegalAnswer."""
        at_table = self.open(key)
        if at_table is None or at_table.pending is None or n != at_table.answered:
            return at_table
        pending, digest = at_table.pending, at_table.digest
        seconds = time.monotonic() - at_table.pending_since
        try:
            at_table.answer(value)
        except ArenaError as error:  # the game's own code fails, which charges nobody
            self._end(at_table, f"{error}.")
            return at_table
        stored = StoredAnswer(pending.seat, pending.decision.name, json.dumps(value), digest)
        self.store.add_answer(key, n, stored, seconds)
        self._finish_if_over(at_table)
        return at_table

    def undo(self, key: str) -> GameAtTable | None:
        """Take back the last answer of a game that is practice and not over. Raises UsageError."""
        at_table = self.open(key)
        if at_table is None:
            return None
        if at_table.game.mode != PRACTICE or at_table.is_over or not at_table.answered:
            raise UsageError("Nothing can be taken back here: only in practice, before the end.")
        self.store.remove_answers(key, at_table.answered - 1)
        self._at_tables.pop(key).close()
        return self.open(key)

    def leave(self, key: str) -> GameAtTable | None:
        """End a game before its end. Raises UsageError for one that is over."""
        at_table = self.open(key)
        if at_table is not None:
            if at_table.is_over:
                raise UsageError("This game is over.")
            self._end(at_table, "")
        return at_table

    def _end(self, at_table: GameAtTable, problem: str) -> None:
        at_table.problem = problem
        at_table.leave()
        self.store.finish(at_table.game.id, at_table.events, LEFT, problem)
        self._at_tables.pop(at_table.game.id, None)

    def again(self, key: str) -> str | None:
        """Begin the same game with the person in the next seat; its id."""
        game = self.store.game(key)
        if game is None:
            return None
        bots = [seat.bot for seat in game.seats if seat.bot]
        name = game.seats[game.me].person
        seat = (game.me + 1) % len(game.seats)
        return self.begin(game.game, game.rules, name, seat, bots, game.mode)

    def close(self) -> None:
        """Close all tables; the games go on when they are opened again."""
        for at_table in self._at_tables.values():
            at_table.close()
        self._at_tables.clear()
        self.store.close()
