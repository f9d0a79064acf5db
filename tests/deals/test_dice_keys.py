"""Whose dice are whose: circles by the names of their bots, whatever their numbers."""

from itertools import permutations

import pytest

from cantstop_arena.deals.dice_keys import dice_bits

BITS = 1980


def circles_of(names: list[str], numbers: list[int]) -> dict[tuple[str, ...], int]:
    """The bits of each order of a lineup, by the names in it; bots have these numbers."""
    by_number = dict(zip(numbers, names, strict=True))
    return {
        tuple(by_number[bot] for bot in seats): dice_bits(BITS, seats, by_number).circle
        for seats in permutations(numbers)
    }


@pytest.mark.parametrize(("names", "circles"), [("ab", 1), ("abc", 2), ("abcd", 6)])
def test_rotations_have_the_same_dice_and_other_circles_others(names: str, circles: int) -> None:
    bits = circles_of([*names], [*range(len(names))])
    assert len({*bits.values()}) == circles
    for seats in bits:
        assert bits[seats] == bits[seats[1:] + seats[:1]]


def test_the_number_of_a_bot_is_not_in_its_dice() -> None:
    """An edited bot has another number, and so other numbers of orders; its games stay."""
    assert circles_of(["a", "b", "c"], [0, 1, 2]) == circles_of(["a", "b", "c"], [7, 3, 5])


def test_who_plays_alone_has_the_dice_of_the_seed() -> None:
    assert dice_bits(BITS, [4], {4: "a"}) == dice_bits(BITS, [0], {0: "b"}) == (BITS, BITS)


def test_equal_names_are_numbered_in_their_order() -> None:
    """Else all seatings of a bot and its copies would be the same few games."""
    by_number = {0: "a", 1: "b", 2: "b", 3: "b"}
    bits = {dice_bits(BITS, seats, by_number).circle for seats in permutations(range(4))}
    assert len(bits) == 6
