"""A person's seat in the browser, for any game: events as text, and a form for the decision.

A game's own view overrides parts of it. Everything works without a script: the form has a button
for each move, or a field for what else the answer is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, get_args

import msgspec
from markupsafe import Markup

from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import BOARD, Event
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.pages.document import rendered
from cantstop_arena.table.conversation import PendingDecision
from cantstop_arena.views.default_view import SEAT_NAMES, outcome_text

if TYPE_CHECKING:
    from cantstop_arena.views.default_view import GameView

TEMPLATES = Path(__file__).parent / "seat_templates"
ANSWER, FIELD = "answer", "field."  # names of fields in the form
_HIDDEN_FIELDS = ("seat", "players", "rules", "random")  # of views, not shown: the person knows
_MAX_EVENTS = 12  # lines of events that are shown
_PASS = "null"


class SeatedPerson(NamedTuple):
    """What a seat is to show: the game, the events that the seat sees, and the decision, if any.

    `seat` is the person's; with `hints` the value of each option is shown, where it is known.
    """

    game: Game
    seat: int
    events: Sequence[Event]
    pending: PendingDecision | None
    hints: bool

    @property
    def names(self) -> list[str]:
        """The names of the players."""
        return list(self.events[0]["seats"])


class WebOption(msgspec.Struct, frozen=True):
    """An option in a form: what is sent, its name, the key that takes it, and what it is worth.

    `value` is the chance to win with it, `price` how much less that is than the best option's, in
    percentage points.
    """

    answer: str
    name: str
    key: str = ""
    value: float | None = None
    price: float | None = None


AnyOption = TypeVar("AnyOption", bound=WebOption)


class FormField(msgspec.Struct, frozen=True):
    """A field of a form: its name, its label and its kind as in HTML."""

    name: str
    label: str
    kind: str


class SeatPage(msgspec.Struct, frozen=True):
    """The parts of the page of a seat, as HTML; `form` is empty when nothing is to be decided.

    `keys` is a sentence on the keys, `steps` are what has happened, for the script: dictionaries
    with `said`, and what the view's script needs.
    """

    heading: str
    picture: Markup
    side: Markup
    form: Markup
    story: Markup
    keys: str
    steps: Sequence[Mapping[str, Any]] = ()


class ReviewedDecision(msgspec.Struct, frozen=True):
    """A decision in a game that is over: its options with their values, and the one taken.

    `place` is the number of the event with it, `chance` that of the first seat to win after the
    option taken, if it is known, `lost` what that cost the seat, in percentage points.
    """

    number: int
    place: int
    seat: int
    turn: int
    situation: str
    options: Sequence[WebOption]
    taken: int
    chance: float | None
    lost: float

    @property
    def best(self) -> WebOption:
        """The best option."""
        return min(self.options, key=lambda option: option.price or 0.0)


class Review(msgspec.Struct, frozen=True):
    """A game that is over with what its judge says; `picture` draws the board at a decision."""

    judge: str
    heading: str
    names: Sequence[str]
    me: int
    decisions: Sequence[ReviewedDecision]
    picture: Callable[[ReviewedDecision], Markup]

    def lost_by(self, seat: int) -> float:
        """What all decisions of a seat have cost it."""
        return sum(decision.lost for decision in self.decisions if decision.seat == seat)


class WebSeat:
    """How a game is shown to a person in the browser; by default as text."""

    def __init__(self, view: GameView) -> None:
        self.view = view
        self.game = view.game

    def judge(self, rules: Any, players: int) -> str:
        """Who says what options are worth; empty if nobody can."""
        has_value = type(self.game).value is not Game.value
        has_position = type(self.game).position_of is not Game.position_of
        return f"{self.game.title}'s own value function" if has_value and has_position else ""

    def page(self, person: SeatedPerson, start: int) -> SeatPage:
        """The page of a seat; its steps are the events from number `start` on."""
        pending = person.pending
        return SeatPage(
            heading=self.heading(person),
            picture=self._picture(person),
            side=self._players(person),
            form=self._form(person) if pending else Markup(""),
            story=self._story(person),
            keys=self._keys(person),
            steps=[
                {"said": self._event_text(person, event)}
                for event in person.events[start:]
                if event["event"] not in (BOARD, "game")
            ],
        )

    def answer(self, pending: PendingDecision, form: Mapping[str, str]) -> Any:
        """The answer in a form, as plain data. Raises IllegalAnswer when it cannot be read."""
        names = [field.name for field in self._fields(pending)]
        try:
            if ANSWER in form:
                text = form[ANSWER].strip()
                value = json.loads(text) if text else None
            else:
                value = {
                    name.removeprefix(FIELD): json.loads(form[name] or "null")
                    for name in names
                    if name in form
                }
        except (ValueError, RecursionError):
            raise IllegalAnswer("this is not a value as JSON writes it") from None
        is_yes_or_no = _without_none(pending.decision.answer) is bool and pending.moves is None
        if is_yes_or_no and value is not None and type(value) is not bool:
            raise IllegalAnswer("this is not among the options")  # bool(9) would be an answer, too
        return value

    def review(self, events: Sequence[Event], me: int) -> Review | None:
        """What the judge says of a game that is over; None if nobody can.

        Raises UsageError when there is no judge for its rules.
        """
        return None

    # Parts

    def heading(self, person: SeatedPerson) -> str:
        """What is to be decided, or who has won."""
        if person.pending is None:
            return self._outcome(person)
        name = person.pending.decision.name.replace("_", " ")
        return f"Your decision: {name}"

    def _outcome(self, person: SeatedPerson) -> str:
        end = person.events[-1]
        if end.get("reason") == "left":
            return "This game was left before its end"
        winners = [person.names[seat] for seat in end.get("winners", ())]
        return outcome_text(winners, len(person.names)) if winners else "Nobody wins"

    def _event_text(self, person: SeatedPerson, event: Event) -> str:
        names = [f"{SEAT_NAMES[seat]} {name}" for seat, name in enumerate(person.names)]
        return " ".join(self.view.event_text(event, names).split())

    def _picture(self, person: SeatedPerson) -> Markup:
        pending = person.pending
        boards = [event for event in person.events if event["event"] == BOARD]
        board = pending.drawing if pending else str(boards[-1].get(BOARD, "")) if boards else ""
        field_rows = [] if board or not pending else self._view_fields(pending)
        return Markup(
            rendered(
                TEMPLATES, "seat_picture.html", board=board, fields=field_rows, title="The board"
            )
        )

    def _view_fields(self, pending: PendingDecision) -> list[tuple[str, str]]:
        """The fields of the view by name, as text."""
        own_fields = getattr(pending.view, "own_fields", None)
        values = own_fields() if own_fields else getattr(pending.view, "_asdict", dict)().items()
        return [
            (name.replace("_", " "), str(value))
            for name, value in values
            if name not in _HIDDEN_FIELDS
        ]

    def _players(self, person: SeatedPerson) -> Markup:
        to_move = person.pending.seat if person.pending else -1
        return Markup(
            rendered(
                TEMPLATES,
                "seat_players.html",
                names=person.names,
                letters=SEAT_NAMES,
                to_move=to_move,
                me=person.seat,
            )
        )

    def _story(self, person: SeatedPerson) -> Markup:
        lines = [
            self._event_text(person, event)
            for event in person.events
            if event["event"] not in (BOARD, "game")
        ]
        return Markup(rendered(TEMPLATES, "seat_story.html", lines=lines[: -_MAX_EVENTS - 1 : -1]))

    def _keys(self, person: SeatedPerson) -> str:
        return "Keys: 1 to 9 take an option."

    def _form(self, person: SeatedPerson) -> Markup:
        assert person.pending is not None
        return Markup(
            rendered(
                TEMPLATES,
                "seat_form.html",
                options=self.options(person),
                fields=self._fields(person.pending),
                decision=person.pending.decision,
            )
        )

    def options(self, person: SeatedPerson) -> list[WebOption]:
        """The options of a decision that has a list of them, with their keys and values."""
        pending = person.pending
        assert pending is not None
        options = list(self._plain_options(pending))
        values = self._values(pending) if person.hints else None
        if values is not None and len(values) == len(options):
            options = priced(options, values)
        return [
            msgspec.structs.replace(option, key=option.key or str(number))
            if number < 10
            else option
            for number, option in enumerate(options, start=1)
        ]

    def _plain_options(self, pending: PendingDecision) -> Iterable[WebOption]:
        decision, name = pending.decision, self.game.action_name
        if pending.moves is not None:
            for number, move in enumerate(pending.moves):
                yield WebOption(str(number), name(decision.name, move).replace("_", " "))
        elif _without_none(decision.answer) is bool:
            yield WebOption("true", name(decision.name, True).replace("_", " "))
            yield WebOption("false", name(decision.name, False).replace("_", " "))
        if decision.optional or NoneType in get_args(decision.answer):
            yield WebOption(_PASS, "pass")

    def _values(self, pending: PendingDecision) -> list[float] | None:
        """The chance of the person to win after each move, by the game's own value function."""
        if pending.moves is None or not self.judge(pending.view.rules, pending.view.players):
            return None
        try:
            position = self.game.position_of(pending.view, pending.moves)
        except UsageError:
            return None
        side = self.game.side_by_seat(pending.view.players)[pending.seat]
        values = []
        for action in position.legal:
            after = position.clone()
            after.step(action)
            chances = self.game.value(after)
            if chances is None:
                return None
            values.append(float(chances[side]))
        return values

    def _fields(self, pending: PendingDecision) -> list[FormField]:
        """The fields for an answer that is not one of a list."""
        answer = _without_none(pending.decision.answer)
        if pending.moves is not None or answer is bool:
            return []
        if isinstance(answer, type) and is_dataclass(answer):
            return [
                FormField(f"{FIELD}{field.name}", field.name.replace("_", " "), _kind(field.type))
                for field in fields(answer)
            ]
        if isinstance(answer, type) and issubclass(answer, msgspec.Struct):
            return [
                FormField(f"{FIELD}{field.name}", field.name.replace("_", " "), _kind(field.type))
                for field in msgspec.structs.fields(answer)
            ]
        label = pending.decision.name.replace("_", " ")
        return [FormField(ANSWER, label, _kind(answer))]

    @property
    def style(self) -> str:
        """The CSS that the pages need besides the common one."""
        return ""

    @property
    def script(self) -> str:
        """The script that moves the pieces of a board; empty if there is none."""
        return ""


def priced(options: Sequence[AnyOption], values: Sequence[float]) -> list[AnyOption]:
    """The options with their values and prices."""
    best = max(values)
    return [
        msgspec.structs.replace(option, value=value, price=100 * (best - value))
        for option, value in zip(options, values, strict=True)
    ]


def _without_none(answer: Any) -> Any:
    """The type of an answer that is not None."""
    kinds = [kind for kind in get_args(answer) if kind is not NoneType]
    return kinds[0] if len(kinds) == 1 and NoneType in get_args(answer) else answer


def _kind(answer: Any) -> str:
    return "number" if answer in (int, "int") else "text"


@cache
def seat_of(game: Game) -> WebSeat:
    """How a seat of a game is shown: as its view says (`web_seat`), or else as any game is."""
    from cantstop_arena.views.default_view import view_of

    view = view_of(game)
    if game.name == DEFAULT:
        from cantstop_arena.extensions.serve.cantstop_seat import CantStopSeat

        return CantStopSeat(view)
    own: WebSeat | None = getattr(view, "web_seat", None)
    return own or WebSeat(view)
