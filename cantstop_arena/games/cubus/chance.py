"""Keyed chance: the deck, the orders in which knocks are heard, and the bots' random numbers.

SplitMix64 (Steele, Lea and Flood, 2014) computes the numbers from keys, in Python here and
compiled in `engine.plans`, so that both play the same games.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple, Protocol, TypeVar

from cantstop_arena.games.cubus.builds.cards import ORDER
from cantstop_arena.games.cubus.rules import RuleSet

Item = TypeVar("Item")

_WORD = (1 << 64) - 1
_GOLDEN, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def number_at(key: int, count: int) -> int:
    """The count-th 64-bit number of a stream."""
    word = key + _GOLDEN * count & _WORD
    word = (word ^ word >> 30) * _MIX_1 & _WORD
    word = (word ^ word >> 27) * _MIX_2 & _WORD
    return word ^ word >> 31


class Stream:
    """Random numbers from 0 to below 1, computed from a key and a counter."""

    __slots__ = ("_count", "_key")

    def __init__(self, key: int) -> None:
        self._key = key
        self._count = 0

    def __call__(self) -> float:
        self._count += 1
        return (number_at(self._key, self._count) >> 11) / (1 << 53)


def shuffled_by_floats(items: Sequence[Item], random: Callable[[], float]) -> list[Item]:
    """A uniformly shuffled copy of the items (Fisher-Yates)."""
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        other = int(random() * (last + 1))
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed


class Chance(Protocol):
    """The random parts of a game."""

    def deck(self, rules: RuleSet) -> Sequence[str]:
        """The cards of the deck in the order of turns."""

    def knock_order(self, turn: int, players: int) -> Sequence[int]:
        """The order in which knockers are heard."""

    def ending_order(self, players: int) -> Sequence[int]:
        """The order that decides between equal builds under `ending: best`."""

    def own(self, seat: int) -> Callable[[], float]:
        """The random numbers of a seat's bot."""


class CubusKeys(NamedTuple):
    """The 64-bit keys of a deal: the deck's by (seed, deal), the bots' by (seed, deal, seat)."""

    deck: int
    knocks: int
    ending: int
    bots: tuple[int, ...]


class KeyedDecks(NamedTuple):
    """The chance of a deal, computed from its keys."""

    keys: CubusKeys

    def deck(self, rules: RuleSet) -> list[str]:
        """The shuffled deck: all cards but those of the first crate."""
        return shuffled_by_floats(unshuffled(rules), Stream(self.keys.deck))

    def knock_order(self, turn: int, players: int) -> list[int]:
        """The seats, shuffled for each turn."""
        return shuffled_by_floats(range(players), Stream(number_at(self.keys.knocks, turn)))

    def ending_order(self, players: int) -> list[int]:
        """The seats, shuffled."""
        return shuffled_by_floats(range(players), Stream(self.keys.ending))

    def own(self, seat: int) -> Stream:
        """The stream of a seat's bot."""
        return Stream(self.keys.bots[seat])


def unshuffled(rules: RuleSet) -> str:
    """The cards of the deck, by type: all but those of the first crate."""
    counts = (rules.lids - 1, rules.open, rules.left - 1, rules.right - 1)
    return "".join(sign * number for sign, number in zip(ORDER, counts, strict=True))


def decks_of_deal(seed: int, deal: int, players: int) -> KeyedDecks:
    """The chance of a deal outside the arena; the arena derives keys from its own streams."""
    bots = tuple(_hash(seed, deal, "bot", seat) for seat in range(players))
    names = ("deck", "knocks", "ending")
    deck, knocks, ending = (_hash(seed, deal, name, 0) for name in names)
    return KeyedDecks(CubusKeys(deck, knocks, ending, bots))


def _hash(seed: int, deal: int, purpose: str, seat: int) -> int:
    message = f"cubus {seed} {deal} {purpose} {seat}".encode()
    return int.from_bytes(blake2b(message, digest_size=8).digest())
