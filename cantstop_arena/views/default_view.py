"""The default view of a game, whose methods a game's own view overrides.

A view works on recorded games, which are lists of events (see `game_api.game.Event`). A *scene* is
the state of the game after an event: an object with the `turn`, the `step` in the turn (from 1; 0
outside of turns), and `is_end`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from cantstop_arena.errors import Problem, RulesError, UsageError
from cantstop_arena.game_api.adviser import Adviser, adviser_of
from cantstop_arena.game_api.state import BOARD, SEEN_BY
from cantstop_arena.texts import in_a_line, listed

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game
    from cantstop_arena.game_api.position import Position
    from cantstop_arena.game_api.state import Event
    from cantstop_arena.pages.document import GameFigure, Section
    from cantstop_arena.tables.analysis import Analysis
    from cantstop_arena.views.default_person import TerminalPerson

MAX_NAME_LENGTH = 100  # characters of a name that are shown
SEAT_NAMES = "ABCDEFGH"  # the letters of the seats
TEMPLATES = Path(__file__).parent / "templates"


class Scene(Protocol):
    """The state of a game after one event."""

    turn: int
    step: int
    is_end: bool


class TextScene(msgspec.Struct, frozen=True):
    """A scene without a board: the events so far."""

    events: Sequence[Event]
    turn: int
    step: int
    is_end: bool


class GameView:
    """The view of a game; by default a game is shown as text, line by line."""

    def __init__(self, game: Game) -> None:
        self.game = game

    # Records

    def read_record(self, lines: Iterable[str], source: str) -> Iterator[Event]:
        """The events of a recorded game; `source` is the name of the file in messages.

        Raises UsageError for the first line that is not part of a record. A record may lack its
        end.
        """
        number = 0
        for number, line in enumerate(lines, start=1):
            event = parse_event(line, source, number)
            if complaint := self.wrong_with(event, is_first=number == 1):
                raise UsageError(str(Problem(source, number, 1, complaint)))
            yield event
        if not number:
            raise UsageError(f"{source}: this file is empty; expected a recorded game")

    def wrong_with(self, event: Event, is_first: bool) -> str | None:
        """The error in one line of a record; None when the line is valid."""
        from cantstop_arena.table.recording import Opening

        if not is_first:
            return None if isinstance(event.get("event"), str) else "the event has no name"
        try:
            opening = msgspec.convert(event, Opening)
            self.game.rules.from_dict(opening.rules)
        except msgspec.ValidationError as error:
            return f"invalid opening of a recorded game: {error}"
        except RulesError as error:
            return f"rules: {error}"
        seats, players = len(opening.seats), self.game.players
        if seats not in players:
            return f"{seats} seats; {self.game.title} has {players[0]} to {players[-1]}"
        return None

    # Text

    def heading(self, opening: Event) -> str:
        """The heading of a game: its title, rules, seed and deal."""
        rules = in_a_line(str(opening["rules"].get("name", "")), 2 * MAX_NAME_LENGTH)
        return f"{self.game.title} ({rules}), seed {opening['seed']}, deal {opening['deal']}"

    def names(self, opening: Event) -> list[str]:
        """The names of the players, each after the letter of the seat."""
        return [
            f"{letter} {in_a_line(name, MAX_NAME_LENGTH)}"
            for letter, name in zip(SEAT_NAMES, opening["seats"], strict=False)
        ]

    def lines(self, events: Iterable[Event], coloured: bool = False) -> Iterator[str]:
        """The lines of a game, without its boards."""
        names: list[str] = []
        for event in events:
            if event["event"] == "game":
                names = self.names(event)
                yield self.heading(event)
                yield f"Seats: {', '.join(names)}"
            elif event["event"] != BOARD:
                yield self.event_text(event, names)

    def event_text(self, event: Event, names: Sequence[str]) -> str:
        """One event as a line, a board as several; `names` are those of the seats."""
        if event["event"] == BOARD:
            return str(event.get(BOARD, ""))
        if event["event"] == "end":
            winners = [names[seat] for seat in event["winners"]]
            details = _fields_text(event, ("event", "winners"))
            sides = self.game.lineup_size(len(names))
            return f"{outcome_text(winners, len(names), sides)} ({details})"
        turn = f"{event['turn']:>4}  " if "turn" in event else "      "
        who = f"{names[event['seat']]}: " if _is_seat(event.get("seat"), names) else ""
        details = _fields_text(event, ("event", "turn", "seat", "seen_by"))
        return f"{turn}{who}{event['event']}{details and f' ({details})'}"

    # Verdicts

    def judged(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events with a verdict on each decision.

        Raises UsageError when there is no judge for the game or its rules.
        """
        return self._judge().add_verdicts(events)

    def judge_text(self, opening: Event) -> str:
        """Who judges a game, and the unit of the losses. Raises UsageError like `judged`."""
        return self._judge().judge_text(opening)

    def worst_decisions(self, events: Iterable[Event], seat: int) -> Iterator[str]:
        """The verdicts on the decisions of a seat as lines, the worst first.

        Raises UsageError like `judged`.
        """
        return self._judge().worst_decisions(events, seat)

    def _judge(self) -> Adviser:
        adviser = adviser_of(self.game.name)
        if adviser is None:
            raise UsageError(f"there is no judge for games of {self.game.title}")
        return adviser

    # Scenes

    def scenes(self, events: Iterable[Event]) -> Sequence[Any]:
        """The scenes of a game, one for each event; the first event is the opening.

        A board belongs to the scene of the event before.
        """
        history: list[Event] = []
        scenes: list[TextScene] = []
        turn, step = 0, 0
        for event in events:
            history.append(event)
            if event["event"] == BOARD and scenes:
                scenes[-1] = msgspec.structs.replace(scenes[-1], events=tuple(history))
                continue
            if event.get("turn", turn) != turn:
                turn, step = event["turn"], 0
            step += event["event"] != "end" and turn > 0
            is_end = event["event"] == "end"
            scenes.append(TextScene(tuple(history), turn, 0 if is_end else step, is_end))
        return scenes

    def draw(self, scene: Any, coloured: bool = False) -> str:
        """A scene as text: the players, the events so far, and the last board."""
        boards = [
            str(event.get(BOARD, ""))
            for event in scene.events
            if event["event"] == BOARD and not event.get(SEEN_BY)
        ]
        return "\n".join([*self.lines(scene.events, coloured), *boards[-1:]])

    def step_text(self, scenes: Sequence[Any], index: int, coloured: bool = False) -> str:
        """The scene at an index as text, for stepping through a game."""
        heading = f"step {index} of {len(scenes) - 1}"
        return f"{heading}\n{self.draw(scenes[index], coloured)}"

    def picture(self, scene: Any) -> str:
        """A scene as SVG. Raises UsageError when the game has no pictures."""
        raise UsageError(f"{self.game.title} has no pictures; without --svg it is printed as text")

    def draw_position(self, position: Position) -> str:
        """A position as text: the board, the seat that decides and its actions, or the winners."""
        board = position.drawing()
        return f"{board}\n{_status_text(position)}" if board else _status_text(position)

    # Pages

    def page_game(
        self, key: str, title: str, paragraphs: Sequence[str], events: Sequence[Event]
    ) -> GameFigure:
        """A game as a figure of a page's section; its `key` is unique on the page."""

        return text_game(key, title, paragraphs, list(self.lines(events)))

    def page_sections(self, analysis: Analysis) -> Iterator[Section]:
        """Sections of a page on how the bots play, after those on lengths and styles."""
        yield from ()

    def stored_sections(self, folder: Path) -> Iterator[Section]:
        """Sections of a page from files that the game's commands have written to its folder."""
        yield from ()

    # Highlights

    def highlight_scores(self, events: Sequence[Event]) -> Mapping[str, int] | None:
        """The highlight scores of a recorded game, by kind; None when the game has none."""
        return None

    def length(self, events: Sequence[Event]) -> int | None:
        """The length of a recorded game; None when the record does not have it."""
        length = events[-1].get(self.game.counts.length)
        return length if isinstance(length, int) else None

    def why(self, kind: str, events: Sequence[Event]) -> str:
        """A sentence on why a game is a highlight of this kind; may be empty."""
        return ""

    # A person

    def person(
        self,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> TerminalPerson:
        """The dialogue with a person in a seat.

        `read` prints a prompt and returns a line, None at the end of the input; `echo` prints a
        line.
        """
        from cantstop_arena.views.default_person import PlainPerson

        return PlainPerson(self, seat, read, echo, coloured)


def view_of(game: Game) -> GameView:
    """The view of a game."""
    view: GameView = resolve_name(game.view)(game)
    return view


def read_record(lines: Sequence[str], source: str) -> Iterator[Event]:
    """The events of a recorded game, read by the view of its game. Raises UsageError."""
    from cantstop_arena.games.registry import DEFAULT, game_named

    name = parse_event(lines[0], source, 1).get("game") if lines else DEFAULT
    game = game_named(name if isinstance(name, str) else DEFAULT)
    return view_of(game).read_record(lines, source)


def parse_event(line: str, source: str, number: int) -> Event:
    """The event in a line of a record. Raises UsageError when the line is not a JSON object."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict):
        wrong = "this is not a recorded game, in which each line is a JSON object"
        raise UsageError(str(Problem(source, number, 1, wrong)))
    return event


def outcome_text(winners: Sequence[str], seats: int, sides: int = 2) -> str:
    """Who has won a game of so many seats; if everybody has, it is drawn, unless all are on one
    side."""
    if len(winners) == seats > 1 and sides > 1:
        return f"{listed(winners)} draw"
    return f"{listed(winners) or 'nobody'} {'win' if len(winners) > 1 else 'wins'}"


def _status_text(position: Position) -> str:
    """Who decides what in a position, or who has won."""
    if position.is_over:
        sides = len({*position.side_by_seat})
        winners = [SEAT_NAMES[seat] for seat in position.winners]
        return outcome_text(winners, position.players, sides)
    if position.is_chance:
        return "chance decides"
    names = ", ".join(map(position.action_name, position.legal))
    return f"{SEAT_NAMES[position.seat]} decides: {names}"


def _fields_text(event: Event, left_out: Sequence[str]) -> str:
    """The fields of an event as text."""
    return ", ".join(
        f"{key} {in_a_line(_text(value), MAX_NAME_LENGTH)}"
        for key, value in event.items()
        if key not in left_out
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_seat(value: object, names: Sequence[str]) -> bool:
    return type(value) is int and 0 <= value < len(names)


def text_game(key: str, title: str, paragraphs: Sequence[str], lines: Sequence[str]) -> GameFigure:
    """A game as a figure with its lines as text."""
    from markupsafe import Markup

    from cantstop_arena.pages.document import GameFigure, rendered

    html = rendered(
        TEMPLATES, "text_game.html", key=key, title=title, paragraphs=paragraphs, lines=lines
    )
    return GameFigure(title, Markup(html))
