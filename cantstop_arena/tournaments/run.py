"""Running a tournament: plays the games that are missing in the ledger, and adds up results."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cantstop_arena.atomic_files import (
    check_results_folder,
    create_below,
    refuse_link,
    write_result,
)
from cantstop_arena.bots.bot_paths import DEFAULT_FOLDER, bot_path
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.versions import version_in, version_name
from cantstop_arena.deals.outcomes import (
    Block,
    BlockResult,
    Fault,
    FaultReport,
    TournamentTotals,
    join_parts,
)
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.spans import Span, gaps, merge_spans, unbroken_prefix
from cantstop_arena.errors import BotError, FaultError, WorkerPoolError
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.bot_facts import BotFacts
from cantstop_arena.tournaments.edited_bots import edit_message
from cantstop_arena.tournaments.endings import Ending, NarrowIntervals
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.yaml_text import dump
from cantstop_arena.tournaments.ledger.aggregation import aggregate
from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.ledger_totals import LedgerTotals, deals_played, fault_report
from cantstop_arena.tournaments.ledger.open_ledger import (
    TournamentMismatch,
    open_ledger,
    stored_seed,
)
from cantstop_arena.tournaments.pool.block_pool import (
    BlockPool,
    BotNotBuilt,
    InterpreterDisturbed,
    PartResult,
)
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.fault_counter import FaultCounter
from cantstop_arena.tournaments.pool.pool_owner import PoolOwner
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import (
    PreparedBot,
    disturbance_notice,
    disturbing,
    native,
    prepare_bots,
)
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.schedule import Round, missing_rounds
from cantstop_arena.tournaments.table_spec import TableSpec, table_spec_for
from cantstop_arena.tournaments.tournament import RECORDS, RESOLVED, Tournament

if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_REASON_LENGTH = 1000  # characters of a worker's message about a bot that cannot be built
LOGS = "logs"
COPIES = "bots"


def run_tournament(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    options: PoolOptions,
    observer: RunObserver,
    fresh: bool = False,
    pools: PoolOwner | None = None,
    ending: Ending | None = None,
) -> TournamentTotals:
    """Play the missing games of a tournament in `folder`, and return all its results.

    The run ends with the games of the tournament, or earlier: by its rule `until`, or the `ending`
    if one is given. `pools` are those of a command that plays several tournaments.

    Raises LedgerError, BotError, FaultError or WorkerPoolError.
    """
    rule = tournament.until
    ending = ending or (NarrowIntervals(rule) if rule else Ending())
    with open_session(tournament, catalogue, folder, observer, fresh, pools) as session:
        for number, deals in enumerate(ending.looks(session)):
            if number == 0 or deals > session.complete_deals:
                session.play(deals, ending.blocks, options, observer)
            if ending.is_reached(session, deals, observer):
                break
        return session.results()


class Session:
    """A tournament's ledger, locked against other runs, to play the tournament step by step."""

    def __init__(
        self,
        tournament: Tournament,
        catalogue: Catalogue,
        folder: Path,
        ledger: Ledger,
        pools: PoolOwner,
    ) -> None:
        self.tournament = tournament
        self.catalogue = catalogue
        self.folder = folder
        self.ledger = ledger
        self.pools = pools
        self._results: TournamentTotals | None = None

    def play(self, deals: int, blocks: int, options: PoolOptions, observer: RunObserver) -> None:
        """Play what is missing of the first `deals` of each group, in at least so many blocks."""
        self._results = None
        games = _games(self.tournament, min(deals, self.tournament.deals))
        part = replace(self.tournament, games=games, blocks=blocks)
        _write_resolved(part, self.folder, self.ledger.spans())
        run = _TournamentRun(self, part)
        run.play(options, observer, self._added_up)

    def played_deals(self) -> int:
        """The number of deals up to the last that any group has played."""
        return deals_played(self.ledger.spans())

    @cached_property
    def complete_deals(self) -> int:
        """The number of deals from the first on that all groups had played when first asked."""
        spans = self.ledger.spans()
        groups = self.tournament.groups()
        return min((unbroken_prefix(spans.get(group, ())) for group in groups), default=0)

    def results(self) -> TournamentTotals:
        """The results of all games in the ledger."""
        self._results = self._results or self._added_up()
        return self._results

    def _added_up(self) -> TournamentTotals:
        totals = LedgerTotals(
            self.ledger,
            self.tournament.identity(),
            lambda fault: fault_report_of(self.tournament, fault, self.catalogue.folder),
        )
        added = aggregate([totals], self.tournament.anchor)
        unplayed = totals.missing_games(deals_played(self.ledger.spans()))
        until, left_out = self.tournament.until, self.tournament.left_out
        return replace(added, until=until, missing_games=unplayed, left_out=left_out)


