"""A page as plain data, rendered to HTML by a Jinja template with autoescaping."""

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from cantstop_arena.pages.number_text import with_error
from cantstop_arena.tables.column import Column, Kind, Table
from cantstop_arena.tables.formats import Style, visible_columns
from cantstop_arena.texts import printable

TEMPLATES = Path(__file__).parent / "templates"
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_CODE = re.compile(r"`([^`]+)`")
CELLS = Style("html", printable, str, str)  # the template escapes the cells


class Figure(msgspec.Struct, frozen=True):
    """A drawing or a table with plots: `text` is its caption, `notes` are printed below it.

    `style` is CSS that only this figure needs.
    """

    html: Markup
    text: str
    notes: Sequence[str] = ()
    style: str = ""


class Listing(msgspec.Struct, frozen=True):
    """Preformatted text such as a file or a command; collapsed where `folded`."""

    title: str
    text: str
    folded: bool = False


class GameFigure(msgspec.Struct, frozen=True):
    """A game as its view draws it on a page: HTML, and the script and CSS that it needs."""

    title: str
    html: Markup
    script: str = ""
    style: str = ""


class Fact(msgspec.Struct, frozen=True):
    """A number at the top of a page: label, value, error, explanation and a small drawing."""

    label: str
    value: str
    error: str
    note: str
    plot: Markup | None = None


class Section(msgspec.Struct, frozen=True):
    """A section of a page: `title` is its entry in the contents, `finding` its result in a line.

    Tables are collapsed unless `open`; a `folded` section shows only its finding until it is
    expanded. With `midway` its games open at the middle of their record.
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
    """A page: headline, answer, facts and cards at the top, then the sections.

    `headline` is the answer in a line, `source` the citation in its footer.
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
    """The page as one self-contained HTML file; its content security policy forbids requests."""
    games = [game for section in document.sections for game in section.games]
    figures = [figure for section in document.sections for figure in section.figures]
    styles = dict.fromkeys([*(game.style for game in games), *(item.style for item in figures)])
    style = _unindented(_read("page.css") + "".join(styles))
    scripts = dict.fromkeys(game.script for game in games)
    script = _unindented(_read("page.js") + "".join(scripts))
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


def rendered(folder: Path | tuple[Path, ...], template: str, **content: object) -> str:
    """A template of a folder, filled in; values are escaped unless they are Markup."""
    return _environment(folder).get_template(template).render(**content)


@cache
def _environment(folder: Path | tuple[Path, ...]) -> Environment:
    """The Jinja environment of a folder, cached: a template compiles once for all games."""
    environment = Environment(
        loader=FileSystemLoader(folder, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters["printable"] = printable
    environment.filters["unbroken"] = _unbroken
    environment.filters["with_code"] = _with_code
    environment.filters["with_error"] = with_error
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


def _unbroken(text: str) -> str:
    """A sentence whose numbers stay in one line with their errors, and whose dates are not cut."""
    return _DATE.sub("\\1\u2011\\2\u2011\\3", printable(text).replace(" ± ", "\u00a0±\u00a0"))


def _with_code(text: str) -> Markup:
    """A text of a docstring, in which what stands between backticks is code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(printable(text)))))


def _read(name: str) -> str:
    return (TEMPLATES / name).read_text("utf-8")


def _unindented(text: str) -> str:
    """A style sheet or script without its indentation and empty lines."""
    return "\n".join(line for each in text.splitlines() if (line := each.strip()))


def _digest(text: str) -> str:
    """The SHA-256 hash of a style sheet or script, as the page's content security policy has it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class Grid(msgspec.Struct, frozen=True):
    """A table's visible columns, its cells as text, and the index of the column of row headings."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    heading: int | None

    def is_number(self, column: int) -> bool:
        """Whether the column is aligned to the right."""
        return self.columns[column].kind is not Kind.TEXT


def _grid(table: Table) -> Grid:
    """The table as a Grid; the first column of text is its heading."""
    visible = visible_columns(table, CELLS)
    columns = [column for column, _ in visible]
    texts = (index for index, column in enumerate(columns) if column.kind is Kind.TEXT)
    rows = list(zip(*(cells for _, cells in visible), strict=True))
    return Grid(columns, rows, next(texts, 0))
