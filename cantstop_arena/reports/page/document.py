"""A page as plain data, and how it becomes HTML: by a template that escapes all it is given."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
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
class TurnTold:
    """A turn of a game in words: who took it, each roll, and how it ended."""

    number: int
    name: str
    rolls: Sequence[str]
    ending: str


@dataclass(frozen=True, slots=True)
class Game:
    """A game that a script plays back step by step; where there is none, it is told in words.

    The `board` and the `claims`, columns by seat, are those of the end. `target` columns win. The
    script knows the game by its `data`. No other on the page has this `key`.
    """

    key: str
    title: str
    words: Sequence[str]
    board: Markup
    names: Sequence[str]
    claims: Sequence[Sequence[int]]
    target: int
    turns: Sequence[TurnTold]
    end: str
    data: Mapping[str, object]


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
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["printable"] = printable
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    games = any(section.games for section in document.sections)
    style = _read("page.css") + (_read("replay.css") if games else "")
    script = _read("replay.js") if games else ""
    return environment.get_template("page.html").render(
        page=document,
        style=Markup(style),
        style_digest=_digest(style),
        script=Markup(script),
        script_digest=_digest(script),
        grid=_grid,
    )


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