@contextmanager
def open_session(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    observer: RunObserver,
    fresh: bool = False,
    pools: PoolOwner | None = None,
) -> Iterator[Session]:
    """A session in `folder`; `fresh` deletes earlier results. Raises LedgerError, UsageError."""
    _create(folder)
    tournament = with_stored_seed(tournament, folder, fresh)
    for text in _notices(tournament, folder, fresh):
        observer.on_notice(text)
    with ExitStack() as stack:
        try:
            opening = open_ledger(folder / LEDGER, tournament.identity(), fresh)
            ledger = stack.enter_context(opening)
        except TournamentMismatch as error:
            edited = edit_message(tournament, catalogue, error.stored, folder / COPIES)
            if not edited:
                raise
            raise TournamentMismatch(error.stored, edited) from error
        pools = pools or stack.enter_context(PoolOwner())
        yield Session(tournament, catalogue, folder, ledger, pools)


def _notices(tournament: Tournament, folder: Path, fresh: bool) -> Iterator[str]:
    """What the run has decided where the user left it open: which version, and which seed."""
    for reference in dict.fromkeys(entrant.reference for entrant in tournament.entrants):
        if reference and (version := version_in(reference)):
            bots = (e.bot for e in tournament.entrants if e.reference == reference)
            name = version_name(version.bot, next(bots).digest)
            yield f"{reference} is {name}; write the digest to keep it."
    stored = stored_seed(folder / LEDGER) if tournament.has_random_seed and not fresh else None
    if stored is not None:
        yield f"Seed {stored}, from {folder}; --fresh draws another."


def with_stored_seed(tournament: Tournament, folder: Path, fresh: bool = False) -> Tournament:
    """The tournament with the seed stored in `folder`, unless the user has given one."""
    if not tournament.has_random_seed or fresh:
        return tournament
    stored = stored_seed(folder / LEDGER)
    return tournament if stored is None else replace(tournament, seed=stored)


def _create(folder: Path) -> None:
    """Create the folder of the results. Raises UsageError when it cannot be written to."""
    check_results_folder(folder)
    create_below(folder.parent, folder)
    for name in (LEDGER, COPIES, LOGS, RECORDS):
        refuse_link(folder / name)


def _games(tournament: Tournament, deals: int) -> int:
    return deals * len(tournament.orders)


