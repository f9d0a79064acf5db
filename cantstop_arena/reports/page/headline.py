"""Who won, and how sure that is, in a sentence or two."""

from collections.abc import Iterator, Sequence

from cantstop_arena.documents.analysis import Analysis
from cantstop_arena.documents.formats.model import Estimate
from cantstop_arena.documents.tables.notes import all_of
from cantstop_arena.texts import how_many

NEARLY = 0.999  # a probability beyond which more digits tell nobody more


def answer(analysis: Analysis) -> list[str]:
    """The answer to what a tournament is played for, and what casts doubt on it."""
    if not analysis.games:
        return [_nothing(analysis), *_out(analysis)]
    told = _alone(analysis) if analysis.alone else _rated(analysis)
    return [" ".join(told), *_without_winners(analysis), *_forfeited(analysis), *_out(analysis)]


def _nothing(analysis: Analysis) -> str:
    if analysis.results.disqualified:
        return "There are no games left to tell who is better."
    return "Nothing has been played yet: there are no games to tell who is better."


def with_error(told: Estimate, decimals: int, scale: float = 1) -> str:
    """A number with half of its interval, where it has one: "52.3 ± 0.4"."""
    if told.mean is None:
        return "unknown"
    number = f"{scale * told.mean:z.{decimals}f}"
    if told.low is None or told.high is None:
        return number
    return f"{number} ± {scale * (told.high - told.low) / 2:.{decimals}f}"


def _rated(analysis: Analysis) -> Iterator[str]:
    ranked = [(rank, bot) for rank, bot in analysis.places if bot not in analysis.idle]
    first = [bot for rank, bot in ranked if rank == ranked[0][0]]
    others = [bot for _, bot in ranked if bot not in first]
    letters = {letter for bot in first for letter in analysis.ratings.letters[bot]}
    equals = [bot for bot in others if letters & {*analysis.ratings.letters[bot]}]
    names, elo = _named(analysis, first), _elo(analysis, first[0])
    played = f"after {how_many(analysis.games, 'game')}"
    if len(first) > 1:
        yield f"{names} are level, with {elo} {played}."
        if equals:
            yield f"They are not significantly different from {_named(analysis, equals)}."
        return
    if not others:
        yield f"{names} is the only bot that has played, with {elo} {played}."
    elif not equals:
        yield f"{names} wins, with {elo} {played}."
    else:
        yield (
            f"{names} is ahead, with {elo}, but {played} it is not significantly different from"
            f" {_named(analysis, equals)}."
        )
    if others:
        yield from _ahead(analysis, first[0], others[0])


def _named(analysis: Analysis, bots: Sequence[int]) -> str:
    return all_of([analysis.results.bots[bot] for bot in bots])


def _elo(analysis: Analysis, bot: int) -> str:
    """A bot's Elo with its error, which an anchor has none of."""
    elo = analysis.elo[bot]
    if analysis.results.bots[bot] in analysis.results.anchor and elo.low == elo.high:
        return f"Elo {with_error(Estimate(elo.mean), 1)} as the anchor"
    return f"Elo {with_error(elo, 1)}"


def _ahead(analysis: Analysis, best: int, next_one: int) -> Iterator[str]:
    difference = analysis.ratings.difference(best, next_one)
    if difference is None or difference.ahead.low is None:
        return
    ahead = Estimate(difference.ahead.points, difference.ahead.low, difference.ahead.high)
    yield (
        f"It is {with_error(ahead, 1)} Elo ahead of {analysis.results.bots[next_one]}, and better"
        f" than it with a probability of {_chance(difference.superiority)}."
    )


def _chance(probability: float) -> str:
    if probability > NEARLY:
        return f"more than {100 * NEARLY:.1f}%"
    return f"{100 * probability:.1f}%"


def _alone(analysis: Analysis) -> Iterator[str]:
    first = [bot for rank, bot in analysis.places if rank == 1]
    units = f"{analysis.results.counts.unit}s"
    names, mean = _named(analysis, first), with_error(analysis.means[first[0]], 3)
    if len(analysis.results.bots) == 1:
        yield f"{names} needs {mean} {units} for a game alone."
        return
    verb = "needs" if len(first) == 1 else "need"
    yield f"{names} {verb} the fewest {units} for a game alone: {mean}."
    if close := _overlapping(analysis, first):
        intervals = "interval" if len(close) == 1 else "intervals"
        verb = "overlaps" if len(close) == 1 else "overlap"
        yield f"The {intervals} of {all_of(close)} {verb} with that."


def _overlapping(analysis: Analysis, first: Sequence[int]) -> list[str]:
    """Those whose intervals reach into that of the first one."""
    high = analysis.means[first[0]].high
    lows = {bot: analysis.means[bot].low for bot in analysis.order if bot not in first}
    return [
        analysis.results.bots[bot]
        for bot, low in lows.items()
        if low is not None and high is not None and low <= high
    ]


def _without_winners(analysis: Analysis) -> Iterator[str]:
    limit = analysis.results.counts.limit
    if analysis.unfinished == analysis.games:
        yield "No game was won" + (f": all of them ended at {limit}." if limit else ".")
    elif 2 * analysis.unfinished >= analysis.games:
        won = analysis.games - analysis.unfinished
        before = f" before {limit}" if limit else ""
        yield f"Only {won:,} of the games were won{before}."


def _forfeited(analysis: Analysis) -> Iterator[str]:
    """Games that were lost by faults, and not at the board."""
    if analysis.forfeits == analysis.games:
        yield "Every game was ended by a fault of a bot."
    elif analysis.forfeits:
        yield f"Of the games {analysis.forfeits:,} were ended by faults of bots."


def _out(analysis: Analysis) -> Iterator[str]:
    if out := analysis.results.disqualified:
        verb = "was" if len(out) == 1 else "were"
        yield f"{all_of(out)} {verb} disqualified for faults, and all games with them left out."
