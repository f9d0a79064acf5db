"""The headline of a tournament or gauntlet, and the sentences below it, which say how sure it is.

Terminal, JSON, pages and the API have the same headline. A gauntlet asks about one bot, the subject
of the results, so its headline is about that one; so is a match's, which `match_report` has.
"""

from collections.abc import Iterator, Sequence

from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.pages.number_text import percent, plain, share_ends, with_error
from cantstop_arena.ratings.elo import Points
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.differences import counted_unit, solo_difference
from cantstop_arena.tables.notes import all_of, rank_text
from cantstop_arena.texts import how_many


def headline(analysis: Analysis) -> str:
    """Who won and by how much, in a line; of a gauntlet the challenger's rank."""
    if not analysis.games:
        if analysis.results.disqualified:
            return "No games are left: no ranking"
        return "Nothing has been played yet"
    if analysis.is_solo:
        return _best_alone(analysis)
    if pair := _match_pair(analysis):
        first, second = (analysis.results.bots[bot] for bot in pair)
        return score_text(first, second, analysis.scores[pair[0]], analysis.results.players)
    challenger = challenger_of(analysis)
    if challenger is not None:
        return rank_text(analysis, challenger)
    winners = [_winner(field) for field in analysis.fields]
    never_met = f"{len(winners)} fields never met: " if len(winners) > 1 else ""
    return never_met + "; ".join(winners)


def answer(analysis: Analysis) -> list[str]:
    """The sentences below the headline: margins and reservations."""
    if not analysis.games:
        return [_nothing(analysis), *_out(analysis)]
    texts = _alone(analysis) if analysis.is_solo else _rated(analysis)
    text = " ".join([*texts, f"{_played(analysis)}."])
    return [text, *_without_winners(analysis), *_forfeited(analysis), *_out(analysis)]


def _nothing(analysis: Analysis) -> str:
    if analysis.results.disqualified:
        return "All games were games with bots that were disqualified."
    return "No games: no ranking."


def _played(analysis: Analysis) -> str:
    playing = len(analysis.results.bots) - len(analysis.without_games)
    return f"{how_many(playing, 'bot')} played {how_many(analysis.games, 'game')}"


# Bots that meet -----------------------------------------------------------------------------


def playing(analysis: Analysis) -> list[int]:
    """The bots that have played, the best first."""
    return [bot for bot in analysis.order if bot not in analysis.without_games]


def first_ones(analysis: Analysis) -> list[int]:
    """The bots of rank 1, several where they are level."""
    ranked = [(rank, bot) for rank, bot in analysis.ranking if bot not in analysis.without_games]
    return [bot for rank, bot in ranked if rank == ranked[0][0]]


def challenger_of(analysis: Analysis) -> int | None:
    """The challenger of a gauntlet, if it has played in the field; None in other tournaments."""
    challenger, bots = analysis.results.challenger, analysis.results.bots
    if challenger not in bots or bots.index(challenger) not in playing(analysis):
        return None
    return bots.index(challenger)


def top(analysis: Analysis) -> list[int]:
    """The bots that the facts are about: the challenger, or those of rank 1."""
    challenger = challenger_of(analysis)
    return first_ones(analysis) if challenger is None else [challenger]


def is_match(results: TournamentTotals) -> bool:
    """Whether the results are those of a match of two bots."""
    return bool(results.subject) and not results.challenger


def _match_pair(analysis: Analysis) -> tuple[int, int] | None:
    """The two bots of a match, the first one first; None in other tournaments."""
    results = analysis.results
    if not is_match(results) or results.subject not in results.bots or len(results.bots) < 2:
        return None
    first = results.bots.index(results.subject)
    return first, min(bot for bot in range(len(results.bots)) if bot != first)


def score_text(first: str, second: str, score: Estimate, players: int) -> str:
    """The score of the first bot of a match, and whether it stays open who is stronger.

    The second bot fills the other seats of so many `players`.
    """
    seats = "" if players == 2 else f" in the other {players - 1} seats"
    text = f"{first} scores {percent(score.mean or 0)} against {second}{seats}"
    if score.low is None and score.high is None:
        return f"{text}; one deal does not show who is stronger"
    low, high = score.low or 0, 1 if score.high is None else score.high
    return f"{text}; it stays open who is stronger" if low <= 1 / players <= high else text


def duel(analysis: Analysis) -> tuple[int, int] | None:
    """The best two bots, to be compared; None in a gauntlet, and where the best are level."""
    order = playing(analysis)
    if len(order) < 2 or analysis.results.challenger or len(first_ones(analysis)) > 1:
        return None
    return order[0], order[1]


def lead(analysis: Analysis) -> Points | None:
    """The lead of the first bot of the duel; None without one, or where it has no bound."""
    pair = duel(analysis)
    difference = analysis.ratings.difference(*pair) if pair else None
    ahead = difference.ahead if difference else None
    return None if ahead is None or ahead.low is ahead.high is None else ahead


