"""A page as plain data, and how it becomes HTML: by a template that escapes all it is given."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cantstop_arena.documents.formats.drawing import Style, lettered
from cantstop_arena.documents.formats.escaping import printable
from cantstop_arena.documents.formats.model import Column, Kind, Table

TEMPLATES = Path(__file__).parent / "templates"
CELLS = Style("html", printable, str, str)  # the template escapes them


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing and what it shows, in words for those who do not see it."""

    title: str
    words: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class Listing:
    """Text to be shown as it stands, such as a file or a command."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Game:
    """A game as its view shows it on a page: HTML, with the script and the style that it needs."""

    title: str
    html: Markup
    script: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, what is said below it, charts and the tables behind them, and games.

    Tables are folded up below the charts, unless they are `open`.
    """

    key: str
    title: str
    words: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    listings: Sequence[Listing] = ()
    open: bool = False
    games: Sequence[Game] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A whole page: the answer, if there is one, comes first."""

    title: str
    about: str
    answer: Sequence[str]
    sections: Sequence[Section]


def as_html(document: Document) -> str:
    """The page in one file that asks for no other: its policy forbids every request.

    Only where there are games is there a script, and the policy forbids every other one.
    """
    games = [game for section in document.sections for game in section.games]
    style = _read("page.css") + "".join(dict.fromkeys(game.style for game in games))
    script = "".join(dict.fromkeys(game.script for game in games))
    return rendered(
        TEMPLATES,
        "page.html",
        page=document,
        style=Markup(style),
        style_digest=_digest(style),
        script=Markup(script),
        script_digest=_digest(script),
        grid=_grid,
    )


def rendered(folder: Path, template: str, **content: object) -> str:
    """A template of a folder, filled in; all that is no markup already is escaped."""
    environment = Environment(
        loader=FileSystemLoader(folder, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["printable"] = printable
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment.get_template(template).render(**content)


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def _digest(text: str) -> str:
    """What the page's policy knows its style sheet or its script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@dataclass(frozen=True, slots=True)
class Grid:
    """A table cut into what stands where in HTML."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    heading: int | None

    def is_number(self, column: int) -> bool:
        """Whether the column stands on the right."""
        return self.columns[column].kind is not Kind.TEXT


def _grid(table: Table) -> Grid:
    """The cells as text; `heading` is the column that tells what a row is about."""
    shown = lettered(table, CELLS)
    columns = [column for column, _ in shown]
    texts = (place for place, column in enumerate(columns) if column.kind is Kind.TEXT)
    rows = list(zip(*(cells for _, cells in shown), strict=True))
    return Grid(columns, rows, next(texts, 0))