class _TournamentRun:
    """Plays the missing games of a tournament in a session, and counts faults."""

    def __init__(self, session: Session, tournament: Tournament) -> None:
        self.tournament = tournament
        self.catalogue, self.folder = session.catalogue, session.folder
        self.ledger, self.pools = session.ledger, session.pools
        self.logs = BotLogs(self.folder / LOGS, [entrant.name for entrant in tournament.entrants])
        self.spans = self.ledger.spans()
        self.fault_counter = FaultCounter(tournament.policy.max_faults, self.ledger.disqualified())
        self.parts: dict[Block, list[BlockResult]] = {}

    def play(
        self, options: PoolOptions, observer: RunObserver, results: Callable[[], TournamentTotals]
    ) -> None:
        """Play, store blocks, disqualify bots; `results` are those of the complete tournament."""
        stored, missing = self._extent(self.spans)
        requested = sum(self._games(self.tournament.deals) for _ in self.tournament.groups())
        observer.on_start(stored, max(requested, stored + missing) if missing else stored)
        self.fault_counter.add_faults(self.ledger.faults())
        if missing:
            self._play_missing(options, observer, results)
        self.fault_counter.close()
        self._disqualify_bots()
        self.ledger.tidy()

    def _games(self, deals: int) -> int:
        return _games(self.tournament, deals)

    def _extent(self, spans: "Mapping[Group, list[Span]]") -> tuple[int, int]:
        """The numbers of games that have been played, and of those that are missing and count."""
        stored = sum(deals for played in spans.values() for _, deals in played)
        counting = (
            group for group in self.tournament.groups() if not self.fault_counter.is_void(group)
        )
        left = (gaps(spans.get(group, ()), self.tournament.deals) for group in counting)
        missing = sum(deals for gap in left for _, deals in gap)
        return self._games(stored), self._games(missing)

    def _missing(self, backend_of: Callable[[Group], str]) -> Iterator[Round]:
        played = {group: list(merge_spans(spans)) for group, spans in self.spans.items()}
        return missing_rounds(self.tournament, backend_of, lambda group: played.get(group, ()))

    def _prepared(
        self, options: PoolOptions, observer: RunObserver
    ) -> tuple[TableSpec, tuple[PreparedBot, ...]]:
        """The table and its bots; those that disturb a process that they share play disturbances.

        That is decided before the first game, and holds as long as the ledger.
        """
        disturbances = self.ledger.disturbances()
        if not self.spans:
            spec, bots = self._built(options, observer, self.tournament.policy.decision_limit)
            before, disturbances = disturbances, disturbing(bots)
            if disturbances != before:
                self.ledger.set_disturbances(disturbances)
            if not disturbances:
                return spec, bots
        for bot, what in disturbances.items():
            name = self.tournament.entrants[bot].name
            observer.on_notice(disturbance_notice(name, what))
        self.tournament = self.tournament.with_own_processes(disturbances)
        return self._built(options, observer)

    def _built(
        self, options: PoolOptions, observer: RunObserver, decision_limit: float | None = None
    ) -> tuple[TableSpec, tuple[PreparedBot, ...]]:
        copies, memory = self.folder / COPIES, options.memory
        spec = table_spec_for(self.tournament, self.catalogue, self.logs, memory, copies)
        return spec, prepare_bots(spec, observer.on_compile, decision_limit)

    def _play_missing(
        self, options: PoolOptions, observer: RunObserver, results: Callable[[], TournamentTotals]
    ) -> None:
        table_spec, parts = self._prepared(options, observer)
        table_spec = table_spec.as_prepared([part.is_compiled for part in parts])
        entrants = self.tournament.entrants
        isolated = frozenset(number for number, entrant in enumerate(entrants) if entrant.isolate)
        bots = BotFacts(parts, self.tournament.policy, isolated, self.logs, self.tournament.orders)
        foreign = [number for number, seat in enumerate(table_spec.seats) if seat.is_foreign]
        limit = self.tournament.policy.start_limit
        options = replace(options, start_limit=limit, foreign=foreign)
        blocks = self.fault_counter.scheduled(self._missing(_backend_function(parts)))
        names = [entrant.name for entrant in entrants]
        gc.freeze()  # loaded modules stay: the collector need not scan them, here or in workers
        self.logs.begin()
        try:
            with (
                shutdown.defer_until_safe(),
                self.pools.pool(table_spec, bots, names, options, observer) as pool,
            ):
                self._play_on(pool, blocks, observer, results)
        except BotNotBuilt as error:
            raise BotError(self._not_built(error)) from error
        except InterpreterDisturbed as error:
            raise WorkerPoolError(self._disturbed(error)) from error
        except WorkerPoolError:
            prepare_bots(table_spec, lambda _: None)  # raises BotError if a bot cannot be built now
            raise
        finally:
            self.logs.end()

    def _not_built(self, error: BotNotBuilt) -> str:
        bot, *others = (self.tournament.entrants[n].name for n in (error.bot, *error.others))
        beside = f" in a process that holds {', '.join(others)} already" if others else ""
        return f"bot {bot} cannot be built{beside}: {in_a_line(str(error), _MAX_REASON_LENGTH)}"

    def _disturbed(self, error: InterpreterDisturbed) -> str:
        bots = [self.tournament.entrants[bot] for bot in error.bots]
        return error.text([bot.name if len(bots) == 1 else _with_path(bot) for bot in bots])

    def _play_on(
        self,
        pool: BlockPool,
        blocks: Iterator[Block],
        observer: RunObserver,
        results: Callable[[], TournamentTotals],
    ) -> None:
        for played in pool.play(blocks, lambda: observer.on_tick(results)):
            self._store(played, observer)
            if self._disqualify_bots():
                pool.drop(self.fault_counter.is_void)
                stored, left = self._extent(self.ledger.spans())
                observer.on_total(stored, stored + left)

    def _store(self, played: PartResult, observer: RunObserver) -> None:
        """Store a block in the ledger when the results of all its parts are there."""
        result, block = played.result, played.full_block
        if self.fault_counter.is_void(block.group):
            return
        if result.faults and self.tournament.policy.on_fault == "abort":
            raise FaultError(
                _fault_text(
                    fault_report_of(self.tournament, result.faults[0], self.catalogue.folder)
                )
            )
        parts = self.parts.setdefault(block, [])
        parts.append(result)
        if sum(part.block.deals for part in parts) == block.deals:
            self.ledger.add(join_parts(block, self.parts.pop(block)))
            observer.on_progress(self._games(block.deals))
        self.fault_counter.add_faults(result.faults, result.block, block)

    def _disqualify_bots(self) -> bool:
        disqualifications = list(self.fault_counter.disqualifications())
        for disqualification in disqualifications:
            self.ledger.disqualify(disqualification.bot, disqualification.faults)
        return bool(disqualifications)


