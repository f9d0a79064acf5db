"""A tournament's results as one plain dict, the content of `summary.json`."""

from collections.abc import Mapping
from dataclasses import asdict
from math import sqrt
from typing import TypeAlias

from cantstop_arena.outcomes import WHOLE, Charge, Group, Results, Tally
from cantstop_arena.ratings.scores import variance
from cantstop_arena.reports.analysis import Analysis
from cantstop_arena.reports.model import significant
from cantstop_arena.reports.records import records
from cantstop_arena.reports.standings import standings
from cantstop_arena.reports.styles import styles

Entry: TypeAlias = dict[str, object]
NOT_RATED: Entry = {"elo": None, "score": None}  # what solitaire has not


def summary(analysis: Analysis) -> Entry:
    """Everything the tournament found, keys in a fixed order.

    `faults`, `disqualified` and `not_reproducible` stand there only where there are any.
    """
    results = analysis.results
    entry: Entry = {
        "name": results.name,
        "game": results.game,
        "rules": dict(results.rules),
        "players": results.players,
        "seed": results.seed,
        "games": analysis.games,
        "standings": _places(analysis),
        "lineups": [_lineup(results, seating) for seating in _in_order(results.tallies)],
        "metrics": {name: _metric(analysis, name) for name in _measured(results)},
        "by_bot": _styles(analysis),
    }
    troubles: Entry = {
        "faults": [_charge(charge) for charge in results.faults],
        "disqualified": _disqualified(analysis),
        "not_reproducible": list(results.irreproducible),
    }
    return {**entry, **{key: told for key, told in troubles.items() if told}}


def _places(analysis: Analysis) -> list[Entry]:
    missing = NOT_RATED if analysis.alone else {}
    return [{**missing, **row} for row in records(standings(analysis))]


def _styles(analysis: Analysis) -> dict[str, Entry]:
    """Each bot's rates, the game's own; in the order of the tournament."""
    by_bot = {row.pop("bot"): row for row in records(styles(analysis))}
    return {bot: by_bot[bot] for bot in analysis.results.bots}


def _in_order(tallies: Mapping[Group, Tally]) -> list[Group]:
    """The seatings, those of one group together."""
    return sorted(tallies, key=lambda seating: (sorted(seating), seating))


def _lineup(results: Results, seating: Group) -> Entry:
    tally = results.tallies[seating]
    return {
        "seats": [results.bots[bot] for bot in seating],
        "games": tally.games,
        "wins": [parts / WHOLE for parts in tally.wins],
        "unfinished": tally.unfinished,
    }


def _measured(results: Results) -> list[str]:
    """What the game counts, in the game's order."""
    return list(dict.fromkeys(name for tally in results.tallies.values() for name in tally.squares))


def _metric(analysis: Analysis, name: str) -> Entry:
    """Mean and standard deviation (n - 1) over games of what a game counts, all seats together."""
    tallies = [tally for tally in analysis.results.tallies.values() if tally.games]
    played = sum(tally.games - tally.forfeits for tally in tallies)
    total = sum(sum(tally.counts[name]) for tally in tallies)
    squares = sum(tally.squares[name] for tally in tallies)
    return {
        "mean": significant(total / played) if played else None,
        "sd": significant(sqrt(variance(played, total, squares))) if played > 1 else None,
    }


def _charge(charge: Charge) -> Entry:
    return {**asdict(charge), "seats": list(charge.seats)}


def _disqualified(analysis: Analysis) -> list[Entry]:
    return [
        {"bot": bot, "faults": analysis.faults_of[bot]} for bot in analysis.results.disqualified
    ]
