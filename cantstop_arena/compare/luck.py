"""Luck removed from a comparison, where that makes its intervals narrower.

What seats and bots won is corrected under each rule set by itself, as in a tournament of these
rules (`deals.luck`), and then compared deal by deal.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from cantstop_arena.compare.answers import Answer
from cantstop_arena.compare.measures import is_won
from cantstop_arena.compare.statistics import Estimate


def narrower(played: Answer, calm: Answer) -> Answer:
    """Of an answer with luck and one without that with narrower intervals of what is won."""
    quotients = list(_quotients(played, calm))
    worth = sum(quotients) / len(quotients) if quotients else 1.0
    return replace(calm if worth > 1 else played, worth=worth)


def _quotients(played: Answer, calm: Answer) -> Iterator[float]:
    """How many times the games the intervals would take with luck, by measure."""
    for key, one in played.differences.items():
        with_luck, without = _width(one.absolute), _width(calm.differences[key].absolute)
        if is_won(key) and with_luck and without:
            yield (with_luck / without) ** 2


def _width(told: Estimate | None) -> float | None:
    return None if told is None or told.low is None or told.high is None else told.high - told.low
