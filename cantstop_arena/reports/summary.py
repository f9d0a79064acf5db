"""A tournament's results as one plain dict, the content of `summary.json`."""

from collections.abc import Mapping
from math import isfinite, sqrt
from typing import TypeAlias

from msgspec.structs import asdict

from cantstop_arena.deals.outcomes import TEST, FaultReport, Tally, TournamentTotals, Until
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import in_json
from cantstop_arena.deals.winners import win_units
from cantstop_arena.ratings.model_fit.cycles import CyclicShare
from cantstop_arena.ratings.scores import variance
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import rounded
from cantstop_arena.tables.crosstable import pairs
from cantstop_arena.tables.data import records
from cantstop_arena.tables.differences import pairs as differences
from cantstop_arena.tables.fit import fit
from cantstop_arena.tables.lineups import MANY_BOTS
from cantstop_arena.tables.predecessors import effects, following
from cantstop_arena.tables.seats import seats
from cantstop_arena.tables.standings import ELO, standings
from cantstop_arena.tables.styles import styles

Entry: TypeAlias = dict[str, object]
SHORT = 4  # decimals, where there are very many numbers
NOT_RATED: Entry = {"elo": None, "score": None}  # what a bot that plays alone has not


def summary(analysis: Analysis) -> Entry:
    """Everything the tournament found, keys in a fixed order.

    Of more than MANY_BOTS `lineups`, both `pairs` and `differences` are left to lineups.csv,
    pairs.csv, fit.csv and differences.csv, and `superiority` has a row for each bot of the
    standings, in their order.
    `until`, `unplayed`, `gauntlet`, `faults`, `disqualified` and `not_reproducible` stand there
    only where there are any.
    """
    results = analysis.results
    entry: Entry = {
        "name": results.name,
        "game": results.game,
        "rules": dict(results.rules),
        "players": results.players,
        "seed": None if results.seed is None else in_json(results.seed),
        "games": analysis.games,
        "standings": _places(analysis),
        **({} if _are_many(analysis) else {"lineups": _lineups(results)}),
        "metrics": {name: _metric(analysis, name) for name in _measured(results)},
        "by_bot": _styles(analysis),
        **(_alone(analysis) if analysis.is_solo else _ratings(analysis)),
    }
    asides: Entry = {
        "until": _until(results, results.until) if results.until else None,
        "unplayed": results.missing_games,
        "gauntlet": results.challenger,
        "luck_removed": _luck(analysis),
        "faults": [_charge(charge) for charge in results.faults],
        "disqualified": _disqualified(analysis),
        "not_reproducible": list(results.irreproducible),
    }
    return {**entry, **{key: told for key, told in asides.items() if told}}


def _luck(analysis: Analysis) -> Entry | None:
    """What removing luck was worth, and the scores as they were played."""
    luck = analysis.results.luck
    if luck is None:
        return None
    plain = Analysis(analysis.results.plain)
    scores = zip(plain.results.bots, plain.scores, strict=True)
    return {
        "worth": rounded(luck.gain),
        "plain_scores": {bot: [rounded(end) for end in score] for bot, score in scores},
    }


def _until(results: TournamentTotals, rule: Until) -> Entry:
    """The rule that ended the games, and whether it could."""
    if rule.measure == TEST:
        return {rule.measure: "sprt", "intervals": "confidence sequences"}
    bot, measured = widest(results, rule)
    return {
        rule.measure: rule.limit,
        "reached": bool(bot) and measured <= rule.limit,
        "widest": {"bot": bot or None, rule.measure: _bounded(measured) if bot else None},
        "intervals": "confidence sequences",
    }


def _bounded(measured: float) -> float | None:
    return rounded(measured) if isfinite(measured) else None


def _places(analysis: Analysis) -> list[Entry]:
    missing = NOT_RATED if analysis.is_solo else {}
    return [{**missing, **row} for row in records(standings(analysis))]


def _styles(analysis: Analysis) -> dict[str, Entry]:
    """Each bot's rates, the game's own; in the order of the tournament."""
    by_bot = {row.pop("bot"): row for row in records(styles(analysis))}
    return {bot: by_bot[bot] for bot in analysis.results.bots}


def _alone(analysis: Analysis) -> Entry:
    """What only bots that play alone have."""
    if not analysis.differences or _are_many(analysis):
        return {}
    return {"differences": records(differences(analysis))}


def _ratings(analysis: Analysis) -> Entry:
    """What only bots that meet have."""
    return {
        "anchor": dict(analysis.results.anchor),
        "labels": _labels(analysis),
        "scores_compare": analysis.scores_compare,
        **_incomparable(analysis),
        "ranks": _ranks(analysis),
        "superiority": _rows(analysis) if _are_many(analysis) else _superiority(analysis),
        "first_player": _first_player(analysis),
        "seats": records(seats(analysis)),
        **({} if _are_many(analysis) else {"pairs": records(pairs(analysis))}),
        **_predecessors(analysis),
        "fit": _fit(analysis),
    }


