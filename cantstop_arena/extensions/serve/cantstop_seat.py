"""A person's seat at Can't Stop in the browser: the board, the pairings, and what each leads to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import count, groupby
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from markupsafe import Markup

from cantstop_arena.errors import ArenaError
from cantstop_arena.extension_registry import needed
from cantstop_arena.extensions.serve.web_seat import (
    Review,
    ReviewedDecision,
    SeatedPerson,
    SeatPage,
    WebOption,
    WebSeat,
    priced,
)
from cantstop_arena.game_api.adviser import Adviser
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.games.cantstop.rules import RULES, RuleSet
from cantstop_arena.games.cantstop.turn import Move, Turn, move_text, runners_after
from cantstop_arena.games.registry import DEFAULT
from cantstop_arena.pages.document import rendered
from cantstop_arena.table.conversation import PendingDecision
from cantstop_arena.texts import how_many, listed
from cantstop_arena.views.cantstop import page_replay
from cantstop_arena.views.cantstop.animated_board import Landing, draw_stage, positions
from cantstop_arena.views.cantstop.page_replay import board_style
from cantstop_arena.views.cantstop.person import bust_chance_after
from cantstop_arena.views.cantstop.scenes import BoardScene, scenes
from cantstop_arena.views.cantstop.svg import heading

if TYPE_CHECKING:
    from cantstop_arena.extensions.strength.judging.verdicts import JudgedDecision

TEMPLATES = Path(__file__).parent / "cantstop_templates"
_BOARD = page_replay.TEMPLATES
KEY = "play"  # the ids of the board start with it
_SPLITS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2))  # the dice of both halves, each way to pair
_KINDS = ("game", "roll", "stop", "bust", "end")  # of events of a record
_ACTIONS = {"roll": "roll again", "stop": "stop"}
_MAX_TURNS = 8  # lines of turns that are shown
_evaluating = Lock()  # an evaluator has one workspace


class Pairing(msgspec.Struct, frozen=True):
    """A way to pair the dice: both halves with their sums, and the options; none: not possible."""

    halves: tuple[tuple[int, int, int], ...]
    options: tuple[CantStopOption, ...]


class CantStopOption(WebOption, frozen=True, kw_only=True):
    """An option with its number in the decision, where it leads, and the bust risk after it."""

    number: int = 0
    leads: str = ""
    bust: float | None = None


class TurnLine(msgspec.Struct, frozen=True):
    """A turn in a line: who, the columns taken, and how it ended."""

    number: int
    name: str
    rolls: Sequence[str]
    ending: str


class AdviserValues(Protocol):
    """What gives the chances to win."""

    name: str

    def values(self, turn: Turn, moves: Sequence[Move]) -> Sequence[float]:
        """The chance to win after each move."""

    def choice(self, turn: Turn) -> tuple[float, float]:
        """The chances after rolling again and after stopping."""


def best_evaluator(rules: RuleSet, players: int) -> AdviserValues:
    """The adviser's evaluator. Raises ArenaError."""
    evaluator: AdviserValues = _adviser().evaluator_for(rules, players)
    return evaluator


def _adviser() -> Adviser:
    adviser: Adviser = needed("adviser", "a review", DEFAULT)
    return adviser


@lru_cache(maxsize=8)
def evaluator_for(rules: RuleSet, players: int) -> AdviserValues | None:
    """The best evaluator for these rules; None if there is none."""
    try:
        return best_evaluator(rules, players)
    except ArenaError:
        return None


class CantStopSeat(WebSeat):
    """How Can't Stop is shown to a person in the browser."""

    @property
    def style(self) -> str:
        return board_style()

    @property
    def script(self) -> str:
        return (_BOARD / "board.js").read_text("utf-8")

    def judge(self, rules: Any, players: int) -> str:
        evaluator = evaluator_for(rules, players) if players > 1 else None
        return evaluator.name if evaluator else ""

    def page(self, person: SeatedPerson, start: int) -> SeatPage:
        played = list(scenes(person.events))
        last, pending = played[-1], person.pending
        options = self._options(person) if pending else []
        landings = _landings(pending) if pending and pending.moves is not None else []
        side = self._content("seat_side.html", scene=last, person=person, options=options)
        form = ""
        if pending:
            form = self._content(
                "seat_form.html",
                scene=last,
                person=person,
                options=options,
                pairings=_pairings(pending, options) if pending.moves is not None else [],
            )
        return SeatPage(
            heading=self.heading(person),
            picture=Markup(draw_stage(last, KEY, landings, person.seat)),
            side=Markup(side),
            form=Markup(form),
            story=Markup(self._content("seat_turns.html", turns=list(_turns(played))[::-1])),
            keys="Keys: 1 to 6 take a pairing, r rolls, s stops. Point at a pairing to see where"
            " it leads.",
            steps=[_step(scene) for scene in played[start:] if scene.event["event"] != "game"],
        )

    def _content(self, template: str, **content: object) -> str:
        return rendered((TEMPLATES, _BOARD), template, key=KEY, die=_die, **content)

    def review(self, events: Sequence[Event], me: int) -> Review | None:
        plain = [event for event in events if event["event"] in _KINDS]
        if len(plain[0]["seats"]) == 1:
            return None  # a solo game is judged in turns, not in chances
        played = list(scenes(plain))
        with _evaluating:
            judged = list(_adviser().judged_decisions(plain))
            evaluator = best_evaluator(RULES.from_dict(plain[0]["rules"]), len(plain[0]["seats"]))
        person = SeatedPerson(self.game, me, plain, None, hints=False)
        decisions = [
            _reviewed(number, place, scene, decision)
            for number, (place, scene, decision) in enumerate(judged)
        ]
        return Review(
            judge=evaluator.name,
            heading=self.heading(person) if played[-1].is_end else "A game without its end",
            names=person.names,
            me=me,
            decisions=decisions,
            picture=lambda decision: _board_at(played, decision),
        )

    def heading(self, person: SeatedPerson) -> str:
        if person.pending is None:
            end = person.events[-1]
            if end.get("reason") == "left" or not end["winners"]:
                return self._outcome(person)
            return f"{self._outcome(person)} after {how_many(end['turns'], 'turn')}"
        if person.pending.moves is not None:
            return "Choose a pairing"
        turn = person.pending.view
        tops = [
            column for column in turn.placed if turn.runners[column] == turn.rules.lengths[column]
        ]
        claims = f"Stopping claims {listed(list(map(str, tops)))}: " if tops else ""
        return f"{claims}{'roll' if claims else 'Roll'} again, or stop?"

    def _options(self, person: SeatedPerson) -> list[CantStopOption]:
        pending = person.pending
        assert pending is not None
        turn = pending.view
        evaluator = evaluator_for(turn.rules, turn.players) if person.hints else None
        if pending.moves is not None:
            options = [
                CantStopOption(
                    str(number),
                    move_text(move),
                    number=number,
                    leads=_leads(turn, move),
                    bust=bust_chance_after(turn, move),
                )
                for number, move in enumerate(pending.moves)
            ]
            return _with_values(options, evaluator, turn, pending.moves)
        keeps = listed([_space_text(turn, column, turn.runners[column]) for column in turn.placed])
        options = [
            CantStopOption("true", "Roll again", "r", number=0, bust=turn.bust_chance()),
            CantStopOption("false", "Stop", "s", number=1, leads=f"keeps {keeps}"),
        ]
        return _with_values(options, evaluator, turn, None)


@cache
def _die(number: int) -> Markup:
    """A die as SVG."""
    return Markup(rendered(_BOARD, "die.html", n=number))


