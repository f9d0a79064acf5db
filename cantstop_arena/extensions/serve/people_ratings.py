"""People rated against the bots of a result, whose Elo and seat effects are held fixed."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from cantstop_arena.extensions.serve.people_store import OPEN, OVER, RATED, PeopleGame, stored_games
from cantstop_arena.extensions.serve.person_rating import (
    PersonGame,
    error_against_equals,
    person_elo,
)
from cantstop_arena.games.registry import game_named
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Column, Table, estimate, number, table_of
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.ledger.ledger_query import LedgerQuery
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger


class RatedPerson(NamedTuple):
    """A person: the Elo, and the games that count."""

    name: str
    elo: Estimate
    games: int
    score: float


def people_table(analysis: Analysis, folder: Path) -> Table:
    """A row for each person, the strongest first, and which games do not count and why."""
    query = read_ledger(folder, lambda totals: totals.query)
    counted: dict[str, list[PersonGame]] = {}
    left_out: Counter[str] = Counter()
    for game in stored_games(folder.parent):
        reason = _reason(game, analysis, query)
        if reason:
            left_out[reason] += 1
        else:
            counted.setdefault(game.seats[game.me].person, []).append(_rated(game, analysis))
    people = [
        RatedPerson(name, person_elo(games), len(games), 100 * _score(games) / len(games))
        for name, games in counted.items()
    ]
    people.sort(key=lambda person: (-_middle(person.elo), person.name))
    return table_of(
        name="people",
        title="People",
        columns=(
            Column("name", "person"),
            estimate("elo", "Elo", 1),
            number("games"),
            number("score", "score %", 1),
        ),
        records=people,
        notes=list(_notes(people, left_out)),
    )


def _reason(game: PeopleGame, analysis: Analysis, query: LedgerQuery) -> str:
    """Why a game does not count here; empty if it does."""
    results = analysis.results
    if game.state == OPEN:
        return "not over"
    if game.game != results.game:
        return "of another game"
    if game.mode != RATED:
        return "with hints or practice"
    if game_named(game.game).lineup_size(len(game.seats)) < len(game.seats):
        return "with a partner, whose part in the result is unknown"
    if game.state != OVER or game.problem:
        return "left, or ended by a fault"
    if game.rules != results.rules.get("name") or len(game.seats) != results.players:
        return "by other rules, or with another number of seats"
    versions = {bot.name: replace(bot.version, isolate=False).id for bot in query.bots}
    for seat in game.seats:
        if seat.bot and seat.bot not in results.bots:
            return "against bots that are not in this result"
        if seat.bot and versions.get(seat.bot) != seat.version:
            return "against other versions of its bots"
    return ""


def _rated(game: PeopleGame, analysis: Analysis) -> PersonGame:
    bots, ratings = analysis.results.bots, analysis.ratings
    effects = [points.points for points in ratings.seats] or [0.0] * len(game.seats)
    rivals = tuple(
        ratings.elo[bots.index(seat.bot)] + effects[number]
        for number, seat in enumerate(game.seats)
        if seat.bot
    )
    winners = game.winners
    share = 1 / len(winners) if game.me in winners else 0.0 if winners else 1 / len(game.seats)
    return PersonGame(effects[game.me], rivals, share)


def _score(games: list[PersonGame]) -> float:
    return sum(game.share for game in games)


def _middle(elo: Estimate) -> float:
    """What people are sorted by, also where an end of the interval is all that is known."""
    return next((end for end in (elo.mean, elo.low, elo.high) if end is not None), 0.0)


def _notes(people: list[RatedPerson], left_out: Counter[str]) -> Iterator[str]:
    if people:
        yield (
            "The Elo of the bots and the effects of the seats are held fixed; intervals cover 95%."
        )
        fewest = min(person.games for person in people)
        error = error_against_equals(fewest)
        yield f"{how_many(fewest, 'game')} against equals give ± {error:.0f} Elo."
    else:
        yield "No game of people counts here."
    if left_out:
        reasons = "; ".join(f"{count} {reason}" for reason, count in left_out.most_common())
        yield f"Games that do not count: {reasons}."
