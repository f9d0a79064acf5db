"""Running a tournament: plays the games that are missing in the ledger, and adds up results."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
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
from cantstop_arena.bots.versions import add_run, version_in, version_name
from cantstop_arena.deals.outcomes import (
    Block,
    BlockResult,
    Fault,
    FaultReport,
    Span,
    TournamentTotals,
    gaps,
    join_parts,
    merge_spans,
)
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import BotError, FaultError, WorkerPoolError
from cantstop_arena.extension_registry import result_kinds
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.system import short_path
from cantstop_arena.texts import how_many, in_a_line
from cantstop_arena.tournaments.changes import changes
from cantstop_arena.tournaments.duration import LineupGames
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.yaml_reader import dump
from cantstop_arena.tournaments.ledger.aggregation import LedgerTotals, aggregate, fault_report
from cantstop_arena.tournaments.ledger.cover import Cover, QueryPlan, plan_of
from cantstop_arena.tournaments.ledger.ledger import LEDGER, Ledger
from cantstop_arena.tournaments.ledger.open_ledger import ledger_part, open_ledger, stored_seed
from cantstop_arena.tournaments.ledger.read_ledger import copied_ledger
from cantstop_arena.tournaments.pool.block_pool import (
    BlockPool,
    BotNotBuilt,
    InterpreterDisturbed,
    PartResult,
)
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import (
    BotFacts,
    PreparedBot,
    backend_of_group,
    disturbance_notice,
    disturbing,
    prepare_bots,
)
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.run_options import PoolOwner
from cantstop_arena.tournaments.schedule import Ending, NarrowIntervals, Round, missing_rounds
from cantstop_arena.tournaments.table_spec import TableSpec, table_spec_for
from cantstop_arena.tournaments.tournament import COPIES, RECORDS, RESOLVED, Tournament

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cantstop_arena.tournaments.openings import Openings

_MAX_REASON_LENGTH = 1000  # characters of a worker's message about a bot that cannot be built
LOGS = "logs"
_MAX_LOGS = 6  # names of logs in a line


def run_tournament(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    options: PoolOptions,
    observer: RunObserver,
    fresh: bool = False,
    ending: Ending | None = None,
) -> TournamentTotals:
    """Play the missing games of a tournament in `folder`, and return all its results.

    The run ends with the games of the tournament, or earlier: by its rule `until`, or the `ending`
    if one is given.

    Raises LedgerError, BotError, FaultError or WorkerPoolError.
    """
    with open_session(tournament, catalogue, folder, observer, fresh) as session:
        return session.run(options, observer, ending)


def plan_run(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    observer: RunObserver,
    fresh: bool = False,
    ending: Ending | None = None,
) -> list[LineupGames]:
    """Tell the observer what a run would play, and return it; nothing is written to `folder`.

    Raises LedgerError.
    """
    with copied_ledger(folder, fresh) as copy:
        seeded = with_stored_seed(tournament, copy, fresh)
        for text in _notices(tournament, seeded, folder):
            observer.on_notice(text)
        with (
            open_ledger(copy / LEDGER) as ledger,
            PoolOwner() as pools,
        ):
            session = begin_session(seeded, catalogue, copy, ledger, pools, observer, folder)
            return session.plan(observer, ending)


class Session:
    """A tournament's ledger, locked against other runs, to play the tournament step by step.

    The ledger can be that of another folder, as parts of a comparison share one. A guest adds games
    to the ledger of another tournament, which keeps its query and all its files.
    """

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
        self.cover: Cover  # the deals that were played or looked at last
        self.played_games = 0
        self._file_tournament = tournament
        self._deals_before = 0  # of the same query, which the results in the folder cover
        self._has_changed = self._ask(tournament)
        self._plan: QueryPlan | None = None
        self._results: TournamentTotals | None = None

    def _ask(self, tournament: Tournament) -> bool:
        """Make a tournament the query of the ledger, and return whether that changes it.

        Its bots that disturb a process that they share play in processes of their own.
        """
        self.tournament = self._with_own_processes(tournament)
        if tournament.is_guest:
            self.ledger.add_query(self.tournament.query)
            self.ledger.check(self.tournament.query)
            return False
        query, before = self.tournament.query, self.ledger.query(self.tournament.part)
        if before is None or query.with_deals(0).text != before.with_deals(0).text:
            delete_records(self.folder)
        else:
            self._deals_before = max(self._deals_before, before.deals)
        self.ledger.set_query(query, self.tournament.part)
        self.ledger.check(query)
        return before is None or before.text != query.text

    def _with_own_processes(self, tournament: Tournament) -> Tournament:
        stored = self.ledger.disturbances(tournament.query.setting)
        ids = (bot.version.id for bot in tournament.query.bots)
        self.disturbances = {bot: stored[id] for bot, id in enumerate(ids) if stored.get(id)}
        return tournament.with_own_processes(self.disturbances)

    def untried(self) -> list[int]:
        """The bots that share processes, and whose trial this ledger does not know."""
        stored = self.ledger.disturbances(self.tournament.query.setting)
        return [
            number
            for number, (bot, entrant) in enumerate(
                zip(self.tournament.query.bots, self.tournament.entrants, strict=True)
            )
            if bot.version.origin.is_foreign
            and not entrant.isolate
            and bot.version.id not in stored
        ]

    def store_trials(self, disturbances: "Mapping[int, str]", bots: Sequence[int]) -> None:
        """Store what the trials of these bots have shown."""
        query = self.tournament.query
        what = {query.bots[bot].version.id: disturbances.get(bot, "") for bot in bots}
        self.ledger.add_disturbances(query.setting, what)
        if disturbances:
            self._ask(self._file_tournament)

    def run(
        self, options: PoolOptions, observer: RunObserver, ending: Ending | None = None
    ) -> TournamentTotals:
        """Play what is missing up to an ending, that of the tournament by default; its results."""
        ending = ending or self._ending()
        for deals in ending.looks(self):
            self.play(deals, ending.blocks, options, observer)
            if ending.is_reached(self, deals, observer) or self.cover.is_exhausted:
                break
        results = self.finished_results()
        if text := self._replaced_text(self.cover.end):
            observer.on_notice(text)
        return results

    def _replaced_text(self, deals: int) -> str:
        """That results of so many deals replace those of more; empty if they do not."""
        if deals >= self._deals_before or self.tournament.is_guest:
            return ""
        before, now = (_games(self.tournament, each) for each in (self._deals_before, deals))
        return (
            f"The tables and the page are of {how_many(now, 'game')} of each lineup now, before"
            f" they were of {before:,}. No game is lost: --games {before} brings them back."
        )

    def plan(self, observer: RunObserver, ending: Ending | None = None) -> list[LineupGames]:
        """Tell the observer what `run` would play at least, and return it."""
        self.announce_plan(next((ending or self._ending()).looks(self)), observer)
        assert self._plan is not None
        return [LineupGames(self._file_tournament, *missing) for missing in self._plan.missing]

    def _ending(self) -> Ending:
        until = self._file_tournament.until
        return NarrowIntervals(until) if until else Ending()

    def announce_plan(self, deals: int, observer: RunObserver) -> None:
        """Tell the observer what is missing of the first `deals` of each group, the first time."""
        self.cover = Cover(self.ledger, self.tournament.query, min(deals, self.tournament.deals))
        if self._plan is None:
            self._plan = plan_of(self.cover)
            observer.on_plan(self._plan)

    def play(self, deals: int, blocks: int, options: PoolOptions, observer: RunObserver) -> None:
        """Play what is missing of the first `deals` of each group, in at least so many blocks."""
        self._results = None
        self.announce_plan(deals, observer)
        run = _TournamentRun(self, min(deals, self.tournament.deals), blocks)
        run.play(options, observer, self.results)

    def part(self, deals: int, blocks: int) -> Tournament:
        """The tournament with so many deals, for a schedule of at least so many blocks."""
        return replace(self.tournament, games=_games(self.tournament, deals), blocks=blocks)

    def set_deals(self, deals: int) -> None:
        """Store how many deals of each group the results in the folder cover."""
        if not self.tournament.is_guest:
            self.ledger.set_deals(deals, self.tournament.part)

    def write_resolved(self) -> None:
        """Write tournament.yaml with all keys, and the number of games that the results cover."""
        if self.tournament.is_guest:
            return
        games = _games(self._file_tournament, self.cover.end)
        openings = stored_openings(self._file_tournament.openings, self.folder)
        resolved = replace(self._file_tournament, games=games, openings=openings).as_file(
            self.folder, COPIES
        )
        write_result(self.folder, RESOLVED, dump(resolved))

    def results(self) -> TournamentTotals:
        """The results of the deals that were played or looked at last."""
        charge = partial(fault_report_of, self._file_tournament, bots_folder=self.catalogue.folder)
        totals = LedgerTotals(self.cover, self.tournament.query, charge)
        added = aggregate([totals], self.tournament.anchor)
        missing = self.cover.missing_games()
        until, left_out = self.tournament.until, self.tournament.left_out
        score = self.tournament.sorted_by
        return replace(
            added, until=until, missing_games=missing, left_out=left_out, sorted_by=score
        )

    def last_results(self) -> TournamentTotals:
        """The results of the last look."""
        self._results = self._results or self.results()
        return self._results

    def finished_results(self) -> TournamentTotals:
        """The results of the run, which ends here."""
        self.set_deals(self.cover.end)
        if self._has_changed or self.played_games:
            bots = {bot.name: bot.version.digest for bot in self.tournament.query.bots}
            games = _games(self.tournament, self.cover.end)
            add_run(self.folder, games, self.played_games, bots)
        return self.last_results()


@contextmanager
def open_session(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    observer: RunObserver,
    fresh: bool = False,
) -> Iterator[Session]:
    """A session in `folder`; `fresh` begins another ledger. Raises LedgerError, UsageError."""
    check_results_folder(folder)
    create_run_folder(folder.parent, folder)
    seeded = with_stored_seed(tournament, folder, fresh)
    for text in _notices(tournament, seeded, folder):
        observer.on_notice(text)
    path = ledger_part(folder).path if tournament.is_guest else folder / LEDGER
    with open_ledger(path, fresh) as ledger, PoolOwner() as pools:
        yield begin_session(seeded, catalogue, folder, ledger, pools, observer, folder)
        ledger.tidy()


def begin_session(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    ledger: Ledger,
    pools: PoolOwner,
    observer: RunObserver,
    results: Path,
) -> Session:
    """A session in an existing folder; the observer is told what has changed since the last run.

    The folder `results` has the copies of the bots that played.
    """
    before = ledger.query(tournament.part)
    session = Session(tournament, catalogue, folder, ledger, pools)
    if before is not None and not tournament.is_guest:
        for text in changes(before, session.tournament, catalogue, results / COPIES):
            observer.on_notice(text)
    return session


def _notices(tournament: Tournament, seeded: Tournament, folder: Path) -> Iterator[str]:
    """What the run has decided where the user left it open: which version, and which seed.

    `seeded` is the tournament with the seed of the folder, if it takes that.
    """
    yield from version_notices(tournament.entrants)
    if tournament.openings and (text := openings_notice(tournament)):
        yield text
    if seeded is not tournament:
        yield f"Seed {seeded.seed}, from {folder}; --fresh draws another."


def version_notices(entrants: Sequence[Entrant]) -> Iterator[str]:
    """Which versions of bots play, where the user has not named a digest."""
    for reference in dict.fromkeys(entrant.reference for entrant in entrants):
        if reference and (version := version_in(reference)):
            bots = (entrant.bot for entrant in entrants if entrant.reference == reference)
            name = version_name(version.bot, next(bots).digest)
            yield f"{reference} is {name}; write the digest to keep it."


def openings_notice(tournament: Tournament) -> str:
    """What there is to say of openings that are fewer than the deals; empty if there is nothing."""
    game, rules, players = tournament.game, tournament.rules, tournament.players
    openings = tournament.openings
    return openings.notice(game, rules, players, tournament.deals) if openings else ""


def with_stored_seed(tournament: Tournament, folder: Path, fresh: bool = False) -> Tournament:
    """The tournament with the seed stored in `folder`, unless the user has given one."""
    if not tournament.has_random_seed or fresh:
        return tournament
    stored = stored_seed(folder / LEDGER)
    return tournament if stored is None else replace(tournament, seed=stored)


def stored_openings(openings: "Openings | None", folder: Path) -> "Openings | None":
    """The openings as a file in a folder of results has them; lines are copied to that folder.

    A copy of another run's lines is deleted.
    """
    from cantstop_arena.tournaments.openings import OPENINGS

    if openings is None or openings.path is None:
        (folder / OPENINGS).unlink(missing_ok=True)
        return openings
    write_result(folder, OPENINGS, openings.text)
    return replace(openings, path=Path(OPENINGS))


def create_run_folder(root: Path, folder: Path) -> None:
    """Create the folder of a run, and those between it and `root`. Raises UsageError for links."""
    create_below(root, folder)
    for name in (LEDGER, COPIES, LOGS, RECORDS):
        refuse_link(folder / name)


def delete_records(folder: Path) -> None:
    """Delete what could be of other games than those of a changed query, under the same names."""
    beside = (folder / kind.file for kind in result_kinds() if kind.is_beside)
    for path in [*folder.glob(f"{RECORDS}/*.jsonl"), *beside]:
        path.unlink(missing_ok=True)
    with suppress(OSError):  # there is none, or it has other files
        (folder / RECORDS).rmdir()


def _games(tournament: Tournament, deals: int) -> int:
    return deals * len(tournament.orders)


class _TournamentRun:
    """Plays the missing games of a tournament in a session, and counts faults."""

    def __init__(self, session: Session, deals: int, blocks: int) -> None:
        self.session = session
        self.catalogue, self.folder = session.catalogue, session.folder
        self.ledger, self.pools = session.ledger, session.pools
        names = session.tournament.query.names
        self.logs = BotLogs(self.folder / LOGS, names)
        self.deals, self.blocks = deals, blocks
        self.parts: dict[Block, list[BlockResult]] = {}
        self.faulty: set[int] = set()  # bots of which a fault has been reported
        self.held: dict[Group, dict[int, BlockResult]] = {}
        self._begin()

    def _begin(self) -> None:
        """Note what is missing, and count the stored faults."""
        self.tournament = self.session.part(self.deals, self.blocks)
        self.cover = self.session.cover
        self.aborts = self.tournament.policy.on_fault == "abort"
        limit = 1 if self.aborts else self.tournament.policy.max_faults
        self.fault_counter = self.cover.new_fault_counter(limit)

    def play(
        self, options: PoolOptions, observer: RunObserver, results: Callable[[], TournamentTotals]
    ) -> None:
        """Play, store blocks, disqualify bots; `results` are those of the complete tournament."""
        self.session.write_resolved()
        self._abort_at_stored_fault()
        stored, missing = self._extent()
        observer.on_start(stored, stored + missing)
        if missing:
            self.session.set_deals(self.deals)
            self._play_missing(options, observer, results)
        self.fault_counter.close()
        self._disqualify_bots()

    def _games(self, deals: int) -> int:
        return _games(self.tournament, deals)

    def _extent(self) -> tuple[int, int]:
        """The numbers of games that have been played, and of those that are missing and count."""
        spans = self.cover.complete_spans()
        stored = missing = 0
        for group in self.tournament.groups():
            if self.cover.owner(group) == group and not self.fault_counter.is_void(group):
                played = spans.get(tuple(sorted(group)), ())
                stored += sum(deals for _, deals in played)
                missing += sum(deals for _, deals in gaps(played, self.deals))
        return self._games(stored), self._games(missing)

    def _missing(self, backend_of: Callable[[Group], str]) -> Iterator[Round]:
        spans, everything = self.cover.complete_spans(), [(0, self.deals)]
        played = {
            group: list(merge_spans(spans.get(tuple(sorted(group)), ())))
            for group in self.tournament.groups()
            if self.cover.owner(group) == group and not self.fault_counter.is_void(group)
        }

        def played_spans(group: Group) -> Sequence[Span]:
            return everything if self._is_repeated(group) else played.get(group, everything)

        return missing_rounds(self.tournament, backend_of, played_spans)

    def _is_complete(self, group: Group) -> bool:
        """Whether the games of a group that are missing need not be played."""
        return self.fault_counter.is_void(group) or self._is_repeated(group)

    def _is_repeated(self, group: Group) -> bool:
        """Whether all further deals of a group would repeat others."""
        return self.cover.different_deals(group) is not None

    def _prepared(
        self, options: PoolOptions, observer: RunObserver
    ) -> tuple[TableSpec, tuple[PreparedBot, ...]]:
        """The table and its bots; those that disturb a process that they share play apart.

        That is decided before a bot's first game, and holds as long as the ledger.
        """
        if untried := self.session.untried():
            spec, bots = self._built(options, observer, self.tournament.policy.decision_limit)
            disturbances_found = disturbing(bots)
            disturbances = {
                bot: disturbances_found[bot] for bot in untried if bot in disturbances_found
            }
            self.session.store_trials(disturbances, untried)
            if not disturbances and not self.session.disturbances:
                return spec, bots
            if disturbances:
                self.session.cover = Cover(self.ledger, self.session.tournament.query, self.deals)
                self._begin()
                self._abort_at_stored_fault()
                self.session.set_deals(self.deals)
                stored, left = self._extent()
                observer.on_total(stored, stored + left)
        for bot, what in self.session.disturbances.items():
            name = self.tournament.entrants[bot].name
            observer.on_notice(disturbance_notice(name, what))
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
        table_spec = table_spec.as_prepared([part.backend for part in parts])
        entrants = self.tournament.entrants
        isolated = frozenset(number for number, entrant in enumerate(entrants) if entrant.isolate)
        policy, orders = self.tournament.policy, self.tournament.orders
        note_fault = partial(self._note_fault, observer)
        bots = BotFacts(parts, policy, isolated, self.logs, orders, note_fault)
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
            if written := [path.name for path in self.logs.written]:
                files = ", ".join(written[:_MAX_LOGS]) + ", ..." * (len(written) > _MAX_LOGS)
                observer.on_notice(f"What bots printed is in {self.logs.folder}: {files}")

    def _note_fault(self, observer: RunObserver, fault: Fault) -> None:
        """Report the first fault of a bot at once: the standings come when all has been played."""
        entrant = self.tournament.entrants[fault.bot]
        if fault.bot in self.faulty:
            return
        self.faulty.add(fault.bot)
        text = f"{entrant.name}: {fault.kind}: {fault.message}, in deal {fault.deal}"
        if path := entrant.bot.path:
            text += f"; arena bots check {short_path(str(bot_path(path)))}"
        self.logs.note_fault(text)
        observer.on_notice(text)

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
            is_repeated = self._is_repeated(played.full_block.group)
            if is_repeated:
                self.fault_counter.drop(self._is_repeated)
            if self._disqualify_bots() or is_repeated:
                pool.drop(self._is_complete)
                stored, left = self._extent()
                observer.on_total(stored, stored + left)

    def _store(self, played: PartResult, observer: RunObserver) -> None:
        """Store a block in the ledger when the results of all its parts are there."""
        result, block = played.result, played.full_block
        for fault in result.faults:
            self._note_fault(observer, fault)
        if self.fault_counter.is_void(block.group):
            return
        parts = self.parts.setdefault(block, [])
        parts.append(result)
        if sum(part.block.deals for part in parts) == block.deals:
            for complete in self._in_order(join_parts(block, self.parts.pop(block))):
                self.cover.add(complete)
                self.session.played_games += self._games(complete.block.deals)
                observer.on_progress(self._games(complete.block.deals))
        self.fault_counter.add_faults(result.faults, result.block, block)

    def _in_order(self, result: BlockResult) -> Iterator[BlockResult]:
        """The results to be stored now. Those of games without draws are stored in order, up to
        the first that shows that all others are repeated: then it is the same for any number of
        workers what the ledger has."""
        if not result.fingerprints:
            yield result
            return
        group = result.block.group
        held = self.held.setdefault(group, {})
        held[result.block.first] = result
        while not self._is_repeated(group):
            following = [first for first in held if first <= self.cover.played(group)]
            if not following:
                return
            yield held.pop(min(following))

    def _disqualify_bots(self) -> bool:
        disqualifications = list(self.fault_counter.disqualifications())
        if disqualifications:
            self._store_partial_blocks()
        self._abort_at_fault([[*each.faults] for each in disqualifications])
        return bool(disqualifications)

    def _store_partial_blocks(self) -> None:
        """Store how far blocks of disqualified bots were played: their faults were counted."""
        for block in [block for block in self.parts if self.fault_counter.is_void(block.group)]:
            parts_played, end = [], block.first
            for part in sorted(self.parts.pop(block), key=lambda part: part.block.first):
                if part.block.first != end:
                    break
                parts_played.append(part)
                end = part.block.end
            if parts_played:
                played = replace(block, deals=end - block.first)
                self.cover.add(join_parts(played, parts_played))

    def _abort_at_stored_fault(self) -> None:
        self._abort_at_fault(list(self.fault_counter.disqualified.values()))

    def _abort_at_fault(self, faults: Sequence[Sequence[Fault]]) -> None:
        """Raise FaultError for the first counted fault, if faults end the run."""
        first = next((fault for each in faults for fault in each), None)
        if self.aborts and first is not None:
            report = fault_report_of(self.tournament, first, self.catalogue.folder)
            raise FaultError(_fault_text(report))


def _with_path(entrant: Entrant) -> str:
    path = entrant.bot.path
    return f"{entrant.name} ({short_path(str(bot_path(path)))})" if path else entrant.name


def _backend_function(parts: Sequence[PreparedBot]) -> Callable[[Group], str]:
    return partial(backend_of_group, parts)


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
