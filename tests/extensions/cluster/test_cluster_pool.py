"""Machines of a cluster as the arena sees them: what they are given, and what they say."""

import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from helpers.workers import BLOCKS, ORDERS, result
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotFile, BotSource
from cantstop_arena.cli.terminal.progress_screen import RunScreen
from cantstop_arena.deals.outcomes import Block, BlockResult, TournamentTotals, join_parts
from cantstop_arena.errors import ArenaError, GameError, UsageError, WorkerPoolError
from cantstop_arena.extensions.cluster import cluster_pool
from cantstop_arena.extensions.cluster.address import address_in
from cantstop_arena.extensions.cluster.cluster_messages import (
    BotBuildFailed,
    BotsDisturb,
    BundlePlayed,
    ClusterEnded,
    ClusterReached,
    DropGroups,
    FromBridge,
    FromMachine,
    LogText,
    MachineJoined,
    MachineLost,
    MachineUnusable,
    PlayBlocks,
    ReceivedFrom,
    SetTable,
    TableRefused,
    ToMachine,
)
from cantstop_arena.extensions.cluster.cluster_pool import (
    ClusterError,
    ClusterPool,
    ClusterTable,
    PartQueue,
)
from cantstop_arena.processes.channel import frame
from cantstop_arena.tournaments.pool.block_pool import BotNotBuilt, InterpreterDisturbed
from cantstop_arena.tournaments.pool.bot_logs import MAX_LOG_BYTES, BotLogs
from cantstop_arena.tournaments.pool.worker_messages import GameFailed, Ready, WorkerBroken
from cantstop_arena.tournaments.preparation import BotFacts, PreparedBot
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.tournament import FaultPolicy

CALM = {block: result(block) for block in BLOCKS}
PLAIN = PreparedBot(backend="plain", learns=False, source_lines={}, foreign=True)
OTHERS = [Block((0, 2), first, 5) for first in range(0, 50, 5)]


def said(machine: str, *letters: FromMachine) -> ReceivedFrom:
    return ReceivedFrom(machine, b"".join(map(frame, letters)))


def coming(machine: str, processes: int = 2) -> list[FromBridge]:
    """A machine that gets ready at once."""
    return [MachineJoined(machine, processes), said(machine, Ready())]


Act: TypeAlias = "Callable[[FakeLine], list[FromBridge]]"


class FakeLine:
    """A line to machines that play what they have at once, when they have done what they are to."""

    cluster = "nowhere"

    def __init__(self, *acts: Act) -> None:
        self.acts = deque(acts)
        self.given: dict[str, list[Block]] = {}
        self.orders: list[tuple[str, ToMachine]] = []

    def send(self, machine: str, letter: ToMachine) -> None:
        """Note what a machine is told."""
        self.orders.append((machine, letter))
        if isinstance(letter, PlayBlocks):
            self.given.setdefault(machine, []).extend(letter.blocks)

    def messages(self, seconds: float) -> list[FromBridge]:
        """What the next act says; after the last, results."""
        return self.acts.popleft()(self) if self.acts else list(self.results())

    def results(self) -> Iterator[FromBridge]:
        """All that machines have been given, played."""
        for machine in list(self.given):
            parts = ((block, result(block)) for block in self.given.pop(machine))
            yield said(machine, BundlePlayed(tuple(parts)))


class Listener(RunObserver):
    """Hears of machines."""

    def __init__(self) -> None:
        self.counts: list[tuple[int, int]] = []
        self.words: list[str] = []

    def on_cluster(self, machines: int, processes: int) -> None:
        """Note it."""
        self.counts.append((machines, processes))

    def on_notice(self, text: str) -> None:
        """Note it."""
        self.words.append(text)


def pool_at(
    line: Any, listener: Listener, logs: BotLogs | None = None, wait: float = 60.0
) -> ClusterPool:
    return ClusterPool(line, table_called(b"", listener, logs), wait)


def table_called(job: bytes, listener: Listener, logs: BotLogs | None = None) -> ClusterTable:
    bots = BotFacts(
        (PLAIN, PLAIN),
        FaultPolicy(),
        frozenset(),
        logs or BotLogs(Path("nowhere"), []),
        ORDERS,
    )
    return ClusterTable(SetTable(job), bots, listener)


def worked(
    line: Any, listener: Listener | None = None, wait: float = 60.0
) -> dict[Block, BlockResult]:
    parts: dict[Block, list[BlockResult]] = {}
    for played in pool_at(line, listener or Listener(), wait=wait).play(iter(BLOCKS)):
        parts.setdefault(played.full_block, []).append(played.result)
    return {whole: join_parts(whole, results) for whole, results in parts.items()}


