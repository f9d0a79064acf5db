"""From a tournament to its results: plays what the ledger lacks, and adds it all up."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.bot_sources.plugins import DEFAULT_FOLDER
from cantstop_arena.deals.outcomes import Block, BlockResult, Charge, Fault, Results, joined
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.spans import Span, gaps, merged
from cantstop_arena.errors import ArenaError, BotError, FaultError, LedgerError, WorkerPoolError
from cantstop_arena.runtime import shutdown
from cantstop_arena.runtime.whole_files import write_whole
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournament.edited_bots import edits
from cantstop_arena.tournament.files.tournament import RESOLVED, Tournament
from cantstop_arena.tournament.files.yaml_text import dump
from cantstop_arena.tournament.ledgers.accounts import Account, charged, reached
from cantstop_arena.tournament.ledgers.aggregation import aggregated
from cantstop_arena.tournament.ledgers.ledger import LEDGER, Ledger
from cantstop_arena.tournament.ledgers.opening import OtherTournament, open_ledger, stored_seed
from cantstop_arena.tournament.pool.block_pool import BlockPool, PlayedPart, Unbuilt
from cantstop_arena.tournament.pool.bot_logs import BotLogs
from cantstop_arena.tournament.pool.judge import Judge
from cantstop_arena.tournament.pool.worker_pool import Terms
from cantstop_arena.tournament.pools import Pools
from cantstop_arena.tournament.schedule import Round, missing_rounds
from cantstop_arena.tournament.setup.known_bots import Bots
from cantstop_arena.tournament.setup.preparation import Part, native, prepare_bots
from cantstop_arena.tournament.setup.table_specs import table_spec_for

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST_REASON = 1000  # characters of what a worker says of a bot that it cannot build
LOGS = "logs"
KEPT = "bots"


class Watch(Protocol):
    """Who is told how a run goes on."""

    def compiling(self, names: list[str]) -> None:
        """The engine (no name), or bots, are about to be compiled for the first time."""

    def begins(self, played: int, games: int) -> None:
        """Of all `games`, `played` stand in the ledger already."""

    def advances(self, games: int) -> None:
        """So many more games are in the ledger."""

    def shrinks(self, played: int, games: int) -> None:
        """A bot is out: of only `games` that are left, `played` stand in the ledger."""

    def plays_on(self, machines: int, processes: int) -> None:
        """So many machines of a cluster play now, with so many processes together."""

    def remarks(self, words: str) -> None:
        """Something has to be said of a machine of the cluster."""

    def passes(self, results: Callable[[], Results]) -> None:
        """Time passes, with more games or without, and nothing is being written.

        Told some twenty times a second. `results` adds up what stands in the ledger, which takes
        time in proportion to the games; it raises Interrupted when the user wants to end.
        """


def play(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    terms: Terms,
    watch: Watch,
    fresh: bool = False,
) -> Results:
    """Play what is missing of a tournament in `folder`, and return all its results.

    Raises LedgerError, BotError, FaultError or WorkerPoolError.
    """
    with opened(tournament, catalogue, folder, fresh) as session:
        session.play(tournament, terms, watch)
        return session.results()


class Session(msgspec.Struct, frozen=True):
    """A tournament's ledger while no other run can write to it, to play step by step."""

    tournament: Tournament
    catalogue: Catalogue
    folder: Path
    ledger: Ledger
    pools: Pools

    def play(self, part: Tournament, terms: Terms, watch: Watch) -> None:
        """Play what is missing of a part, which is the tournament with fewer games."""
        part = replace(part, seed=self.tournament.seed)
        _write_resolved(part, self.folder, self.ledger.spans())
        run = _Run(part, self.catalogue, self.folder, self.ledger, self.pools)
        run.play(terms, watch, self.results)

    def results(self) -> Results:
        """All that has been played."""
        account = Account(
            self.ledger,
            self.tournament.identity(),
            lambda fault: charge_of(self.tournament, fault, self.catalogue.folder),
        )
        added = aggregated([account], self.tournament.anchor)
        unplayed = account.unplayed(reached(self.ledger.spans()))
        return replace(added, until=self.tournament.until, unplayed=unplayed)


