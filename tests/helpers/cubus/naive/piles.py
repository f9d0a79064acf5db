"""R3 to R8: pile texts, piles and their pictures."""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from itertools import product

Cell = tuple[int, int]
Place = tuple[int, int]
Pile = dict[Cell, int]
Picture = dict[str, list[Place]]

TYPES = "TOLR"
HEIGHTS = "0123456789abcdefghijklmnopqrstuvwxyz"
PILE_TEXT = re.compile(r"([0-9a-z]+(?:/[0-9a-z]+)*)@(0|-?[1-9][0-9]*),(0|-?[1-9][0-9]*)")
START = "1@0,0"


class Refusal(Exception):
    """A pile or build that breaks a rule; `rule` is the number of the first rule broken."""

    def __init__(self, rule: int) -> None:
        super().__init__(f"breaks R{rule}")
        self.rule = rule


def require(right: bool, rule: int) -> None:
    """Let what is right pass and refuse the rest by the rule it breaks."""
    if not right:
        raise Refusal(rule)


# --- Pile texts -----------------------------------------------------------------------------------


def read(text: str) -> Pile:
    """The pile a text stands for; what is no pile text breaks R3."""
    match = PILE_TEXT.fullmatch(text)
    if match is None:
        raise Refusal(3)
    rows, x, y = match[1].split("/"), int(match[2]), int(match[3])
    require(len({len(row) for row in rows}) == 1, 3)
    edges = [rows[0], rows[-1], [row[0] for row in rows], [row[-1] for row in rows]]
    require(all(set(edge) != {"0"} for edge in edges), 3)
    return dict(crates_of_rows(rows, x, y))


def crates_of_rows(rows: list[str], x: int, y: int) -> Iterator[tuple[Cell, int]]:
    """Cells and heights: rows from back to front, characters by ascending x, from (x, y)."""
    for j, row in enumerate(rows):
        for i, character in enumerate(row):
            if character != "0":
                yield (x + i, y + j), HEIGHTS.index(character)


def span(numbers: Collection[int]) -> range:
    """All integers from the smallest to the greatest."""
    return range(min(numbers), max(numbers) + 1)


def corner(pile: Pile) -> Cell:
    """The cell of the first character of the pile's text; it may be empty."""
    return min(x for x, _ in pile), min(y for _, y in pile)


def write(pile: Pile) -> str:
    """The text of a pile."""
    across, back_to_front = span([x for x, _ in pile]), span([y for _, y in pile])
    rows = ["".join(HEIGHTS[pile.get((x, y), 0)] for x in across) for y in back_to_front]
    x, y = corner(pile)
    return f"{'/'.join(rows)}@{x},{y}"


def moved(pile: Pile, dx: int, dy: int) -> Pile:
    """The same pile elsewhere on the floor."""
    return {(x + dx, y + dy): height for (x, y), height in pile.items()}


def slide(pile: Pile, layers: int) -> Pile:
    """The pile with some layers slid under it: no card of the old picture moves."""
    return {(x + layers, y + layers): height + layers for (x, y), height in pile.items()}


# --- R3 to R8: piles ------------------------------------------------------------------------------


def beside(cell: Cell) -> list[Cell]:
    """The four cells that share a side with a cell."""
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def stands(pile: Pile) -> bool:
    """R3: there are cells, and each has a height of at least 1."""
    return bool(pile) and all(height >= 1 for height in pile.values())


def is_connected(pile: Pile) -> bool:
    """R4: from any cell to any other by the sides of cells."""
    reached, edge = set[Cell](), [next(iter(pile))]
    while edge:
        cell = edge.pop()
        if cell in pile and cell not in reached:
            reached.add(cell)
            edge.extend(beside(cell))
    return reached == set(pile)


def ordered_pairs(pile: Pile) -> Iterator[tuple[Cell, Cell]]:
    """All a, b with a <= b in both coordinates."""
    for a, b in product(pile, pile):
        if a[0] <= b[0] and a[1] <= b[1]:
            yield a, b


def has_no_gaps(pile: Pile) -> bool:
    """R5: every cell between two ordered ones is there."""
    return all(
        cell in pile
        for a, b in ordered_pairs(pile)
        for cell in product(span((a[0], b[0])), span((a[1], b[1])))
    )


def never_rises(pile: Pile) -> bool:
    """R6: what is nearer to the viewer is not higher."""
    return all(pile[b] <= pile[a] for a, b in ordered_pairs(pile))


def check_pile(pile: Pile) -> None:
    """R3 to R6; raise `Refusal` with the first that is broken."""
    require(stands(pile), 3)
    require(is_connected(pile), 4)
    require(has_no_gaps(pile), 5)
    require(never_rises(pile), 6)


def is_pile(pile: Pile) -> bool:
    """Whether R3 to R6 hold."""
    return stands(pile) and is_connected(pile) and has_no_gaps(pile) and never_rises(pile)


def crates(pile: Pile) -> int:
    """R8: all of them, seen or not."""
    return sum(pile.values())


# --- R7: pictures ---------------------------------------------------------------------------------


def top_place(pile: Pile, cell: Cell) -> Place:
    """R7: the place of the top of a cell."""
    x, y = cell
    return y - x, pile[cell] - 1 - y


def top_places(pile: Pile, cells: Collection[Cell]) -> list[Place]:
    """The places of some cells' tops, ascending."""
    return sorted(top_place(pile, cell) for cell in cells)


def left_places(pile: Pile) -> list[Place]:
    """R7: an `L` for each crate of a cell that the next cell towards larger x does not touch."""
    return faces_beyond(pile, 1, 0)


def right_places(pile: Pile) -> list[Place]:
    """R7: an `R` for each crate of a cell that the next cell towards larger y does not touch."""
    return faces_beyond(pile, 0, 1)


def faces_beyond(pile: Pile, dx: int, dy: int) -> list[Place]:
    """The places of the crates of each cell that rise above the next one, no cell being 0 high."""
    return sorted(
        (y - x, z - y)
        for (x, y), height in pile.items()
        for z in range(pile.get((x + dx, y + dy), 0), height)
    )


def picture(pile: Pile, open_cells: Collection[Cell] = ()) -> Picture:
    """R7: the places of the cards by type, ascending."""
    return {
        "T": top_places(pile, set(pile) - set(open_cells)),
        "O": top_places(pile, open_cells),
        "L": left_places(pile),
        "R": right_places(pile),
    }


def cards(pile: Pile, open_cells: Collection[Cell] = ()) -> Counter[str]:
    """R7: how many cards of each type the picture has."""
    places = picture(pile, open_cells)
    return Counter({card: len(places[card]) for card in TYPES})


def surplus(pile: Pile) -> int:
    """C1's F: three times the crates less the cards on the table; a build earns its change."""
    return 3 * crates(pile) - cards(pile).total()
