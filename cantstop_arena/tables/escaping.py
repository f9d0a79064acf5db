"""Escaping of names and messages, so that no format of output interprets them as markup."""

import re
from typing import TypeVar

from cantstop_arena.texts import printable

T = TypeVar("T")

_MARKDOWN = re.compile(
    r"[\\`*\[\]<>|~&$]"
    r"|(?<![^\W_])_|_(?![^\W_])"  # inner_underscores are plain
    r"|^[#+=-]|(?<=^\d)[.)](?=\s|$)"  # headings and lists
)
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")  # apostrophes too, so that a reader can take one off
_LATEX = {
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "[": "{[}",  # these two, at the beginning of a row, would belong to the end of the one before
    "*": "{*}",
    "-": "-{}",
    "±": r"$\pm$",
    "…": r"\ldots{}",
}
_LATEX_SIGNS = re.compile(r'-(?=-)|[&%$#_{}\\~^<>|"[*±…]')  # two hyphens would be a dash


def markdown(text: str) -> str:
    """Printable text with all Markdown markup escaped."""
    return _MARKDOWN.sub(lambda match: "\\" + match[0], printable(text))


def latex(text: str) -> str:
    """Printable text with all LaTeX commands and special characters escaped."""
    return _LATEX_SIGNS.sub(lambda match: _LATEX[match[0]], printable(text))


def csv_cell(cell: T) -> T | str:
    """The content of a cell of CSV: text gets an apostrophe where a spreadsheet would calculate it.

    Numbers stay as they are, whatever their sign.
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell
