"""How often intervals hold the truth, and how often tests raise a false alarm: a study.

Simulated tournaments of which the truth is known, rated by the hundreds; tables in Markdown.
`python tests/coverage_study.py --repetitions 1000`
"""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from math import exp
from pathlib import Path

import alarm_study
import cycle_study
import match_study
import numpy as np
import payoff_study
from helpers.simulated import Truth, seatings_of
from helpers.study_tables import Column, Line, StudyTable, as_markdown

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.deals.seatings import Group
from cantstop_arena.ratings.elo import Points, Ratings, even_score, rate
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.model.luce import ELO
from cantstop_arena.ratings.model_fit.deviance import goodness
from cantstop_arena.ratings.model_fit.residuals import residuals
from cantstop_arena.ratings.scores import crosstable, pair_errors, scores
from cantstop_arena.ratings.significance import SIGNIFICANT

COVERED = ("Elo", "difference", "seat", "score", "cell")
LAST_COVERED = ("last Elo", "last score")  # of the weakest bot, if they differ
BIAS, WIDTH = "bias", "width"
ALARMS = ("misfit", "worst pair", "letters", "ranks")
NORMAL = 1.96
EQUAL, MIXED, STRONG = (0.0, 0.0, 0.0, 0.0), (1.0, 0.5, 0.0, -1.0), (3.0, 1.0, 0.0, -2.0)
RARE = (1.5, 1.2, 1.0, -2.0)  # the last wins in about 2 of 100 games, against strong rivals
RAREST = {2: -4.39, 3: -3.59, 4: -3.15}  # by seats: it wins 3 of 1,000 games against RIVALS
RIVALS = (1.9, 1.5, 1.2)
SEATS = {2: (0.2, -0.2), 3: (0.2, 0.1, -0.3), 4: (0.2, 0.1, 0.0, -0.3)}


@dataclass(frozen=True)
class Situation:
    """What is simulated, again and again."""

    name: str
    truth: Truth
    deals: int
    anchor: Mapping[str, float] = field(default_factory=dict)


def _played_situations() -> Iterator[Situation]:
    strengths_of = {"equal": EQUAL, "mixed": MIXED, "strong": STRONG}
    for deals, players, (spread, strengths), shared in product(
        (30, 200, 2000), (2, 3, 4), strengths_of.items(), (0.0, 0.9)
    ):
        name = f"{players} seats, {spread}, {deals} deals, {shared:.0%} shared"
        yield Situation(name, Truth(strengths, SEATS[players], shared), deals)
    for players, shared, anchor in product((2, 3), (0.0, 0.9), ({}, {"bot0": 1500})):
        against = "anchored" if anchor else "even score"
        name = f"{players} seats, rare wins ({against}), 30 deals, {shared:.0%} shared"
        yield Situation(name, Truth(RARE, SEATS[players], shared), 30, anchor)


def _few_deals() -> Iterator[Situation]:
    """Few deals of each lineup, equal bots and very unequal ones."""
    fields = [*product(((2, 6), (3, 5), (4, 5)), (0, 250), (1, 3, 10))]
    fields += product(((2, 12), (2, 30)), (0,), (2, 3, 5))
    for (players, bots), step, deals in fields:
        strengths = (np.arange(bots) * step / ELO).tolist()
        name = f"{players} seats, {bots} bots in steps of {step} Elo, {deals} deals"
        yield Situation(name, Truth(strengths, SEATS[players], 0.5), deals)


def _lucky_situations() -> Iterator[Situation]:
    for deals, players in product((30, 100, 1000), (2, 3, 4)):
        strengths_of = {"equal": EQUAL, "mixed": MIXED, "rare": (*RIVALS, RAREST[players])}
        for spread, strengths in strengths_of.items():
            name = f"{players} seats, {spread}, {deals} deals, luck removed"
            yield Situation(name, Truth(strengths, SEATS[players], 0.5, lucky=0.8), deals)


PLAYED, LUCK_REMOVED = list(_played_situations()), list(_lucky_situations())
FEW_DEALS = list(_few_deals())
SITUATIONS = [*PLAYED, *LUCK_REMOVED]


