"""The reports of a tournament as files, each written atomically, and what summary.json has."""

from collections.abc import Iterator, Mapping
from math import isfinite, sqrt
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from cantstop_arena.atomic_files import write_result
from cantstop_arena.deals.outcomes import (
    TEST,
    FaultReport,
    Tally,
    TournamentTotals,
    Until,
    win_units,
)
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import in_json
from cantstop_arena.ratings.scores import variance
from cantstop_arena.ratings.sequential.stopping_rule import widest
from cantstop_arena.reports.headline import headline, is_match
from cantstop_arena.reports.summary_fields import (
    DisqualifiedBot,
    FirstPlayer,
    Fit,
    LeftOutBot,
    Lineup,
    LuckRemoval,
    Metric,
    PredecessorEffects,
    ReportedFault,
    StoppingRule,
    Summary,
)
from cantstop_arena.tables.all_tables import crosstables_by_field
from cantstop_arena.tables.analysis import Analysis
from cantstop_arena.tables.column import Table, rounded, significant
from cantstop_arena.tables.differences import differences
from cantstop_arena.tables.differences import pairs as difference_pairs
from cantstop_arena.tables.formats import MARKDOWN, as_csv, as_json, draw, draw_all, records
from cantstop_arena.tables.lineups import MANY_BOTS, lineups
from cantstop_arena.tables.pair_tables import fit, pairs, scores_only
from cantstop_arena.tables.seats import effects, following, predecessors, seats
from cantstop_arena.tables.standings import (
    ELO,
    ranked_standings,
    standings_by_field,
    standings_data,
)
from cantstop_arena.tables.styles import lengths, styles

PAGE = "report.html"
CONTENT = "comparison.json"  # in the folder of a comparison
_ALWAYS = (
    *("standings.csv", "standings.md", "styles.csv", "styles.md"),
    *("lengths.csv", "lengths.md", "summary.json"),
)
NOT_ALONE = (
    *("crosstable.csv", "crosstable.md", "pairs.csv", "lineups.csv"),
    *("fit.csv", "fit.md", "seats.csv", "seats.md"),
    *("predecessors.csv", "predecessors.md"),
)
ONLY_ALONE = ("differences.csv", "differences.md")


def write_reports(analysis: Analysis, folder: Path) -> list[Path]:
    """Write the reports into an existing folder; return the paths of the files, in order.

    Equal results give equal bytes. Files of an earlier tournament are deleted: the page, and the
    reports that only solo or only multi-player tournaments have.
    """
    for stale in (PAGE, *NOT_ALONE, *ONLY_ALONE):
        (folder / stale).unlink(missing_ok=True)
    paths = []
    for name, text in _contents(analysis):
        paths.append(write_result(folder, name, text))
    return paths


def delete_reports(folder: Path) -> None:
    """Delete the page and the reports of an earlier run: a run that a fault ends has none."""
    for name in (PAGE, *_ALWAYS, *NOT_ALONE, *ONLY_ALONE):
        (folder / name).unlink(missing_ok=True)


def write_page(analysis: Analysis, folder: Path) -> Path:
    """Write the page of the tournament in a folder, from its ledger and its analysis.

    Equal results give equal bytes. Raises PageError where a package that draws pages is missing.
    """
    from cantstop_arena.reports import write_page as make

    return write_result(folder, PAGE, make.tournament_page(analysis, folder))


def _contents(analysis: Analysis) -> Iterator[tuple[str, str]]:
    yield "standings.csv", as_csv(standings_data(analysis))
    yield "standings.md", _markdown(*standings_by_field(analysis))
    if not analysis.is_solo:
        yield "crosstable.csv", as_csv(scores_only(analysis))
        yield "crosstable.md", _markdown(*crosstables_by_field(analysis))
        yield "pairs.csv", as_csv(pairs(analysis))
        if len(analysis.order) > MANY_BOTS:
            yield "lineups.csv", as_csv(lineups(analysis))
        yield from _both(fit(analysis, maximum=None))
        yield from _both(seats(analysis))
    elif analysis.differences:
        yield "differences.csv", as_csv(difference_pairs(analysis))
        yield "differences.md", _markdown(differences(analysis))
    if analysis.results.predecessors:
        yield "predecessors.csv", as_csv(following(analysis))
        yield "predecessors.md", _markdown(predecessors(analysis))
    yield from _both(styles(analysis))
    yield from _both(lengths(analysis))
    yield "summary.json", as_json(summary(analysis))


def _both(table: Table) -> Iterator[tuple[str, str]]:
    yield f"{table.name}.csv", as_csv(table)
    yield f"{table.name}.md", _markdown(table)


def _markdown(*tables: Table) -> str:
    """A table without its title; of several fields each with it."""
    first, *others = tables
    return (draw_all(tables, MARKDOWN) if others else draw(first, MARKDOWN)) + "\n"


# summary.json

SEQUENCES: Literal["confidence sequences"] = "confidence sequences"
SHORT = 4  # decimals in the superiority of very many bots
NOT_RATED = {"elo": None, "score": None}  # keys that bots playing alone lack


