"""A tournament's results as one plain dict, the content of `summary.json`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite, sqrt
from typing import TypeAlias

from cantstop_arena.outcomes import WHOLE, Charge, Group, Results, Tally, Until
from cantstop_arena.ratings.narrowness import widest
from cantstop_arena.ratings.scores import variance
from cantstop_arena.reports.standings import significant, solo_standings, standings

Entry: TypeAlias = dict[str, object]


def summary(results: Results) -> Entry:
    """Everything the tournament found, keys in a fixed order.

    `until`, `faults`, `disqualified` and `not_reproducible` stand there only where there are any.
    """
    entry: Entry = {
        "name": results.name,
        "game": results.game,
        "rules": dict(results.rules),
        "players": results.players,
        "seed": results.seed,
        "games": games(results),
        "standings": _solo_places(results) if results.players == 1 else _places(results),
        "lineups": [_lineup(results, seating) for seating in _in_order(results.tallies)],
        "metrics": {name: _metric(results, name) for name in _measured(results)},
        "by_bot": dict(zip(results.bots, _styles(results), strict=True)),
    }
    asides: Entry = {
        "until": _until(results, results.until) if results.until else None,
        "faults": [_charge(charge) for charge in results.faults],
        "disqualified": _disqualified(results),
        "not_reproducible": list(results.irreproducible),
    }
    return {**entry, **{key: told for key, told in asides.items() if told}}


def games(results: Results) -> int:
    """All games played."""
    return sum(tally.games for tally in results.tallies.values())


def unfinished(results: Results) -> int:
    """The games that ended without a winner."""
    return sum(tally.unfinished for tally in results.tallies.values())


def _until(results: Results, rule: Until) -> Entry:
    """The rule that ended the games, and whether it could."""
    bot, measured = widest(results, rule)
    return {
        rule.measure: rule.most,
        "reached": measured <= rule.most,
        "widest": {"bot": bot, rule.measure: significant(measured) if isfinite(measured) else None},
        "intervals": "confidence sequences",
    }


def _places(results: Results) -> list[Entry]:
    return [
        {"rank": row.rank, "bot": row.bot, "elo": row.elo, "games": row.games, "score": row.score}
        for row in standings(results)
    ]


def _solo_places(results: Results) -> list[Entry]:
    return [
        {
            "rank": row.rank,
            "bot": row.bot,
            "elo": None,
            "games": row.games,
            "score": None,
            "turns_per_game": row.turns_per_game,
        }
        for row in solo_standings(results)
    ]


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


def _metric(results: Results, name: str) -> Entry:
    """Mean and standard deviation (n - 1) over games of what a game counts, all seats together."""
    played = games(results) - sum(tally.forfeits for tally in results.tallies.values())
    tallies = [tally for tally in results.tallies.values() if tally.games]
    total = sum(sum(tally.counts[name]) for tally in tallies)
    squares = sum(tally.squares[name] for tally in tallies)
    return {
        "mean": significant(total / played) if played else None,
        "sd": significant(sqrt(variance(played, total, squares))) if played > 1 else None,
    }


def _styles(results: Results) -> list[Entry]:
    """Each bot's rates, the game's own; None where the denominator is 0."""
    sums = _counted(results)
    return [
        {name: _rate(counts, *quotient) for name, quotient in results.rates.items()}
        for counts in sums
    ]


def _rate(counts: Counter[str], above: str, below: str) -> float | None:
    return significant(counts[above] / counts[below]) if counts[below] else None


def _counted(results: Results) -> list[Counter[str]]:
    """Each bot's counts in all its seats, and its games."""
    counted: list[Counter[str]] = [Counter() for _ in results.bots]
    for seating, tally in results.tallies.items():
        for seat, bot in enumerate(seating):
            counted[bot]["games"] += tally.games - tally.forfeits
            for name, counts in tally.counts.items():
                counted[bot][name] += counts[seat]
    return counted


def _charge(charge: Charge) -> Entry:
    return {**asdict(charge), "seats": list(charge.seats)}


def _disqualified(results: Results) -> list[Entry]:
    counted = faults_by_bot(results)
    return [{"bot": bot, "faults": counted[bot]} for bot in results.disqualified]


def faults_by_bot(results: Results) -> Counter[str]:
    """How often each bot misbehaved."""
    counted: Counter[str] = Counter()
    for charge in results.faults:
        counted[charge.bot] += charge.count
    return counted
