"""Recorded games, written and read: JSON Lines in the format of docs/reference/rules-cantstop.md.

Each field of a record is checked when it is read, so that code that draws or describes the game can
rely on it. Whether the moves were legal is not checked.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import SEED_FORM, seed_of
from cantstop_arena.errors import Problem, RulesError, UsageError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH
from cantstop_arena.games.cantstop.engine.game_array import (
    ALL_CLAIMED,
    BUST,
    COLUMNS_WON,
    FAULT,
    MOVED,
    ROLL,
    TURN_LIMIT,
)
from cantstop_arena.games.cantstop.rules import PARAMETERS, PLAYERS, RULES, RuleSet
from cantstop_arena.games.cantstop.turn import dice_of, move_of
from cantstop_arena.table.conversation import PendingDecision
from cantstop_arena.table.recording import Opening

Event = Mapping[str, Any]
"""One line of a record: the opening, a roll, a stop or a bust, the end."""

REASON = {
    COLUMNS_WON: "columns",
    ALL_CLAIMED: "all-claimed",
    TURN_LIMIT: "turn-limit",
    FAULT: "fault",
}
"""Why the engine ended a game."""

LEFT = "left"
"""The reason of a game that a person has left before its end."""

REASONS = (*REASON.values(), LEFT)


class _RecordError(Exception):
    """A line of a record is invalid; the message says why."""


def read_record(lines: Iterable[str], source: str) -> Iterator[Event]:
    """The events of a recorded game; `source` is what messages call the file.

    Raises UsageError for the first invalid line, or if there is none. A record may lack its end.
    """
    reader, number = _Reader(), 0
    for number, line in enumerate(lines, start=1):
        try:
            yield reader.event(line)
        except _RecordError as error:
            raise UsageError(str(Problem(source, number, 1, str(error)))) from None
    if not number:
        raise UsageError(f"{source}: this file is empty; expected a recorded game")


class _Line(msgspec.Struct, frozen=True, tag_field="event"):
    """A line of a record after the first."""


class _Roll(_Line, frozen=True, tag="roll"):
    turn: int
    seat: int
    dice: list[int]
    moves: list[list[int]]
    chosen: list[int] | None
    runners: dict[str, int]


class _Stop(_Line, frozen=True, tag="stop"):
    turn: int
    seat: int
    markers: dict[str, int]


class _Bust(_Line, frozen=True, tag="bust"):
    turn: int
    seat: int


class _End(_Line, frozen=True, tag="end"):
    turns: int
    winners: list[int]
    reason: str


_AnyLine = _Roll | _Stop | _Bust | _End
_KINDS = ("roll", "stop", "bust", "end")


class _Reader:
    """Parses and checks the lines of one record, in order."""

    def __init__(self) -> None:
        self.tops: Mapping[str, int] = {}
        self.seats = 0
        self.turn = 0
        self.sides = 0
        self.is_over = False

    def event(self, line: str) -> Event:
        event = {key: data for key, data in _parsed(line).items() if key != VERDICT}
        try:
            if self.seats:
                self._check_line(event)
            else:
                self._check_opening(event)
        except msgspec.ValidationError as error:
            raise _RecordError(f"invalid {event['event']}: {error}") from None
        return event

    def _check_opening(self, event: Event) -> None:
        if event.get("event") != "game" or event.get("game") != "cantstop":
            raise _RecordError('this is no recorded game, which begins with {"event": "game", ...}')
        if seed_of(event.get("seed")) is None:
            raise _RecordError(f"seed must be {SEED_FORM}")
        opening = msgspec.convert(event, Opening)
        if {*opening.rules} != {"name", *PARAMETERS}:
            raise _RecordError(f"rules must have name, {', '.join(PARAMETERS)}, and nothing else")
        try:
            rules = RULES.from_dict(opening.rules)
        except RulesError as error:
            raise _RecordError("rules: {} {}".format(*error.faults[0])) from None
        if len(opening.seats) not in PLAYERS:
            raise _RecordError(f"seats must be {PLAYERS[0]} to {PLAYERS[-1]} names")
        self.seats, self.sides = len(opening.seats), rules.sides
        self.tops = {str(column): top for column, top in enumerate(rules.column_lengths, 2)}

    def _check_line(self, event: Event) -> None:
        kind = event.get("event")
        if self.is_over:
            raise _RecordError("the game is over already")
        if kind not in _KINDS:
            raise _RecordError(
                f"unknown event {kind!r:.{MAX_QUOTE_LENGTH}}; events are {', '.join(_KINDS)}"
            )
        line: _AnyLine = msgspec.convert(event, _AnyLine)
        if isinstance(line, _End):
            self._check_end(line)
            return
        if isinstance(line, _Roll):
            self._check_roll(line)
        elif self.turn != line.turn or not self.turn:
            raise _RecordError(f"turn must be that of the last roll, {self.turn}")
        if not 0 <= line.seat < self.seats:
            raise _RecordError(f"seat must be a number from 0 to {self.seats - 1}")
        if isinstance(line, _Stop):
            self._check_spaces("markers", line.markers)

    def _check_roll(self, roll: _Roll) -> None:
        if roll.turn < max(1, self.turn):
            raise _RecordError(f"turn {roll.turn} has no place after turn {self.turn}")
        self.turn = roll.turn
        if len(roll.dice) != 4 or not all(1 <= die <= self.sides for die in roll.dice):
            raise _RecordError(f"dice must be four numbers from 1 to {self.sides}")
        if not all(map(self._is_move, roll.moves)):
            raise _RecordError("moves must be lists of one or two columns")
        if roll.chosen not in [*roll.moves, None]:
            raise _RecordError("chosen must be one of the moves, or null")
        self._check_spaces("runners", roll.runners)

    def _is_move(self, move: Sequence[int]) -> bool:
        return len(move) in (1, 2) and all(2 <= column <= 2 * self.sides for column in move)

    def _check_spaces(self, name: str, spaces: Mapping[str, int]) -> None:
        for column, space in spaces.items():
            if not 1 <= space <= self.tops.get(column, 0):
                raise _RecordError(f"{name} must be spaces by column, each on the board")

    def _check_end(self, end: _End) -> None:
        if not all(0 <= seat < self.seats for seat in end.winners):
            raise _RecordError(f"winners must be seats from 0 to {self.seats - 1}")
        if end.reason not in REASONS:
            raise _RecordError(f"reason must be {' or '.join(REASONS)}")
        self.is_over = True


VERDICT = "verdict"
"""The key under which a judge has added to an event; it is dropped when a record is read."""


def _parsed(line: str) -> Event:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        raise _RecordError("this is no recorded game, whose lines are objects in JSON") from None
    if not isinstance(event, dict):
        raise _RecordError("this is no recorded game, whose lines are objects in JSON")
    return event


class RecordWriter:
    """Makes the events of a record from one game of the engine, while it is played."""

    def __init__(self, game: Any, rules: RuleSet, seats: Group) -> None:
        self._game = game
        self._rules = rules
        self._seats = seats
        self._roll: Event = {}
        self._is_climbing = False  # whether the turn has a move, and no stop or bust yet

    def events(self, stops: Iterable[int | PendingDecision]) -> Iterator[Event | PendingDecision]:
        """The events of a game; `stops` plays it, and yields ROLL or MOVED after each.

        A person's pending decision is passed on.
        """
        for stop in stops:
            if isinstance(stop, PendingDecision):
                yield stop
            else:
                yield from self._new_events(stop)
        if self._is_climbing and self._game["ending"] != FAULT:
            yield self._stop_event()

    def _new_events(self, stop: int) -> Iterator[Event]:
        if stop == ROLL:
            if self._is_climbing and self._game["turn"] != self._roll["turn"]:
                yield self._stop_event()
            self._roll = self._roll_event()
            if self._game["waiting"] == BUST:
                yield self._roll
                yield {"event": "bust", "turn": self._roll["turn"], "seat": self._roll["seat"]}
                self._is_climbing = False
        elif stop == MOVED:
            chosen = self._roll["moves"][int(self._game["chosen"])]
            yield {**self._roll, "chosen": chosen, "runners": _by_column(self._game["runners"])}
            self._is_climbing = True

    def _roll_event(self) -> Event:
        """The roll just made, with nothing chosen yet."""
        game = self._game
        moves = game["moves"][: game["move_count"]].tolist()
        return {
            "event": "roll",
            "turn": int(game["turn"]),
            "seat": int(game["seat"]),
            "dice": list(dice_of(int(game["roll"]), self._rules.sides)),
            "moves": [list(move_of(mask)) for mask in moves],
            "chosen": None,
            "runners": _by_column(game["runners"]),
        }

    def _stop_event(self) -> Event:
        self._is_climbing = False
        seat = self._roll["seat"]
        markers = _by_column(self._game["markers"][seat])
        return {"event": "stop", "turn": self._roll["turn"], "seat": seat, "markers": markers}

    def ending(self) -> Event:
        """The event with which the record ends."""
        winners = int(self._game["winners"])
        return {
            "event": "end",
            "turns": int(self._game["turn"]),
            "winners": [seat for seat in range(len(self._seats)) if winners >> seat & 1],
            "reason": REASON[int(self._game["ending"])],
        }


def _by_column(spaces: Any) -> dict[str, int]:
    return {str(column): space for column, space in enumerate(spaces.tolist()) if space}
