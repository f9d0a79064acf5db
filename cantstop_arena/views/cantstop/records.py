"""Recorded games read again: JSON Lines, as docs/rules.md lays them out.

What a record says is looked at field by field, so that whoever draws or tells the game finds what
it needs. Whether the moves were legal is not asked again.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cantstop_arena.deals.seeds import WANTED, seed_of
from cantstop_arena.errors import Problem, UsageError
from cantstop_arena.game_api.options import LONGEST_QUOTE
from cantstop_arena.games.cantstop.play.events import REASONS, Event
from cantstop_arena.games.cantstop.rules import PARAMETERS, PLAYERS, RuleSet, find_faults


class _Wrong(Exception):
    """What is wrong with a line."""


def read_record(lines: Iterable[str], source: str) -> Iterator[Event]:
    """The events of a recorded game; `source` is what messages call the file.

    Raises UsageError with the first line that is none of a record. A record may lack its end.
    """
    reader, number = _Reader(), 0
    for number, line in enumerate(lines, start=1):
        try:
            yield reader.event(line)
        except _Wrong as wrong:
            raise UsageError(str(Problem(source, number, 1, str(wrong)))) from None
    if not number:
        raise UsageError(f"{source}: this file is empty; a recorded game is wanted")


def rules_of(opening: Mapping[str, Any]) -> RuleSet:
    """The rule set of a recorded game."""
    told = opening["rules"]
    return RuleSet(**{**told, "column_lengths": tuple(told["column_lengths"])})


class _Reader:
    """Remembers what later events have to agree with."""

    def __init__(self) -> None:
        self.tops: Mapping[str, int] = {}
        self.seats = 0
        self.turn = 0
        self.sides = 0
        self.is_over = False

    def event(self, line: str) -> Event:
        event = {key: said for key, said in _parsed(line).items() if key != VERDICT}
        kind = event.get("event")
        if not self.seats:
            if kind != "game" or event.get("game") != "cantstop":
                raise _Wrong('this is no recorded game, which begins with {"event": "game", ...}')
            self._opening(event)
        elif self.is_over:
            raise _Wrong("the game is over already")
        elif isinstance(kind, str) and kind in _KINDS:
            _KINDS[kind](self, event)
        else:
            raise _Wrong(f"unknown event {kind!r:.{LONGEST_QUOTE}}; events are {', '.join(_KINDS)}")
        return event

    def _opening(self, event: Event) -> None:
        rules = _field(event, "rules", dict)
        if {*rules} != {"name", *PARAMETERS}:
            raise _Wrong(f"rules must have name, {', '.join(PARAMETERS)}, and nothing else")
        _field(rules, "name", str)
        for field, message in find_faults(rules):
            raise _Wrong(f"rules: {field} {message}")
        seats = _field(event, "seats", list)
        if len(seats) not in PLAYERS or not all(isinstance(name, str) for name in seats):
            raise _Wrong(f"seats must be {PLAYERS[0]} to {PLAYERS[-1]} names")
        _field(event, "deal", int)
        if seed_of(event.get("seed")) is None:
            raise _Wrong(f"seed must be {WANTED}")
        self.seats, self.sides = len(seats), rules["sides"]
        self.tops = {str(column): top for column, top in enumerate(rules["column_lengths"], 2)}

    def _roll(self, event: Event) -> None:
        self._begun(event)
        dice = _field(event, "dice", list)
        if len(dice) != 4 or not all(_is_whole(die, 1, self.sides) for die in dice):
            raise _Wrong(f"dice must be four numbers from 1 to {self.sides}")
        moves = _field(event, "moves", list)
        if not all(map(self._is_move, moves)):
            raise _Wrong("moves must be lists of one or two columns")
        if event.get("chosen") not in [*moves, None] or "chosen" not in event:
            raise _Wrong("chosen must be one of the moves, or null")
        self._spaces(event, "runners")

    def _begun(self, event: Event) -> None:
        """A roll of this turn or a later one."""
        turn = _field(event, "turn", int)
        if turn < max(1, self.turn):
            raise _Wrong(f"turn {turn} has no place after turn {self.turn}")
        self.turn = turn
        self._seat(event)

    def _going_on(self, event: Event) -> None:
        if self.turn != _field(event, "turn", int) or not self.turn:
            raise _Wrong(f"turn must be that of the last roll, {self.turn}")
        self._seat(event)

    def _stop(self, event: Event) -> None:
        self._going_on(event)
        self._spaces(event, "markers")

    def _end(self, event: Event) -> None:
        _field(event, "turns", int)
        winners = _field(event, "winners", list)
        if not all(_is_whole(seat, 0, self.seats - 1) for seat in winners):
            raise _Wrong(f"winners must be seats from 0 to {self.seats - 1}")
        if event.get("reason") not in REASONS:
            raise _Wrong(f"reason must be {' or '.join(REASONS)}")
        self.is_over = True

    def _seat(self, event: Event) -> None:
        if not _is_whole(event.get("seat"), 0, self.seats - 1):
            raise _Wrong(f"seat must be a number from 0 to {self.seats - 1}")

    def _is_move(self, move: object) -> bool:
        return (
            isinstance(move, list)
            and len(move) in (1, 2)
            and all(_is_whole(column, 2, 2 * self.sides) for column in move)
        )

    def _spaces(self, event: Event, name: str) -> None:
        for column, space in _field(event, name, dict).items():
            if column not in self.tops or not _is_whole(space, 1, self.tops[column]):
                raise _Wrong(f"{name} must be spaces by column, each on the board")


VERDICT = "verdict"
"""What a judge has added to an event: whoever wants it has the game judged again."""

_KINDS: Mapping[str, Callable[[_Reader, Event], None]] = {
    "roll": _Reader._roll,
    "stop": _Reader._stop,
    "bust": _Reader._going_on,
    "end": _Reader._end,
}


def _parsed(line: str) -> Event:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        raise _Wrong("this is no recorded game, whose lines are objects in JSON") from None
    if not isinstance(event, dict):
        raise _Wrong("this is no recorded game, whose lines are objects in JSON")
    return event


def _field(event: Mapping[str, Any], name: str, kind: type) -> Any:
    value = event.get(name)
    if type(value) is not kind:
        raise _Wrong(f"{name} must be {_WORDS[kind]}, not {value!r:.{LONGEST_QUOTE}}")
    return value


_WORDS = {dict: "an object", list: "a list", int: "a whole number", str: "a text"}


def _is_whole(value: object, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high
