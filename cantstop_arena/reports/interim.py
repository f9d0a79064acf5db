"""The standings while a tournament is played: who is ahead so far, and how sure that is."""

from dataclasses import dataclass

from cantstop_arena.outcomes import Results
from cantstop_arena.ratings.narrowness import widest
from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.reports.ending import extent_for
from cantstop_arena.reports.model import Column, Estimate, Table, Value, estimate, number
from cantstop_arena.reports.notes import listed
from cantstop_arena.reports.standings import ELO

_RATED = (ELO, estimate("score", "score %", 2, percent=True))
_ALONE = (estimate("turns_per_game", "turns per game", 3, stem="turns"),)


@dataclass(frozen=True, slots=True)
class Interim:
    """What is known after so many `games`; `extent` of the widest interval, where one waits for it.

    The columns of the table, after rank and bot, come in the order of their importance.
    """

    table: Table
    games: int
    extent: str
    notes: tuple[str, ...]


def interim(results: Results) -> Interim:
    """What a tournament's results tell before it is over."""
    analysis = Analysis(results)
    return Interim(
        Table(
            name="interim",
            title="Standings so far",
            columns=(
                number("rank"),
                Column("bot", "bot"),
                *(_ALONE if analysis.alone else _RATED),
                number("games"),
                number("faults", optional=True),
            ),
            rows=_rows(analysis),
        ),
        analysis.games,
        _extent(results),
        (f"Disqualified: {listed(results.disqualified)}.",) if results.disqualified else (),
    )


def _extent(results: Results) -> str:
    if not results.until:
        return ""
    bot, measured = widest(results, results.until)
    return extent_for(results.until.measure, measured, bot) if bot else ""


def _rows(analysis: Analysis) -> list[list[Value]]:
    """The bots that have played by rank, then the others, of whom nothing is known."""
    playing = [(rank, bot) for rank, bot in analysis.places if bot not in analysis.idle]
    ranks = [rank for rank, _ in playing]
    rows: list[list[Value]] = [
        [ranks.index(rank) + 1, *_told(analysis, bot)] for rank, bot in playing
    ]
    return rows + [[None, *_told(analysis, bot)] for bot in sorted(analysis.idle)]


def _told(analysis: Analysis, bot: int) -> list[Value]:
    name = analysis.results.bots[bot]
    games = analysis.games_of[bot] or None
    return [name, *_known(analysis, bot), games, analysis.faults_of[name]]


def _known(analysis: Analysis, bot: int) -> list[Value]:
    if bot in analysis.idle:
        return [Estimate(None)] * len(_ALONE if analysis.alone else _RATED)
    if analysis.alone:
        return [analysis.turns[bot]]
    return [analysis.elo[bot], analysis.scores[bot]]