def test_what_a_lost_machine_has_not_told_is_played_by_another() -> None:
    (first, *_) = BLOCKS

    def half_told(line: FakeLine) -> list[FromBridge]:
        parts = ((first, result(first.part(*span))) for span in ((0, 1), (3, 4)))
        line.given.clear()
        return [
            said("one", BundlePlayed(tuple(parts))),
            MachineLost("one", "unplugged"),
            *coming("two"),
        ]

    line, listener = FakeLine(lambda _: coming("one"), half_told), Listener()
    assert worked(line, listener) == CALM
    given = [
        letter.blocks for who, letter in line.orders if who == "two" and type(letter) is PlayBlocks
    ]
    assert given[0][:2] == (first.part(1, 3), first.part(4, 5))
    assert listener.counts == [(1, 2), (0, 0), (1, 2)]


def test_machines_play_side_by_side() -> None:
    line = FakeLine(lambda _: coming("one"), lambda _: coming("two", 3))
    assert worked(line) == CALM
    assert {who for who, _ in line.orders} == {"one", "two"}


@pytest.mark.parametrize(
    "nonsense",
    [
        BundlePlayed(((BLOCKS[0], result(BLOCKS[0])), (BLOCKS[1], result(BLOCKS[0])))),
        BundlePlayed(((BLOCKS[0], result(BLOCKS[0].part(0, 2))), (BLOCKS[0], result(BLOCKS[0])))),
        BundlePlayed(((BLOCKS[0], result(OTHERS[0])),)),
        BundlePlayed(((BLOCKS[0], replace(result(BLOCKS[0]), winners=b"")),)),
        BotsDisturb((), "nobody"),
        BotsDisturb((0, 7), "another"),
        MachineJoined("one", 2),
    ],
)
def test_a_machine_that_says_what_it_cannot_know_plays_no_more(nonsense: Any) -> None:
    """Nothing else of it is believed, and the other machine plays what it had."""

    def misbehaves(line: FakeLine) -> list[FromBridge]:
        del line.given["one"]
        return [ReceivedFrom("one", frame(nonsense))]

    line, listener = FakeLine(lambda _: coming("one") + coming("two"), misbehaves), Listener()
    assert worked(line, listener) == CALM
    assert listener.words == [
        "The machine one does not play: invalid message from this machine"
        " (possibly written by a bot)."
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        said("one", TableRefused("it is Python 2 there")),
        MachineUnusable("one", "it is Python 2 there"),
    ],
)
def test_a_machine_that_cannot_play_is_named(refusal: FromBridge) -> None:
    told, listener = "The machine one does not play: it is Python 2 there.", Listener()
    line = FakeLine(lambda _: coming("two"), lambda _: [MachineJoined("one", 2), refusal])
    assert worked(line, listener) == CALM
    assert listener.words == [told]
    with pytest.raises(ClusterError, match=r"^No machine of nowhere can play:\n  one: it is Py"):
        worked(FakeLine(lambda _: [MachineJoined("one", 2), refusal]), wait=0.0)


def test_a_machine_that_answers_late_is_named_once_and_plays() -> None:
    silent, listener = MachineUnusable("one", "it does not answer"), Listener()
    line = FakeLine(lambda _: [silent, silent], lambda _: [silent], lambda _: coming("one"))
    assert worked(line, listener) == CALM
    assert listener.words == ["The machine one does not play: it does not answer."]


def test_nobody_waits_for_ever_for_machines() -> None:
    """At the start, and when the last one that could play has gone."""
    told = (
        "^No machine of nowhere can play: none has answered within 0.2 s;"
        " --cluster-wait SECONDS waits longer$"
    )
    with pytest.raises(ClusterError, match=told):
        worked(FakeLine(lambda _: [ClusterReached(())]), wait=0.2)
    gone = FakeLine(lambda _: coming("one"), lambda _: [MachineLost("one", "no power")])
    with pytest.raises(ClusterError, match=told):
        worked(gone, wait=0.2)


def test_without_a_wait_every_machine_is_looked_at_once() -> None:
    """As long as that takes, and no longer."""

    def looking(line: FakeLine) -> list[FromBridge]:
        return []

    names, why = ("one", "two"), "it does not answer"
    silent: list[FromBridge] = [MachineUnusable(name, why) for name in names]
    reached = ClusterReached(names)
    line = FakeLine(lambda _: [reached], looking, lambda _: silent[:1], lambda _: coming("two"))
    assert worked(line, wait=0.0) == CALM
    with pytest.raises(ClusterError, match=rf"can play:\n  one: {why}\n  two: {why}$"):
        worked(FakeLine(lambda _: [reached], looking, lambda _: silent), wait=0.0)


