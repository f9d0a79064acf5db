"""The headline of a tournament page, who won, and the sentences below it, how sure that is.

A gauntlet and a match ask about one bot, the subject of the results, so their headline is about it.
"""

from collections.abc import Iterator, Sequence

from cantstop_arena.pages.number_text import percent, plain, share_ends, with_error
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.rating import Points
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.differences import counted_unit, solo_difference
from cantstop_arena.tables.notes import all_of, rank_text
from cantstop_arena.texts import how_many


def headline(analysis: Analysis) -> str:
    """Who won and by how much, in a line."""
    if not analysis.games:
        if analysis.results.disqualified:
            return "No games are left: no ranking"
        return "Nothing has been played yet"
    if analysis.is_solo:
        return _best_alone(analysis)
    subject = subject_of(analysis)
    return _winner(analysis) if subject is None else _about(analysis, subject)


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


def subject_of(analysis: Analysis) -> int | None:
    """The bot that a gauntlet or a match asked about; None in other tournaments."""
    subject, bots = analysis.results.subject, analysis.results.bots
    if subject not in bots or bots.index(subject) in analysis.without_games:
        return None
    return bots.index(subject)


def top(analysis: Analysis) -> list[int]:
    """The bots that the facts are about: the subject, or those of rank 1."""
    subject = subject_of(analysis)
    return first_ones(analysis) if subject is None else [subject]


def duel(analysis: Analysis) -> tuple[int, int] | None:
    """The two bots to compare: those of a match, the first one first, else the best two.

    None in a gauntlet, where the question is the challenger's rank, and where the best are level.
    """
    order, subject = playing(analysis), subject_of(analysis)
    if len(order) < 2 or analysis.results.challenger:
        return None
    if subject is not None:
        return subject, min(bot for bot in order if bot != subject)
    return None if len(first_ones(analysis)) > 1 else (order[0], order[1])


def has_copies(analysis: Analysis) -> bool:
    """Whether copies of the second bot of a match fill the seats that remain."""
    return bool(
        analysis.results.subject
        and not analysis.results.challenger
        and analysis.results.players > 2
        and duel(analysis)
    )


def rival_of(analysis: Analysis, rival: int) -> str:
    """The name of the second bot of the duel, with the seats that its copies fill."""
    name = analysis.results.bots[rival]
    if not has_copies(analysis):
        return name
    return f"{name} in the other {analysis.results.players - 1} seats"


def lead(analysis: Analysis) -> Points | None:
    """The lead of the first bot of the duel; None without one, or where it has no bound."""
    pair = duel(analysis)
    ahead = _ahead(analysis, *pair) if pair else None
    return None if ahead is None or ahead.low is ahead.high is None else ahead


def _ahead(analysis: Analysis, bot: int, rival: int) -> Points | None:
    """The lead over a rival, or over the mean of its copies; None if games do not connect them."""
    if has_copies(analysis):
        return analysis.ratings.lead_over_others(bot)
    difference = analysis.ratings.difference(bot, rival)
    return difference.ahead if difference else None


def _about(analysis: Analysis, subject: int) -> str:
    """The rank of a challenger, or the lead of the first bot of a match."""
    name, pair = analysis.results.bots[subject], duel(analysis)
    if pair is None:
        return f"{name} {rank_text(analysis, subject)}"
    rival, ahead = rival_of(analysis, pair[1]), _ahead(analysis, *pair)
    points = ahead.points if ahead else 0
    if not points or plain(abs(points)) == plain(0):
        return f"{name} and {rival} are level"
    amount = f"{plain(abs(points))} Elo " if lead(analysis) else ""
    side = f"{amount}{'ahead of' if points > 0 else 'behind'} {rival}"
    if _is_undecided(analysis, subject):
        return f"{name} is {side}, but not beyond doubt"
    return f"{name} {'wins' if points > 0 else 'loses'}, {side}"


def _is_undecided(analysis: Analysis, subject: int) -> bool:
    """Whether the subject of a match is not significantly stronger or weaker."""
    if not has_copies(analysis):
        return bool(_equals(analysis, [subject]))
    low, high = analysis.lead_over_others(subject)[1:]
    return (low is None or low <= 0) and (high is None or high >= 0)


def _winner(analysis: Analysis) -> str:
    first = first_ones(analysis)
    if len(first) > 1:
        return f"{_named(analysis, first)} are level"
    if len(playing(analysis)) == 1:
        return f"{_named(analysis, first)} is the only bot that has played"
    points = lead(analysis)
    ahead = f", {plain(points.points)} Elo ahead" if points else ""
    if _equals(analysis, first):
        return f"{_named(analysis, first)} is first{ahead}, but not beyond doubt"
    return f"{_named(analysis, first)} wins{ahead}"


def _equals(analysis: Analysis, first: Sequence[int]) -> list[int]:
    """The bots that are not significantly different from the first ones."""
    groups = {letter for bot in first for letter in analysis.groups[bot]}
    others = [bot for bot in playing(analysis) if bot not in first]
    return [bot for bot in others if groups & {*analysis.groups[bot]}]


def _rated(analysis: Analysis) -> Iterator[str]:
    first = top(analysis)
    if analysis.results.bots[first[0]] in analysis.results.anchor:
        yield f"{_named(analysis, first[:1])} is an anchor, with Elo {_elo(analysis, first[0])}."
    if len(first) > 1:
        yield f"They have Elo {_elo(analysis, first[0])}."
    if has_copies(analysis):
        yield _against_copies(analysis, first[0])
        return
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


def _against_copies(analysis: Analysis, bot: int) -> str:
    """The score of the first bot of a match with more than two seats."""
    score, even = analysis.scores[bot], 1 / analysis.results.players
    ends = share_ends(score)
    scored = f"{percent(score.mean or 0)} of the points{f' ({ends})' if ends else ''}"
    return f"It takes {scored}; an even score is {percent(even)}."


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
