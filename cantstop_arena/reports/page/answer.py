"""Who won, and how sure that is, in a sentence or two."""

from collections.abc import Iterator, Sequence

from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.reports.model import Estimate
from cantstop_arena.reports.notes import listed

NEARLY = 0.999  # a probability beyond which more digits tell nobody more


def answer(analysis: Analysis) -> list[str]:
    """The answer to what a tournament is played for."""
    if not analysis.games:
        return ["Nothing has been played yet: there are no games to tell who is better."]
    told = _alone(analysis) if analysis.alone else _rated(analysis)
    return [" ".join(told), *_out(analysis)]


def with_error(told: Estimate, decimals: int, scale: float = 1) -> str:
    """A number with half of its interval, where it has one: "52.3 ± 0.4"."""
    if told.mean is None:
        return "unknown"
    number = f"{scale * told.mean:z.{decimals}f}"
    if told.low is None or told.high is None:
        return number
    return f"{number} ± {scale * (told.high - told.low) / 2:.{decimals}f}"


def _rated(analysis: Analysis) -> Iterator[str]:
    best, *others = analysis.order
    name = analysis.results.bots[best]
    elo = f"Elo {with_error(analysis.elo[best], 1)}"
    played = f"after {analysis.games:,} games"
    letters = set(analysis.ratings.letters[best])
    equals = [bot for bot in others if letters & set(analysis.ratings.letters[bot])]
    if not others:
        yield f"{name} is the only bot, with {elo} {played}."
    elif not equals:
        yield f"{name} wins, with {elo} {played}."
    else:
        names = listed([analysis.results.bots[bot] for bot in equals])
        yield f"{name} is ahead, with {elo}, but {played} it cannot be told apart from {names}."
    if others:
        yield from _ahead(analysis, best, others[0])


def _ahead(analysis: Analysis, best: int, next_one: int) -> Iterator[str]:
    difference = analysis.ratings.difference(best, next_one)
    if difference is None or difference.ahead.low is None or next_one in analysis.idle:
        return
    ahead = Estimate(difference.ahead.points, difference.ahead.low, difference.ahead.high)
    yield (
        f"It is {with_error(ahead, 1)} Elo ahead of {analysis.results.bots[next_one]}, and better"
        f" than it with a probability of {_chance(difference.superiority)}."
    )


def _chance(probability: float) -> str:
    if probability > NEARLY:
        return f"more than {100 * NEARLY:.1f} %"
    return f"{100 * probability:.1f} %"


def _alone(analysis: Analysis) -> Iterator[str]:
    first = [bot for rank, bot in analysis.places if rank == 1]
    names = listed([analysis.results.bots[bot] for bot in first])
    turns = with_error(analysis.turns[first[0]], 3)
    verb = "needs" if len(first) == 1 else "need"
    yield f"{names} {verb} the fewest turns for a game alone: {turns}."
    if close := _overlapping(analysis, first):
        yield f"The intervals of {listed(close)} overlap with that."


def _overlapping(analysis: Analysis, first: Sequence[int]) -> list[str]:
    """Those whose intervals reach into that of the first one."""
    high = analysis.turns[first[0]].high
    lows = {bot: analysis.turns[bot].low for bot in analysis.order if bot not in first}
    return [
        analysis.results.bots[bot]
        for bot, low in lows.items()
        if low is not None and high is not None and low <= high
    ]


def _out(analysis: Analysis) -> Iterator[str]:
    if out := analysis.results.disqualified:
        verb = "was" if len(out) == 1 else "were"
        yield f"{listed(out)} {verb} disqualified for faults, and all games with them left out."
