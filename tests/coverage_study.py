"""How often intervals hold the truth, and how often tests raise a false alarm: a study.

Simulated tournaments of which the truth is known, rated by the hundreds; prints a Markdown table.
`python tests/coverage_study.py --repetitions 1000`
"""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import exp

import numpy as np
from simulated import Truth

from cantstop_arena.outcomes import Group, Results, seatings
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.fit import goodness
from cantstop_arena.ratings.groups import SIGNIFICANT
from cantstop_arena.ratings.luce import ELO
from cantstop_arena.ratings.misfits import misfits
from cantstop_arena.ratings.rating import Points, Ratings
from cantstop_arena.ratings.scores import Estimate, crosstable, scores

COVERED = ("Elo", "difference", "seat", "score", "cell")
ALARMS = ("misfit", "worst pair", "letters", "ranks")
EQUAL, MIXED, STRONG = (0.0, 0.0, 0.0, 0.0), (1.0, 0.5, 0.0, -1.0), (3.0, 1.0, 0.0, -2.0)
SEATS = {2: (0.2, -0.2), 3: (0.2, 0.1, -0.3), 4: (0.2, 0.1, 0.0, -0.3)}


@dataclass(frozen=True)
class Situation:
    """What is simulated, again and again."""

    name: str
    truth: Truth
    deals: int


def _situations() -> Iterator[Situation]:
    fields = {"equal": EQUAL, "mixed": MIXED, "strong": STRONG}
    for deals, players, (field, strengths), shared in product(
        (30, 200, 2000), (2, 3, 4), fields.items(), (0.0, 0.6, 0.95)
    ):
        name = f"{players} seats, {field}, {deals} deals, {shared:.0%} shared"
        yield Situation(name, Truth(strengths, SEATS[players], shared), deals)


SITUATIONS = list(_situations())


def studied(situation: Situation, repetitions: int, rng: np.random.Generator) -> dict[str, float]:
    """Shares of intervals that hold the truth, and of tournaments with a false alarm."""
    found: dict[str, list[float]] = {name: [] for name in (*COVERED, *ALARMS)}
    truths = true_scores(situation.truth), true_cells(situation.truth)
    for _ in range(repetitions):
        played = situation.truth.played(situation.deals, rng)
        for name, share in _examined(situation.truth, truths, played).items():
            found[name].append(share)
    return {name: float(np.mean(shares)) for name, shares in found.items()}


def _examined(
    truth: Truth, truths: tuple[list[float], dict[Group, float]], played: Results
) -> dict[str, float]:
    ratings = rate(played)
    strengths = ELO * (np.array(truth.strengths) - np.mean(truth.strengths))
    effects = ELO * (np.array(truth.seats) - np.mean(truth.seats))
    pairs = list(combinations(range(len(strengths)), 2))
    ahead = [
        (found.ahead, strengths[one] - strengths[other])
        for one, other in pairs
        if (found := ratings.difference(one, other))
    ]
    table = crosstable(played)
    cells = [(cell, truths[1][pair]) for pair in pairs if (cell := table[pair[0]][pair[1]])]
    test, worst = goodness(played), misfits(played).pairs
    return {
        "Elo": _held(zip(ratings.ratings, 1500 + strengths, strict=True)),
        "difference": _held(ahead),
        "seat": _held(zip(ratings.seats, effects, strict=True)),
        "score": _held(zip(scores(played), truths[0], strict=True)),
        "cell": _held(cells),
        "misfit": float(test.chance is not None and test.chance < SIGNIFICANT),
        "worst pair": float(bool(worst) and worst[0].chance < SIGNIFICANT),
        "letters": float(any(_told_wrongly(ratings, strengths, pair) for pair in pairs)),
        "ranks": float(any(_rank_wrong(ratings, strengths, bot) for bot in range(len(strengths)))),
    }


def _held(found: Iterable[tuple[Points | Estimate, float]]) -> float:
    """The share of intervals that hold the truth; an end that is None is open."""
    held = [
        (interval.low is None or interval.low <= true)
        and (interval.high is None or true <= interval.high)
        for interval, true in found
    ]
    return float(np.mean(held))


def true_scores(truth: Truth) -> list[float]:
    """What each bot wins on average."""
    return [_won(truth, bot, {bot}) for bot in range(len(truth.strengths))]


def true_cells(truth: Truth) -> dict[Group, float]:
    """What each bot wins of what it and another win in games with each other."""
    cells: dict[Group, float] = {}
    for one, other in combinations(range(len(truth.strengths)), 2):
        mine, yours = (_won(truth, bot, {one, other}) for bot in (one, other))
        cells[one, other] = mine / (mine + yours)
    return cells


def _won(truth: Truth, bot: int, present: set[int]) -> float:
    every = [order for group in truth.groups() for order in seatings(group)]
    shares = [_chance(truth, order, bot) for order in every if present <= set(order)]
    return sum(shares) / len(shares)


def _chance(truth: Truth, order: Group, bot: int) -> float:
    odds = [
        exp(truth.strengths[seated] + effect)
        for seated, effect in zip(order, truth.seats, strict=True)
    ]
    return odds[order.index(bot)] / sum(odds)


def _told_wrongly(ratings: Ratings, strengths: np.ndarray, pair: tuple[int, int]) -> bool:
    """Whether two are told apart that are equal, or the wrong way round."""
    one, other = pair
    if set(ratings.letters[one]) & set(ratings.letters[other]):
        return False
    return bool((ratings.elo[one] - ratings.elo[other]) * (strengths[one] - strengths[other]) <= 0)


def _rank_wrong(ratings: Ratings, strengths: np.ndarray, bot: int) -> bool:
    best, worst = ratings.ranks[bot]
    better, least = (strengths > strengths[bot]).sum(), (strengths >= strengths[bot]).sum()
    return bool(best > least or worst < better + 1)


def main() -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1980)
    options = parser.parse_args()
    print("| situation |", " | ".join((*COVERED, *ALARMS)), "|")
    print("|---" * (1 + len(COVERED) + len(ALARMS)), end="|\n")
    rng = np.random.default_rng(options.seed)
    for situation in SITUATIONS:
        found = studied(situation, options.repetitions, rng)
        cells = " | ".join(f"{100 * found[name]:.1f}" for name in (*COVERED, *ALARMS))
        print(f"| {situation.name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
