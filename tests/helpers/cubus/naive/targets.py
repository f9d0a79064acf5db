"""What can be built: `targets`, `nearby` and `bound`, by trying every pile."""

from collections import Counter
from collections.abc import Iterable, Iterator

from helpers.cubus.naive.builds import Position, at_origin
from helpers.cubus.naive.piles import (
    Cell,
    Pile,
    Place,
    beside,
    cards,
    crates,
    is_pile,
    moved,
    read,
    slide,
    top_place,
    top_places,
    write,
)
from helpers.cubus.naive.shapes import Box, Counts, Limits, shapes

Target = tuple[str, int, int, int]

FEW_CARDS = 22


def limits_of(position: Position, box: Box | None) -> Limits:
    """The cards at hand and on the table, or a box's greatest counts, the same for all positions.

    With few cards it is quicker not to list the whole box.
    """
    tops, left, right = top_left_right(position.held)
    if box is None or position.held.total() <= FEW_CARDS:
        return Limits(tops, left, right, box or (tops, tops, left))
    x, y, z = box
    return Limits(x * y, y * z, x * z, box)


def top_left_right(hand: Counter[str]) -> tuple[int, int, int]:
    """How many tops of either kind, `L` and `R` there are."""
    return hand["T"] + hand["O"], hand["L"], hand["R"]


def enough(counts: Counts, hand: Counter[str]) -> bool:
    """R13, lids and open cards taken together."""
    tops, left, right = top_left_right(hand)
    return counts.tops <= tops and counts.left <= left and counts.right <= right


def placements(places: set[Place], pile: Pile, kept: int) -> list[Pile]:
    """The pile at each spot where at least `kept` of the places have a top; for 0 at `@0,0`.

    Of all places but `kept`, and one more, at least one has a top: so these give all spots.
    """
    if not kept:
        return [at_origin(pile, ())[0]]
    tops, some = set(top_places(pile, pile)), sorted(places)[: len(places) - kept + 1]
    spots = {spot(pile, cell, place) for cell in pile for place in some}
    return [moved(pile, *by) for by in spots if len(tops & seen_from(places, *by)) >= kept]


def seen_from(places: set[Place], dx: int, dy: int) -> set[Place]:
    """Places on the table as a pile has them that is yet to be moved."""
    return {(u - dy + dx, v + dy) for u, v in places}


def spot(pile: Pile, cell: Cell, place: Place) -> tuple[int, int]:
    """How far to move the pile so that the top of a cell lies at a place."""
    (x, y), (u, v) = cell, place
    new_y = pile[cell] - 1 - v
    return new_y - u - x, new_y - y


def places(position: Position, pile: Pile) -> list[Cell]:
    """The cells of a pile where a new open card may lie (R12, R14), ascending."""
    taken = position.open_places | position.forbidden_places
    return [cell for cell in sorted(pile) if top_place(pile, cell) not in taken]


def least(position: Position, pile: Pile) -> int:
    """New open cards needed for want of lids."""
    return max(0, len(pile) - len(position.open) - position.held["T"])


def most(position: Position, pile: Pile) -> int:
    """New open cards that can be laid."""
    return min(position.hand.count("O"), len(places(position, pile)))


def is_worth(position: Position, counts: Counts) -> bool:
    """R15 and R16, as far as counts tell."""
    if position.rules["more_crates"] and counts.crates <= crates(position.pile):
        return False
    return points_for(position, counts) >= 1


def points_for(position: Position, counts: Counts) -> int:
    """The points for a pile of these counts: the change of C1's F."""
    return 3 * counts.crates - sum(counts[:3]) - position.surplus


def each_target(position: Position, box: Box | None) -> Iterator[Target]:
    """All (text, points, least, most) that can be built, in no order."""
    kept = position.open_places
    for counts, texts in shapes(limits_of(position, box)).items():
        if enough(counts, position.held) and is_worth(position, counts):
            for text in texts:
                for pile in placements(kept, read(f"{text}@0,0"), len(kept)):
                    yield from as_target(position, pile, counts)


def as_target(position: Position, pile: Pile, counts: Counts) -> list[Target]:
    """A pile that there are cards for, unless new open cards are needed that cannot be laid."""
    needed, laid = least(position, pile), most(position, pile)
    if needed > laid:
        return []
    return [(write(pile), points_for(position, counts), needed, laid)]


def targets(position: Position, box: Box | None) -> list[Target]:
    """All that can be built, most points first, then by text."""
    return in_target_order(each_target(position, box))


def can_build(position: Position, box: Box | None) -> bool:
    """R17: whether there is a legal build within a box."""
    return any(True for _ in each_target(position, box))


def in_target_order(found: Iterable[Target]) -> list[Target]:
    """Most points first, then by text as strings compare."""
    return sorted(found, key=lambda target: (-target[1], target[0]))


# --- nearby and bound -----------------------------------------------------------------------------


def one_cell_changed(pile: Pile) -> Iterator[Pile]:
    """nearby (a): one cell of the pile or beside one set to another height 1 to H + 1."""
    cells = set(pile) | {cell for own in pile for cell in beside(own)}
    for cell in cells:
        for height in range(1, max(pile.values()) + 2):
            if height != pile.get(cell):
                yield {**pile, cell: height}


def near(pile: Pile) -> list[Pile]:
    """nearby (a), (b) and (c), whether they can be built or not."""
    raised = slide(pile, 1)
    return [*one_cell_changed(pile), raised, *one_cell_changed(raised)]


def nearby(position: Position) -> list[Target]:
    """Like `targets`, of those piles alone that are near."""
    piles = [pile for pile in near(position.pile) if is_pile(pile)]
    if not position.open:
        piles = [at_origin(pile, ())[0] for pile in piles]
    return in_target_order({target for pile in piles for target in as_target_there(position, pile)})


def as_target_there(position: Position, pile: Pile) -> list[Target]:
    """A pile as a target, if it is one where it lies."""
    tops, left, right = top_left_right(cards(pile))
    counts = Counts(tops, left, right, crates(pile))
    keeps_open = position.open_places <= set(top_places(pile, pile))
    if keeps_open and enough(counts, position.held) and is_worth(position, counts):
        return as_target(position, pile, counts)
    return []


def bound(position: Position) -> int:
    """The most points that counts alone allow: every pile of the cards is tried."""
    best = max(points_for(position, counts) for counts in shapes(limits_of(position, None)))
    return max(0, best)
