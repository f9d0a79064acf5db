"""Multiple comparisons: corrected p-values of all pairs, group letters and ranges of ranks.

- Holm (1979): the smallest p-value is multiplied by the number of tests, the next by one less, and
  so on. The chance of any false claim is at most 5%, however the tests depend on each other.
- A compact letter display (Piepho 2004): bots that share a letter are not significantly different.
  Letters are made by inserting one bot after the other and absorbing what others contain.
- A bot's rank is at best one more than the number of bots that are significantly better, at worst
  the number of bots less those that are significantly worse. All these ranges hold together with
  95% (Klein, Wright and Wieczorek 2020).
"""

import re
from string import ascii_lowercase

import numpy as np

from cantstop_arena.ratings.model.evidence import Floats, Truths

SIGNIFICANT = 0.05


def holm(p_values: Floats) -> Floats:
    """The p-values, a one-dimensional array, corrected for their number."""
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.empty_like(p_values)
    corrected[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return corrected


def assign_groups(
    different: Truths, order: list[int], groups: list[str], first_letter: int = 0
) -> int:
    """Add group letters to `groups`, by bot; return the number of letters used.

    `different[i, j]`: i and j differ significantly. `order` has the bots of a field, the best
    first; letters begin at number `first_letter`.
    """
    conflicts = {bot: _mask(np.flatnonzero(different[bot])) for bot in order}
    columns = [_mask(np.array(order, np.int64))]
    for bot in order:
        columns = _inserted(columns, 1 << bot, conflicts[bot])
    members = ([rank for rank, bot in enumerate(order) if column >> bot & 1] for column in columns)
    for number, ranked in enumerate(sorted(members), start=first_letter):
        for rank in ranked:
            groups[order[rank]] += letter(number)
    return len(columns)


def letter(number: int) -> str:
    """The letter of a group by its number: a to z, then a1 to z1, and so on."""
    cycle, index = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[index] + (str(cycle) if cycle else "")


def letters_in(groups: str) -> list[str]:
    """The letters of a bot's groups one by one."""
    return re.findall(r"[a-z]\d*", groups)


def _mask(bots: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> int:
    return sum(1 << int(bot) for bot in bots)


def _inserted(columns: list[int], bot: int, conflicts: int) -> list[int]:
    """The columns, bit masks of bots, each one split that has both the bot and a conflict of it.

    Halves that another column contains are dropped.
    """
    result = [column for column in columns if not (column & bot and column & conflicts)]
    conflicting = [column for column in columns if column & bot and column & conflicts]
    halves = {half for column in conflicting for half in (column & ~bot, column & ~conflicts)}
    for half in sorted(halves, key=int.bit_count, reverse=True):
        if not any(half & column == half for column in result):
            result.append(half)
    return result


def ranks(better: Truths) -> tuple[tuple[int, int], ...]:
    """For each bot its best and worst possible rank; `better[i, j]`: i is significantly better."""
    best = 1 + better.sum(axis=0)
    worst = len(better) - better.sum(axis=1)
    return tuple(zip(best.tolist(), worst.tolist(), strict=True))
