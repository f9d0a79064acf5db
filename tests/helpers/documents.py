"""What the documentation's pages hold."""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from cantstop_arena.extension_registry import built_in
from helpers.paths import ROOT

README, DOCS = ROOT / "README.md", ROOT / "docs"
HOW_TO, REFERENCE, EXPLANATION = DOCS / "how-to", DOCS / "reference", DOCS / "explanation"
EXTENSIONS = DOCS / "extensions"
PAGES = [
    page
    for page in (README, *sorted(DOCS.rglob("*.md")))
    if page.parent != EXTENSIONS or page.stem in ("index", *built_in())
]
"""All pages, but for those of extensions that are not here."""

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


class PageBlock(NamedTuple):
    """A block of code in a page, those in lists included."""

    kind: str
    title: str
    """The file that it is, or changes; empty where it is none."""
    text: str


def page_blocks(page: Path) -> Iterator[PageBlock]:
    """The blocks of a page in their order."""
    for block in _BLOCK.finditer(page.read_text("utf-8")):
        yield PageBlock(block["kind"], block["title"] or "", dedent(block["text"]))


def blocks(page: Path, language: str) -> list[str]:
    """The texts of a page's blocks in one language."""
    return [block.text for block in page_blocks(page) if block.kind == language]


def name_of(page: Path) -> str:
    """The path of a page in the repository, as the name of a test's parameter."""
    return page.relative_to(ROOT).as_posix()
