"""A person's seat at Cubus in the browser: the pile, and builds as buttons with their pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup

from cantstop_arena.errors import ArenaError
from cantstop_arena.extensions.cubus.builds.build import Build, TableCards
from cantstop_arena.extensions.cubus.builds.piles import IllegalBuild, parse
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.view import svg
from cantstop_arena.extensions.cubus.view.person import (
    PROMPTS,
    build_text,
    named_build,
    pass_answer,
)
from cantstop_arena.extensions.cubus.view.person import takes as listed_takes
from cantstop_arena.extensions.cubus.view.person import targets as listed_targets
from cantstop_arena.extensions.cubus.view.scenes import SEATS, PileScene, scenes
from cantstop_arena.extensions.serve.web_seat import ANSWER, SeatedPerson, SeatPage, WebSeat
from cantstop_arena.game_api.answers import IllegalAnswer
from cantstop_arena.game_api.state import Event
from cantstop_arena.pages.document import rendered
from cantstop_arena.table.conversation import PendingDecision
from cantstop_arena.texts import how_many

TEMPLATES = Path(__file__).parent / "templates"
_OTHER = "other"  # the field for a build that is not listed
_MAX_LINES = 8


class CubusOption(msgspec.Struct, frozen=True):
    """A build in the list: what is sent, its text, its gain, its picture and its key."""

    answer: str
    text: str
    gain: str
    picture: Markup
    key: str


class CubusSeat(WebSeat):
    """How Cubus is shown to a person in the browser."""

    @property
    def style(self) -> str:
        return svg.STYLE + (TEMPLATES / "seat.css").read_text("utf-8")

    def page(self, person: SeatedPerson, start: int) -> SeatPage:
        played = list(scenes(person.events))
        last, pending = played[-1], person.pending
        form = self._cubus_form(pending) if pending else ""
        lines = [f"{scene.turn}: {scene.text}" for scene in played[1:] if not scene.is_end]
        table = pending.view.table if pending else _last_table(played)
        before = last.before if last.table == table else None
        return SeatPage(
            heading=self.heading(person),
            picture=Markup(f'<div class="pile">{svg.pile_svg(table, before, alone=False)}</div>'),
            side=Markup(self._content("seat_side.html", rows=_rows(person, last), person=person)),
            form=Markup(form),
            story=Markup(self._content("seat_lines.html", lines=lines[: -_MAX_LINES - 1 : -1])),
            keys="Keys: 1 to 9 take a build, p passes.",
            steps=[{"said": scene.text} for scene in played[start:]],
        )

    def _content(self, template: str, **content: object) -> str:
        return rendered(TEMPLATES, template, letters=SEATS, **content)

    def heading(self, person: SeatedPerson) -> str:
        if person.pending is None:
            return self._outcome(person)
        return PROMPTS[person.pending.view.asked]

    def _cubus_form(self, pending: PendingDecision) -> str:
        view = pending.view
        options = [
            CubusOption(
                answer=json.dumps(_as_plain(build)),
                text=build_text(build),
                gain=how_many(gain, "card" if view.asked == "take" else "point"),
                picture=_picture(view, build),
                key=str(number),
            )
            for number, (build, gain) in enumerate(_listed(view), start=1)
        ]
        return self._content(
            "seat_form.html",
            options=options,
            hand=view.hand.text() or "no card",
            can_pass=_can_pass(view),
            other=_OTHER,
        )

    def answer(self, pending: PendingDecision, form: Mapping[str, str]) -> Any:
        text = form.get(_OTHER, "").strip()
        try:
            if ANSWER not in form and text:
                return _as_plain(named_build(text, pending.view))
            answer = super().answer(pending, form)
            return _as_plain(pass_answer(pending.view)) if answer is None else answer
        except (IllegalBuild, ArenaError, ValueError) as error:
            raise IllegalAnswer(str(error).rstrip(".")) from error

    def _event_text(self, person: SeatedPerson, event: Event) -> str:
        return self.view.event_text(event, person.names)


def _listed(view: CubusBotView) -> Sequence[tuple[Build | None, int]]:
    return listed_takes(view) if view.asked == "take" else listed_targets(view)


def _can_pass(view: CubusBotView) -> bool:
    try:
        pass_answer(view)
    except ValueError:
        return False
    return True


def _as_plain(build: Build | None) -> dict[str, Any] | None:
    """A build as JSON has it."""
    return None if build is None else {"pile": build.pile, "open": [[*c] for c in build.open]}


def _picture(view: CubusBotView, build: Build | None) -> Markup:
    """The pile after a build, with its new cards outlined."""
    if build is None:
        return Markup(svg.empty())
    table = TableCards(parse(build.pile), tuple(sorted(build.open)))
    return Markup(svg.pile_svg(table, view.table, alone=False))


def _last_table(played: Sequence[PileScene]) -> TableCards:
    return next(scene.table for scene in reversed(played) if scene.table)


def _rows(person: SeatedPerson, scene: PileScene) -> list[tuple[str, str]]:
    """The players with their points and cards."""
    columns = zip(person.names, scene.scores, scene.won, strict=True)
    return [
        (name, f"{how_many(points, 'point')}, {how_many(cards, 'card')} won")
        for name, points, cards in columns
    ]
