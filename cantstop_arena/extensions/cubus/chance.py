"""The outcomes of chance of a deal: its keys, the deck, and the orders in which seats are heard.

`engine.plans` computes the same from the keys in compiled code, so that both play the same games.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from cantstop_arena.extensions.cubus.builds.cards import ORDER
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.game_api.streams import DealChance, Stream, number_at

Item = TypeVar("Item")
_KEY_COUNT = 1 << 64


class CubusKeys(NamedTuple):
    """The keys of a deal, integers of 64 bits. `bots` has those of the streams of the seats."""

    deck: int
    knocks: int
    ending: int
    bots: tuple[int, ...] = ()


def keys_of(stream: Callable[[str], Stream], bots: Sequence[int] = ()) -> CubusKeys:
    """The keys of a deal, each the first number of the stream of its name."""
    deck, knocks, ending = (stream(name).below(_KEY_COUNT) for name in ("deck", "knocks", "ending"))
    return CubusKeys(deck, knocks, ending, tuple(bots))


@lru_cache(64)  # the rotations of a circle have the same
def keys_of_deal(seed: int, deal: int, players: int) -> CubusKeys:
    """The keys of a deal with so many seats."""
    chance = DealChance(seed, deal)
    return keys_of(chance.stream, [chance.key_of_bot(seat) for seat in range(players)])


def shuffled_deck(rules: RuleSet, keys: CubusKeys) -> list[str]:
    """The deck in the order of turns."""
    return shuffled_by_floats(unshuffled(rules), Stream(keys.deck))


def knock_order(keys: CubusKeys, turn: int, players: int) -> list[int]:
    """The seats in the order in which they are heard when they knock in a turn."""
    return shuffled_by_floats(range(players), Stream(number_at(keys.knocks, turn)))


def ending_order(keys: CubusKeys, players: int) -> list[int]:
    """The seats in the order that decides between equal builds under `ending: best`."""
    return shuffled_by_floats(range(players), Stream(keys.ending))


def shuffled_by_floats(items: Sequence[Item], random: Callable[[], float]) -> list[Item]:
    """A uniformly shuffled copy of the items (Fisher-Yates).

    `Stream.shuffled` draws integers, which would be other cards than the compiled games have.
    """
    mixed = list(items)
    for last in range(len(mixed) - 1, 0, -1):
        other = int(random() * (last + 1))
        mixed[last], mixed[other] = mixed[other], mixed[last]
    return mixed


def unshuffled(rules: RuleSet) -> str:
    """The cards of the deck, by type: all but those of the first crate."""
    counts = (rules.lids - 1, rules.open, rules.left - 1, rules.right - 1)
    return "".join(sign * number for sign, number in zip(ORDER, counts, strict=True))
