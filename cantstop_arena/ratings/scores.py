"""Shares of wins and mean counts, each with a 95 % interval.

A score is a share of wins: 1 for a bot that won every game it sat in.
The games of one deal share their luck, so the deal is what was sampled, and the variance of a
score is that of the mean over deals: s² / deals, s² between deals with deals - 1 below. A game
counts n_eff = p (1 - p) / variance times as in a simple random sample (Kish 1965), and the
interval is Wilson's (1927) with n_eff games and Student's quantile with deals - 1 degrees of
freedom in place of the normal one, the modification of Korn and Graubard (1998):

    (p + t²/2n ± t √(p (1 - p)/n + t²/4n²)) / (1 + t²/n)

A bot that won nothing or everything: the same with n = deals. Equal shares in every deal (a bot
against itself under another name): the interval is the score alone. Fewer than two deals: 0 to 1.

Where one looks while games go on, the interval is a confidence sequence: the same with its
multiplier in place of Student's quantile, and a variance that is not taken to be smaller than what
many looks can tell it to be (see `sequential.confidence`).
"""

from dataclasses import dataclass
from math import sqrt

from cantstop_arena.outcomes import WHOLE, Results, Tally
from cantstop_arena.sequential.confidence import FIRST_LOOK, least_variance, multiplier

NORMAL = 1.959963984540054  # the normal distribution's 97.5 % point
STUDENT = (12.706204737, 4.302652730, 3.182446305, 2.776445105, 2.570581836, 2.446911851)
"""Student's 97.5 % points for 1 to 6 degrees of freedom; beyond, the expansion is exact to 5e-5."""


@dataclass(frozen=True, slots=True)
class DealSums:
    """One bot's deals: the parts of WHOLE it won in a deal, over all games it played there."""

    deals: int
    total: int
    squares: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over games and its 95 % interval; None where the games say nothing."""

    games: int
    mean: float | None
    low: float | None
    high: float | None


def scores(results: Results) -> tuple[Estimate, ...]:
    """Each bot's share of wins in the games it sat in."""
    expected = results.until.expected if results.until else None
    sums = (_sums(results, bot) for bot in range(len(results.bots)))
    return tuple(score(*one, expected) for one in zip(sums, _games(results), strict=True))


def _sums(results: Results, bot: int) -> DealSums:
    played = [one for one in results.deals.stretches if any(bot in group for group in one.groups)]
    return DealSums(
        sum(stretch.deals for stretch in played),
        sum(int(stretch.totals[bot]) for stretch in played),
        sum(int(stretch.products[bot, bot]) for stretch in played),
    )


def _games(results: Results) -> list[int]:
    games = [0] * len(results.bots)
    for seating, tally in results.tallies.items():
        for bot in seating:
            games[bot] += tally.games
    return games


def score(sums: DealSums, games: int, expected: float | None = None) -> Estimate:
    """The share of wins in `games` games, played in the deals of `sums`.

    Its interval is a confidence sequence, if it is said how many deals one `expected` to play.
    """
    if games == 0:
        return Estimate(0, None, 0.0, 1.0)
    share = sums.total / (WHOLE * games)
    return Estimate(games, share, *_interval(sums, games, share, expected))


def _interval(
    sums: DealSums, games: int, share: float, expected: float | None
) -> tuple[float, float]:
    if sums.deals < (2 if expected is None else FIRST_LOOK):
        return 0.0, 1.0
    reach = student(sums.deals - 1) if expected is None else multiplier(sums.deals, expected)
    if share in (0, 1):
        return _wilson(share, sums.deals, reach)
    between = variance(sums.deals, sums.total, sums.squares)
    of_deal = between * (sums.deals / (WHOLE * games)) ** 2
    if expected is not None:
        of_deal = max(of_deal, least_variance(max(share, 1 - share), sums.deals, expected))
    if of_deal == 0:
        return share, share
    return _wilson(share, share * (1 - share) / (of_deal / sums.deals), reach)


def _wilson(share: float, games: float, quantile: float) -> tuple[float, float]:
    ease = quantile**2 / games
    middle = share + ease / 2
    reach = sqrt(share * (1 - share) * ease + ease**2 / 4)
    low, high = (middle - reach) / (1 + ease), (middle + reach) / (1 + ease)
    return min(max(low, 0.0), share), max(min(high, 1.0), share)


def student(freedom: int) -> float:
    """Student's 97.5 % point: a table, then Abramowitz and Stegun 26.7.5."""
    if freedom <= len(STUDENT):
        return STUDENT[freedom - 1]
    z, n = NORMAL, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )


def variance(size: int, total: int, squares: int) -> float:
    """The sample variance from whole-number sums, rounded once: (n Σx² - (Σx)²) / n (n - 1)."""
    return (size * squares - total**2) / (size * (size - 1))


def crosstable(results: Results) -> tuple[tuple[float | None, ...], ...]:
    """Each bot's score against each other bot, by number; None where there is nothing to compare.

    Of the games in which both sat, and of what either of the two won there, the row's bot's part:
    wins_i / (wins_i + wins_j). For two seats that is the plain score. For more it leaves out what
    third bots won, and is what the choice model predicts from the two strengths alone.
    """
    won = _won_together(results)
    return tuple(
        tuple(
            _part(mine, won[other][me]) if me != other else None for other, mine in enumerate(row)
        )
        for me, row in enumerate(won)
    )


def _part(mine: int, yours: int) -> float | None:
    return mine / (mine + yours) if mine + yours else None


def _won_together(results: Results) -> list[list[int]]:
    """What the row's bot won in games with the column's bot, in parts of WHOLE."""
    won = [[0] * len(results.bots) for _ in results.bots]
    for seating, tally in results.tallies.items():
        for bot, parts in zip(seating, tally.wins, strict=True):
            for other in seating:
                won[bot][other] += parts
    return won


def per_game(results: Results, count: str) -> tuple[Estimate, ...]:
    """How much each bot has of a count in a game it plays alone: the mean, and Student's interval.

    For one seat only: with more, the sums of squares are those of all seats together.
    """
    alone = {seating[0]: tally for seating, tally in results.tallies.items()}
    return tuple(_mean_count(alone.get(bot), count) for bot in range(len(results.bots)))


def _mean_count(tally: Tally | None, count: str) -> Estimate:
    games = tally.games - tally.forfeits if tally else 0  # forfeits have no length
    if tally is None or games == 0:
        return Estimate(0, None, None, None)
    total = sum(tally.counts[count])
    mean = total / games
    if games < 2:
        return Estimate(1, mean, None, None)
    spread = variance(games, total, tally.squares[count])
    half = student(games - 1) * sqrt(spread / games)
    return Estimate(tally.games, mean, mean - half, mean + half)
