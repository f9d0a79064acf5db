"""A page as plain data, and how it becomes HTML: by a template that escapes all it is given."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from cantstop_arena.reports.drawing import Style, lettered
from cantstop_arena.reports.harmless import printable
from cantstop_arena.reports.model import Column, Kind, Table

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
class Section:
    """A heading, what is said below it, charts and the tables behind them.

    Tables are folded up below the charts, unless they are `open`.
    """

    key: str
    title: str
    words: Sequence[str] = ()
    charts: Sequence[Chart] = ()
    tables: Sequence[Table] = ()
    listings: Sequence[Listing] = ()
    open: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A whole page: the answer comes first."""

    title: str
    about: str
    answer: Sequence[str]
    sections: Sequence[Section]


def as_html(document: Document) -> str:
    """The page in one file that asks for no other: its policy forbids every request."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["printable"] = printable
    style = (TEMPLATES / "page.css").read_text("utf-8")
    return environment.get_template("page.html").render(
        page=document,
        style=Markup(style),
        style_digest=_digest(style),
        grid=_grid,
    )


def _digest(style: str) -> str:
    """What the page's policy knows its style sheet by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()


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
