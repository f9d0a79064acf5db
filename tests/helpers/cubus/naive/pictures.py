"""From a picture back to its pile (R7: they determine each other), read naively."""

from collections.abc import Iterator

from helpers.cubus.naive.piles import Pile, Place, is_pile, left_places, right_places, top_places


def piles_of(tops: list[Place], left: list[Place], right: list[Place]) -> list[Pile]:
    """All piles with this picture, `tops` holding lids and open cards: one, or none.

    The cells of a diagonal (equal u) follow each other without a gap, and v falls towards the
    viewer.  So where the front one lies tells where all lie, and the faces seen on a diagonal
    depend on it and the two beside it.
    """
    partial: list[Pile] = [{}] if tops else []
    for u in sorted({u for u, _ in tops}):
        partial = [
            {**pile, **more}
            for pile in partial
            for more in diagonals(u, tops, len(left))
            if fits({**pile, **more}, u, left, right)
        ]
    shown = (sorted(tops), sorted(left), sorted(right))
    return [pile for pile in partial if is_pile(pile) and faces(pile) == shown]


def diagonals(u: int, tops: list[Place], highest: int) -> Iterator[Pile]:
    """All ways the tops on a diagonal can lie, its front cell having any height."""
    seen = sorted(v for _, v in on_diagonal(tops, u))
    for height in range(1, highest + 1):
        front = height - 1 - seen[0]
        cells = [(front - step, v) for step, v in enumerate(seen)]
        yield {(y - u, y): v + 1 + y for y, v in cells}


def fits(pile: Pile, u: int, left: list[Place], right: list[Place]) -> bool:
    """Whether the `L` of diagonal u and the `R` of the one before, now settled, are as shown."""
    return on_diagonal(left_places(pile), u) == on_diagonal(sorted(left), u) and on_diagonal(
        right_places(pile), u - 1
    ) == on_diagonal(sorted(right), u - 1)


def on_diagonal(places: list[Place], u: int) -> list[Place]:
    """The places on one diagonal."""
    return [place for place in places if place[0] == u]


def faces(pile: Pile) -> tuple[list[Place], list[Place], list[Place]]:
    """The picture with lids and open cards taken together."""
    return top_places(pile, pile), left_places(pile), right_places(pile)
