"""A game on a page as text: for games whose view draws nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from cantstop_arena.documents.document import Game, rendered

TEMPLATES = Path(__file__).parent / "templates"


def told_game(key: str, title: str, words: Sequence[str], lines: Sequence[str]) -> Game:
    """The game line by line."""
    html = rendered(TEMPLATES, "told.html", key=key, title=title, words=words, lines=lines)
    return Game(title, Markup(html))
