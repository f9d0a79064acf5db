"""Who stands where: the rows of the standings, with numbers as they are written everywhere.

Elo has two decimals, every other number ten significant digits: more than any tournament can
tell, and few enough to be the same on every machine.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from cantstop_arena.outcomes import Results
from cantstop_arena.ratings.elo import rate
from cantstop_arena.ratings.scores import Estimate, crosstable, per_game, scores

DIGITS = 10
ELO_DECIMALS = 2
TURNS = "turns"  # the count by which solitaire is ranked


@dataclass(frozen=True, slots=True)
class Standing:
    """A bot's place. The score is a share of wins, with the ends of its 95 % interval."""

    rank: int
    bot: str
    elo: float
    games: int
    score: float | None
    score_low: float | None
    score_high: float | None


@dataclass(frozen=True, slots=True)
class SoloStanding:
    """A bot's place in solitaire. Turns are a mean, with the ends of its 95 % interval."""

    rank: int
    bot: str
    games: int
    turns_per_game: float | None
    turns_low: float | None
    turns_high: float | None


def standings(results: Results) -> list[Standing]:
    """The bots by Elo, the best first, equals by name and with equal ranks. For 2 or more seats."""
    elo = [round(points, ELO_DECIMALS) for points in rate(results).elo]
    share = scores(results)
    return [
        Standing(rank, results.bots[bot], elo[bot], share[bot].games, *_written(share[bot]))
        for rank, bot in _ranked(results.bots, [-points for points in elo])
    ]


def solo_standings(results: Results) -> list[SoloStanding]:
    """The bots by turns per game, the fewest first. For 1 seat.

    Bots without games come last, and those that misbehaved: forfeited games are short.
    """
    turns = per_game(results, TURNS)
    culprits = {fault.bot for fault in results.faults}
    fewest = [
        inf if mean.mean is None or results.bots[bot] in culprits else mean.mean
        for bot, mean in enumerate(turns)
    ]
    return [
        SoloStanding(rank, results.bots[bot], turns[bot].games, *_written(turns[bot]))
        for rank, bot in _ranked(results.bots, fewest)
    ]


def against(results: Results) -> list[tuple[str, list[float | None]]]:
    """The crosstable: each bot and its scores, rows and columns as in the standings."""
    number = {bot: index for index, bot in enumerate(results.bots)}
    order = [number[row.bot] for row in standings(results)]
    cells = crosstable(results)
    return [(results.bots[me], [_mean(cells[me][you]) for you in order]) for me in order]


def _mean(cell: Estimate | None) -> float | None:
    return None if cell is None else significant(cell.mean)


def _ranked(names: Sequence[str], keys: Sequence[float]) -> list[tuple[int, int]]:
    """Ranks from 1 and the numbers of those who hold them, by ascending key and then name."""
    order = sorted(range(len(names)), key=lambda number: (keys[number], names[number]))
    ahead = sorted(keys)
    return [(bisect_left(ahead, keys[number]) + 1, number) for number in order]


def _written(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return significant(estimate.mean), significant(estimate.low), significant(estimate.high)


def significant(number: float | None) -> float | None:
    """A number as it is written, to ten significant digits."""
    return None if number is None else float(f"{number:.{DIGITS}g}")
