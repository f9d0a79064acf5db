"""What a game counts, and the words in which results speak of it.

Counts are whole numbers for each seat of a game, added up over games. From them follow the *rates*
that describe a bot's style, the *measures* in which rule sets are compared, and the length of
games. Games that are worth a look are *highlights*.
"""

from collections.abc import Mapping

import msgspec

from cantstop_arena.deals.seatings import pairs_of_positions

COUNT, SHARE = "count", "share"  # kinds of measures: compared in percent, or in percentage points

GAMES, UNFINISHED = "games", "unfinished"  # count as counts, too


class Rate(msgspec.Struct, frozen=True):
    """A quotient of two counts, such as fouls per turn. A share is shown in percent."""

    above: str
    below: str
    share: bool = False


class Measure(msgspec.Struct, frozen=True):
    """One question to a rule set: a quotient of sums over deals, `above` by `scale` times `below`.

    Sums are the game's counts, "games" (played to their end), "unfinished", "finished", "played",
    and what seats and bots won: see `compare.samples`. Those of `rivals` are not asked where a bot
    plays alone. `more` and `less` say a difference in a sentence, with {game} and {by}; `noun` is
    what is meant, in `plural` or not. What `follows` is another measure's key: where that one
    differs in the same direction, this one needs no words of its own.
    """

    key: str
    label: str
    kind: str
    above: str
    below: str
    scale: int = 1
    rivals: bool = True
    more: str = ""
    less: str = ""
    noun: str = ""
    plural: bool = False
    follows: str = ""


class Highlight(msgspec.Struct, frozen=True):
    """A kind of game to be remembered: the one with the greatest number, see `Result.highlights`.

    `title` is what a page calls it ("The closest game").
    """

    kind: str
    title: str


class Counts(msgspec.Struct, frozen=True):
    """What a game counts.

    `names` are the counts, each for every seat. `length` is the one that adds up to the length of
    a game, and `unit` what one of it is called ("turn"). `pace` is the count that speed is told
    by, if games a second say too little. A bot that plays alone is ranked by the mean of the count
    `alone`, the fewest first. `limit` is what ends games that nobody wins ("the limit of turns").
    Where what one player leaves is what the next one finds, the count that tells what that is worth
    is the one that is `followed`: it is also told by whom one sits after.
    """

    names: tuple[str, ...] = ("turns",)
    rates: Mapping[str, Rate] = msgspec.field(default_factory=dict)
    measures: tuple[Measure, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    length: str = "turns"
    unit: str = "turn"
    pace: str = ""
    alone: str = "turns"
    limit: str = ""
    followed: str = ""


def stored_measures(counts: Counts, players: int = 0) -> tuple[str, ...]:
    """What is kept of every deal where asked for, all its games and seats added up.

    "games" are those that no fault ended. Last comes the count that is `followed`, for every place
    in the group after each other one.
    """
    pairs = pairs_of_positions(players) if counts.followed else ()
    after = (f"{counts.followed} of {index} after {other}" for index, other in pairs)
    return (GAMES, UNFINISHED, *counts.names, *after)


LENGTH_CLASSES = 160  # the last one has no end
_EXACT = 32
MAX_EXACT_LENGTH = _EXACT - 1  # longer games share their class with others


def length_class(length: int) -> int:
    """The class of games of this length."""
    shift = 0
    while length >> shift >= _EXACT:
        shift += 1
    return min(LENGTH_CLASSES - 1, _EXACT // 2 * shift + (length >> shift))


def shortest_of(number: int) -> int:
    """The shortest length in a class."""
    shift = max(0, number // (_EXACT // 2) - 1)
    return number - _EXACT // 2 * shift << shift