def _incomparable(analysis: Analysis) -> Entry:
    """The bots whose scores do not compare with the others', where there are any."""
    bots = [analysis.results.bots[bot] for bot in analysis.order if bot in analysis.incomparable]
    return {"incomparable": bots} if bots else {}


def _predecessors(analysis: Analysis) -> Entry:
    """What it means to sit right after each bot, where the game asks for it."""
    if not analysis.results.predecessors:
        return {}
    counted = analysis.results.counts.followed
    told = {"counted": counted, "effects": records(effects(analysis))}
    return {"predecessors": {**told, "pairs": records(following(analysis))}}


def _labels(analysis: Analysis) -> dict[str, list[str]]:
    """What limits the ratings, and the bots it is about."""
    return {
        label.value: [analysis.results.bots[bot] for bot in bots]
        for label, bots in analysis.ratings.labels.items()
    }


def _ranks(analysis: Analysis) -> dict[str, list[int]]:
    """The best and the worst rank that each bot could have."""
    ranges = analysis.ratings.ranks
    return {bot: list(ranges[number]) for number, bot in enumerate(analysis.results.bots)}


def _superiority(analysis: Analysis) -> dict[str, dict[str, float | None]]:
    """The likelihood that a bot is better than each other one; None where they never met."""
    bots = list(enumerate(analysis.results.bots))
    superior = analysis.ratings.superiority
    return {
        bot: {other: rounded(superior(one, two)) for two, other in bots if one != two}
        for one, bot in bots
    }


def _rows(analysis: Analysis) -> list[list[float | None]]:
    """The same by places in the standings."""
    order, superior = analysis.order, analysis.ratings.superiority
    rows = [[superior(one, other) for other in order] for one in order]
    return [[found if found is None else round(found, SHORT) for found in row] for row in rows]


def _are_many(analysis: Analysis) -> bool:
    return len(analysis.order) > MANY_BOTS


def _first_player(analysis: Analysis) -> Entry | None:
    """The first player's advantage over the mean of the others, in Elo."""
    first = analysis.ratings.first_seat
    if first is None:
        return None
    ends = {"elo": first.points, "elo_low": first.low, "elo_high": first.high}
    return {key: None if end is None else ELO.exact(end) for key, end in ends.items()}


def _fit(analysis: Analysis) -> Entry:
    """How well one number for each bot tells the results."""
    found, residuals = analysis.goodness, analysis.residuals
    bots = analysis.results.bots
    return {
        "deviance": rounded(found.deviance),
        "degrees_of_freedom": found.degrees_of_freedom,
        "design_effect": rounded(found.design_effect),
        "effective_degrees_of_freedom": rounded(found.effective),
        "p": rounded(found.chance),
        **_cyclic_share(residuals.cyclic_share),
        "without_one": _without_one(analysis),
        "cycles": [[bots[bot] for bot in cycle.bots] for cycle in residuals.cycles],
        **({} if _are_many(analysis) else {"pairs": records(fit(analysis, most=None))}),
    }


def _cyclic_share(found: CyclicShare | None) -> Entry:
    names = "cyclic_share", "cyclic_share_low", "cyclic_share_high"
    return dict(zip(names, map(rounded, found or (None, None, None)), strict=True))


def _without_one(analysis: Analysis) -> Entry:
    """By how much each bot's Elo moves at most when another one is left out, and which one."""
    bots = analysis.results.bots
    return {
        bots[bot]: [[rounded(points), bots[without]] for points, without in told]
        for bot, told in enumerate(analysis.leave_one_out)
        if told
    }


def _in_order(tallies: Mapping[Group, Tally]) -> list[Group]:
    """The seatings, those of one group together."""
    return sorted(tallies, key=lambda seating: (sorted(seating), seating))


def _lineups(results: TournamentTotals) -> list[Entry]:
    return [_lineup(results, seating) for seating in _in_order(results.tallies)]


def _lineup(results: TournamentTotals, seating: Group) -> Entry:
    tally = results.tallies[seating]
    return {
        "seats": [results.bots[bot] for bot in seating],
        "games": tally.games,
        "wins": [parts / win_units(results.players) for parts in tally.wins],
        "unfinished": tally.unfinished,
    }


def _measured(results: TournamentTotals) -> list[str]:
    """What the game counts, in the game's order."""
    return list(dict.fromkeys(name for tally in results.tallies.values() for name in tally.squares))


def _metric(analysis: Analysis, name: str) -> Entry:
    """Mean and standard deviation (n - 1) over games of what a game counts, all seats together."""
    tallies = [tally for tally in analysis.results.tallies.values() if tally.games]
    played = sum(tally.games - tally.forfeits for tally in tallies)
    total = sum(sum(tally.counts[name]) for tally in tallies)
    squares = sum(tally.squares[name] for tally in tallies)
    return {
        "mean": rounded(total / played if played else None),
        "sd": rounded(sqrt(variance(played, total, squares)) if played > 1 else None),
    }


def _charge(charge: FaultReport) -> Entry:
    return {**asdict(charge), "seats": list(charge.seats)}


def _disqualified(analysis: Analysis) -> list[Entry]:
    return [
        {"bot": bot, "faults": analysis.faults_of[bot]} for bot in analysis.results.disqualified
    ]
