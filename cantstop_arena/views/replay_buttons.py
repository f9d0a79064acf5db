"""The buttons of a game that is played back on a page, and its speeds: alike for all games."""

from pathlib import Path

from markupsafe import Markup

from cantstop_arena.pages.document import rendered

_TEMPLATES = Path(__file__).parent / "templates"


def replay_buttons() -> Markup:
    """Buttons by their attribute `data-does`, and a choice of the milliseconds for a step."""
    return Markup(rendered(_TEMPLATES, "replay_buttons.html"))


def buttons_style() -> str:
    """Their CSS."""
    return (_TEMPLATES / "replay_buttons.css").read_text("utf-8")
