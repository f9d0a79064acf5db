"""The picture of a pile: the places of its cards; and the pile that a picture shows (R7)."""

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from cantstop_arena.games.cubus.builds.piles import Cell, IllegalBuild, Pile, Spot, pile_of

Heights = Mapping[Cell, int]


class Picture(NamedTuple):
    """The places (u, v) of the cards on the table, by type, each ascending."""

    lids: tuple[Spot, ...]
    open: tuple[Spot, ...]
    left: tuple[Spot, ...]
    right: tuple[Spot, ...]


def picture(pile: Pile, open_cells: Collection[Cell] = ()) -> Picture:
    """The picture of a pile whose given cells have open cards."""
    tops = pile.tops()
    lying = {place for place, cell in tops.items() if cell in open_cells}
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


def pile_in(shown: Picture) -> tuple[Pile, tuple[Cell, ...]] | None:
    """The pile that a picture shows and its open cells, ascending; None if there is none."""
    tops = sorted({*shown.lids, *shown.open})
    if not tops or len(tops) < len(shown.lids) + len(shown.open):
        return None
    for heights in _pieced(shown, _diagonals(tops)):
        pile = _verified(heights, shown)
        if pile is not None:
            return pile, tuple(sorted(pile.tops()[place] for place in shown.open))
    return None


def _diagonals(tops: Collection[Spot]) -> list[tuple[int, list[int]]]:
    """For each u, ascending, the v of its tops from back to front, which is downwards."""
    return [
        (column, sorted((v for u, v in tops if u == column), reverse=True))
        for column in sorted({u for u, _ in tops})
    ]


def _pieced(shown: Picture, diagonals: list[tuple[int, list[int]]]) -> Iterator[dict[Cell, int]]:
    """All ways to lay the diagonals side by side so that the faces between them are those shown."""
    if not diagonals:
        yield {}
        return
    *before, (column, tops) = diagonals
    for heights in _pieced(shown, before):
        for laid in _laid(column, tops, len(shown.left)):
            joined = {**heights, **laid}
            if _faces_agree(joined, column, shown):
                yield joined


def _laid(column: int, tops: list[int], tallest: int) -> Iterator[dict[Cell, int]]:
    """A diagonal of cells with tops at given v, at every depth that leaves them heights."""
    behind = range(-len(tops) + 1, 1)
    for front in range(-tops[-1], -tops[-1] + tallest):
        ys = [front + step for step in behind]
        yield {(y - column, y): v + 1 + y for y, v in zip(ys, tops, strict=True)}


def _faces_agree(heights: Heights, column: int, shown: Picture) -> bool:
    """Whether the left faces of a diagonal and the right ones of that before it are as shown."""
    left = {place for place in _left(heights) if place[0] == column}
    right = {place for place in _right(heights) if place[0] == column - 1}
    return left == {place for place in shown.left if place[0] == column} and right == {
        place for place in shown.right if place[0] == column - 1
    }


def _verified(heights: Heights, shown: Picture) -> Pile | None:
    try:
        pile = pile_of(heights)
    except IllegalBuild:
        return None
    cells = [cell for place, cell in pile.tops().items() if place in shown.open]
    seen = picture(pile, cells)
    return pile if all(sorted(a) == list(b) for a, b in zip(shown, seen, strict=True)) else None