def summary(analysis: Analysis) -> dict[str, Any]:
    """All results of the tournament, keys in a fixed order: those of `Summary`.

    With more than MANY_BOTS bots, `lineups`, both `pairs` and `differences` are only in
    lineups.csv, pairs.csv, fit.csv and differences.csv, and `superiority` is a list of rows, one
    for each bot of the standings, in their order.
    `until`, `unplayed`, `left_out`, `gauntlet`, `faults`, `disqualified`, `not_reproducible` and
    `device` are present only where they are not empty, and `headline` in no match, whose match.json
    has it.
    """
    results = analysis.results
    entry = Summary(
        name=results.name,
        game=results.game,
        rules=dict(results.rules),
        players=results.seats or results.players,
        seed=None if results.seed is None else in_json(results.seed),
        games=analysis.games,
        headline=UNSET if is_match(analysis.results) else headline(analysis),
        standings=_standings(analysis),
        lineups=UNSET if _are_many(analysis) else _lineups(results),
        metrics={name: _metric(analysis, name) for name in _measured(results)},
        by_bot=_styles(analysis),
        until=_until(results, results.until) if results.until else UNSET,
        unplayed=results.missing_games or UNSET,
        left_out=[LeftOutBot(**asdict(bot)) for bot in results.left_out] or UNSET,
        gauntlet=results.challenger or UNSET,
        luck_removed=_luck(analysis),
        faults=[_fault(charge) for charge in results.faults] or UNSET,
        disqualified=_disqualified(analysis) or UNSET,
        not_reproducible=list(results.irreproducible) or UNSET,
        device="; ".join(results.devices) or UNSET,
    )
    if analysis.is_solo:
        _add_differences(entry, analysis)
    else:
        _add_ratings(entry, analysis)
    content: dict[str, Any] = msgspec.to_builtins(entry)
    return content


def _luck(analysis: Analysis) -> LuckRemoval | UnsetType:
    """The gain from removing luck, and the scores without luck removed."""
    luck = analysis.luck_gains
    if luck is None:
        return UNSET
    scores = zip(analysis.results.bots, analysis.plain.scores, strict=True)
    return LuckRemoval(
        worth=significant(luck.median),
        plain_scores={bot: [rounded(end) for end in score] for bot, score in scores},
    )


def _until(results: TournamentTotals, rule: Until) -> StoppingRule:
    """The stopping rule, whether its limit was reached, and its widest interval."""
    if rule.measure == TEST:
        return StoppingRule(test="sprt", intervals=SEQUENCES)
    bot, measured = widest(results, rule)
    until = StoppingRule(
        reached=bool(bot) and measured <= rule.limit,
        widest={"bot": bot or None, rule.measure: _bounded(measured) if bot else None},
        intervals=SEQUENCES,
    )
    setattr(until, rule.measure, rule.limit)
    return until


def _bounded(measured: float) -> float | None:
    return rounded(measured) if isfinite(measured) else None


def _standings(analysis: Analysis) -> list[dict[str, Any]]:
    missing = NOT_RATED if analysis.is_solo else {}
    return [{**missing, **row} for row in records(ranked_standings(analysis))]


def _styles(analysis: Analysis) -> dict[str, dict[str, float | None]]:
    """The rates of each bot, as the game defines them; in the order of the tournament."""
    by_bot = {row.pop("bot"): row for row in records(styles(analysis))}
    return {bot: by_bot[bot] for bot in analysis.results.bots}


def _add_differences(entry: Summary, analysis: Analysis) -> None:
    """Add the entries of tournaments in which bots play alone."""
    if analysis.differences and not _are_many(analysis):
        entry.differences = records(difference_pairs(analysis))


def _add_ratings(entry: Summary, analysis: Analysis) -> None:
    """Add the entries of tournaments in which bots meet."""
    are_many = _are_many(analysis)
    entry.anchor = dict(analysis.results.anchor)
    entry.labels = _labels(analysis)
    entry.scores_compare = analysis.scores_compare
    entry.incomparable = _incomparable(analysis) or UNSET
    entry.ranks = _ranks(analysis)
    entry.superiority = _superiority_rows(analysis) if are_many else _superiority(analysis)
    entry.first_player = _first_player(analysis)
    entry.seats = records(seats(analysis))
    entry.pairs = UNSET if are_many else records(pairs(analysis))
    entry.predecessors = _predecessors(analysis)
    entry.fit = _fit(analysis)


def _incomparable(analysis: Analysis) -> list[str]:
    """The bots whose scores are not comparable with the others'."""
    return [analysis.results.bots[bot] for bot in analysis.order if bot in analysis.incomparable]


def _predecessors(analysis: Analysis) -> PredecessorEffects | UnsetType:
    """The effect of sitting right after each bot, where the game counts it."""
    if not analysis.results.predecessors:
        return UNSET
    return PredecessorEffects(
        counted=analysis.results.counts.followed,
        effects=records(effects(analysis)),
        pairs=records(following(analysis)),
    )


