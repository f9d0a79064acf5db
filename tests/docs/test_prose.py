"""Pages are short, and their numbers are those of their blocks."""

import re
from pathlib import Path

import pytest
from helpers.documents import DOCS, EXPLANATION, HOW_TO, PAGES, README, name_of

from cantstop_arena import __version__

TUTORIAL = DOCS / "tutorial.md"
MOST_WORDS = {HOW_TO: 900, EXPLANATION: 2500}  # the reference may be as long as the program
MOST_LINES = {README: 150, EXPLANATION / "design.md": 250, EXPLANATION / "statistics.md": 250}
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:%| ?Elo\b| games\b)")
GENERATED = {"coverage.md"}
CONSTANTS = {"95%", "5%", "256 games", "10 Elo", "90%", "100%"}
"""Of the program: levels of intervals and tests, the length of a lesson."""


def prose(page: Path) -> str:
    """A page without its blocks, comments, and the targets of links."""
    text = FENCED.sub("", page.read_text("utf-8"))
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", text)


def written(page: Path) -> str:
    """The blocks of a page and what its comments say was measured."""
    text = page.read_text("utf-8")
    comments = re.findall(r"<!-- measured: (.*?) -->", text, re.DOTALL)
    return "\n".join([*(block[0] for block in FENCED.finditer(text)), *comments])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_is_short(page: Path) -> None:
    text = prose(page)
    words = len([word for word in text.split() if re.search(r"\w", word)])
    limit = 1400 if page == TUTORIAL else MOST_WORDS.get(page.parent)
    if limit and page.name not in GENERATED:
        assert words <= limit
    if page in MOST_LINES:
        assert page.read_text("utf-8").count("\n") <= MOST_LINES[page]


@pytest.mark.parametrize("page", [README, TUTORIAL, *sorted(HOW_TO.glob("*.md"))], ids=name_of)
def test_a_how_to_has_one_task_of_ten_steps_at_most(page: Path) -> None:
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    steps = [heading for heading in headings if re.match(r"\d+\. ", heading)]
    assert len(steps) <= 10
    assert [int(step.partition(".")[0]) for step in steps] == [*range(1, len(steps) + 1)]


@pytest.mark.parametrize("page", [README, TUTORIAL, *sorted(HOW_TO.glob("*.md"))], ids=name_of)
def test_numbers_in_prose_are_those_of_blocks(page: Path) -> None:
    numbers = re.findall(r"\d[\d,.]*\d|\d", written(page))
    printed = {number.replace(",", "") for number in numbers}
    rounded = {f"{float(number):.0f}" for number in printed if re.fullmatch(r"\d+(\.\d+)?", number)}
    for number in NUMBER.findall(prose(page)):
        digits = re.sub(r"[^\d.]", "", number)
        assert digits in printed | rounded or number in CONSTANTS, number


def test_the_pictures_are_of_this_version() -> None:
    assert (DOCS / "pictures" / "version.txt").read_text("utf-8").strip() == __version__
