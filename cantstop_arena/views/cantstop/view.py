"""The view of Can't Stop: text, pictures, parts of pages, and the dialogue with a person.

The highlight scores of a recorded game: its length, how close it was, the winner's comeback.

The engine records games with extreme scores while it plays (see `counts.HIGHLIGHTS`). Here the
scores are computed from the record of one game, to verify them and to describe the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cantstop_arena.games.cantstop.records import read_record
from cantstop_arena.views.cantstop import drawing, step_text, svg
from cantstop_arena.views.cantstop.scenes import BoardScene, scenes
from cantstop_arena.views.default_view import GameView

if TYPE_CHECKING:
    from cantstop_arena.game_api.position import Position
    from cantstop_arena.game_api.state import Event
    from cantstop_arena.pages.document import GameFigure
    from cantstop_arena.views.cantstop.person import CantStopPerson

import msgspec

from cantstop_arena.games.cantstop.counts import HIGHLIGHTS
from cantstop_arena.games.cantstop.engine.game_array import CLAIM, COLUMN_UNITS, MAX_AHEAD
from cantstop_arena.games.cantstop.records import Event
from cantstop_arena.tables.notes import all_of
from cantstop_arena.texts import how_many


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

    def highlight_scores(self, events: Sequence[Event]) -> Mapping[str, int]:
        return game_highlights(events).highlights

    def why(self, kind: str, events: Sequence[Event]) -> str:
        return why(kind, events)

    def person(
        self,
        seat: int,
        read: Callable[[str], str | None],
        echo: Callable[[str], None],
        coloured: bool,
    ) -> CantStopPerson:
        from cantstop_arena.views.cantstop.person import CantStopPerson

        return CantStopPerson(seat, read, echo, coloured)


LONGEST, CLOSEST, COMEBACK = HIGHLIGHTS


class Lead(msgspec.Struct, frozen=True):
    """A lead: the difference in claimed columns, and in progress on all columns, in columns."""

    columns: int
    progress: float


class GameHighlights(msgspec.Struct, frozen=True):
    """A game's turns, the winner's lead at the end, and its largest deficit before.

    `ahead` and `behind` are None unless there is a single winner. `highlights` has the scores by
    kind, as the engine computes them.
    """

    turns: int
    ahead: Lead | None
    behind: Lead | None
    highlights: dict[str, int]


def game_highlights(events: Iterable[Event]) -> GameHighlights:
    """The highlights of a complete game."""
    deficits: list[int] = []
    now: list[int] = []
    scene = markers = None
    for scene in scenes(events):
        if scene.markers is markers:
            continue
        markers, now = scene.markers, standings(scene)
        best = max(now)
        before = deficits or [0] * len(now)
        deficits = [max(was, best - own) for was, own in zip(before, now, strict=True)]
    assert scene is not None  # a record has an opening
    return _highlights_at_end(scene.event, now, deficits)


def _highlights_at_end(end: Event, now: list[int], deficits: list[int]) -> GameHighlights:
    turns, winners = end["turns"], end["winners"]
    highlights = {LONGEST: turns} if winners else {}
    if not winners or len(now) == 1:
        return GameHighlights(turns, None, None, highlights)
    if len(winners) > 1:
        return GameHighlights(turns, None, None, {**highlights, CLOSEST: MAX_AHEAD})
    winner = winners[0]
    ahead = now[winner] - max(own for seat, own in enumerate(now) if seat != winner)
    highlights |= {CLOSEST: MAX_AHEAD - ahead, COMEBACK: deficits[winner]}
    return GameHighlights(turns, _lead(ahead), _lead(deficits[winner]), highlights)


def standings(scene: BoardScene) -> list[int]:
    """The progress of each seat, in the engine's units; the leader has the largest number."""
    claims, lengths = [0] * len(scene.markers), scene.lengths
    for seat in scene.claimed.values():
        claims[seat] += 1
    return [
        CLAIM * claimed
        + sum(space * (COLUMN_UNITS // lengths[column]) for column, space in own.items())
        for claimed, own in zip(claims, scene.markers, strict=True)
    ]


def _lead(difference: int) -> Lead:
    columns = round(difference / CLAIM)
    return Lead(columns, (difference - CLAIM * columns) / COLUMN_UNITS)


def why(kind: str, events: Sequence[Event]) -> str:
    """A sentence on what makes a game the longest, the closest, or the greatest comeback."""
    highlights = game_highlights(events)
    winners = [events[0]["seats"][seat] for seat in events[-1]["winners"]]
    match kind:
        case "longest":
            return f"{how_many(highlights.turns, 'turn')}: no other game that was won has more."
        case "closest" if highlights.ahead is None:
            return f"{all_of(winners)} share the win."
        case "closest":
            return f"At the end {winners[0]} is {by_how_much(highlights.ahead, 'ahead', 'behind')}."
        case _:
            deficit = by_how_much(highlights.behind, "behind", "ahead")
            return f"{winners[0]} wins, having been {deficit}."


def by_how_much(lead: Lead | None, way: str, other_way: str) -> str:
    """A lead as text: claimed columns, which count first, and progress.

    A player with more claimed columns can have less progress on all columns together.
    """
    if lead is None:
        return f"nothing {way}"
    progress = f"{abs(lead.progress):.2f} columns of progress"
    if not lead.columns:
        return f"{progress} {way}"
    claimed = f"{how_many(lead.columns, 'column')} claimed"
    if lead.progress < 0:
        return f"{claimed} {way}, though {progress} {other_way}"
    return f"{claimed} and {progress} {way}"
