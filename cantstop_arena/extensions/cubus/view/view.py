"""The view of Cubus: text, pictures, pages, and the terminal of a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from cantstop_arena.extensions.cubus.builds.build import TableCards
from cantstop_arena.extensions.cubus.counts import count
from cantstop_arena.extensions.cubus.measures import highlight_scores
from cantstop_arena.extensions.cubus.records import event_of
from cantstop_arena.extensions.cubus.view import drawing, svg
from cantstop_arena.extensions.cubus.view.scenes import PileScene, scenes, standings
from cantstop_arena.texts import how_many
from cantstop_arena.views.default_view import GameView

if TYPE_CHECKING:
    from cantstop_arena.extensions.cubus.view.person import CubusPerson
    from cantstop_arena.extensions.cubus.view.web_seat import CubusSeat
    from cantstop_arena.game_api.state import Event
    from cantstop_arena.pages.document import GameFigure


class CubusView(GameView):
    """The view of Cubus."""

    @cached_property
    def web_seat(self) -> CubusSeat:
        """How a seat is shown to a person in the browser."""
        from cantstop_arena.extensions.cubus.view.web_seat import CubusSeat

        return CubusSeat(self)

    def wrong_with(self, event: Event, is_first: bool) -> str | None:
        if is_first:
            return super().wrong_with(event, is_first)
        try:
            event_of(event)
        except msgspec.ValidationError as error:
            return f"invalid event: {error}"
        return None

    def event_text(self, event: Event, names: Sequence[str]) -> str:
        """The text of a single event; `lines` has more context."""
        return self.game.action_text(event) or super().event_text(event, names)

    def lines(self, events: Iterable[Event], coloured: bool = False) -> Iterator[str]:
        for scene in scenes(events):
            if scene.event is scene.opening:
                yield self.heading(scene.event)
                yield f"Seats: {', '.join(scene.names)}"
            elif scene.is_end:
                yield ""
                yield f"{scene.text}."
                yield from standings(scene)
            else:
                yield line_of(scene)

    def scenes(self, events: Iterable[Event]) -> Sequence[PileScene]:
        return list(scenes(events))

    def draw(self, scene: PileScene, coloured: bool = False) -> str:
        pile = drawing.pile_text(scene.table, coloured) if scene.table else "(no crate is left)"
        lying = [_lying(scene.table)] if scene.table else []
        header = [self.heading(scene.opening), *standings(scene), f"{_when(scene)}{scene.text}"]
        return "\n".join([*header, *lying, "", pile])

    def step_text(self, scenes: Sequence[PileScene], index: int, coloured: bool = False) -> str:
        footer = f"step {index} of {len(scenes) - 1}"
        return f"{self.draw(scenes[index], coloured)}\n\n{footer}"

    def picture(self, scene: PileScene) -> str:
        if scene.table is None:
            return svg.empty()
        return svg.pile_svg(scene.table, scene.before)

    def page_game(
        self, key: str, title: str, paragraphs: Sequence[str], events: Sequence[Event]
    ) -> GameFigure:
        from cantstop_arena.extensions.cubus.view.page_replay import game

        return game(key, title, paragraphs, events)

    def highlight_scores(self, events: Sequence[Event]) -> Mapping[str, int]:
        opening, *later = events
        game_events = [event_of(event) for event in later]
        return highlight_scores(*count(len(opening["seats"]), game_events))

    def why(self, kind: str, events: Sequence[Event]) -> str:
        names, end = events[0]["seats"], events[-1]
        match kind:
            case "largest":
                build = max(events[1:-1], key=_points)
                return f"{names[build['seat']]} builds {build['pile']} for {_points(build)} points."
            case "closest":
                first, second = sorted(end["points"], reverse=True)[:2]
                return f"The first has {first} points, the second {second}."
            case "knocks":
                knocks = sum(event["event"] == "knock" and event["right"] for event in events)
                return f"{how_many(knocks, 'build')} by knocking: no other game has more."
        return f"{how_many(end['turns'], 'turn')}: no other game has more."

    def person(
        self,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> CubusPerson:
        from cantstop_arena.extensions.cubus.view.person import CubusPerson

        return CubusPerson(self, seat, read, echo, coloured)


def line_of(scene: PileScene) -> str:
    """A scene as a line: the turn, the event, and the pile after it."""
    event = scene.event
    pile = f": {event['pile'] or 'nothing is left'}" if "pile" in event else ""
    opened = f", open {_cells(event['open'])}" if event.get("open") else ""
    return f"{scene.turn:>4}  {scene.text}{pile}{opened}"


def _points(event: Event) -> int:
    points = event.get("points", 0)
    return points if isinstance(points, int) else 0


def _cells(cells: Iterable[Sequence[int]]) -> str:
    return " ".join(f"{x},{y}" for x, y in cells)


def _when(scene: PileScene) -> str:
    return f"Turn {scene.turn}: " if scene.step else ""


def _lying(table: TableCards) -> str:
    opened = f", open {_cells(table.open)}" if table.open else ""
    crates = how_many(table.pile.shape.crates, "crate")
    return f"{crates}, {how_many(table.cards().total, 'card')}: {table.pile.text}{opened}"
