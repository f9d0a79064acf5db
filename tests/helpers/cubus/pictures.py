"""Pictures: the places (u, v) of a pile's cards, and the pile of a given picture (R7)."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from cantstop_arena.extensions.cubus.builds.piles import Cell, IllegalBuild, Pile, Spot, pile_of

Heights = Mapping[Cell, int]


class Picture(NamedTuple):
    """The places (u, v) of the cards on the table, by type, each ascending."""

    lids: tuple[Spot, ...]
    open: tuple[Spot, ...]
    left: tuple[Spot, ...]
    right: tuple[Spot, ...]


def picture(pile: Pile, open_cells: Collection[Cell] = ()) -> Picture:
    """The picture of a pile with open cards on `open_cells`."""
    tops = pile.tops()
    lying = {spot for spot, cell in tops.items() if cell in open_cells}
    return Picture(
        tuple(sorted(set(tops) - lying)),
        tuple(sorted(lying)),
        tuple(sorted(_left(pile.heights()))),
        tuple(sorted(_right(pile.heights()))),
    )


def _left(heights: Heights) -> Iterator[Spot]:
    for (x, y), height in heights.items():
        yield from ((y - x, z - y) for z in range(heights.get((x + 1, y), 0), height))


def _right(heights: Heights) -> Iterator[Spot]:
    for (x, y), height in heights.items():
        yield from ((y - x, z - y) for z in range(heights.get((x, y + 1), 0), height))


def pile_in(image: Picture) -> tuple[Pile, tuple[Cell, ...]] | None:
    """The pile of a picture and its open cells, ascending; None when no pile has that picture."""
    tops = sorted({*image.lids, *image.open})
    if not tops or len(tops) < len(image.lids) + len(image.open):
        return None
    for heights in _joined_diagonals(image, _diagonals(tops)):
        pile = _pile_of_image(heights, image)
        if pile is not None:
            return pile, tuple(sorted(pile.tops()[spot] for spot in image.open))
    return None


def _diagonals(tops: Collection[Spot]) -> list[tuple[int, list[int]]]:
    """Pairs of each u, ascending, and the v of its tops, falling (from back to front)."""
    return [
        (column, sorted((v for u, v in tops if u == column), reverse=True))
        for column in sorted({u for u, _ in tops})
    ]


def _joined_diagonals(
    image: Picture, diagonals: list[tuple[int, list[int]]]
) -> Iterator[dict[Cell, int]]:
    """Heights for all diagonals, such that the faces between neighbours are those of the image."""
    if not diagonals:
        yield {}
        return
    *before, (column, tops) = diagonals
    for heights in _joined_diagonals(image, before):
        for diagonal in _diagonals_at(column, tops, len(image.left)):
            joined = {**heights, **diagonal}
            if _faces_agree(joined, column, image):
                yield joined


def _diagonals_at(column: int, tops: list[int], tallest: int) -> Iterator[dict[Cell, int]]:
    """Heights of a diagonal whose tops are at the given v, for every depth with heights above 0."""
    behind = range(-len(tops) + 1, 1)
    for front in range(-tops[-1], -tops[-1] + tallest):
        ys = [front + step for step in behind]
        yield {(y - column, y): v + 1 + y for y, v in zip(ys, tops, strict=True)}


def _faces_agree(heights: Heights, column: int, image: Picture) -> bool:
    """Whether a diagonal's left faces and the right ones of the diagonal before match the image."""
    left = {spot for spot in _left(heights) if spot[0] == column}
    right = {spot for spot in _right(heights) if spot[0] == column - 1}
    return left == {spot for spot in image.left if spot[0] == column} and right == {
        spot for spot in image.right if spot[0] == column - 1
    }


def _pile_of_image(heights: Heights, image: Picture) -> Pile | None:
    try:
        pile = pile_of(heights)
    except IllegalBuild:
        return None
    cells = [cell for spot, cell in pile.tops().items() if spot in image.open]
    actual = picture(pile, cells)
    return pile if all(sorted(a) == list(b) for a, b in zip(image, actual, strict=True)) else None
