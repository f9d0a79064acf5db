"""What a game counts, and the names and phrases that results use for it.

Counts are integers for each seat of a game, added up over games. From them follow the *rates*
that describe a bot's style, the *measures* in which rule sets are compared, and the length of
games. Remarkable games are *highlights*.
"""

from collections.abc import Mapping

import msgspec

from cantstop_arena.deals.seatings import pairs_of_positions

COUNT, SHARE = "count", "share"  # kinds of measures: compared in percent, or in percentage points

GAMES, UNFINISHED = "games", "unfinished"  # are counts, too


class Rate(msgspec.Struct, frozen=True):
    """A quotient of two counts, such as fouls per turn. A share is shown in percent."""

    numerator: str
    denominator: str
    share: bool = False


class Measure(msgspec.Struct, frozen=True):
    """A quotient of sums over deals in which rule sets differ.

    It is the sum `numerator` by `scale` times the sum `denominator`. Sums are the game's counts,
    "games" (not ended by a fault), "unfinished", "finished", "played", and the wins of seats and
    bots: see `comparisons.samples`. Measures of `rivals` do not apply where a bot plays alone.
    `more` and `less` are phrases for a difference, with {game} and {by}; `noun` names the measure,
    in `plural` or not. `follows` is the key of another measure: where that one differs in the same
    direction, this one is not mentioned.
    """

    key: str
    label: str
    kind: str
    numerator: str
    denominator: str
    scale: int = 1
    rivals: bool = True
    more: str = ""
    less: str = ""
    noun: str = ""
    plural: bool = False
    follows: str = ""


class Highlight(msgspec.Struct, frozen=True):
    """A kind of remarkable game: the one with the greatest number, see `Result.highlights`.

    `title` is its heading on a page ("The closest game").
    """

    kind: str
    title: str


class Counts(msgspec.Struct, frozen=True):
    """What a game counts.

    `names` are the counts, each for every seat. `length` is the one whose sum over seats is the
    length of a game, and `unit` its unit ("turn"). `pace` is the count whose number per second
    measures speed, if games per second are not enough. Bots that play alone are ranked by the mean
    of the count `alone`, the fewest first. `limit` names what ends games that nobody wins ("the
    limit of turns"). Where the state that a player leaves affects the next one, `followed` is the
    count that measures the effect: it is also added up by the bot that one sits after. Counts of
    `parts` are whole numbers of so small a part of one: exports have fractions of them.
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
    parts: Mapping[str, int] = msgspec.field(default_factory=dict)


def stored_measures(counts: Counts, players: int = 0) -> tuple[str, ...]:
    """The names of the sums over the games and seats of a deal that ledgers store on request.

    "games" are those that no fault ended. The last ones are the count that is `followed`, for
    every position in the group after each other one.
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


def shortest_of(class_number: int) -> int:
    """The shortest length in a class."""
    shift = max(0, class_number // (_EXACT // 2) - 1)
    return class_number - _EXACT // 2 * shift << shift
