"""Whose dice are whose: each circle of bots has its own, in every deal.

A circle is an order of the bots of a lineup, whoever begins. Its rotations meet the same dice, so
that each bot has the luck of each seat once, and nothing of it is left in their scores. Other
circles meet other dice: what a bot owes to luck against one rival says nothing about its games with
others. Within a deal this is a cyclic Latin square; between lineups, whose scores are added up,
dice in common would add up their luck, too (Glasserman and Yao 1992, Some guidelines and guarantees
for common random numbers).

Bots are named as `KnownBot.dice_name` does: versions of a bot meet a rival on the same dice.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

_PERSON = b"arena dice"


class DiceBits(NamedTuple):
    """The 128 bits from which the dice of a circle follow, and those that its lineup has alone."""

    circle: int
    lineup: int


def dice_bits(bits: int, seats: Sequence[int], names: Mapping[int, str]) -> DiceBits:
    """What the dice of bots follow from, for the bits of a seed.

    `seats` has the numbers of the bots by seat, `names` their names in the order of the lineup.
    A bot that plays alone has the dice of the seed.
    """
    if len(seats) == 1:
        return DiceBits(bits, bits)
    each = dict(zip(names, _numbered([*names.values()]), strict=True))
    lineup = circle_bits(bits, tuple(sorted(each.values())))
    return DiceBits(circle_bits(bits, tuple(each[bot] for bot in seats)), lineup)


@lru_cache(1 << 14)
def circle_bits(bits: int, names: tuple[str, ...]) -> int:
    """The bits of a circle of bots with these names by seat; all its rotations have the same."""
    circle = min(names[first:] + names[:first] for first in range(len(names)))
    text = "".join(f"{len(name)} {name}" for name in circle).encode("utf-8", "surrogatepass")
    key = bits.to_bytes(16, "little")
    return int.from_bytes(blake2b(text, digest_size=16, key=key, person=_PERSON).digest(), "little")


def _numbered(names: Sequence[str]) -> list[str]:
    """The names of a lineup with equal ones numbered in their order.

    Else all circles of a bot and its copies would be one, and all seatings the same few games.
    """
    return [f"{name}\0{names[:index].count(name)}" for index, name in enumerate(names)]
