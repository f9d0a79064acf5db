"""Piles of crates: their text, their rules (R3 to R6), and the cards of their picture (R7).

A pile is a shape (rows of heights from back to front) with a corner: the cell of the first
character of its text. The place of a face is (u, v) = (y - x, z - y) of its crate.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from cantstop_arena.errors import ArenaError

Cell = tuple[int, int]
Spot = tuple[int, int]
Rows = tuple[tuple[int, ...], ...]
Run = tuple[int, int]

_SIGNS = "0123456789abcdefghijklmnopqrstuvwxyz"
TALLEST = len(_SIGNS) - 1
_HEIGHT = {sign: height for height, sign in enumerate(_SIGNS)}
_INTEGER = r"(0|-?[1-9][0-9]{0,99})"  # at most 100 digits; no table has places further out
_TEXT = re.compile(rf"([0-9a-z]+(?:/[0-9a-z]+)*)@{_INTEGER},{_INTEGER}", re.ASCII)
_RUN = re.compile("[1-9a-z]+")
_MAX_QUOTE_LENGTH = 60


class IllegalBuild(ArenaError):
    """A build breaks a rule; `rule` is the rule's number."""

    def __init__(self, rule: int, message: str) -> None:
        self.rule = rule
        super().__init__(f"R{rule}: {message}")


class Shape(NamedTuple):
    """A pile without its corner. `cells`: (x, y, height) relative to the corner, by x, then y."""

    text: str
    rows: Rows
    cells: tuple[tuple[int, int, int], ...]
    crates: int
    tops: int
    left: int
    right: int

    @property
    def cards(self) -> int:
        """The number of cards in the picture."""
        return self.tops + self.left + self.right

    @property
    def value(self) -> int:
        """F = 3 x crates - cards. The points of a build are the difference of two values."""
        return 3 * self.crates - self.cards


class Pile(NamedTuple):
    """A shape with its corner at the cell (x, y)."""

    shape: Shape
    x: int
    y: int

    @property
    def text(self) -> str:
        """The pile text."""
        return f"{self.shape.text}@{self.x},{self.y}"

    def cells(self) -> list[Cell]:
        """The cells with crates, ascending."""
        return [(self.x + x, self.y + y) for x, y, _ in self.shape.cells]

    def tops(self) -> dict[Spot, Cell]:
        """The cell below each top, by the top's place (u, v)."""
        return {
            (self.y + y - self.x - x, height - 1 - self.y - y): (self.x + x, self.y + y)
            for x, y, height in self.shape.cells
        }

    def heights(self) -> dict[Cell, int]:
        """The height of each cell with crates."""
        return {(self.x + x, self.y + y): height for x, y, height in self.shape.cells}

    def moved(self, x: int, y: int) -> "Pile":
        """The shape with its corner at the cell (x, y)."""
        return Pile(self.shape, x, y)


