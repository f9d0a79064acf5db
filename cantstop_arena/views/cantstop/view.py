"""The view of Can't Stop: text, pictures, parts of pages, and the dialogue with a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cantstop_arena.games.cantstop.records import read_record
from cantstop_arena.views.cantstop import drawing, step_text, svg
from cantstop_arena.views.cantstop.scenes import BoardScene, scenes
from cantstop_arena.views.cantstop.story import game_highlights, why
from cantstop_arena.views.default_view import GameView

if TYPE_CHECKING:
    from pathlib import Path

    from cantstop_arena.game_api.position import Position
    from cantstop_arena.game_api.state import Event
    from cantstop_arena.pages.document import GameFigure, Section
    from cantstop_arena.views.cantstop.person import CantStopPerson
    from cantstop_arena.views.cantstop.web_seat import CantStopSeat


class CantStopView(GameView):
    """The view of Can't Stop."""

    def read_record(self, lines: Iterable[str], source: str) -> Iterator[Event]:
        return read_record(lines, source)

    def heading(self, opening: Event) -> str:
        return next(scenes([opening])).heading

    def lines(self, events: Iterable[Event], coloured: bool = False) -> Iterator[str]:
        return drawing.game_text(events, coloured)

    def scenes(self, events: Iterable[Event]) -> Sequence[BoardScene]:
        return list(scenes(events))

    def draw(self, scene: BoardScene, coloured: bool = False) -> str:
        header = [scene.heading, drawing.draw_seats(scene, coloured), svg.heading(scene), ""]
        return "\n".join([*header, drawing.draw_board(scene, coloured)])

    def draw_position(self, position: Position) -> str:
        from cantstop_arena.games.cantstop.play.step_position import CantStopPosition
        from cantstop_arena.views.cantstop.drawing import board_text

        assert isinstance(position, CantStopPosition)
        return f"{board_text(position)}\n\n{super().draw_position(position)}"

    def step_text(self, scenes: Sequence[BoardScene], index: int, coloured: bool = False) -> str:
        return step_text.frame(scenes, index, coloured)

    def picture(self, scene: BoardScene) -> str:
        return svg.draw_svg(scene)

    def page_game(
        self, key: str, title: str, paragraphs: Sequence[str], events: Sequence[Event]
    ) -> GameFigure:
        from cantstop_arena.views.cantstop.page_replay import game

        return game(key, title, paragraphs, events)

    def stored_sections(self, folder: Path) -> Iterator[Section]:
        from cantstop_arena.views.cantstop.judging.judgement_page import run_sections

        return run_sections(folder)

    def judged(self, events: Iterable[Event]) -> Iterator[Event]:
        from cantstop_arena.views.cantstop.judging.verdicts import add_verdicts

        return add_verdicts(events)

    def judge_text(self, opening: Event) -> str:
        from cantstop_arena.views.cantstop.judging.verdicts import judge_text

        return judge_text(opening)

    def worst_decisions(self, events: Iterable[Event], seat: int) -> Iterator[str]:
        from cantstop_arena.views.cantstop.judging.verdicts import worst_decisions

        return worst_decisions(events, seat)

    def highlight_scores(self, events: Sequence[Event]) -> Mapping[str, int]:
        return game_highlights(events).highlights

    def why(self, kind: str, events: Sequence[Event]) -> str:
        return why(kind, events)

    @cached_property
    def web_seat(self) -> CantStopSeat:
        from cantstop_arena.views.cantstop.web_seat import CantStopSeat

        return CantStopSeat(self)

    def person(
        self,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> CantStopPerson:
        from cantstop_arena.views.cantstop.person import CantStopPerson

        return CantStopPerson(seat, read, echo, coloured)
