"""Running a comparison: play the missing games, then compare the deals of the rule sets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from cantstop_arena.atomic_files import check_results_folder, write_result
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
from cantstop_arena.deals.payoff import WINS_ONLY
from cantstop_arena.errors import FaultError
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.texts import how_many
from cantstop_arena.tournaments.duration import LineupGames
from cantstop_arena.tournaments.file.yaml_reader import dump
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger
from cantstop_arena.tournaments.ledger.read_ledger import copied_ledger
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.run import (
    Session,
    begin_session,
    create_run_folder,
    delete_records,
    stored_openings,
    version_notices,
)
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import PoolOwner
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
    create_run_folder(folder.parent, folder)
    notes = [left_out.text for left_out in comparison.left_out]
    if comparison.game.payoff:
        notes.append(
            WINS_ONLY.format("Rule sets are compared", "other rules can pay on another scale")
        )
    disqualified: list[str] = []
    deviations: dict[int, Mapping[str, float]] = {}
    covers: dict[str, Cover] = {}
    with open_ledger(folder / LEDGER, fresh) as ledger, PoolOwner() as pools:
        comparison = with_stored_seed(comparison, ledger)
        _forget_other_parts(comparison, ledger, folder)

        def play(session: Session, observer: RunObserver) -> None:
            played = session.run(options, observer)
            tournament = session.tournament
            covers[tournament.part] = Cover(ledger, tournament.query, session.cover.end)
            notes.extend(_fault_notes(_part(tournament), played))
            disqualified.extend(played.disqualified)
            if tournament.rules.name == comparison.baseline.name:
                deviations[tournament.players] = standard_deviations(
                    played.tallies.values(), DealRatios(comparison.game.counts)
                )

        for tournament in comparison.tournaments(folder):
            create_run_folder(folder.parent, folder / tournament.part)
        sessions = _Sessions(comparison, catalogue, ledger, pools, folder, folder, observer_of)
        try:
            sessions.visit(play)
        except FaultError:
            _delete_results(comparison, folder, [*covers])
            raise
        ledger.tidy()
        totals = comparison_totals(comparison, covers, deviations, notes)
    openings = stored_openings(comparison.openings, folder)
    resolved = replace(comparison, openings=openings).resolved(folder)
    write_result(folder, RESOLVED_FILE, dump(resolved))
    return replace(totals, disqualified=tuple(dict.fromkeys(disqualified)))


def plan_comparison(
    comparison: Comparison,
    catalogue: Catalogue,
    folder: Path,
    observer_of: Callable[[str], RunObserver],
    fresh: bool = False,
) -> list[LineupGames]:
    """Tell the observer of each tournament what would be played, and return it.

    Nothing is written.
    """
    missing: list[LineupGames] = []
    with (
        copied_ledger(folder, fresh) as copy,
        open_ledger(copy / LEDGER) as ledger,
        PoolOwner() as pools,
    ):
        comparison = with_stored_seed(comparison, ledger)
        sessions = _Sessions(comparison, catalogue, ledger, pools, copy, folder, observer_of)
        sessions.visit(lambda session, observer: missing.extend(session.plan(observer)))
    return missing


class _Sessions(NamedTuple):
    """The sessions of a comparison's tournaments, one after the other, in folders below `folder`.

    Below `results` are the copies of the bots that played.
    """

    comparison: Comparison
    catalogue: Catalogue
    ledger: Ledger
    pools: PoolOwner
    folder: Path
    results: Path
    observer_of: Callable[[str], RunObserver]

    def visit(self, act: Callable[[Session, RunObserver], None]) -> None:
        """Call `act` with the session of each tournament, and its observer."""
        notices = [*self.comparison.messages, *version_notices(self.comparison.entrants)]
        tournaments = [*self.comparison.tournaments(self.results)]
        covers = (Cover(self.ledger, tournament.query) for tournament in tournaments)
        games = sum(cover.missing_games() for cover in covers)
        for tournament in tournaments:
            title = f"{self.comparison.name}, {_part(tournament)}"
            with observed_by(self.observer_of(title)) as observer:
                if tournament is tournaments[0]:
                    observer.on_whole(games)
                for text in notices:
                    observer.on_notice(text)
                notices.clear()
                session = begin_session(
                    tournament,
                    self.catalogue,
                    self.folder / tournament.part,
                    self.ledger,
                    self.pools,
                    observer,
                    self.results / tournament.part,
                )
                act(session, observer)


def _part(tournament: Tournament) -> str:
    return f"{tournament.rules.name}, {how_many(tournament.players, 'player')}"


def with_stored_seed(comparison: Comparison, ledger: Ledger) -> Comparison:
    """The comparison with the seed of its parts in a ledger, unless a user has named one."""
    if not comparison.has_random_seed:
        return comparison
    queries = (ledger.query(part) for part in ledger.parts())
    seeds = (query.setting.deal_seed for query in queries if query is not None)
    return replace(comparison, seed=next(seeds, comparison.seed))


def _forget_other_parts(comparison: Comparison, ledger: Ledger, folder: Path) -> None:
    """Forget the queries of parts that the comparison has no longer, and delete derived files."""
    parts = {tournament.part for tournament in comparison.tournaments(folder)}
    for part in set(ledger.parts()) - parts:
        ledger.forget_part(part)
        path = folder / part
        create_run_folder(folder.parent, path)
        delete_records(path)
        (path / RESOLVED).unlink(missing_ok=True)


def _delete_results(comparison: Comparison, folder: Path, played: Sequence[str]) -> None:
    """Delete what an earlier run has written, where a fault ends this one.

    Parts that this run has played keep their files, and the next one, in which the fault is.
    """
    (folder / RESOLVED_FILE).unlink(missing_ok=True)
    parts = [tournament.part for tournament in comparison.tournaments(folder)]
    for part in [part for part in parts if part not in played][1:]:
        (folder / part / RESOLVED).unlink(missing_ok=True)
        delete_records(folder / part)


def comparison_totals(
    comparison: Comparison,
    covers: Mapping[str, Cover],
    deviations: Mapping[int, Mapping[str, float]],
    notes: Sequence[str] = (),
) -> ComparisonTotals:
    """The results of a comparison from the games of its parts, by name.

    `deviations` are the standard deviations of counts in single games under the baseline, by
    number of players and name of the count.
    """
    answers = [
        answer
        for players in comparison.players
        for answer in _results_for(comparison, players, covers, deviations[players])
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


def _results_for(
    comparison: Comparison,
    players: int,
    covers: Mapping[str, Cover],
    deviations: Mapping[str, float],
) -> Iterator[RuleSetResult]:
    """Every variant against the baseline with this number of players."""
    cover_of = {rules.name: covers[comparison.part(rules, players)] for rules in comparison.rules}
    spans = [cover.counting_spans() for cover in cover_of.values()]
    names = tuple(entrant.name for entrant in comparison.entrants)
    game, scored = comparison.game, comparison.luck_removed
    plan = SamplePlan(DealRatios(game.counts), game.orders(players), *common_deals(spans), names)

    def samples(rules: Any) -> list[RatioSample]:
        """The deals as played, and also with luck removed where it was scored."""
        cover = cover_of[rules.name]
        return [
            read_sample(cover, plan, luck_removed)
            for luck_removed in ((False, True) if scored else (False,))
        ]

    baseline_samples = samples(comparison.baseline)
    for rules in comparison.variants:
        answers = [
            answer(
                comparison, rules.name, players, plan, baseline_sample, variant_sample, deviations
            )
            for baseline_sample, variant_sample in zip(
                baseline_samples, samples(rules), strict=True
            )
        ]
        yield with_luck_gain(*reversed(answers)) if scored else answers[0]


def answer(
    comparison: Comparison,
    rules: str,
    players: int,
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
        players,
        plan.players,
        min(plan.players, len(plan.bots)),
        baseline.deals,
        baseline.games,
        differences,
        order,
        plan.measures,
        lineups=len(plan.groups) or 1,
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