def parse(text: str) -> Pile:
    """The pile of a text such as "22/21@0,0".

    Raises IllegalBuild with the first of the rules R3 to R6 that the text breaks.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise IllegalBuild(3, f"{_quoted(text)} is no pile text such as 22/21@0,0")
    shape = shape_of(match[1]) if len(match[1]) <= 400 else _checked_shape(match[1])
    return Pile(shape, int(match[2]), int(match[3]))


def _quoted(text: str) -> str:
    return f"{text[:_MAX_QUOTE_LENGTH]!r}" + ("…" if len(text) > _MAX_QUOTE_LENGTH else "")


def _checked_shape(text: str) -> Shape:
    rows = text.split("/")
    _check_edges(rows)
    _check_cells(rows)
    _check_heights(rows)
    return _shape_of_rows(text, tuple(tuple(map(_HEIGHT.__getitem__, row)) for row in rows))


shape_of = lru_cache(maxsize=50_000)(_checked_shape)
"""The shape of a text such as "22/21". Raises IllegalBuild as `parse` does."""


def _check_edges(rows: Sequence[str]) -> None:
    if len({len(row) for row in rows}) != 1:
        raise IllegalBuild(3, "the rows of a pile text must be equally long, padded with 0")
    if not any(row.strip("0") for row in rows):
        raise IllegalBuild(3, "a pile must have a crate")
    columns = ("".join(row[0] for row in rows), "".join(row[-1] for row in rows))
    if not all(edge.strip("0") for edge in (rows[0], rows[-1], *columns)):
        raise IllegalBuild(3, "no row or column at an edge of a pile text may be all 0")


def _check_cells(rows: Sequence[str]) -> None:
    """R4 and R5: each row is an interval, and rows overlap and step left towards the viewer."""
    runs = [[run.span() for run in _RUN.finditer(row)] for row in rows]
    if not _connected(runs):
        raise IllegalBuild(4, "the cells must be connected by their sides")
    is_contiguous = all(len(row) == 1 for row in runs)
    if not is_contiguous or not all(
        below[0][0] <= above[0][0] and below[0][1] <= above[0][1] for above, below in pairwise(runs)
    ):
        raise IllegalBuild(5, "there is a gap between two cells, one in front of the other")


def _connected(runs: Sequence[Sequence[Run]]) -> bool:
    """Whether runs of cells, listed row by row, are connected (union-find over touching runs)."""
    parents = {(y, run): (y, run) for y, row in enumerate(runs) for run in row}
    components = len(parents)
    for y, (above, below) in enumerate(pairwise(runs)):
        for back, front in _touching(above, below):
            first, second = _root(parents, (y, back)), _root(parents, (y + 1, front))
            parents[first] = second
            components -= first != second
    return components == 1


def _touching(above: Sequence[Run], below: Sequence[Run]) -> Iterator[tuple[Run, Run]]:
    i = j = 0
    while i < len(above) and j < len(below):
        if above[i][0] < below[j][1] and below[j][0] < above[i][1]:
            yield above[i], below[j]
        if above[i][1] < below[j][1]:
            i += 1
        else:
            j += 1


def _root(parents: dict[tuple[int, Run], tuple[int, Run]], run: tuple[int, Run]) -> tuple[int, Run]:
    while parents[run] != run:
        parents[run] = parents[parents[run]]
        run = parents[run]
    return run


def _check_heights(rows: Sequence[str]) -> None:
    """R6, for rows and columns without gaps. The signs of heights sort as the heights do."""
    falling = all("".join(sorted(run, reverse=True)) == run for run in (r.strip("0") for r in rows))
    if not falling or any(
        back < front and back != "0"
        for behind, before in pairwise(rows)
        for back, front in zip(behind, before, strict=True)
    ):
        raise IllegalBuild(6, "heights must not rise towards the viewer")


def _shape_of_rows(text: str, rows: Rows) -> Shape:
    columns = list(zip(*rows, strict=True))
    cells = tuple((x, y, h) for x, column in enumerate(columns) for y, h in enumerate(column) if h)
    left, right = sum(map(_first, rows)), sum(map(_first, columns))
    return Shape(text, rows, cells, sum(map(sum, rows)), len(cells), left, right)


def _first(heights: tuple[int, ...]) -> int:
    return next(filter(None, heights))


def pile_of(heights: Mapping[Cell, int]) -> Pile:
    """The pile with the given heights; cells of height 0 are ignored.

    Raises IllegalBuild with the first of the rules R3 to R6 that the pile breaks.
    """
    text, x, y = pile_text(heights)
    return Pile(shape_of(text), x, y)


def pile_text(heights: Mapping[Cell, int]) -> tuple[str, int, int]:
    """The text of rows of heights, and the corner (x, y).

    Raises IllegalBuild when there is no crate, or a height above `TALLEST`.
    """
    filled = [cell for cell, height in heights.items() if height]
    if not filled or max(heights.values()) > TALLEST:
        raise IllegalBuild(3, f"a pile has a crate, and no height above {TALLEST}")
    across, down = _span(x for x, _ in filled), _span(y for _, y in filled)
    rows = ("".join(_SIGNS[heights.get((x, y), 0)] for x in across) for y in down)
    return "/".join(rows), across[0], down[0]


def _span(numbers: Iterable[int]) -> range:
    listed = list(numbers)
    return range(min(listed), max(listed) + 1)


START = parse("1@0,0")