def _winner(analysis: Analysis) -> str:
    first = first_ones(analysis)
    if len(first) > 1:
        return f"{_named(analysis, first)} are level"
    if len(playing(analysis)) == 1:
        return f"{_named(analysis, first)} is the only bot that has played"
    margin = _margin(analysis)
    ahead = f", {margin} ahead" if margin else ""
    if _equals(analysis, first):
        return f"{_named(analysis, first)} is first{ahead}, but not beyond doubt"
    return f"{_named(analysis, first)} wins{ahead}"


def _margin(analysis: Analysis) -> str:
    """How far the first bot of the duel is ahead, with its unit; empty where that has no bound."""
    pair, paid = duel(analysis), analysis.results.payoff
    if pair and paid and analysis.by_payoff and analysis.mean_payoffs:
        ahead = analysis.mean_payoffs.ahead(*pair)
        return f"{plain(ahead.mean, 3)} {paid.units} a game" if ahead else ""
    points = lead(analysis)
    return f"{plain(points.points)} Elo" if points else ""


def _equals(analysis: Analysis, first: Sequence[int]) -> list[int]:
    """The bots that are not significantly different from the first ones."""
    groups = {letter for bot in first for letter in analysis.letters_of(bot)}
    others = [bot for bot in playing(analysis) if bot not in first]
    return [bot for bot in others if groups & {*analysis.letters_of(bot)}]


def _rated(analysis: Analysis) -> Iterator[str]:
    for number, field in enumerate(analysis.fields, start=1):
        if texts := [*_rated_within(field)]:
            yield " ".join([f"Field {number}:"] * (field is not analysis) + texts)


def _rated_within(analysis: Analysis) -> Iterator[str]:
    first = top(analysis)
    if analysis.results.bots[first[0]] in analysis.results.anchor:
        yield f"{_named(analysis, first[:1])} is an anchor, with Elo {_elo(analysis, first[0])}."
    if len(first) > 1:
        yield f"They have Elo {_elo(analysis, first[0])}."
    yield from _undecided(analysis, first)
    if pair := duel(analysis):
        yield from _duel(analysis, *pair)


def _undecided(analysis: Analysis, first: Sequence[int]) -> Iterator[str]:
    if equals := _equals(analysis, first):
        who = "It is" if len(first) == 1 else "They are"
        yield f"{who} not significantly different from {_named(analysis, equals)}."


def _named(analysis: Analysis, bots: Sequence[int]) -> str:
    return all_of([analysis.results.bots[bot] for bot in bots])


def _elo(analysis: Analysis, bot: int) -> str:
    """The Elo of a bot with its error; anchors have none."""
    elo = analysis.elo[bot]
    return with_error(Estimate(elo.mean) if elo.low == elo.high else elo, 1)


def _duel(analysis: Analysis, first: int, second: int) -> Iterator[str]:
    cell = analysis.against[first][second]
    if cell is None or cell.mean is None:
        return
    whose = "of their games" if analysis.results.players == 2 else "of the games one of them won"
    rival, ends = analysis.results.bots[second], share_ends(cell)
    scored = f"{percent(cell.mean)} {whose}{f' ({ends})' if ends else ''}"
    if cell.mean > 0.5:
        yield f"It beats {rival} in {scored}."
    else:
        yield f"Against {rival} it scores {scored}."


# Bots that play alone -----------------------------------------------------------------------


def _best_alone(analysis: Analysis) -> str:
    first = first_ones(analysis)
    units = f"{analysis.results.counts.unit}s"
    names, mean = _named(analysis, first), with_error(analysis.means[first[0]], 2)
    if len(analysis.results.bots) == 1:
        return f"{names} needs {mean} {units} for a game alone"
    verb = "needs" if len(first) == 1 else "need"
    return f"{names} {verb} the fewest {units} for a game alone: {mean}"


def _alone(analysis: Analysis) -> Iterator[str]:
    first = first_ones(analysis)
    yield from _undecided(analysis, first)
    order = playing(analysis)[:2]
    if len(first) > 1 or len(order) < 2:
        return
    ahead = solo_difference(analysis, *order)
    if ahead and ahead.low is not None:
        rival, unit = analysis.results.bots[order[1]], counted_unit(analysis)
        yield f"In the same deals it needs {with_error(ahead, 2)} {unit} fewer than {rival}."


# Doubts -------------------------------------------------------------------------------------


def _without_winners(analysis: Analysis) -> Iterator[str]:
    limit = analysis.results.counts.limit
    if analysis.unfinished == analysis.games:
        yield "No game was won" + (f": all of them ended at {limit}." if limit else ".")
    elif 2 * analysis.unfinished >= analysis.games:
        won = analysis.games - analysis.unfinished
        before = f" before {limit}" if limit else ""
        yield f"Only {won:,} of the games were won{before}."


def _forfeited(analysis: Analysis) -> Iterator[str]:
    """A sentence on games that were ended by faults."""
    if analysis.forfeits == analysis.games:
        yield "Every game was ended by a fault of a bot."
    elif analysis.forfeits:
        yield f"Of the games {analysis.forfeits:,} were ended by faults of bots."


def _out(analysis: Analysis) -> Iterator[str]:
    if out := analysis.results.disqualified:
        verb = "was" if len(out) == 1 else "were"
        yield f"{all_of(out)} {verb} disqualified for faults, and all games with them left out."