def studied(situation: Situation, repetitions: int, rng: np.random.Generator) -> dict[str, float]:
    """Shares of intervals that hold the truth, and of tournaments with a false alarm.

    Besides, the `bias` of the last bot's score, in standard deviations, and the relative `width` of
    the intervals of Elo.
    """
    found: dict[str, list[float]] = {name: [] for name in (*COVERED, *LAST_COVERED, *ALARMS)}
    elo: list[Sequence[Points]] = []
    last_scores: list[float] = []
    truths = true_scores(situation.truth), true_cells(situation.truth)
    for _ in range(repetitions):
        played = situation.truth.played(situation.deals, rng, anchor=situation.anchor)
        ratings, won = rate(played), scores(played)
        elo.append(ratings.ratings)
        last_scores.append(won[-1].mean or 0.0)
        for name, share in _examined(situation.truth, truths, played, ratings, won).items():
            found[name].append(share)
    means = {name: float(np.mean(shares)) for name, shares in found.items()}
    deviation = max(float(np.std(last_scores)), 1e-12)
    means[BIAS] = (float(np.mean(last_scores)) - truths[0][-1]) / deviation
    means[WIDTH] = _relative_width(elo)
    return means


def _relative_width(elo: Sequence[Sequence[Points]]) -> float:
    """The median width of the intervals of Elo by that of 95% of the estimates; mean of bots.

    Bots are left out that have an interval without an end in any tournament.
    """
    quotients = []
    for ratings in zip(*elo, strict=True):
        widths = [
            one.high - one.low for one in ratings if one.low is not None and one.high is not None
        ]
        spread = float(np.std([one.points for one in ratings]))
        if len(widths) == len(ratings) and spread > 0:
            quotients.append(float(np.median(widths)) / (2 * NORMAL * spread))
    return float(np.mean(quotients)) if quotients else np.nan


def _examined(
    truth: Truth,
    truths: tuple[list[float], dict[Group, float]],
    played: TournamentTotals,
    ratings: Ratings,
    won: Sequence[Estimate],
) -> dict[str, float]:
    centre = truth.strengths[0] if played.anchor else even_score(np.array(truth.strengths))[0]
    strengths = ELO * (np.array(truth.strengths) - centre)
    effects = ELO * (np.array(truth.seats) - np.mean(truth.seats))
    pairs = list(combinations(range(len(strengths)), 2))
    ahead = [
        (found.ahead, strengths[one] - strengths[other])
        for one, other in pairs
        if (found := ratings.difference(one, other))
    ]
    table = crosstable(pair_errors(played))
    cells = [(cell, truths[1][pair]) for pair in pairs if (cell := table[pair[0]][pair[1]])]
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
        "last Elo": _held([(ratings.ratings[-1], 1500 + strengths[-1])]),
        "last score": _held([(won[-1], truths[0][-1])]),
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


def tables() -> Sequence[StudyTable]:
    """Those of ratings, as played and with luck removed."""
    return (
        StudyTable(
            "Each line: {repetitions} tournaments of four bots, in percent. The intervals of"
            " Elo, its differences, seats, scores and cells of the crosstable that hold the"
            " truth, then the tournaments in which the test of the fit, that of the worst pair,"
            " the letters or the ranks claim what is not so. The width of the intervals of Elo"
            " (median) is relative to 3.92 standard deviations of the estimates; it leaves out"
            " bots that won nothing in some tournament.",
            "ratings",
            [*map(Column, COVERED), Column(WIDTH, 2), *map(Column, ALARMS)],
            _lines(PLAYED),
        ),
        StudyTable(
            "The same for {repetitions} tournaments with few deals of each lineup. Half of the"
            " noise is shared by the games of a deal.",
            "few deals",
            [*map(Column, COVERED), Column(WIDTH, 2), *map(Column, ALARMS)],
            _lines(FEW_DEALS),
        ),
        StudyTable(
            "The same for {repetitions} tournaments with luck removed. Half of the noise is"
            " shared by the games of a deal, and four fifths of it are measured as luck. The"
            " intervals of the last bot are counted separately (with rare wins it wins 3 of"
            " 1,000 games), and the bias of its score is in standard deviations.",
            "luck removed",
            [
                *map(Column, (*COVERED, *LAST_COVERED)),
                *(Column(name, 2) for name in (BIAS, WIDTH)),
                Column("letters"),
            ],
            _lines(LUCK_REMOVED),
        ),
    )


def _lines(situations: Iterable[Situation]) -> list[Line]:
    return [Line(situation.name, partial(studied, situation)) for situation in situations]


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
    import figures_study  # of extensions, too, which the tests of ratings do without

    every = [*tables(), *alarm_study.tables(), *match_study.tables()]
    every += [*payoff_study.tables(), *cycle_study.tables(), *figures_study.tables()]
    text = "\n\n".join(as_markdown(every, options.repetitions, options.seed))
    if options.write:
        _write(options.write, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
