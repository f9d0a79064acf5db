"""Recorded games as JSON Lines: writing, reading, and replaying them to check them."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from cantstop_arena.errors import ArenaError, RulesError
from cantstop_arena.games.cubus import events
from cantstop_arena.games.cubus.builds.build import Build
from cantstop_arena.games.cubus.builds.cards import ORDER
from cantstop_arena.games.cubus.chance import Stream, unshuffled
from cantstop_arena.games.cubus.events import NAMES, Event
from cantstop_arena.games.cubus.rules import PLAYERS, RULES, RuleSet
from cantstop_arena.games.cubus.state import CubusState, Question

Parsed = TypeVar("Parsed")


class Record(NamedTuple):
    """A recorded game: its rules, the bots' names in seat order, the deck's seed, its events."""

    rules: RuleSet
    seats: tuple[str, ...]
    seed: int | str
    deal: int
    events: tuple[Event, ...]


class RecordError(ArenaError):
    """A record is unreadable, or its game breaks the rules."""


def record_text(record: Record) -> str:
    """The text of a record, one line of JSON for each event."""
    head = {
        "event": "game",
        "game": "cubus",
        "rules": RULES.as_dict(record.rules),
        "seats": list(record.seats),
        "seed": record.seed,
        "deal": record.deal,
    }
    lines = [head, *map(events.as_dict, record.events)]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def read(text: str) -> Record:
    """The record in a text.

    Raises RecordError, with the line number, when a line is malformed. `replay_record` checks
    the game against the rules.
    """
    lines = [_json(number, line) for number, line in enumerate(text.splitlines(), start=1)]
    if not lines:
        raise RecordError("the record is empty; its first line must be the event game")
    game_events = (
        _numbered(number, event_of, line) for number, line in enumerate(lines[1:], start=2)
    )
    return _numbered(1, head_of, lines[0])._replace(events=tuple(game_events))


def _numbered(
    number: int, read: Callable[[Mapping[str, Any]], Parsed], line: Mapping[str, Any]
) -> Parsed:
    """`read(line)`. Raises RecordError with the line number."""
    try:
        return read(line)
    except RecordError as error:
        raise RecordError(f"line {number}: {error}") from None


def _json(number: int, line: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(f"line {number} is not valid JSON") from None
    if not isinstance(value, dict):
        raise RecordError(f"line {number} must be a JSON object")
    return value


def head_of(line: Mapping[str, Any]) -> Record:
    """The record of a first line, without events. Raises RecordError when the line is invalid."""
    if line.get("event") != "game" or line.get("game") != "cubus":
        raise RecordError("expected the event game of a game of cubus")
    seats, rules = line.get("seats"), line.get("rules")
    if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
        raise RecordError("seats must be a list of names")
    if len(seats) not in PLAYERS:
        raise RecordError(f"{len(seats)} seats; cubus has {PLAYERS[0]} to {PLAYERS[-1]}")
    if not isinstance(rules, dict):
        raise RecordError("rules must be an object of parameters")
    try:
        return Record(RULES.from_dict(rules), tuple(seats), _seed(line), _number(line, "deal"), ())
    except RulesError as error:
        raise RecordError(f"rules: {error}") from None


def _seed(line: Mapping[str, Any]) -> int | str:
    """The seed: an integer, or the text that the arena writes for long ones."""
    return line["seed"] if isinstance(line.get("seed"), str) else _number(line, "seed")


def _number(line: Mapping[str, Any], key: str) -> int:
    if type(line.get(key)) is not int:
        raise RecordError(f"{key} must be a whole number")
    return int(line[key])


def event_of(line: Mapping[str, Any]) -> Event:
    """The event of a line after the first. Raises RecordError when the line is invalid."""
    kind = NAMES.get(str(line.get("event")))
    if kind is None:
        raise RecordError(f"unknown event: use {', '.join(NAMES)}")
    fields = kind._fields
    if set(line) != {"event", *fields}:
        raise RecordError(f"a {line['event']} has {', '.join(fields)}")
    for key in fields:
        if not _FITS[key](line[key]):
            raise RecordError(f"invalid value of {key}")
    return kind(**{key: _tuples(line[key]) for key in fields})


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _is_integer(value: object) -> bool:
    return type(value) is int


def _is_integer_list(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_integer, value))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_FITS: Mapping[str, Callable[[Any], bool]] = {
    "turn": _is_integer,
    "turns": _is_integer,
    "seat": _is_integer,
    "card": lambda card: card is None or (card in (*ORDER,)),
    "pile": _is_text,
    "open": lambda cells: (
        isinstance(cells, list) and all(_is_integer_list(cell) and len(cell) == 2 for cell in cells)
    ),
    "points": lambda points: _is_integer(points) or _is_integer_list(points),
    "hand": _is_text,
    "right": lambda right: isinstance(right, bool),
    "cards": lambda cards: cards is None or _is_text(cards) or _is_integer_list(cards),
    "winners": _is_integer_list,
    "reason": lambda reason: reason in ("done", "fault", "left"),
}


class _RecordedDecks(NamedTuple):
    """The chance of a recorded game: the cards in their order, and the knockers in theirs."""

    events: Sequence[Event]

    def deck(self, rules: RuleSet) -> str:
        """The recorded cards in their order, then the other cards of the deck."""
        turns = [e for e in self.events if isinstance(e, events.Passed | events.Built)]
        cards = "".join(event.card or "" for event in turns)
        remaining = list(unshuffled(rules))
        for number, card in enumerate(cards, start=1):
            if card not in remaining:
                raise RecordError(f"turn {number} draws a {card}, but the deck has no more of them")
            remaining.remove(card)
        return cards + "".join(remaining)

    def knock_order(self, turn: int, players: int) -> list[int]:
        """The seats of the recorded knocks of a turn, in their order, then the other seats."""
        knocks = (e for e in self.events if isinstance(e, events.Knocked) and e.turn == turn)
        return list(dict.fromkeys([*(event.seat for event in knocks), *range(players)]))

    def ending_order(self, players: int) -> list[int]:
        """Seat order; it has no effect, as a record has one build of the ending at most."""
        return list(range(players))

    def own(self, seat: int) -> Stream:
        """A stream that no replay uses."""
        return Stream(seat)


def replay_record(record: Record) -> CubusState:
    """The state at the end of a recorded game, after replaying it.

    Raises RecordError at the first event that breaks the rules or differs from the replay.
    """
    *_, last = moments(record)
    return last


def moments(record: Record) -> Iterator[CubusState]:
    """The state after each step of a replay, always the same object.

    Raises RecordError as `replay_record` does.
    """
    state = CubusState(record.rules, len(record.seats), _RecordedDecks(record.events))
    upcoming = list(record.events)
    while upcoming:
        played = _replay_step(state, upcoming)
        _check_same(record, upcoming, played)
        del upcoming[: len(played)]
        yield state
    if state.question() is not None:
        raise RecordError("the record is incomplete: its last line must be the event end")


def _replay_step(state: CubusState, upcoming: Sequence[Event]) -> list[Event]:
    """The events of a step that is played with the recorded answers."""
    played: list[Event] = []
    while not played:
        question = state.question()
        if question is None:
            raise RecordError(f"{_line(upcoming[0])} comes after the end")
        if isinstance(upcoming[0], events.Ended) and upcoming[0].reason != "done":
            return _abandoned(state, upcoming[0])
        played = state.answer(_answers(question, upcoming))
    return played


def _abandoned(state: CubusState, end: events.Ended) -> list[Event]:
    if end.reason == "left":
        return state.leave()
    losers = set(range(state.players)) - set(end.winners)
    if len(losers) != 1:
        raise RecordError("the end by a fault must name all seats but one as winners")
    return state.forfeit(losers.pop(), "recorded as a fault")


def _answers(question: Question, upcoming: Sequence[Event]) -> dict[int, object]:
    answers: dict[int, object] = dict.fromkeys(question.seats)
    for event in _answering_events(question, upcoming):
        if isinstance(event, events.Built | events.Knocked | events.Ending | events.Took):
            build = Build(event.pile, event.open) if event.pile or event.open else None
            answers[event.seat] = build
    return {seat: answers[seat] for seat in question.seats}


def _answering_events(question: Question, upcoming: Sequence[Event]) -> Iterable[Event]:
    """Those of the next events that answer the question."""
    if question.decision == "knock":
        first = upcoming[0]
        turn = first.turn if isinstance(first, events.Passed) else None
        return [e for e in upcoming if isinstance(e, events.Knocked) and e.turn == turn]
    kinds = {"build": events.Built, "ending": events.Ending, "take": events.Took}
    return upcoming[:1] if isinstance(upcoming[0], kinds[question.decision]) else ()


def _check_same(record: Record, upcoming: Sequence[Event], played: Sequence[Event]) -> None:
    for recorded, actual in zip(upcoming, played, strict=False):
        if recorded != actual:
            where = len(record.events) - len(upcoming) + 2 + played.index(actual)
            raise RecordError(
                f"line {where} has {_line(recorded)}; by the rules it is {_line(actual)}"
            )
    if len(played) > len(upcoming):
        raise RecordError(f"the record is incomplete: it lacks {_line(played[len(upcoming)])}")


def _line(event: Event) -> str:
    return json.dumps(events.as_dict(event))
