"""The take-down: moves that leave one crate less (R23), and their open cards (R24)."""

from collections.abc import Iterator
from itertools import combinations
from typing import Literal, NamedTuple

from cantstop_arena.extensions.cubus.builds.build import (
    Build,
    TableCards,
    at_origin,
    carry_open_cards,
    named_table,
)
from cantstop_arena.extensions.cubus.builds.cards import NONE, Cards
from cantstop_arena.extensions.cubus.builds.piles import IllegalBuild, Pile, parse, pile_of
from cantstop_arena.extensions.cubus.choices.search import TargetQuery
from cantstop_arena.extensions.cubus.choices.targets import (
    Target,
    targets,
    targets_without_box,
)
from cantstop_arena.extensions.cubus.rules import Box

Where = Box | Literal["none"]


class Take(NamedTuple):
    """A pile of one crate less, and the number of cards that it wins."""

    pile: str
    won: int


class TakeResult(NamedTuple):
    """The table after a take (None after the last crate), and the cards won."""

    table: TableCards | None
    won: Cards


def takes(table: TableCards, box: Where, rules_box: Box) -> list[Take]:
    """All piles of one crate less within `box` that R24 allows, most cards first, then by text.

    Moves within the rules' box decide how many open cards may be freed. The take of the last
    crate has the pile "".
    """
    if table.pile.shape.crates == 1:
        return [Take("", table.cards().total)]
    open_count = len(table.open)
    fewest_in_rules_box = freed(table, rules_box)
    fewest_in_box = freed(table, box)
    fewest = min(
        number for number in (fewest_in_rules_box, fewest_in_box, open_count) if number is not None
    )
    if fewest_in_box is None or fewest_in_box > fewest:
        return []
    listed = {(target.points, target.pile) for target in _moves(table, box, fewest)}
    cards = table.cards().total
    crates = table.pile.shape.crates - 1
    value = table.pile.shape.value
    return [
        Take(pile, cards - (3 * crates - value - points))
        for points, pile in sorted(listed, key=lambda move: (-move[0], move[1]))
    ]


def freed(table: TableCards, box: Where) -> int | None:
    """The fewest open cards that a move within a box frees; None when there is no move."""
    if table.pile.shape.crates == 1:
        return len(table.open)
    for number in range(len(table.open) + 1):
        if next(_moves(table, box, number), None) is not None:
            return number
    return None


def _moves(table: TableCards, box: Where, number: int) -> Iterator[Target]:
    """The piles of one crate less where all open cards but `number` lie on tops again."""
    crates, value = table.pile.shape.crates - 1, table.pile.shape.value
    for lying in combinations(table.open, len(table.open) - number):
        query = TargetQuery(table._replace(open=lying), NONE, False, value - 3, crates, crates)
        yield from targets_without_box(query) if box == "none" else targets(query, box)


def judge_take(table: TableCards, build: Build | None, box: Box) -> TakeResult:
    """The table after a take, and the cards won. A build of None takes the last crate.

    Raises IllegalBuild with the first rule that the take breaks.
    """
    if build is None:
        return _last_crate(table)
    after = named_table(build)
    if after.pile.shape.crates != table.pile.shape.crates - 1:
        raise IllegalBuild(23, "a take must leave exactly one crate less")
    unmoved = _check_freed(table, after, box)
    won = table.cards().minus(after.cards())
    if min(won) < 0:
        raise IllegalBuild(23, "a take uses of no type more cards than lie on the table")
    return TakeResult(after if unmoved else at_origin(after), won)


def _last_crate(table: TableCards) -> TakeResult:
    if table.pile.shape.crates > 1:
        raise IllegalBuild(23, "only the last crate is taken without naming a pile")
    return TakeResult(None, table.cards())


def _check_freed(table: TableCards, after: TableCards, box: Box) -> int:
    """The number of open cards that stay at their places. Raises IllegalBuild (R24)."""
    unmoved = len(set(table.open_cells()) & set(after.open_cells()))
    missing = len(table.open) - unmoved
    if not missing:
        return unmoved
    fewest = freed(table, box)
    allowed = len(table.open) if fewest is None else fewest
    if missing > allowed:
        raise IllegalBuild(24, f"{missing} open cards are freed, and {allowed} may be")
    return unmoved


def take_build(table: TableCards, target: Pile) -> Build:
    """A take of a target, in which open cards stay where they can.

    A freed open card replaces a missing lid, on the first tops.
    """
    build = carry_open_cards(table, target)
    needed = target.shape.tops - len(build.open) - table.cards().lids
    others = [cell for cell in target.cells() if cell not in build.open]
    return Build(build.pile, tuple(sorted((*build.open, *others[: max(0, needed)]))))


def usual_take(table: TableCards, box: Box) -> Build | None:
    """The take of a bot without `take`: the first of `takes`, or else a cell lowered by one crate.

    Some cell can always be lowered. The preference is for most open cards left, then for most
    cards won, then for the first text. None takes the last crate.
    """
    if table.pile.shape.crates == 1:
        return None
    if moves := takes(table, box, box):
        return take_build(table, parse(moves[0].pile))
    return min(_lowerings(table), key=lambda pair: pair[0])[1]


def _lowerings(table: TableCards) -> Iterator[tuple[tuple[int, int, str], Build]]:
    heights = table.pile.heights()
    for cell, height in heights.items():
        try:
            target = pile_of({**heights, cell: height - 1})
        except IllegalBuild:
            continue
        unmoved = len(carry_open_cards(table, target).open)
        yield (-unmoved, target.shape.cards, target.text), take_build(table, target)
