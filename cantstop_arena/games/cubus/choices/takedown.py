"""The take-down phase: moves that leave one crate less (R23), and open cards (R24)."""

from collections.abc import Iterator
from itertools import combinations
from typing import Literal, NamedTuple

from cantstop_arena.games.cubus.builds.build import (
    Build,
    TableCards,
    at_origin,
    carry_open_cards,
    named_table,
)
from cantstop_arena.games.cubus.builds.cards import NONE, Cards
from cantstop_arena.games.cubus.builds.piles import IllegalBuild, Pile, parse, pile_of
from cantstop_arena.games.cubus.choices.targets import (
    Target,
    TargetQuery,
    targets,
    targets_without_box,
)
from cantstop_arena.games.cubus.rules import Box

Where = Box | Literal["none"]


class Take(NamedTuple):
    """A pile of one crate less, and how many cards are won by it."""

    pile: str
    won: int


class TakeResult(NamedTuple):
    """What a take leaves on the table (None after the last crate), and the cards won."""

    table: TableCards | None
    won: Cards


def takes(table: TableCards, box: Where, rules_box: Box) -> list[Take]:
    """All piles of one crate less within `box` that R24 allows, most cards first, then by text.

    How many open cards may be freed, moves within the rules' box decide. The last crate leaves
    the pile "".
    """
    if table.pile.shape.crates == 1:
        return [Take("", table.cards().total)]
    most = len(table.open)
    counted = freed(table, rules_box)
    found = freed(table, box)
    fewest = min(number for number in (counted, found, most) if number is not None)
    if found is None or found > fewest:
        return []
    listed = {(target.points, target.pile) for target in _moves(table, box, fewest)}
    cards = table.cards().total
    crates = table.pile.shape.crates - 1
    worth = table.pile.shape.value
    return [
        Take(pile, cards - (3 * crates - worth - points))
        for points, pile in sorted(listed, key=lambda move: (-move[0], move[1]))
    ]


def freed(table: TableCards, box: Where) -> int | None:
    """The fewest open cards that any move within a box frees; None where there is no move."""
    if table.pile.shape.crates == 1:
        return len(table.open)
    for number in range(len(table.open) + 1):
        if next(_moves(table, box, number), None) is not None:
            return number
    return None


def _moves(table: TableCards, box: Where, number: int) -> Iterator[Target]:
    """The piles of one crate less where all open cards but so many lie on tops again."""
    crates, worth = table.pile.shape.crates - 1, table.pile.shape.value
    for kept in combinations(table.open, len(table.open) - number):
        wanted = TargetQuery(table._replace(open=kept), NONE, False, worth - 3, crates, crates)
        yield from targets_without_box(wanted) if box == "none" else targets(wanted, box)


def judge_take(table: TableCards, build: Build | None, box: Box) -> TakeResult:
    """What becomes of the table by a take; None takes the last crate.

    Raises IllegalBuild with the first rule that it breaks.
    """
    if build is None:
        return _last_crate(table)
    after = named_table(build)
    if after.pile.shape.crates != table.pile.shape.crates - 1:
        raise IllegalBuild(23, "a take must leave exactly one crate less")
    kept = _check_kept(table, after, box)
    won = table.cards().minus(after.cards())
    if min(won) < 0:
        raise IllegalBuild(23, "a take uses of no type more cards than lie on the table")
    return TakeResult(after if kept else at_origin(after), won)


def _last_crate(table: TableCards) -> TakeResult:
    if table.pile.shape.crates > 1:
        raise IllegalBuild(23, "only the last crate is taken without naming a pile")
    return TakeResult(None, table.cards())


def _check_kept(table: TableCards, after: TableCards, box: Box) -> int:
    """How many open cards keep their places."""
    kept = len(set(table.open_cells()) & set(after.open_cells()))
    missing = len(table.open) - kept
    if not missing:
        return kept
    found = freed(table, box)
    allowed = len(table.open) if found is None else found
    if missing > allowed:
        raise IllegalBuild(24, f"{missing} open cards are freed, and {allowed} may be")
    return kept


def take_build(table: TableCards, target: Pile) -> Build:
    """A take of a target: open cards stay where they can.

    Freed ones are laid again only for want of lids, on the first tops.
    """
    build = carry_open_cards(table, target)
    needed = target.shape.tops - len(build.open) - table.cards().lids
    others = [cell for cell in target.cells() if cell not in build.open]
    return Build(build.pile, tuple(sorted((*build.open, *others[: max(0, needed)]))))


def usual_take(table: TableCards, box: Box) -> Build | None:
    """What a bot without `take` does: the first take; without any, a cell is lowered by one crate.

    That always leaves a pile; of the cells those are preferred whose lowering keeps most open
    cards, then those that win most cards, then the first by text.
    """
    if table.pile.shape.crates == 1:
        return None
    if found := takes(table, box, box):
        return take_build(table, parse(found[0].pile))
    return min(_lowered(table), key=lambda pair: pair[0])[1]


def _lowered(table: TableCards) -> Iterator[tuple[tuple[int, int, str], Build]]:
    heights = table.pile.heights()
    for cell, height in heights.items():
        try:
            target = pile_of({**heights, cell: height - 1})
        except IllegalBuild:
            continue
        kept = len(carry_open_cards(table, target).open)
        yield (-kept, target.shape.cards, target.text), take_build(table, target)