def test_the_blocks_of_a_silent_machine_are_played_by_another_until_it_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it sends about its old table is not believed; then it plays as any machine."""
    monkeypatch.setattr(cluster_pool, "_SILENCE", 0.0)

    def falls_silent(line: FakeLine) -> list[FromBridge]:
        played = [(block, result(block)) for block in line.given.pop("one")]
        line.acts.append(lambda _: [said("one", BundlePlayed(tuple(played)), Ready())])
        line.acts.append(lambda _: coming("two"))
        return []

    line, listener = FakeLine(lambda _: coming("one"), falls_silent), Listener()
    assert worked(line, listener) == CALM
    assert listener.words[0] == "The machine one does not play: it has not answered for 0 s."
    assert line.orders.count(("one", SetTable(b""))) > 1


def test_a_machine_that_never_gets_ready_is_left_out_until_it_speaks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_pool, "_TO_GET_READY", -1.0)
    joins: Act = lambda _: [MachineJoined("one", 2)]  # noqa: E731
    line, listener = FakeLine(joins, lambda _: [], lambda _: coming("two")), Listener()
    assert worked(line, listener) == CALM
    assert listener.words[0] == "The machine one does not play: it has not got ready for -1 s."
    line = FakeLine(joins, lambda _: [], lambda _: [said("one", Ready(), Ready())])
    assert worked(line) == CALM
    with pytest.raises(ClusterError, match="one: it has not got ready"):
        worked(FakeLine(joins, lambda _: []), wait=0.0)


def test_machines_that_are_lost_again_and_again_end_the_run() -> None:
    acts: list[Act] = [lambda _: [*coming("one"), MachineLost("one", "no power")]] * 20

    def plays_and_is_lost(line: FakeLine) -> list[FromBridge]:
        block = line.given.pop("one")[0]
        played = said("one", BundlePlayed(((block, result(block)),)))
        return [played, MachineLost("one", "no power")]

    assert worked(FakeLine(*acts[1:], lambda _: coming("one"))) == CALM
    assert (
        worked(
            FakeLine(
                *acts[1:],
                lambda _: coming("one"),
                plays_and_is_lost,
                *acts[1:],
                lambda _: coming("one"),
            )
        )
        == CALM
    )
    with pytest.raises(ClusterError, match=r"20 machines in turn were lost .* one: no power"):
        worked(FakeLine(*acts))


@pytest.mark.parametrize(
    "end, told",
    [
        (ClusterEnded("gone", was_there=True), r"^The cluster at nowhere has ended: gone\."),
        (ClusterEnded("cannot be reached", False), r"^The cluster at nowhere cannot be reached\.$"),
    ],
)
def test_a_cluster_that_ends_ends_the_run(end: ClusterEnded, told: str) -> None:
    with pytest.raises(ClusterError, match=told):
        worked(FakeLine(lambda _: [end]))


@pytest.mark.parametrize(
    "letter, error",
    [
        (BotBuildFailed(1, (0,), "no"), BotNotBuilt),
        (BotsDisturb((0, 1), "no"), InterpreterDisturbed),
        (GameFailed("no"), GameError),
        (WorkerBroken("no"), WorkerPoolError),
    ],
)
def test_what_ends_a_run_here_ends_it_there(letter: FromMachine, error: type[ArenaError]) -> None:
    with pytest.raises(error, match="no"):
        worked(FakeLine(lambda _: coming("one"), lambda _: [said("one", letter)]))


def test_what_is_void_is_forgotten_here_and_there() -> None:
    line = FakeLine(lambda _: coming("one", 4))
    pool = pool_at(line, Listener())
    seen: list[Block] = []
    for played in pool.play(iter([*BLOCKS[:2], *OTHERS, *BLOCKS[2:]])):
        if not seen:
            pool.drop(lambda group: group == (0, 2))
        seen.append(played.full_block)
    assert seen == BLOCKS
    assert ("one", DropGroups(((0, 2),))) in line.orders


def test_another_table_is_played_on_the_same_machines() -> None:
    """What a machine says about an earlier one does not count."""
    late = BundlePlayed(((BLOCKS[0], result(BLOCKS[0])),))
    line, listener = FakeLine(lambda _: coming("one")), Listener()
    pool = pool_at(line, listener)
    next(pool.play(iter(BLOCKS)))
    for job in (b"second", b"third"):
        pool.set_table(table_called(job, listener))
    line.given.clear()
    line.acts.append(lambda _: [said("one", late, GameFailed("late"), Ready(), late)])
    line.acts.append(lambda _: [said("one", WorkerBroken("late"), Ready())])
    assert [played.full_block for played in pool.play(iter(OTHERS))] == OTHERS
    assert [sent.job for _, sent in line.orders if isinstance(sent, SetTable)] == [
        b"",
        b"second",
        b"third",
    ]
    assert not listener.words


def test_a_machine_has_no_more_than_three_bundles() -> None:
    most: list[int] = []

    def looks(line: FakeLine) -> list[FromBridge]:
        most.append(len(line.given["one"]))
        return []

    assert worked(FakeLine(lambda _: coming("one"), looks)) == CALM
    assert most == [6]


def test_the_last_bundles_are_small() -> None:
    stock, sizes = PartQueue(Block((0, 1), first, 1) for first in range(100)), []
    while stock:
        sizes.append(len(stock.bundle(size=20, machines=2)))
    assert sizes[0] == 20
    assert sizes[-4:] == [1, 1, 1, 1]
    assert sum(sizes) == 100


def test_logs_come_home_as_far_as_there_is_room(tmp_path: Path) -> None:
    logs, long = BotLogs(tmp_path / "logs", ["mine", "yours"]), b"x" * MAX_LOG_BYTES
    logs.begin()
    letters = [LogText(1, b"what it says\n"), LogText(1, long), LogText(1, long), LogText(7, long)]
    line = FakeLine(lambda _: coming("one"), lambda _: [said("one", *letters)])
    for _ in pool_at(line, Listener(), logs).play(iter(BLOCKS)):
        pass
    (path,) = logs.folder.iterdir()
    assert path == logs.paths[1]
    assert path.read_bytes() == (b"what it says\n" + long)[:MAX_LOG_BYTES]


# --- What travels ---------------------------------------------------------------------------------


def test_a_bot_finds_its_neighbours_where_their_files_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # the module stays imported, so its name is rare
    folder = tmp_path / "bots"
    (folder / "mine_aside").mkdir(parents=True)
    (folder / "mine_aside" / "__init__.py").write_text("")
    (folder / "mine_aside" / "_of_mine.py").write_text("ROLLS = 5\n")
    text = (
        f"import sys\nsys.path.insert(0, {str(folder)!r})\nfrom mine_aside._of_mine import ROLLS\n"
    )
    (folder / "mine.py").write_text(text)
    source = BotSource(
        folder / "mine.py", ("mine_aside/__init__.py", "mine_aside/_of_mine.py")
    ).identified()
    kept = source.copied(tmp_path / "kept")
    folder.rename(tmp_path / "elsewhere")
    assert BotFile(kept).load().ROLLS == 5


# --- What users see -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "machines, processes, told",
    [(0, 0, "no machine yet"), (1, 8, "1 machine with 8 processes"), (2, 9, "2 machines with 9")],
)
def test_progress_tells_of_machines(
    machines: int, processes: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    time = 0.0
    screen = RunScreen("cup", quiet=False, aside=False, clock=lambda: time)
    screen.on_start(0, 500)
    screen.on_cluster(machines, processes)
    screen.on_tick(unasked)
    time = 31.0
    screen.on_tick(unasked)
    assert f"0 of 500 games, on {told}" in capsys.readouterr().err


def unasked() -> TournamentTotals:
    raise AssertionError


# --- What users say -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("", "local", "local:0", "local:many", "local:02", "local:+2", "local:2 ", "local:²"),
        *("local:٢", "local:257", "tcp://host", "tcp://host:٢", "host:8786", "http://host:80"),
    ],
)
def test_an_address_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--cluster must be tcp://HOST:PORT"):
        address_in(text)


def test_a_schedulers_file_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file"):
        address_in(f"file:{tmp_path}/none.json")


@pytest.mark.parametrize("content", [b"", b"bots: [a]", b"[]", b'{"address": 8786}', b"\xff\0"])
def test_another_file_is_not_a_scheduler_file(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "cup.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"cup.json is not a scheduler file$"):
        address_in(f"file:{tmp_path}/cup.json")
    (tmp_path / "cup.json").write_text('{"type": "Scheduler", "address": "tcp://head:8786"}')
    assert address_in(f"file:{tmp_path}/cup.json").kind == "file"


@pytest.mark.parametrize(
    "missing, text, told",
    [
        ("distributed", "tcp://head:8786", "Dask"),
        ("distributed", "local:2", "Dask"),
        ("cryptography", "local:2", "cryptography"),
    ],
)
def test_without_its_packages_it_is_said_how_to_get_them(
    missing: str, text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = "cantstop_arena.extensions.cluster.address.find_spec"
    monkeypatch.setattr(find_spec, lambda name: None if name == missing else "there")
    with pytest.raises(UsageError) as refused:
        address_in(text)
    assert str(refused.value) == (
        f"--cluster {text} needs {told}, which is not installed:"
        " python -m pip install 'cantstop-arena[cluster]'"
    )
    monkeypatch.setattr(find_spec, lambda name: None if name == "cryptography" else "there")
    assert str(address_in("tcp://head:8786")) == "tcp://head:8786"
