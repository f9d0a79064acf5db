"""The words in which a game of Can't Stop is written down, as docs/rules.md lays it out."""

from collections.abc import Iterable, Iterator
from typing import Any

from cantstop_arena.deals.seatings import Group
from cantstop_arena.games.cantstop.engine.state import BUST, FAULT, MOVED, ROLL
from cantstop_arena.games.cantstop.play.events import REASON, Event
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.games.cantstop.turn import dice_of, move_of


class Scribe:
    """Watches one game, and remembers what the record of a roll or of a stop has to tell."""

    def __init__(self, game: Any, rules: RuleSet, seats: Group) -> None:
        self._game = game
        self._rules = rules
        self._seats = seats
        self._roll: Event = {}
        self._climbing = False  # whether the turn has a move, and no stop or bust yet

    def events(self, stops: Iterable[int]) -> Iterator[Event]:
        """What happens in a game that stops at every roll and every move."""
        for now in stops:
            yield from self._seen(now)
        if self._climbing and self._game.ending != FAULT:
            yield self._stop()

    def _seen(self, now: int) -> Iterator[Event]:
        if now == ROLL:
            if self._climbing and self._game.turn != self._roll["turn"]:
                yield self._stop()
            self._roll = self._rolled()
            if self._game.waiting == BUST:
                yield self._roll
                yield {"event": "bust", "turn": self._roll["turn"], "seat": self._roll["seat"]}
                self._climbing = False
        elif now == MOVED:
            chosen = self._roll["moves"][int(self._game.chosen)]
            yield {**self._roll, "chosen": chosen, "runners": _by_column(self._game.runners)}
            self._climbing = True

    def _rolled(self) -> Event:
        """The roll just made, with nothing chosen yet."""
        game = self._game
        moves = game.moves[: game.move_count].tolist()
        return {
            "event": "roll",
            "turn": int(game.turn),
            "seat": int(game.seat),
            "dice": list(dice_of(int(game.roll), self._rules.sides)),
            "moves": [list(move_of(mask)) for mask in moves],
            "chosen": None,
            "runners": _by_column(game.runners),
        }

    def _stop(self) -> Event:
        self._climbing = False
        seat = self._roll["seat"]
        markers = _by_column(self._game.markers[seat])
        return {"event": "stop", "turn": self._roll["turn"], "seat": seat, "markers": markers}

    def ending(self) -> Event:
        """The last line."""
        winners = int(self._game.winners)
        return {
            "event": "end",
            "turns": int(self._game.turn),
            "winners": [seat for seat in range(len(self._seats)) if winners >> seat & 1],
            "reason": REASON[int(self._game.ending)],
        }


def _by_column(spaces: Any) -> dict[str, int]:
    return {str(column): space for column, space in enumerate(spaces.tolist()) if space}
