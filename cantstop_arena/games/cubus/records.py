"""Recorded games: JSON Lines, read back in full and played again to be verified."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from cantstop_arena.errors import ArenaError, RulesError
from cantstop_arena.games.cubus import events
from cantstop_arena.games.cubus.builds.build import Build
from cantstop_arena.games.cubus.builds.cards import ORDER
from cantstop_arena.games.cubus.chance import Stream, unshuffled
from cantstop_arena.games.cubus.events import NAMES, Event
from cantstop_arena.games.cubus.rules import PLAYERS, RuleSet, from_record
from cantstop_arena.games.cubus.state import CubusState, Question

Parsed = TypeVar("Parsed")


class Record(NamedTuple):
    """A recorded game: its rules, the bots' names in seat order, its deck's key, what happened."""

    rules: RuleSet
    seats: tuple[str, ...]
    seed: int | str
    deal: int
    events: tuple[Event, ...]


class RecordError(ArenaError):
    """A record that cannot be read, or tells of a game that the rules do not allow."""


def record_text(record: Record) -> str:
    """A record as text, a line for each event."""
    head = {
        "event": "game",
        "game": "cubus",
        "rules": record.rules.as_dict(),
        "seats": list(record.seats),
        "seed": record.seed,
        "deal": record.deal,
    }
    lines = [head, *map(events.as_dict, record.events)]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def read(text: str) -> Record:
    """The record that a text tells.

    Raises RecordError naming the line that is wrong; whether the rules allow what it tells,
    `verified` says.
    """
    lines = [_json(number, line) for number, line in enumerate(text.splitlines(), start=1)]
    if not lines:
        raise RecordError("the record is empty; its first line must be the event game")
    rest = (_numbered(number, event_of, line) for number, line in enumerate(lines[1:], start=2))
    return _numbered(1, head_of, lines[0])._replace(events=tuple(rest))


def _numbered(
    number: int, read: Callable[[Mapping[str, Any]], Parsed], line: Mapping[str, Any]
) -> Parsed:
    """What a line says. Raises RecordError with its number."""
    try:
        return read(line)
    except RecordError as error:
        raise RecordError(f"line {number}: {error}") from None


def _json(number: int, line: str) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(f"line {number} is no JSON") from None
    if not isinstance(found, dict):
        raise RecordError(f"line {number} must be a JSON object")
    return found


def head_of(line: Mapping[str, Any]) -> Record:
    """The record that the first line opens, without events. Raises RecordError."""
    if line.get("event") != "game" or line.get("game") != "cubus":
        raise RecordError("this must be the event game of a game of cubus")
    seats, rules = line.get("seats"), line.get("rules")
    if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
        raise RecordError("seats must be a list of names")
    if len(seats) not in PLAYERS:
        raise RecordError(f"{len(seats)} seats; cubus has {PLAYERS[0]} to {PLAYERS[-1]}")
    if not isinstance(rules, dict):
        raise RecordError("rules must be an object of parameters")
    try:
        return Record(from_record(rules), tuple(seats), _seed(line), _number(line, "deal"), ())
    except RulesError as error:
        raise RecordError(f"rules: {error}") from None


def _seed(line: Mapping[str, Any]) -> int | str:
    """A seed is a number, or a text as the arena writes long ones."""
    return line["seed"] if isinstance(line.get("seed"), str) else _number(line, "seed")


def _number(line: Mapping[str, Any], key: str) -> int:
    if type(line.get(key)) is not int:
        raise RecordError(f"{key} must be a whole number")
    return int(line[key])


def event_of(line: Mapping[str, Any]) -> Event:
    """The event that a line after the first tells. Raises RecordError."""
    kind = NAMES.get(str(line.get("event")))
    if kind is None:
        raise RecordError(f"no event of cubus; there are {', '.join(NAMES)}")
    fields = kind._fields
    if set(line) != {"event", *fields}:
        raise RecordError(f"a {line['event']} has {', '.join(fields)}")
    for key in fields:
        if not _FITS[key](line[key]):
            raise RecordError(f"{key} has a value that it cannot have")
    return kind(**{key: _tuples(line[key]) for key in fields})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _whole(value: object) -> bool:
    return type(value) is int


def _wholes(value: object) -> bool:
    return isinstance(value, list) and all(map(_whole, value))


def _text(value: object) -> bool:
    return isinstance(value, str)


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "turn": _whole,
    "turns": _whole,
    "seat": _whole,
    "card": lambda card: card is None or (card in (*ORDER,)),
    "pile": _text,
    "open": lambda cells: (
        isinstance(cells, list) and all(_wholes(cell) and len(cell) == 2 for cell in cells)
    ),
    "points": lambda points: _whole(points) or _wholes(points),
    "hand": _text,
    "right": lambda right: isinstance(right, bool),
    "cards": lambda cards: cards is None or _text(cards) or _wholes(cards),
    "winners": _wholes,
    "reason": lambda reason: reason in ("done", "fault", "left"),
}


class _RecordedDecks(NamedTuple):
    """Chance as a record tells it: cards as drawn, knockers as heard."""

    events: Sequence[Event]

    def deck(self, rules: RuleSet) -> str:
        """The cards drawn in their order, then the others."""
        turns = [e for e in self.events if isinstance(e, events.Passed | events.Built)]
        drawn = "".join(event.card or "" for event in turns)
        rest = list(unshuffled(rules))
        for number, card in enumerate(drawn, start=1):
            if card not in rest:
                raise RecordError(f"turn {number} draws a {card}, and no more are in the deck")
            rest.remove(card)
        return drawn + "".join(rest)

    def knock_order(self, turn: int, players: int) -> list[int]:
        """Those who were heard, in that order, and the others."""
        knocks = (e for e in self.events if isinstance(e, events.Knocked) and e.turn == turn)
        return list(dict.fromkeys([*(event.seat for event in knocks), *range(players)]))

    def ending_order(self, players: int) -> list[int]:
        """Any order: nobody else's build is known."""
        return list(range(players))

    def own(self, seat: int) -> Stream:
        """Nobody asks for it."""
        return Stream(seat)