def _reviewed(
    number: int, place: int, scene: BoardScene, decision: JudgedDecision
) -> ReviewedDecision:
    names = [_ACTIONS.get(name, name) for name in decision.options]
    options = priced([WebOption(name, name) for name in names], decision.values)
    chance = decision.values[decision.taken]
    seats = len(scene.names)
    first = chance if scene.seat == 0 else 1 - chance if seats == 2 else None
    dice = " ".join(map(str, scene.event["dice"]))
    return ReviewedDecision(
        number=number,
        place=place,
        seat=scene.seat,
        turn=scene.turn,
        situation=f"dice {dice}",
        options=options,
        taken=decision.taken,
        chance=first,
        lost=options[decision.taken].price or 0.0,
    )


def _board_at(played: Sequence[BoardScene], decision: ReviewedDecision) -> Markup:
    """The board before a choice of a move, and after it where rolling again is the question."""
    scene = played[decision.place]
    is_roll = decision.options[0].name == _ACTIONS["roll"]
    board = scene if is_roll else msgspec.structs.replace(scene, runners=scene.before)
    return Markup(draw_stage(board, KEY))


def _with_values(
    options: list[CantStopOption],
    evaluator: AdviserValues | None,
    turn: Turn,
    moves: Sequence[Move] | None,
) -> list[CantStopOption]:
    if evaluator is None or turn.players == 1:
        return options
    with _evaluating:
        values = (
            evaluator.values(turn, [*moves]) if moves is not None else [*evaluator.choice(turn)]
        )
    return priced(options, values)


def _space_text(turn: Turn, column: int, space: int) -> str:
    length = turn.rules.lengths[column]
    return f"{column} on the top" if space == length else f"{column} on {space} of {length}"


def _leads(turn: Turn, move: Move) -> str:
    after = runners_after(turn, move)
    return ", ".join(_space_text(turn, column, after[column]) for column in dict.fromkeys(move))


def _landings(pending: PendingDecision) -> list[list[Landing]]:
    """Where each move leads."""
    turn, landings = pending.view, []
    for move in pending.moves or ():
        after = runners_after(turn, move)
        landings.append(
            [
                Landing(
                    column,
                    turn.runners[column] if column in turn.placed else turn.position(column),
                    after[column],
                )
                for column in dict.fromkeys(move)
            ]
        )
    return landings


def _pairings(pending: PendingDecision, options: Sequence[CantStopOption]) -> list[Pairing]:
    """The ways to pair the dice with their options, which have keys in this order."""
    dice = pending.view.dice
    rows: dict[tuple[int, ...], tuple[Any, list[CantStopOption]]] = {}
    for split in _SPLITS:
        a, b, c, d = (dice[index] for index in split)
        halves = ((a, b, a + b), (c, d, c + d))
        sums = tuple(sorted(half[2] for half in halves))
        own = [
            option
            for option, move in zip(options, pending.moves or (), strict=True)
            if all(column in sums for column in move)
        ]
        rows.setdefault(sums, (halves, own))
    keys = count(1)
    return [
        Pairing(
            halves,
            tuple(msgspec.structs.replace(option, key=str(next(keys))) for option in own),
        )
        for halves, own in rows.values()
    ]


def _step(scene: BoardScene) -> dict[str, Any]:
    """What has happened: as text, and where the pieces are now."""
    return {"said": heading(scene), "seat": scene.seat, "at": positions(scene)}


def _turns(played: Sequence[BoardScene]) -> Iterator[TurnLine]:
    """The last turns in a line each."""
    steps = [scene for scene in played[1:] if not scene.is_end]
    turns = [(number, [*turn]) for number, turn in groupby(steps, key=lambda scene: scene.turn)]
    for number, turn in turns[-_MAX_TURNS:]:
        rolls = [
            move_text(scene.event["chosen"])
            for scene in turn
            if scene.event["event"] == "roll" and scene.event["chosen"]
        ]
        name = played[0].opening["seats"][turn[0].seat]
        yield TurnLine(number, name, rolls, _ending(turn[-1]))


def _ending(scene: BoardScene) -> str:
    match scene.event["event"]:
        case "stop":
            return (
                f"stops, claims {listed(list(map(str, scene.claims)))}" if scene.claims else "stops"
            )
        case "bust":
            return "bust"
        case _:
            return "…"
