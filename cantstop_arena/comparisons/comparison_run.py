"""A comparison from its file to its answers: plays what is missing, then looks at the deals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.comparisons.comparison_file import RESOLVED_FILE, Comparison
from cantstop_arena.comparisons.comparison_results import ComparisonTotals, RuleSetResult
from cantstop_arena.comparisons.deal_ratios import ORDER, DealRatios, ignored_of
from cantstop_arena.comparisons.samples import (
    RatioSample,
    SamplePlan,
    common_deals,
    prefer_narrower,
    read_sample,
    spreads,
)
from cantstop_arena.comparisons.statistics import (
    NOTHING,
    SAME,
    BotOrder,
    RuleEffect,
    orders,
    rule_effect,
)
from cantstop_arena.deals.control_variate import luck_text
from cantstop_arena.deals.outcomes import TournamentTotals
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.file.yaml_text import dump
from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger, stored_seed
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import run_tournament
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
    """Play what is missing of a comparison in `folder`, and answer what it asks.

    `observer_of` returns the observer of each tournament, by its name.

    Raises LedgerError, BotError, FaultError or WorkerPoolError.
    """
    comparison = with_stored_seed(comparison, folder, fresh)
    if fresh:
        _forget(comparison, folder)
    notes: list[str] = []
    entries: dict[int, Mapping[str, float]] = {}
    for players in comparison.players:
        for rules in comparison.rules:
            tournament, path = _tournament(comparison, rules, players, folder)
            if not all((path / file).exists() for file in (LEDGER, RESOLVED)):
                _write_down(tournament, path)
            title = f"{rules.name}, {how_many(players, 'player')}"
            with observed_by(observer_of(f"{comparison.name}, {title}")) as observer:
                results = run_tournament(tournament, catalogue, path, options, observer)
            notes += _troubles(title, results)
            if rules.name == comparison.baseline.name:
                entries[players] = spreads(
                    results.tallies.values(), DealRatios(comparison.game.counts)
                )
    _write(comparison.resolved(folder), folder / RESOLVED_FILE)
    return comparison_totals(comparison, folder, entries, notes)


def with_stored_seed(comparison: Comparison, folder: Path, fresh: bool = False) -> Comparison:
    """The comparison with the seed that it has in `folder`, where nobody has named one."""
    if not comparison.has_random_seed or fresh:
        return comparison
    ledgers = (path / LEDGER for _, path in _parts(comparison, folder))
    stored = next((seed for seed in map(stored_seed, ledgers) if seed is not None), None)
    return comparison if stored is None else replace(comparison, seed=stored)


def _forget(comparison: Comparison, folder: Path) -> None:
    """Begin all ledgers anew: one of an earlier seed would be in the way after an interruption."""
    for tournament, path in _parts(comparison, folder):
        path.mkdir(parents=True, exist_ok=True)
        with open_ledger(path / LEDGER, tournament.identity(), fresh=True):
            _write_down(tournament, path)


def _parts(comparison: Comparison, folder: Path) -> Iterator[tuple[Tournament, Path]]:
    """Every tournament of a comparison, and where it is played."""
    for players in comparison.players:
        for rules in comparison.rules:
            yield _tournament(comparison, rules, players, folder)


def comparison_totals(
    comparison: Comparison,
    folder: Path,
    entries: Mapping[int, Mapping[str, float]],
    notes: Sequence[str] = (),
) -> ComparisonTotals:
    """What the ledgers below `folder` say about what is asked.

    `spread` is how much counts vary between single games under the baseline, by players.
    """
    answers = [
        answer
        for players in comparison.players
        for answer in _at(comparison, players, folder, entries[players])
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
    values = [answer.luck_gain for answer in answers if answer.luck_gain is not None]
    if values:
        yield luck_text("the shares of seats and bots", values)


def _tournament(
    comparison: Comparison, rules: Any, players: int, folder: Path
) -> tuple[Tournament, Path]:
    path = comparison.folder(rules, players, folder)
    return comparison.tournament(rules, players, path), path


def _write_down(tournament: Tournament, path: Path) -> None:
    """The file that games are replayed from; it may be needed before the run is over."""
    path.mkdir(parents=True, exist_ok=True)
    _write(tournament.as_file(path), path / RESOLVED)


def _write(resolved: dict[str, Any], path: Path) -> None:
    path.write_text(dump(resolved), encoding="utf-8", newline="\n")


def _at(
    comparison: Comparison, players: int, folder: Path, entries: Mapping[str, float]
) -> Iterator[RuleSetResult]:
    """Every variant against the baseline at tables of one size."""

    def opened(rules: Any) -> AbstractContextManager[Ledger]:
        tournament, path = _tournament(comparison, rules, players, folder)
        return open_ledger(path / LEDGER, tournament.identity())

    spans = []
    for rules in comparison.rules:
        with opened(rules) as ledger:
            spans.append(ledger.spans())
    names = tuple(entrant.name for entrant in comparison.entrants)
    game, scored = comparison.game, comparison.luck_removed
    plan = SamplePlan(DealRatios(game.counts), game.orders(players), *common_deals(spans), names)

    def samples(rules: Any) -> list[RatioSample]:
        """As played, and without luck where that was scored."""
        with opened(rules) as ledger:
            return [
                read_sample(ledger, plan, luck_removed)
                for luck_removed in ((False, True) if scored else (False,))
            ]

    before = samples(comparison.baseline)
    for rules in comparison.variants:
        rule_set_results = [
            answer(comparison, rules.name, plan, entrant, other, entries)
            for entrant, other in zip(before, samples(rules), strict=True)
        ]
        yield prefer_narrower(*rule_set_results) if scored else rule_set_results[0]


def answer(
    comparison: Comparison,
    rules: str,
    plan: SamplePlan,
    before: RatioSample,
    after: RatioSample,
    entries: Mapping[str, float],
) -> RuleSetResult:
    """One rule set against the baseline, not yet judged together with others."""
    differences = {
        measure.key: rule_effect(
            before.ratio(measure),
            after.ratio(measure),
            measure.kind,
            ignored_of(comparison.ignored, measure.key),
            entries.get(measure.above),
        )
        for measure in plan.questions.measures_for(plan.players, plan.bots)
    }
    order = orders(before.leads, after.leads, comparison.ignored[ORDER]) if before.leads else None
    if order and {effect.verdict for effect in differences.values()} <= {SAME, NOTHING}:
        order = replace(order, verdict=SAME)  # with few deals, too, who leads is who led
    return RuleSetResult(
        rules,
        comparison.baseline.name,
        plan.players,
        min(plan.players, len(plan.bots)),
        before.deals,
        before.games,
        differences,
        order,
        plan.questions,
    )


def corrected_for_multiplicity(answers: Sequence[RuleSetResult]) -> Iterator[RuleSetResult]:
    """The answers, judged together: with intervals and p-values for all questions of all."""
    questions = sum(effect.p is not None for a in answers for effect in _questions(a))
    for effect in answers:
        yield replace(
            effect,
            differences={key: d.decided(questions) for key, d in effect.differences.items()},
            order=effect.order.decided(questions) if effect.order else None,
        )


def _questions(answer: RuleSetResult) -> Iterator[RuleEffect | BotOrder]:
    yield from answer.differences.values()
    if answer.order:
        yield answer.order


def _troubles(title: str, results: TournamentTotals) -> Iterator[str]:
    """What a reader should know of how bots behaved."""
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
