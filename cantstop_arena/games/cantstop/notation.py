"""One game written down, event by event, as docs/rules.md lays it out."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from cantstop_arena.games.cantstop import kernel
from cantstop_arena.games.cantstop.asking import Misplay, misplay_of
from cantstop_arena.games.cantstop.events import REASON, Event
from cantstop_arena.games.cantstop.play import NO_MOVE, Table
from cantstop_arena.games.cantstop.state import (
    AGAIN,
    BUST,
    FAULT,
    MOVE,
    MOVED,
    OVER,
    ROLL,
)
from cantstop_arena.games.cantstop.turn import dice_of, move_of
from cantstop_arena.outcomes import ILLEGAL, Group
from cantstop_arena.seeds import in_json


class Complaint(NamedTuple):
    """Who misbehaved in a game, in which turn, and how."""

    bot: str
    seat: int
    turn: int
    misplay: Misplay

    def __str__(self) -> str:
        return f"{self.bot} (seat {self.seat}) misbehaves in turn {self.turn}: {self.misplay}"


def record(
    table: Table, seats: Group, deal: int, complain: Callable[[Complaint], None] | None = None
) -> Iterator[Event]:
    """Play one game and yield its events: the game, rolls, stops and busts, the end.

    Where a bot misbehaves, `complain` is told who did what.
    """
    scribe = _Scribe(table, seats, deal)
    yield scribe.opening()
    yield from scribe.turns()
    if scribe.misplay and complain:
        complain(scribe.complaint(scribe.misplay))
    yield scribe.ending()


class _Scribe:
    """Watches one game, and remembers what the record of a roll or of a stop has to tell."""

    def __init__(self, table: Table, seats: Group, deal: int) -> None:
        self.table = table
        self.seats = seats
        self.deal = deal
        self.game = table.games[0]
        self.misplay: Misplay | None = None
        self.roll: Event = {}
        self.climbing = False  # whether the turn has a move, and no stop or bust yet

    def opening(self) -> Event:
        return {
            "event": "game",
            "game": "cantstop",
            "rules": self.table.rules.as_dict(),
            "seats": [self.table.contestants[bot].name for bot in self.seats],
            "seed": in_json(self.table.seed),
            "deal": self.deal,
        }

    def turns(self) -> Iterator[Event]:
        try:
            self.table.start(self.seats, self.deal)
        except Misplay as misplay:
            self._forfeit(misplay)
            return
        self.game.watched = 1
        try:
            answer = -1
            while (now := self._advance(answer)) != OVER:
                answer = self._ask(now) if now in (MOVE, AGAIN) else -1
                yield from self._seen(now)
        finally:
            self.game.watched = 0
        if self.climbing and self.game.ending != FAULT:
            yield self._stop()

    def _advance(self, answer: int) -> int:
        """Play on; a compiled bot that raises, or answers nonsense, ends the game."""
        try:
            now = int(kernel.advance(self.table.handle, answer))
        except Exception as error:
            self._forfeit(misplay_of(error))
            return OVER
        if now == OVER and self.game.ending == FAULT and self.misplay is None:
            self.misplay = Misplay(ILLEGAL, NO_MOVE)
        return now

    def _ask(self, wanted: int) -> int:
        try:
            return self.table.asker.ask(self.table.sitting, wanted)
        except Misplay as misplay:
            self._forfeit(misplay)
            return -1

    def _forfeit(self, misplay: Misplay) -> None:
        self.misplay = misplay
        kernel.forfeit(self.table.handle, self.table.asker.seat)

    def _seen(self, now: int) -> Iterator[Event]:
        if now == ROLL:
            if self.climbing and self.game.turn != self.roll["turn"]:
                yield self._stop()
            self.roll = self._rolled()
            if self.game.waiting == BUST:
                yield self.roll
                yield {"event": "bust", "turn": self.roll["turn"], "seat": self.roll["seat"]}
                self.climbing = False
        elif now == MOVED:
            chosen = self.roll["moves"][int(self.game.chosen)]
            yield {**self.roll, "chosen": chosen, "runners": self._by_column(self.game.runners)}
            self.climbing = True

    def _rolled(self) -> Event:
        """The roll just made, with nothing chosen yet."""
        game = self.game
        codes = game.moves[: game.move_count].tolist()
        return {
            "event": "roll",
            "turn": int(game.turn),
            "seat": int(game.seat),
            "dice": list(dice_of(int(game.roll), self.table.rules.sides)),
            "moves": [list(move_of(code)) for code in codes],
            "chosen": None,
            "runners": self._by_column(game.runners),
        }

    def _stop(self) -> Event:
        self.climbing = False
        seat = self.roll["seat"]
        markers = self._by_column(self.game.markers[seat])
        return {"event": "stop", "turn": self.roll["turn"], "seat": seat, "markers": markers}

    def complaint(self, misplay: Misplay) -> Complaint:
        seat = self.table.asker.seat
        name = self.table.contestants[self.seats[seat]].name
        return Complaint(name, seat, int(self.game.turn), misplay)

    def ending(self) -> Event:
        winners = int(self.game.winners)
        return {
            "event": "end",
            "turns": int(self.game.turn),
            "winners": [seat for seat in range(len(self.seats)) if winners >> seat & 1],
            "reason": REASON[int(self.game.ending)],
        }

    def _by_column(self, spaces: Any) -> dict[str, int]:
        return {str(column): space for column, space in enumerate(spaces.tolist()) if space}
