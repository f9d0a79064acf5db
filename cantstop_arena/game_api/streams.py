"""Random numbers for games in plain Python: independent streams, each with its own key.

All outcomes of chance in a deal depend only on (seed, deal) and the name of a stream:
`chance.stream("deck")`, `chance.stream("knock", turn)`. So every seating of a deal has the same
cards, no bot changes another's random numbers, and games are the same on every machine.

The key of a stream is its name hashed by BLAKE2b keyed with the seed: without the seed no key can
be computed from another. SplitMix64 (Steele, Lea and Flood, 2014) generates numbers from the key.
"""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

Item = TypeVar("Item")

ALL_NUMBERS = 1 << 64
"""How many numbers a stream can give."""
_WORD = ALL_NUMBERS - 1
_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_number = int.from_bytes
_BOTS = "bot"  # the first word in the names of bots' streams


def number_at(key: int, count: int) -> int:
    """The count-th number of the stream with this key, an integer of 64 bits; counts start at 1."""
    word = key + _GOLDEN * count & _WORD
    word = (word ^ word >> 30) * _MIX_1 & _WORD
    word = (word ^ word >> 27) * _MIX_2 & _WORD
    return word ^ word >> 31


class Stream:
    """Random numbers in order. Calling it gives the next one, in [0, 1).

    It contains only its key, so that a bot cannot reach the table through its stream.
    """

    __slots__ = ("_count", "_key")

    def __init__(self, key: int) -> None:
        self._key = key
        self._count = 0

    def __call__(self) -> float:
        """The next number, in [0, 1)."""
        self._count += 1  # `number_at` inlined for speed: plain bots call this often
        word = self._key + _GOLDEN * self._count & _WORD
        word = (word ^ word >> 30) * _MIX_1 & _WORD
        word = (word ^ word >> 27) * _MIX_2 & _WORD
        return ((word ^ word >> 31) >> 11) / (1 << 53)

    def below(self, bound: int) -> int:
        """The next integer from 0 to `bound - 1`, uniformly distributed."""
        while True:  # rejects words of the last, incomplete range of `bound`, which would bias
            self._count += 1  # `number_at` inlined, as in __call__
            word = self._key + _GOLDEN * self._count & _WORD
            word = (word ^ word >> 30) * _MIX_1 & _WORD
            word = (word ^ word >> 27) * _MIX_2 & _WORD
            word ^= word >> 31
            remainder = word % bound
            if word - remainder + bound <= ALL_NUMBERS:
                return remainder

    def rolled(self, dice: int, sides: int = 6) -> tuple[int, ...]:
        """A roll of so many dice, from 1 to `sides` each."""
        return tuple(1 + self.below(sides) for _ in range(dice))

    def shuffled(self, items: Iterable[Item]) -> list[Item]:
        """The items in a random order, every order equally likely (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    @property
    def is_used(self) -> bool:
        """Whether a number has been drawn."""
        return self._count > 0

    def clone(self) -> "Stream":
        """A stream with the same numbers from here on."""
        copy = Stream(self._key)
        copy._count = self._count
        return copy


class DealChance:
    """The streams of random numbers of one deal."""

    __slots__ = ("_bots", "_keyed")

    def __init__(self, seed: int, deal: int) -> None:
        """`seed` is an integer of 128 bits."""
        self._keyed = blake2b(digest_size=8, key=seed.to_bytes(16, "little"))
        self._keyed.update(f"({deal}".encode())
        self._bots: dict[int, int] = {}  # the keys of bots so far, which every seating needs again

    def stream(self, *name: str | int) -> Stream:
        """The stream of this name, from its beginning."""
        return Stream(self.key_of(name))

    def mixed_stream(self, word: str, number: int) -> Stream:
        """The stream of this word and number, whose key follows from that of the word alone.

        So machine code computes the keys of all draws of a deal from one.
        """
        return Stream(number_at(self.key_of((word,)), number + 1))

    def key_of_bot(self, seat: int) -> int:
        """The key of the stream of the bot in a seat; no other key can be computed from it."""
        if (key := self._bots.get(seat)) is None:
            key = self._bots[seat] = self.key_of((_BOTS, seat))
        return key

    def key_of(self, name: tuple[str | int, ...]) -> int:
        """The key of a name: the hash of the tuple (deal, *name) as text."""
        digest = self._keyed.copy()  # quicker than a new one with the key
        digest.update(_text_after_deal(*name))
        return _number(digest.digest())


@lru_cache(1 << 12, typed=True)
def _text_after_deal(*name: str | int) -> bytes:
    """What follows the deal in the text of (deal, *name); deals have the same names again and
    again, and the text takes longer than the hash."""
    return repr((0, *name))[2:].encode()
