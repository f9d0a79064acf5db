"""Running a comparison: play the missing games, then compare the deals of the rule sets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cantstop_arena.atomic_files import check_results_folder, create_below, write_result
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.comparisons.comparison_file import RESOLVED_FILE, Comparison
from cantstop_arena.comparisons.comparison_results import ComparisonTotals, RuleSetResult
from cantstop_arena.comparisons.deal_ratios import ORDER, DealRatios, ignored_of
from cantstop_arena.comparisons.samples import (
    RatioSample,
    SamplePlan,
    common_deals,
    read_sample,
    standard_deviations,
    with_luck_gain,
)
from cantstop_arena.comparisons.statistics import (
    NOTHING,
    SAME,
    BotOrder,
    RuleEffect,
    orders,
    rule_effect,
)
from cantstop_arena.deals.control_variate import gain_range
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.file.yaml_text import dump
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger, stored_seed
from cantstop_arena.tournaments.pool.pool_owner import PoolOwner
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import plan_run, run_tournament
from cantstop_arena.tournaments.run_observer import RunObserver, observed_by
from cantstop_arena.tournaments.tournament import RESOLVED, Tournament


def compare(
    comparison: Comparison,
    catalogue: Catalogue,
    folder: Path,
    options: PoolOptions,
    observer_of: Callable[[str], RunObserver],
    fresh: bool = False,
) -> ComparisonTotals:
    """Play the missing games of a comparison in `folder`, and return its results.

    `observer_of` returns the observer of each tournament, by its name.

    Raises UsageError when `folder` cannot be written to, LedgerError, BotError, FaultError or
    WorkerPoolError.
    """
    check_results_folder(folder)
    comparison = with_stored_seed(comparison, folder, fresh)
    if fresh:
        _reset_ledgers(comparison, folder)
    notes = [left_out.text for left_out in comparison.left_out]
    messages = [*comparison.messages]
    disqualified: list[str] = []
    deviations: dict[int, Mapping[str, float]] = {}
    with PoolOwner() as pools:
        for players in comparison.players:
            for rules in comparison.rules:
                tournament, path = _tournament(comparison, rules, players, folder)
                create_below(folder.parent, path)
                if not all((path / file).exists() for file in (LEDGER, RESOLVED)):
                    _write_resolved(tournament, path)
                with observed_by(observer_of(_title(comparison, tournament))) as observer:
                    while messages:
                        observer.on_notice(messages.pop(0))
                    results = run_tournament(
                        tournament, catalogue, path, options, observer, pools=pools
                    )
                notes += _fault_notes(_part(rules, players), results)
                disqualified += results.disqualified
                if rules.name == comparison.baseline.name:
                    deviations[players] = standard_deviations(
                        results.tallies.values(), DealRatios(comparison.game.counts)
                    )
    write_result(folder, RESOLVED_FILE, dump(comparison.resolved(folder)))
    totals = comparison_totals(comparison, folder, deviations, notes)
    return replace(totals, disqualified=tuple(dict.fromkeys(disqualified)))


def plan_comparison(
    comparison: Comparison,
    catalogue: Catalogue,
    folder: Path,
    observer_of: Callable[[str], RunObserver],
    fresh: bool = False,
) -> None:
    """Tell the observer of each tournament what would be played; nothing is written."""
    comparison = with_stored_seed(comparison, folder, fresh)
    messages = [*comparison.messages]
    for tournament, path in _tournaments(comparison, folder):
        with observed_by(observer_of(_title(comparison, tournament))) as observer:
            while messages:
                observer.on_notice(messages.pop(0))
            plan_run(tournament, catalogue, path, observer, fresh)


def _title(comparison: Comparison, tournament: Tournament) -> str:
    """The name of a comparison, and which of its tournaments is played."""
    return f"{comparison.name}, {_part(tournament.rules, tournament.players)}"


def _part(rules: Any, players: int) -> str:
    return f"{rules.name}, {how_many(players, 'player')}"


def with_stored_seed(comparison: Comparison, folder: Path, fresh: bool = False) -> Comparison:
    """The comparison with the seed of the ledgers in `folder`, unless a user has named one."""
    if not comparison.has_random_seed or fresh:
        return comparison
    ledgers = (path / LEDGER for _, path in _tournaments(comparison, folder))
    stored = next((seed for seed in map(stored_seed, ledgers) if seed is not None), None)
    return comparison if stored is None else replace(comparison, seed=stored)


def _reset_ledgers(comparison: Comparison, folder: Path) -> None:
    """Replace all ledgers by empty ones.

    All at once: after an interruption a ledger with an earlier seed would stop the run.
    """
    for tournament, path in _tournaments(comparison, folder):
        create_below(folder.parent, path)
        with open_ledger(path / LEDGER, fresh=True):
            _write_resolved(tournament, path)


def _tournaments(comparison: Comparison, folder: Path) -> Iterator[tuple[Tournament, Path]]:
    """Every tournament of a comparison, and its folder."""
    for players in comparison.players:
        for rules in comparison.rules:
            yield _tournament(comparison, rules, players, folder)


def comparison_totals(
    comparison: Comparison,
    folder: Path,
    deviations: Mapping[int, Mapping[str, float]],
    notes: Sequence[str] = (),
) -> ComparisonTotals:
    """The results of a comparison from the ledgers below `folder`.

    `deviations` are the standard deviations of counts in single games under the baseline, by
    number of players and name of the count.
    """
    answers = [
        answer
        for players in comparison.players
        for answer in _results_for(comparison, players, folder, deviations[players])
    ]
    return ComparisonTotals(
        comparison.name,
        comparison.game.name,
        comparison.seed,
        tuple(entrant.name for entrant in comparison.entrants),
        {rules.name: comparison.game.rules.as_dict(rules) for rules in comparison.rules},
        comparison.baseline.name,
        comparison.ignored,
        tuple(corrected_for_multiplicity(answers)),
        DealRatios(comparison.game.counts),
        (*notes, *_about_luck(answers)),
    )


def _about_luck(answers: Sequence[RuleSetResult]) -> Iterator[str]:
    gains = [answer.luck_gain for answer in answers if answer.luck_gain is not None]
    if gains:
        yield (
            "Luck is removed from the shares of seats and bots. By their intervals that is worth"
            f" {gain_range(gains)} times the games."
        )


def _tournament(
    comparison: Comparison, rules: Any, players: int, folder: Path
) -> tuple[Tournament, Path]:
    path = comparison.folder(rules, players, folder)
    return comparison.tournament(rules, players, path), path


def _write_resolved(tournament: Tournament, path: Path) -> None:
    """Write the file that replays read; it may be needed before the run is over."""
    write_result(path, RESOLVED, dump(tournament.as_file(path)))


def _results_for(
    comparison: Comparison, players: int, folder: Path, deviations: Mapping[str, float]
) -> Iterator[RuleSetResult]:
    """Every variant against the baseline with this number of players."""

    @contextmanager
    def opened_cover(rules: Any) -> Iterator[Cover]:
        _, path = _tournament(comparison, rules, players, folder)
        with open_ledger(path / LEDGER) as ledger:
            query = ledger.query()
            assert query is not None, "it has just been played"
            yield Cover(ledger, query, ledger.deals)

    spans = []
    for rules in comparison.rules:
        with opened_cover(rules) as cover:
            spans.append(cover.counting_spans())
    names = tuple(baseline_sample.name for baseline_sample in comparison.entrants)
    game, scored = comparison.game, comparison.luck_removed
    plan = SamplePlan(DealRatios(game.counts), game.orders(players), *common_deals(spans), names)

    def samples(rules: Any) -> list[RatioSample]:
        """The deals as played, and also with luck removed where it was scored."""
        with opened_cover(rules) as cover:
            return [
                read_sample(cover, plan, luck_removed)
                for luck_removed in ((False, True) if scored else (False,))
            ]

    baseline_samples = samples(comparison.baseline)
    for rules in comparison.variants:
        answers = [
            answer(comparison, rules.name, plan, baseline_sample, variant_sample, deviations)
            for baseline_sample, variant_sample in zip(
                baseline_samples, samples(rules), strict=True
            )
        ]
        yield with_luck_gain(*reversed(answers)) if scored else answers[0]


def answer(
    comparison: Comparison,
    rules: str,
    plan: SamplePlan,
    baseline: RatioSample,
    variant: RatioSample,
    deviations: Mapping[str, float],
) -> RuleSetResult:
    """The result of one rule set against the baseline, not corrected for multiplicity."""
    differences = {
        measure.key: rule_effect(
            baseline.ratio(measure),
            variant.ratio(measure),
            measure.kind,
            ignored_of(comparison.ignored, measure.key),
            deviations.get(measure.numerator),
        )
        for measure in plan.measures.measures_for(plan.players, plan.bots)
    }
    order = (
        orders(baseline.leads, variant.leads, comparison.ignored[ORDER]) if baseline.leads else None
    )
    if order and {effect.verdict for effect in differences.values()} <= {SAME, NOTHING}:
        order = replace(
            order, verdict=SAME
        )  # with few deals, too: the same games have the same leads
    return RuleSetResult(
        rules,
        comparison.baseline.name,
        plan.players,
        min(plan.players, len(plan.bots)),
        baseline.deals,
        baseline.games,
        differences,
        order,
        plan.measures,
    )


def corrected_for_multiplicity(answers: Sequence[RuleSetResult]) -> Iterator[RuleSetResult]:
    """The answers, with intervals, p-values and verdicts corrected for the questions of all."""
    questions = sum(effect.p is not None for result in answers for effect in _questions(result))
    for result in answers:
        yield replace(
            result,
            differences={
                key: effect.decided(questions) for key, effect in result.differences.items()
            },
            order=result.order.decided(questions) if result.order else None,
        )


def _questions(answer: RuleSetResult) -> Iterator[RuleEffect | BotOrder]:
    yield from answer.differences.values()
    if answer.order:
        yield answer.order


def _fault_notes(title: str, results: TournamentTotals) -> Iterator[str]:
    """Notes on disqualified bots, faults and bots that are not reproducible."""
    for bot in results.disqualified:
        yield (
            f"{title}: {bot} was disqualified. Lineups with it are left out under all rule sets"
            " for this number of players."
        )
    for fault in results.faults:
        times = "once" if fault.count == 1 else f"{fault.count} times"
        yield f"{title}: {fault.bot} misbehaved {times} ({fault.kind}). See {fault.replay}"
    for bot in results.irreproducible:
        yield f"{title}: {bot} is not reproducible; results change from run to run."
