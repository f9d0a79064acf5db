"""How long the games of a run will take: a second of play, before the run."""

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.processes.system import core_count
from cantstop_arena.texts import how_many, time_text
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.speed import run_speed_trial
from cantstop_arena.tournaments.tournament import Tournament

_SECONDS = 1.0  # of play, in all
_SAMPLES = 8  # lineups that play, at most
_MAX_SECONDS = 5.0  # after which no further one plays: slow bots take longer than a second


class LineupGames(NamedTuple):
    """The number of games that a lineup of a tournament lacks."""

    tournament: Tournament
    group: Group
    games: int


def duration_text(
    missing: Sequence[LineupGames],
    catalogue: Catalogue,
    options: PoolOptions,
    observer: RunObserver,
) -> str:
    """A sentence about how long these games take; empty if there are none, or on a cluster.

    Some of the lineups play for a second in all, and nothing is stored.
    """
    if not missing or options.cluster:
        return ""
    workers = min(options.workers, core_count())
    try:
        seconds = _seconds(missing, catalogue, observer) / workers
    except (BotError, GameError) as error:
        return f"How long that takes cannot be measured: {error}."
    return f"About {time_text(seconds)} with {how_many(workers, 'worker')}, by a second of play."


def _seconds(missing: Sequence[LineupGames], catalogue: Catalogue, observer: RunObserver) -> float:
    """The processor time of the games, by the mean time of a game in a sample of the lineups."""
    seconds_per_game = weights = 0.0
    start = time.monotonic()
    for (tournament, group, _), weight in _sample(missing):
        trial = run_speed_trial(
            catalogue.playing(tournament.game),
            [tournament.entrants[bot] for bot in group],
            tournament.rules,
            _SECONDS / _SAMPLES,
            players=tournament.players,
            observer=observer,
            hidden=tournament.hidden,
        )
        seconds_per_game += weight / trial.games_per_second
        weights += weight
        if time.monotonic() - start > _MAX_SECONDS:
            break
    return seconds_per_game / weights * sum(each.games for each in missing)


def _sample(missing: Sequence[LineupGames]) -> Iterator[tuple[LineupGames, float]]:
    """Lineups at equal distances in all games, with weights: the share of the games that each has.

    There are at most _SAMPLES.
    """
    distance, reached, samples = sum(each.games for each in missing) / _SAMPLES, 0.0, 0
    for each in missing:
        reached += each.games / distance
        if (count := round(reached) - samples) > 0:
            yield each, count / _SAMPLES
            samples += count
