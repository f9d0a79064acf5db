"""R23 and R24: what can be taken down."""

from helpers.cubus.naive.builds import Build, Position
from helpers.cubus.naive.piles import cards, check_pile, crates, read, require, top_places, write
from helpers.cubus.naive.shapes import Box, shapes
from helpers.cubus.naive.targets import enough, limits_of, placements


def takes_freeing(position: Position, box: Box, freed: int) -> list[tuple[str, int]]:
    """All (text, cards won) within a box with so many open cards freed, most first, then text."""
    lying, kept = cards(position.pile, position.open), position.open_places
    found = [
        (write(pile), lying.total() - sum(counts[:3]))
        for counts, texts in shapes(limits_of(position, box)).items()
        if counts.crates == crates(position.pile) - 1 and enough(counts, lying)
        for text in texts
        for pile in placements(kept, read(f"{text}@0,0"), len(kept) - freed)
    ]
    return sorted(found, key=lambda take: (-take[1], take[0]))


def freed_and_takes(position: Position, box: Box) -> tuple[int, list[tuple[str, int]]]:
    """R24's k, and what can be taken within a box; the last crate has the text ""."""
    if crates(position.pile) == 1:
        return 0, [("", 3)]
    for freed in range(len(position.open) + 1):
        found = takes_freeing(position, box, freed)
        if found:
            return freed, found
    return len(position.open), []


def check_take(position: Position, build: Build) -> None:
    """R23 and R24: raise `Refusal` unless the build takes one crate down as it may."""
    pile, cells = read(build.pile), set(build.open)
    check_pile(pile)
    require(cells <= set(pile) and len(cells) == len(build.open), 11)
    require(crates(pile) == crates(position.pile) - 1, 23)
    require(cards(pile, cells) <= cards(position.pile, position.open), 23)
    gone = position.open_places - set(top_places(pile, cells))
    require(not gone or len(gone) <= freed_and_takes(position, tuple(position.rules["box"]))[0], 24)