def _with_path(entrant: Entrant) -> str:
    path = entrant.bot.path
    return f"{entrant.name} ({short_path(str(bot_path(path)))})" if path else entrant.name


def _backend_function(parts: Sequence[PreparedBot]) -> Callable[[Group], str]:
    def backend_of(group: Group) -> str:
        return "compiled" if native(parts, group) else "plain"

    return backend_of


def fault_report_of(tournament: Tournament, fault: Fault, bots_folder: Path) -> FaultReport:
    """A fault with the names of its bots, and the command that replays its game."""
    unknown = tournament.reseeded or tournament.has_random_seed
    options = ["--seed", str(tournament.seed)] if unknown else []
    if bots_folder != DEFAULT_FOLDER:
        options += ["--bots", str(bots_folder)]
    names = [entrant.name for entrant in tournament.entrants]
    return fault_report(names, fault, str(tournament.source), options)


def _fault_text(charge: FaultReport) -> str:
    return (
        f"{charge.bot} misbehaved in deal {charge.deal} ({charge.kind}): {charge.message}\n"
        f"Play that game again with:\n  {charge.replay}"
    )


def _write_resolved(
    tournament: Tournament, folder: Path, spans: "Mapping[Group, list[Span]]"
) -> None:
    """Write tournament.yaml with all keys, and the number of games that the run will have."""
    games = _games(tournament, max(tournament.deals, deals_played(spans)))
    resolved = replace(tournament, games=games).as_file(folder)
    write_result(folder, RESOLVED, dump(resolved))
