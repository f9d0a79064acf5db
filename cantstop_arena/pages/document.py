"""A page as plain data, and how it becomes HTML: by a template that escapes all it is given."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cantstop_arena.tables.column import Column, Kind, Table
from cantstop_arena.tables.escaping import printable
from cantstop_arena.tables.text import Style, shown_columns

TEMPLATES = Path(__file__).parent / "templates"
CELLS = Style("html", printable, str, str)  # the template escapes them


class Figure(msgspec.Struct, frozen=True):
    """A drawing or a table with plots, what it shows, in words, and what is to be known with it.

    `style` is what only this figure needs of the style sheet.
    """

    html: Markup
    text: str
    notes: Sequence[str] = ()
    style: str = ""


class Listing(msgspec.Struct, frozen=True):
    """Text to be shown as it stands, such as a file or a command; may be folded up."""

    title: str
    text: str
    folded: bool = False


class GameFigure(msgspec.Struct, frozen=True):
    """A game as its view shows it on a page: HTML, with the script and the style that it needs."""

    title: str
    html: Markup
    script: str = ""
    style: str = ""


class Fact(msgspec.Struct, frozen=True):
    """A number at the top of a page: what it is, its error, a small drawing, what it means."""

    label: str
    value: str
    error: str
    note: str
    plot: Markup | None = None


class Section(msgspec.Struct, frozen=True):
    """A part of a page: `title` is its name in the contents, `finding` what it has found, in short.

    Tables are folded up, unless they are `open`; a `folded` section shows its finding alone until
    it is unfolded. Where `midway` is set its games begin in their middle.
    """

    key: str
    title: str
    paragraphs: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    listings: Sequence[Listing] = ()
    open: bool = False
    games: Sequence[GameFigure] = ()
    finding: str = ""
    folded: bool = False
    midway: bool = False


class Document(msgspec.Struct, frozen=True):
    """A whole page: the answer, if there is one, comes first.

    `headline` is the answer in a line, `source` what figures are cited by.
    """

    title: str
    about: str
    answer: Sequence[str]
    sections: Sequence[Section]
    headline: str = ""
    facts: Sequence[Fact] = ()
    cards: Markup | None = None
    source: str = ""


def as_html(document: Document) -> str:
    """The page in one file that asks for no other: its policy forbids every request."""
    games = [game for section in document.sections for game in section.games]
    figures = [figure for section in document.sections for figure in section.figures]
    styles = dict.fromkeys([*(game.style for game in games), *(one.style for one in figures)])
    style = _read("page.css") + "".join(styles)
    script = _read("page.js") + "".join(dict.fromkeys(game.script for game in games))
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
    return _environment(folder).get_template(template).render(**content)


@cache
def _environment(folder: Path) -> Environment:
    """The templates of a folder: each is compiled once, however many games of a page it shows."""
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
    return environment


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def _digest(text: str) -> str:
    """What the page's policy knows its style sheet or its script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Grid(msgspec.Struct, frozen=True):
    """A table cut into what stands where in HTML."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    heading: int | None

    def is_number(self, column: int) -> bool:
        """Whether the column stands on the right."""
        return self.columns[column].kind is not Kind.TEXT


def _grid(table: Table) -> Grid:
    """The cells as text; `heading` is the column that tells what a row is about."""
    shown = shown_columns(table, CELLS)
    columns = [column for column, _ in shown]
    texts = (place for place, column in enumerate(columns) if column.kind is Kind.TEXT)
    rows = list(zip(*(cells for _, cells in shown), strict=True))
    return Grid(columns, rows, next(texts, 0))
