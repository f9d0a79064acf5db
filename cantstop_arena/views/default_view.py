"""How a game is shown: the view that every game has, and that a game may replace part by part.

A view works on recorded games, which are lists of events (see `games.game.Event`). What is shown
of a game is a *scene* for each event: anything that has the `turn` and the `step` in it, from 1, or
0 for what is no step of a turn, and whether it `is_end`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from cantstop_arena.errors import Problem, RulesError, UsageError
from cantstop_arena.texts import in_a_line

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Event, Game
    from cantstop_arena.game_api.position import Position
    from cantstop_arena.pages.document import GameFigure, Section
    from cantstop_arena.table.person_table import Person
    from cantstop_arena.tables.analysis import Analysis

MAX_NAME_LENGTH = 100  # that is shown
SEAT_NAMES = "ABCDEFGH"  # of the seats
TEMPLATES = Path(__file__).parent / "templates"
_OPENING = ("event", "game", "rules", "seats", "seed", "deal")


class Scene(Protocol):
    """What there is to see after one event of a game."""

    turn: int
    step: int
    is_end: bool


class TextScene(msgspec.Struct, frozen=True):
    """A scene without a board: the events so far, the last one said in a line."""

    events: Sequence[Event]
    turn: int
    step: int
    is_end: bool


class GameView:
    """The view of a game; as it stands, games are shown as text, line by line."""

    def __init__(self, game: Game) -> None:
        self.game = game

    # Records

    def read_record(self, lines: Iterable[str], source: str) -> Iterator[Event]:
        """The events of a recorded game; `source` is what messages call the file.

        Raises UsageError with the first line that is none of a record. A record may lack its end.
        """
        number = 0
        for number, line in enumerate(lines, start=1):
            event = parse_event(line, source, number)
            if complaint := self.wrong_with(event, is_first=number == 1):
                raise UsageError(str(Problem(source, number, 1, complaint)))
            yield event
        if not number:
            raise UsageError(f"{source}: this file is empty; a recorded game is wanted")

    def wrong_with(self, event: Event, is_first: bool) -> str | None:
        """What is wrong with one line of a record; None where nothing is."""
        if not is_first:
            return None if isinstance(event.get("event"), str) else "the event has no name"
        if missing := [name for name in _OPENING if name not in event]:
            return f"the opening of a recorded game lacks {', '.join(missing)}"
        seats = event["seats"]
        if not isinstance(seats, list) or not all(isinstance(name, str) for name in seats):
            return "seats must be a list of names"
        try:
            self.game.rules.from_dict(event["rules"])
        except (RulesError, TypeError, AttributeError) as error:
            return f"rules: {error}"
        return None

    # In words

    def heading(self, opening: Event) -> str:
        """Which game this is."""
        rules = in_a_line(str(opening["rules"].get("name", "")), 2 * MAX_NAME_LENGTH)
        return f"{self.game.title} ({rules}), seed {opening['seed']}, deal {opening['deal']}"

    def names(self, opening: Event) -> list[str]:
        """Who plays, each behind the letter of the seat."""
        return [
            f"{letter} {in_a_line(name, MAX_NAME_LENGTH)}"
            for letter, name in zip(SEAT_NAMES, opening["seats"], strict=False)
        ]

    def lines(self, events: Iterable[Event], coloured: bool = False) -> Iterator[str]:
        """A game line by line."""
        names: list[str] = []
        for event in events:
            if event["event"] == "game":
                names = self.names(event)
                yield self.heading(event)
                yield f"Seats: {', '.join(names)}"
            else:
                yield self.event_text(event, names)

    def event_text(self, event: Event, names: Sequence[str]) -> str:
        """One event in a line, `names` being those of the seats."""
        if event["event"] == "end":
            winners = [names[seat] for seat in event["winners"]]
            remaining = _fields_text(event, ("event", "winners"))
            return f"{' and '.join(winners) or 'nobody'} wins ({remaining})"
        turn = f"{event['turn']:>4}  " if "turn" in event else "      "
        who = f"{names[event['seat']]}: " if _is_seat(event.get("seat"), names) else ""
        remaining = _fields_text(event, ("event", "turn", "seat"))
        return f"{turn}{who}{event['event']}{remaining and f' ({remaining})'}"

    # Judged

    def judged(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events with a judge's verdicts, which are told and shown with them.

        Raises UsageError where nobody can judge.
        """
        raise UsageError(f"nobody judges games of {self.game.title}")

    # Scene by scene

    def scenes(self, events: Iterable[Event]) -> Sequence[Any]:
        """A scene for every event; the first event is the opening."""
        texts: list[Event] = []
        scenes: list[TextScene] = []
        turn, step = 0, 0
        for event in events:
            texts.append(event)
            if event.get("turn", turn) != turn:
                turn, step = event["turn"], 0
            step += event["event"] != "end" and turn > 0
            is_end = event["event"] == "end"
            scenes.append(TextScene(tuple(texts), turn, 0 if is_end else step, is_end))
        return scenes

    def draw(self, scene: Any, coloured: bool = False) -> str:
        """A scene as text, with who plays and what has just happened."""
        return "\n".join(self.lines(scene.events, coloured))

    def step_text(self, scenes: Sequence[Any], index: int, coloured: bool = False) -> str:
        """All there is to see at a place in the game, for stepping through it."""
        text = f"step {index} of {len(scenes) - 1}"
        return f"{text}\n{self.draw(scenes[index], coloured)}"

    def picture(self, scene: Any) -> str:
        """A scene as SVG. Raises UsageError where the game has no pictures."""
        raise UsageError(f"{self.game.title} has no pictures; without --svg it is told as text")

    def draw_position(self, position: Position) -> str:
        """Who decides between what, or who has won, at a position that is stepped through."""
        if position.is_over:
            winners = " and ".join(SEAT_NAMES[seat] for seat in position.winners)
            return f"{winners or 'nobody'} wins"
        if position.is_chance:
            return "chance decides"
        names = ", ".join(map(position.action_name, position.legal))
        return f"{SEAT_NAMES[position.seat]} decides: {names}"

    # On a page

    def page_game(
        self, key: str, title: str, arguments: Sequence[str], events: Sequence[Event]
    ) -> GameFigure:
        """A game for a section of a page; its `key` is the only one on the page."""
        pass

        return text_game(key, title, arguments, list(self.lines(events)))

    def page_sections(self, analysis: Analysis) -> Iterator[Section]:
        """What a page tells of how the bots play, besides lengths and styles."""
        yield from ()

    def stored_sections(self, folder: Path) -> Iterator[Section]:
        """What a page tells that commands of the game have left in its folder of results."""
        yield from ()

    # Highlights

    def highlight_scores(self, events: Sequence[Event]) -> Mapping[str, int] | None:
        """What a recorded game is remembered for, by kind; None where a record does not tell."""
        return None

    def length(self, events: Sequence[Event]) -> int | None:
        """The length of a recorded game; None where a record does not tell."""
        length = events[-1].get(self.game.counts.length)
        return length if isinstance(length, int) else None

    def why(self, kind: str, events: Sequence[Event]) -> str:
        """A sentence on what makes a game the highlight that it is; may be empty."""
        return ""

    # A person

    def person(
        self,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> Person:
        """Somebody in a seat who reads and types.

        `read` shows a prompt and returns a line, None at the end of the input; `say` prints one.
        """
        from cantstop_arena.views.default_person import PlainPerson

        return PlainPerson(self, seat, read, echo, coloured)


def view_of(game: Game) -> GameView:
    """The view of a game."""
    view: GameView = resolve_name(game.view)(game)
    return view


def read_record(lines: Sequence[str], source: str) -> Iterator[Event]:
    """The events of a recorded game of any kind, as its view reads them. Raises UsageError."""
    from cantstop_arena.games.registry import DEFAULT, game_named

    name = parse_event(lines[0], source, 1).get("game") if lines else DEFAULT
    game = game_named(name if isinstance(name, str) else DEFAULT)
    return view_of(game).read_record(lines, source)


def parse_event(line: str, source: str, number: int) -> Event:
    """A line of a record. Raises UsageError."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        wrong = "this is no recorded game, whose lines are objects in JSON"
        raise UsageError(str(Problem(source, number, 1, wrong)))
    return event


def _fields_text(event: Event, left_out: Sequence[str]) -> str:
    """The fields of an event."""
    return ", ".join(
        f"{key} {in_a_line(_text(value), MAX_NAME_LENGTH)}"
        for key, value in event.items()
        if key not in left_out
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_seat(value: object, names: Sequence[str]) -> bool:
    return type(value) is int and 0 <= value < len(names)


def text_game(key: str, title: str, arguments: Sequence[str], lines: Sequence[str]) -> GameFigure:
    """The game line by line."""
    from markupsafe import Markup

    from cantstop_arena.pages.document import GameFigure, rendered

    html = rendered(TEMPLATES, "text_game.html", key=key, title=title, words=arguments, lines=lines)
    return GameFigure(title, Markup(html))