def replay_record(record: Record) -> CubusState:
    """The state at the end of a recorded game, played again as it tells.

    Raises RecordError at the first event that the rules do not allow or that went otherwise.
    """
    *_, last = moments(record)
    return last


def moments(record: Record) -> Iterator[CubusState]:
    """The state of a recorded game after each event; always the same object. Raises as above."""
    state = CubusState(record.rules, len(record.seats), _RecordedDecks(record.events))
    told = list(record.events)
    while told:
        happened = _again(state, told)
        _compare(record, told, happened)
        del told[: len(happened)]
        yield state
    if state.question() is not None:
        raise RecordError("the record breaks off: its last line must be the event end")


def _again(state: CubusState, told: Sequence[Event]) -> list[Event]:
    """What happens by the answers that the next events tell of."""
    happened: list[Event] = []
    while not happened:
        question = state.question()
        if question is None:
            raise RecordError(f"{_line(told[0])} comes after the end")
        if isinstance(told[0], events.Ended) and told[0].reason != "done":
            return _broken_off(state, told[0])
        happened = state.answer(_answers(question, told))
    return happened


def _broken_off(state: CubusState, end: events.Ended) -> list[Event]:
    if end.reason == "left":
        return state.leave()
    losers = set(range(state.players)) - set(end.winners)
    if len(losers) != 1:
        raise RecordError("the end by a fault must name all seats but one as winners")
    return state.forfeit(losers.pop(), "recorded as a fault")


def _answers(question: Question, told: Sequence[Event]) -> dict[int, object]:
    answers: dict[int, object] = dict.fromkeys(question.seats)
    for event in _of_question(question, told):
        if isinstance(event, events.Built | events.Knocked | events.Ending | events.Took):
            build = Build(event.pile, event.open) if event.pile or event.open else None
            answers[event.seat] = build
    return {seat: answers[seat] for seat in question.seats}


def _of_question(question: Question, told: Sequence[Event]) -> Iterable[Event]:
    """The next events, as far as they answer one question."""
    if question.decision == "knock":
        first = told[0]
        turn = first.turn if isinstance(first, events.Passed) else None
        return [e for e in told if isinstance(e, events.Knocked) and e.turn == turn]
    kinds = {"build": events.Built, "ending": events.Ending, "take": events.Took}
    return told[:1] if isinstance(told[0], kinds[question.decision]) else ()


def _compare(record: Record, told: Sequence[Event], happened: Sequence[Event]) -> None:
    for said, done in zip(told, happened, strict=False):
        if said != done:
            where = len(record.events) - len(told) + 2 + happened.index(done)
            raise RecordError(
                f"line {where} tells {_line(said)}, where by the rules it is {_line(done)}"
            )
    if len(happened) > len(told):
        raise RecordError(f"the record breaks off before {_line(happened[len(told)])}")


def _line(event: Event) -> str:
    return json.dumps(events.as_dict(event))
