"""How often intervals hold the truth, and how often tests raise a false alarm: a study.

Simulated tournaments of which the truth is known, rated by the hundreds; tables in Markdown.
`python tests/coverage_study.py --repetitions 1000`
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import exp
from pathlib import Path

import numpy as np
from alarm_study import (
    COMPARISONS,
    LOOKING,
    MATCHES,
    MEASURES,
    MOST_DEALS,
    VARIANTS,
    Row,
    comparisons,
    looking,
    matches,
)
from helpers.simulated import Truth, seatings_of

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.seatings import Group
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.even_score import even_score
from cantstop_arena.ratings.model.luce import ELO
from cantstop_arena.ratings.model_fit.deviance import goodness
from cantstop_arena.ratings.model_fit.residuals import residuals
from cantstop_arena.ratings.multiple_comparisons import SIGNIFICANT
from cantstop_arena.ratings.rating import Points, Ratings
from cantstop_arena.ratings.scores import crosstable, scores

COVERED = ("Elo", "difference", "seat", "score", "cell")
RARE_COVERED = ("rare Elo", "rare score")
BIAS, WIDTHS = "bias", "width"
ALARMS = ("misfit", "worst pair", "letters", "ranks")
NORMAL = 1.96
EQUAL, MIXED, STRONG = (0.0, 0.0, 0.0, 0.0), (1.0, 0.5, 0.0, -1.0), (3.0, 1.0, 0.0, -2.0)
RARE = (1.5, 1.2, 1.0, -2.0)  # the last wins in about 2 of 100 games, against strong rivals
RAREST = (1.9, 1.5, 1.2, -4.0)  # the last wins in some 3 of 1,000 games
LUCKY_STRENGTHS = {"equal": EQUAL, "mixed": MIXED, "rare": RAREST}
SEATS = {2: (0.2, -0.2), 3: (0.2, 0.1, -0.3), 4: (0.2, 0.1, 0.0, -0.3)}


@dataclass(frozen=True)
class Situation:
    """What is simulated, again and again."""

    name: str
    truth: Truth
    deals: int
    anchor: Mapping[str, float] = field(default_factory=dict)


def _situations() -> Iterator[Situation]:
    strengths_of = {"equal": EQUAL, "mixed": MIXED, "strong": STRONG}
    for deals, players, (spread, strengths), shared in product(
        (30, 200, 2000), (2, 3, 4), strengths_of.items(), (0.0, 0.9)
    ):
        name = f"{players} seats, {spread}, {deals} deals, {shared:.0%} shared"
        yield Situation(name, Truth(strengths, SEATS[players], shared), deals)
    for deals, players, (spread, strengths) in product(
        (30, 100, 1000), (2, 3, 4), LUCKY_STRENGTHS.items()
    ):
        name = f"{players} seats, {spread}, {deals} deals, luck removed"
        yield Situation(name, Truth(strengths, SEATS[players], 0.5, lucky=0.8), deals)
    for players, shared, anchor in product((2, 3), (0.0, 0.9), ({}, {"bot0": 1500})):
        against = "anchored" if anchor else "mean"
        name = f"{players} seats, rare wins ({against}), 30 deals, {shared:.0%} shared"
        yield Situation(name, Truth(RARE, SEATS[players], shared), 30, anchor)


SITUATIONS = list(_situations())


def studied(situation: Situation, repetitions: int, rng: np.random.Generator) -> dict[str, float]:
    """Shares of intervals that hold the truth, and of tournaments with a false alarm."""
    found: dict[str, list[float]] = {
        name: [] for name in (*COVERED, *RARE_COVERED, "rare score's mean", *ALARMS)
    }
    elo: list[Sequence[Points]] = []
    truths = true_scores(situation.truth), true_cells(situation.truth)
    for _ in range(repetitions):
        played = situation.truth.played(situation.deals, rng, anchor=situation.anchor)
        elo.append(rate(played).ratings)
        for name, share in _examined(situation.truth, truths, played).items():
            found[name].append(share)
    rare = found.pop("rare score's mean")
    means = {name: float(np.mean(shares)) for name, shares in found.items()}
    means[BIAS] = (float(np.mean(rare)) - truths[0][-1]) / max(float(np.std(rare)), 1e-12)
    means[WIDTHS] = _relative_width(elo)
    return means


def _relative_width(elo: Sequence[Sequence[Points]]) -> float:
    """The median width of the intervals of Elo by that of 95% of the estimates; mean of bots."""
    quotients = []
    for ratings in zip(*elo, strict=True):
        widths = [
            one.high - one.low for one in ratings if one.low is not None and one.high is not None
        ]
        spread = float(np.std([one.points for one in ratings]))
        if widths and spread > 0:
            quotients.append(float(np.median(widths)) / (2 * NORMAL * spread))
    return float(np.mean(quotients)) if quotients else float("nan")


def _examined(
    truth: Truth, truths: tuple[list[float], dict[Group, float]], played: TournamentTotals
) -> dict[str, float]:
    ratings = rate(played)
    centre = truth.strengths[0] if played.anchor else even_score(np.array(truth.strengths))[0]
    strengths = ELO * (np.array(truth.strengths) - centre)
    effects = ELO * (np.array(truth.seats) - np.mean(truth.seats))
    pairs = list(combinations(range(len(strengths)), 2))
    ahead = [
        (found.ahead, strengths[one] - strengths[other])
        for one, other in pairs
        if (found := ratings.difference(one, other))
    ]
    table = crosstable(played)
    cells = [(cell, truths[1][pair]) for pair in pairs if (cell := table[pair[0]][pair[1]])]
    won = scores(played)
    test, worst = goodness(played.plain), residuals(played.plain).pairs
    return {
        "Elo": _held(
            (rating, true)
            for rating, true in zip(ratings.ratings, 1500 + strengths, strict=True)
            if rating.error  # an anchor's place is given
        ),
        "difference": _held(ahead),
        "seat": _held(zip(ratings.seats, effects, strict=True)),
        "score": _held(zip(won, truths[0], strict=True)),
        "rare Elo": _held([(ratings.ratings[-1], 1500 + strengths[-1])]),
        "rare score": _held([(won[-1], truths[0][-1])]),
        "rare score's mean": won[-1].mean or 0.0,
        "cell": _held(cells),
        "misfit": float(test.p_value is not None and test.p_value < SIGNIFICANT),
        "worst pair": float(bool(worst) and worst[0].p_value < SIGNIFICANT),
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
    every = [order for group in truth.groups() for order in seatings_of(group)]
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
    if set(ratings.groups[one]) & set(ratings.groups[other]):
        return False
    return bool((ratings.elo[one] - ratings.elo[other]) * (strengths[one] - strengths[other]) <= 0)


def _rank_wrong(ratings: Ratings, strengths: np.ndarray, bot: int) -> bool:
    best, worst = ratings.ranks[bot]
    better, least = (strengths > strengths[bot]).sum(), (strengths >= strengths[bot]).sum()
    return bool(best > least or worst < better + 1)


def coverage(repetitions: int, rng: np.random.Generator) -> Iterator[Row]:
    """Every situation, with the share of each of COVERED and ALARMS."""
    for situation in SITUATIONS:
        found = studied(situation, repetitions, rng)
        yield situation.name, [found[name] for name in (*COVERED, *ALARMS)]


def sections(repetitions: int, rng: np.random.Generator) -> Iterator[str]:
    """The study, a paragraph or a table at a time."""
    few = max(1, repetitions // 2)
    yield (
        f"Each line: {repetitions} tournaments of four bots, in percent. The intervals of Elo, its"
        " differences, seats, scores and cells of the crosstable that hold the truth, then the"
        " tournaments in which the test of the fit, that of the worst pair, the letters or the"
        " ranks claim what is not so."
    )
    yield _table(("ratings", *COVERED, *ALARMS), coverage(repetitions, rng))
    yield (
        f"{repetitions} comparisons of {VARIANTS} variants with a baseline, {MEASURES} measures"
        " each, all of the same game: how many claim any difference, and in how many all intervals"
        " hold 0."
    )
    yield _table(("comparisons", *COMPARISONS), comparisons(repetitions, rng))
    yield (
        f"{few} tournaments of four equal bots, looked at again and again up to {MOST_DEALS} deals:"
        " the bots of which any look misses the truth, and the tournaments in which any look tells"
        " bots apart."
    )
    yield _table(("until", *LOOKING), looking(few, rng))
    yield f"{repetitions} sequential tests of a match, of 0 against 30 Elo, both risks 5%."
    yield _table(("matches", *MATCHES), matches(repetitions, rng))


def _table(headings: Sequence[str], rows: Iterable[Row]) -> str:
    lines = [headings, ["---"] * len(headings)]
    for name, shares in rows:
        lines.append([name, *(f"{100 * share:.1f}" for share in shares)])
        print(f"{lines[-1]}", file=sys.stderr, flush=True)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _write(page: Path, text: str) -> None:
    """Put the study where the page has room for it."""
    before, begin, rest = page.read_text("utf-8").partition("<!-- coverage-study -->\n")
    _, end, after = rest.partition("<!-- end of coverage-study -->")
    page.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", "utf-8")


def main() -> None:
    """Make the study; print it, or write it into a page."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1980)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    text = "\n\n".join(sections(options.repetitions, rng))
    if options.write:
        _write(options.write, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