def _labels(analysis: Analysis) -> dict[str, list[str]]:
    """The labels that limit the ratings, each with its bots."""
    return {
        label.value: [analysis.results.bots[bot] for bot in bots]
        for label, bots in analysis.ratings.labels.items()
    }


def _ranks(analysis: Analysis) -> dict[str, list[int]]:
    """The best and the worst possible rank of each bot."""
    ranges = analysis.ranks
    return {bot: list(ranges[number]) for number, bot in enumerate(analysis.results.bots)}


def _superiority(analysis: Analysis) -> dict[str, dict[str, float | None]]:
    """The likelihood that each bot is better than each rival; None where they never met."""
    bots = list(enumerate(analysis.results.bots))
    superior = analysis.superiority
    return {
        name: {
            rival_name: rounded(superior(bot, rival)) for rival, rival_name in bots if bot != rival
        }
        for bot, name in bots
    }


def _superiority_rows(analysis: Analysis) -> list[list[float | None]]:
    """The likelihoods of superiority as rows and columns in order of the standings."""
    order, superior = analysis.order, analysis.superiority
    rows = [[superior(bot, rival) for rival in order] for bot in order]
    return [[value if value is None else round(value, SHORT) for value in row] for row in rows]


def _are_many(analysis: Analysis) -> bool:
    return len(analysis.order) > MANY_BOTS


def _first_player(analysis: Analysis) -> FirstPlayer | None:
    """The first player's advantage over the mean of the others, in Elo."""
    first = analysis.ratings.first_seat
    if first is None:
        return None
    elo, low, high = (
        None if end is None else ELO.exact(end) for end in (first.points, first.low, first.high)
    )
    return FirstPlayer(elo=elo, elo_low=low, elo_high=high)


def _fit(analysis: Analysis) -> Fit:
    """The fit of the model with one rating per bot."""
    goodness, residuals = analysis.goodness, analysis.residuals
    share, low, high = map(rounded, residuals.cyclic_share or (None, None, None))
    bots = analysis.results.bots
    return Fit(
        deviance=rounded(goodness.deviance),
        degrees_of_freedom=goodness.degrees_of_freedom,
        design_effect=rounded(goodness.design_effect),
        effective_degrees_of_freedom=rounded(goodness.effective_degrees_of_freedom),
        p=rounded(goodness.p_value),
        cyclic_share=share,
        cyclic_share_low=low,
        cyclic_share_high=high,
        without_one=_leave_one_out(analysis),
        cycles=[[bots[bot] for bot in cycle.bots] for cycle in residuals.cycles],
        pairs=UNSET if _are_many(analysis) else records(fit(analysis, maximum=None)),
    )


def _leave_one_out(analysis: Analysis) -> dict[str, list[list[float | str | None]]]:
    """For each bot, the greatest changes of its Elo without a rival, as [Elo, rival]."""
    bots = analysis.results.bots
    return {
        bots[bot]: [[rounded(points), bots[without]] for points, without in changes]
        for bot, changes in enumerate(analysis.leave_one_out)
        if changes
    }


def _in_order(tallies: Mapping[Group, Tally]) -> list[Group]:
    """The seatings, sorted; those of the same bots are adjacent."""
    return sorted(tallies, key=lambda seating: (sorted(seating), seating))


def _lineups(results: TournamentTotals) -> list[Lineup]:
    return [_lineup(results, seating) for seating in _in_order(results.tallies)]


def _lineup(results: TournamentTotals, seating: Group) -> Lineup:
    tally = results.tallies[seating]
    return Lineup(
        seats=[results.bots[bot] for bot in seating],
        games=tally.games,
        wins=[parts / win_units(results.players) for parts in tally.wins],
        unfinished=tally.unfinished,
        drawn=results.drawn.get(seating, UNSET),
    )


def _measured(results: TournamentTotals) -> list[str]:
    """The names of the game's counts, in the game's order."""
    return list(dict.fromkeys(name for tally in results.tallies.values() for name in tally.squares))


def _metric(analysis: Analysis, name: str) -> Metric:
    """Mean and standard deviation (n - 1) over games of a count, the sum of all seats."""
    tallies = [tally for tally in analysis.results.tallies.values() if tally.games]
    played = sum(tally.games - tally.forfeits for tally in tallies)
    total = sum(sum(tally.counts[name]) for tally in tallies)
    squares = sum(tally.squares[name] for tally in tallies)
    return Metric(
        mean=rounded(total / played if played else None),
        sd=rounded(sqrt(variance(played, total, squares)) if played > 1 else None),
    )


def _fault(charge: FaultReport) -> ReportedFault:
    return ReportedFault(**asdict(charge) | {"seats": list(charge.seats)})


def _disqualified(analysis: Analysis) -> list[DisqualifiedBot]:
    return [
        DisqualifiedBot(bot=bot, faults=analysis.faults_of[bot])
        for bot in analysis.results.disqualified
    ]
