"""The groups of bots that are not significantly different, as lanes down a table."""

from markupsafe import Markup

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.reports.page.plots.elements import element
from cantstop_arena.reports.page.plots.row_tables import Cell

MOST_LANES = 8  # letters that have lanes of their own


def lanes_of(analysis: Analysis) -> str:
    """The letters that have a lane each; none where text says it as well, or nobody shares one."""
    if not analysis.games:
        return ""
    letters = sorted({letter for own in analysis.letters for letter in own})
    shared = any(sum(letter in own for own in analysis.letters) > 1 for letter in letters)
    return "".join(letters) if shared and len(letters) <= MOST_LANES else ""


def group_cell(analysis: Analysis, place: int, lanes: str) -> Cell:
    """The groups of the bot in this place of the standings."""
    above, own, below = (_letters(analysis, place + step) for step in (-1, 0, 1))
    if not lanes:
        return Cell(", ".join(own), "grp", label="Group")
    return Cell(_drawn(lanes, above, own, below), "grp lanes-in", label="Group")


def _letters(analysis: Analysis, place: int) -> str:
    if not 0 <= place < len(analysis.order) or analysis.order[place] in analysis.idle:
        return ""
    return analysis.letters[analysis.order[place]]


def _drawn(lanes: str, above: str, own: str, below: str) -> Markup:
    """A row's part of all lanes, from its letters and those of the rows above and below."""
    parts = (_lane(one, one in above, one in own, one in below) for one in lanes)
    return element("span", *parts, class_="lanes")


def _lane(letter: str, above: bool, here: bool, below: bool) -> Markup:
    if not here:
        return element("span", class_="lane")
    ends = ("" if above else " f") + ("" if below else " l")
    return element("span", letter, class_=f"lane on{ends}")