@contextmanager
def opened(
    tournament: Tournament, catalogue: Catalogue, folder: Path, fresh: bool = False
) -> Iterator[Session]:
    """A session in `folder`, in which `fresh` forgets what was played. Raises LedgerError."""
    _make(folder)
    tournament = settled(tournament, folder, fresh)
    with ExitStack() as stack:
        try:
            opening = open_ledger(folder / LEDGER, tournament.identity(), fresh)
            ledger = stack.enter_context(opening)
        except OtherTournament as error:
            edited = edits(tournament, catalogue, error.stored, folder / KEPT)
            if not edited:
                raise
            raise LedgerError(edited) from error
        yield Session(tournament, catalogue, folder, ledger, Pools(stack))


def settled(tournament: Tournament, folder: Path, fresh: bool = False) -> Tournament:
    """The tournament with the seed that it has in `folder`, where nobody has named one."""
    if not tournament.drawn or fresh:
        return tournament
    stored = stored_seed(folder / LEDGER)
    return tournament if stored is None else replace(tournament, seed=stored)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArenaError(f"{folder} cannot be created: {error.strerror}") from error


def _games(tournament: Tournament, deals: int) -> int:
    return deals * len(tournament.orders)


class _Run:
    """One go at a tournament: plays what the ledger lacks, with a judge beside it."""

    def __init__(
        self,
        tournament: Tournament,
        catalogue: Catalogue,
        folder: Path,
        ledger: Ledger,
        pools: Pools,
    ) -> None:
        self.tournament = tournament
        self.catalogue = catalogue
        self.folder = folder
        self.logs = BotLogs(folder / LOGS, [entrant.name for entrant in tournament.entrants])
        self.ledger = ledger
        self.pools = pools
        self.spans = ledger.spans()
        self.judge = Judge(tournament.policy.max_faults, ledger.disqualified())
        self.parts: dict[Block, list[BlockResult]] = {}

    def play(self, terms: Terms, watch: Watch, results: Callable[[], Results]) -> None:
        """Play, write down, judge; `results` are those of the whole tournament."""
        stored, missing = self._extent(self.spans)
        asked = sum(self._games(self.tournament.deals) for _ in self.tournament.groups())
        watch.begins(stored, max(asked, stored + missing) if missing else stored)
        self.judge.hear(self.ledger.faults())
        if missing:
            self._play_missing(terms, watch, results)
        self.judge.close()
        self._pass_sentences()
        self.ledger.tidy()

    def _games(self, deals: int) -> int:
        return _games(self.tournament, deals)

    def _extent(self, spans: "Mapping[Group, list[Span]]") -> tuple[int, int]:
        """The games that have been played, and those that are missing and count."""
        stored = sum(deals for gone in spans.values() for _, deals in gone)
        counting = (group for group in self.tournament.groups() if not self.judge.is_void(group))
        left = (gaps(spans.get(group, ()), self.tournament.deals) for group in counting)
        missing = sum(deals for gap in left for _, deals in gap)
        return self._games(stored), self._games(missing)

    def _missing(self, lane_of: Callable[[Group], str]) -> Iterator[Round]:
        played = {group: list(merged(spans)) for group, spans in self.spans.items()}
        return missing_rounds(self.tournament, lane_of, lambda group: played.get(group, ()))

    def _play_missing(self, terms: Terms, watch: Watch, results: Callable[[], Results]) -> None:
        kept = self.folder / KEPT
        table_spec = table_spec_for(self.tournament, self.catalogue, self.logs, terms.memory, kept)
        parts = prepare_bots(table_spec, watch.compiling)
        table_spec = table_spec.as_prepared([part.native for part in parts])
        entrants = self.tournament.entrants
        apart = frozenset(number for number, one in enumerate(entrants) if one.isolate)
        bots = Bots(parts, self.tournament.policy, apart, self.logs, self.tournament.orders)
        foreign = [number for number, seat in enumerate(table_spec.seats) if seat.is_foreign]
        limit = self.tournament.policy.start_limit
        terms = replace(terms, start_limit=limit, foreign=foreign)
        blocks = self.judge.scheduled(self._missing(_lanes(parts)))
        names = [entrant.name for entrant in entrants]
        gc.freeze()  # what has been loaded stays: nobody need look through it, here or in workers
        self.logs.begin()
        try:
            with (
                shutdown.in_order(),
                self.pools.pool(table_spec, bots, names, terms, watch) as pool,
            ):
                self._play_on(pool, blocks, watch, results)
        except Unbuilt as error:
            raise BotError(self._not_built(error)) from error
        except WorkerPoolError:
            prepare_bots(table_spec, lambda _: None)  # names a bot that cannot be built any more
            raise
        finally:
            self.logs.end()

    def _not_built(self, error: Unbuilt) -> str:
        bot, *others = (self.tournament.entrants[n].name for n in (error.bot, *error.others))
        beside = f" in a process that holds {', '.join(others)} already" if others else ""
        return f"bot {bot} cannot be built{beside}: {in_a_line(str(error), _LONGEST_REASON)}"

    def _play_on(
        self,
        pool: BlockPool,
        blocks: Iterator[Block],
        watch: Watch,
        results: Callable[[], Results],
    ) -> None:
        for played in pool.play(blocks, lambda: watch.passes(results)):
            self._take(played, watch)
            if self._pass_sentences():
                pool.drop(self.judge.is_void)
                stored, left = self._extent(self.ledger.spans())
                watch.shrinks(stored, stored + left)

    def _take(self, played: PlayedPart, watch: Watch) -> None:
        """Write a block down, when all of its parts are there."""
        result, whole = played.result, played.whole
        if self.judge.is_void(whole.group):
            return
        if result.faults and self.tournament.policy.on_fault == "abort":
            raise FaultError(
                _told(charge_of(self.tournament, result.faults[0], self.catalogue.folder))
            )
        parts = self.parts.setdefault(whole, [])
        parts.append(result)
        if sum(part.block.deals for part in parts) == whole.deals:
            self.ledger.add(joined(whole, self.parts.pop(whole)))
            watch.advances(self._games(whole.deals))
        self.judge.hear(result.faults, result.block, whole)

    def _pass_sentences(self) -> bool:
        sentences = list(self.judge.sentences())
        for sentence in sentences:
            self.ledger.disqualify(sentence.bot, sentence.faults)
        return bool(sentences)


def _lanes(parts: Sequence[Part]) -> Callable[[Group], str]:
    def lane_of(group: Group) -> str:
        return "compiled" if native(parts, group) else "plain"

    return lane_of


def charge_of(tournament: Tournament, fault: Fault, bots_folder: Path) -> Charge:
    """A fault in names, with the command that plays its game again."""
    unknown = tournament.reseeded or tournament.drawn
    options = ["--seed", str(tournament.seed)] if unknown else []
    if bots_folder != DEFAULT_FOLDER:
        options += ["--bots", str(bots_folder)]
    names = [entrant.name for entrant in tournament.entrants]
    return charged(names, fault, str(tournament.source), options)


def _told(charge: Charge) -> str:
    return (
        f"{charge.bot} misbehaved in deal {charge.deal} ({charge.kind}): {charge.message}\n"
        f"Play that game again with:\n  {charge.replay}"
    )


def _write_resolved(
    tournament: Tournament, folder: Path, spans: "Mapping[Group, list[Span]]"
) -> None:
    """Write the tournament with everything spelled out, with as many games as it is to have."""
    games = _games(tournament, max(tournament.deals, reached(spans)))
    resolved = replace(tournament, games=games).resolved(folder)
    write_whole(folder / RESOLVED, dump(resolved))
