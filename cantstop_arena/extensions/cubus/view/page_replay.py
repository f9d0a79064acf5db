"""The replay of a recorded game of Cubus on a page."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from cantstop_arena.extensions.cubus.view import svg
from cantstop_arena.extensions.cubus.view.scenes import PileScene, scenes, standings
from cantstop_arena.game_api.state import Event
from cantstop_arena.pages.document import GameFigure, rendered
from cantstop_arena.views.replay_buttons import buttons_style, replay_buttons

TEMPLATES = Path(__file__).parent / "templates"


def game(key: str, title: str, paragraphs: Sequence[str], events: Sequence[Event]) -> GameFigure:
    """A game for a section of a page; `key` is its id, unique on the page."""
    played = list(scenes(events))
    html = rendered(
        TEMPLATES,
        "game.html",
        key=key,
        title=title,
        paragraphs=paragraphs,
        picture=Markup(_last_picture(played)),
        standings=standings(played[-1]),
        lines=[scene.text for scene in played[1:]],
        data=_data(played),
        buttons=replay_buttons(),
    )
    style = svg.STYLE + buttons_style() + _read("replay.css")
    return GameFigure(title, Markup(html), _read("replay.js"), style)


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def _last_picture(played: Sequence[PileScene]) -> str:
    """The picture of the last scene with a pile."""
    last = next(scene.table for scene in reversed(played) if scene.table)
    return svg.pile_svg(last, alone=False)


def _data(played: Sequence[PileScene]) -> Mapping[str, object]:
    """The data of the script; templates/replay.js documents the fields of a step."""
    return {"names": played[0].names, "steps": [_step(scene) for scene in played]}


def _step(scene: PileScene) -> list[object]:
    table = scene.table
    rows = table.pile.shape.rows if table else ()
    corner = [table.pile.x, table.pile.y] if table else [0, 0]
    hands = [hand.text() for hand in scene.hands]
    columns = [*scene.scores], [*scene.won], hands
    changed = int(scene.before is not None)
    opened = table.open if table else ()
    return [scene.event["event"], scene.turn, scene.text, rows, corner, opened, changed, *columns]
