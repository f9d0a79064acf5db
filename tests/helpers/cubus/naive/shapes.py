"""Every pile of a box, or of so many cards, one row of crates after the other."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from helpers.cubus.naive.piles import HEIGHTS

Box = tuple[int, int, int]


class Row(NamedTuple):
    """The crates of one y: the x of the first cell, and the heights from there on."""

    start: int
    heights: tuple[int, ...]


class Counts(NamedTuple):
    """What the picture of a pile needs, lids and open cards taken together, and its crates."""

    tops: int
    left: int
    right: int
    crates: int


class Limits(NamedTuple):
    """The most tops, `L` and `R` of a pile, and its greatest size in cells and height."""

    tops: int
    left: int
    right: int
    box: Box


def falling(ceilings: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All heights of a row under these ceilings that do not rise."""
    if not ceilings:
        yield ()
        return
    for height in range(1, ceilings[0] + 1):
        for others in falling([min(height, ceiling) for ceiling in ceilings[1:]]):
            yield (height, *others)


@cache
def rows_before(back: tuple[int, ...], room: int, highest: int) -> list[Row]:
    """All rows that may follow `back`, whose first cell has x = 0, towards the viewer.

    R4 to R6 row by row: the new row begins 0 to `room` cells further left, ends above a cell of
    `back` and is nowhere higher than it.
    """
    return [
        Row(-new, heights)
        for new in range(room + 1)
        for end in range(1, len(back) + 1)
        for heights in falling([highest] * new + list(back[:end]))
    ]


def first_rows(limits: Limits) -> list[Row]:
    """All rows that may lie at the back."""
    longest, _, highest = limits.box
    return [
        Row(0, heights)
        for length in range(1, longest + 1)
        for heights in falling([highest] * length)
    ]


def row_counts(row: Row, new: int) -> Counts:
    """R7: a row adds an `L` for each crate of its first cell, an `R` for those of new columns."""
    heights = row.heights
    return Counts(len(heights), heights[0], sum(heights[:new]), sum(heights))


def added(counts: Counts, more: Counts) -> Counts:
    """Both together."""
    return Counts(
        counts.tops + more.tops,
        counts.left + more.left,
        counts.right + more.right,
        counts.crates + more.crates,
    )


def within(counts: Counts, limits: Limits) -> bool:
    """Whether there are cards for it."""
    return (
        counts.tops <= limits.tops and counts.left <= limits.left and counts.right <= limits.right
    )


def piles_from(
    rows: list[Row], counts: Counts, limits: Limits
) -> Iterator[tuple[list[Row], Counts]]:
    """These rows, and all piles that have them at the back."""
    yield rows, counts
    if len(rows) == limits.box[1]:
        return
    back = rows[-1]
    width = rows[0].start + len(rows[0].heights) - back.start
    room = min(limits.box[0] - width, limits.tops - counts.tops, limits.right - counts.right)
    highest = min(limits.box[2], limits.left - counts.left)
    for row in rows_before(back.heights, room, highest):
        more = added(counts, row_counts(row, -row.start))
        if within(more, limits):
            yield from piles_from([*rows, Row(back.start + row.start, row.heights)], more, limits)


def all_piles(limits: Limits) -> Iterator[tuple[list[Row], Counts]]:
    """Every pile within the limits, up to moving, once."""
    for row in first_rows(limits):
        counts = row_counts(row, len(row.heights))
        if within(counts, limits):
            yield from piles_from([row], counts, limits)


@cache
def digits(heights: tuple[int, ...]) -> str:
    """Heights as a pile text has them."""
    return "".join(HEIGHTS[height] for height in heights)


def shape_text(rows: list[Row]) -> str:
    """The text of a pile before its `@`: rows padded with `0` on either side."""
    left, right = rows[-1].start, rows[0].start + len(rows[0].heights)
    width = right - left
    return "/".join(
        [("0" * (row.start - left) + digits(row.heights)).ljust(width, "0") for row in rows]
    )


@cache
def shapes(limits: Limits) -> dict[Counts, list[str]]:
    """The texts of all piles within the limits, by what their pictures need."""
    found: dict[Counts, list[str]] = defaultdict(list)
    for rows, counts in all_piles(limits):
        found[counts].append(shape_text(rows))
    return dict(found)
