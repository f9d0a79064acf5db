"""What the arena does with hostile bots, seen from outside: whole runs in processes of their own.

Every gang of `hostile` plays a small tournament with honest bots. Nothing here is timed; a bot that
hangs does so for far longer than the arena may wait, and a run that hangs fails its test.
"""

import contextlib
import csv
import json
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from helpers import hostile
from helpers.finished import alone_with
from helpers.hostile import DEADLY, ENDLESS, EXCEPTIONS, GANGS, GUILTY, INNOCENT, MOVES

from cantstop_arena.bots.versions import HISTORY
from cantstop_arena.tournaments.ledger.ledger import LEDGER

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="bots that need signals and fork")

ARENA = [sys.executable, "-c", "from cantstop_arena.cli import main; main()"]
MARK = "CANTSTOP_ARENA_TEST_RUN"  # in the environment of all processes of a run
PATIENCE = 900  # seconds until a run counts as hanging, on a busy machine too
MOST_PRINTED = 100_000  # bytes; no table is as long
GRACE = 60  # seconds in which the last processes of a run may go

PATIENT = """
def choose_move(turn, moves):
    return max(range(len(moves)), key=lambda index: sum(map(turn.chance, moves[index])))
def roll_again(turn):
    return turn.rolls * turn.bust_chance() < 0.5 + turn.random()
"""
HONEST = ("rule28", "cautious", "random", "patient")
BRIEF = "name: t\nseed: 1\nrules: {columns_to_win: 1}\n"
Entries = Sequence[str | Mapping[str, object]]


# --- Runs -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a run printed and left behind."""

    code: int
    out: str
    err: str
    folder: Path
    left: tuple[str, ...]

    @cached_property
    def summary(self) -> Any:
        return json.loads((self.folder / "summary.json").read_text("utf-8"))

    @property
    def faults(self) -> list[Any]:
        return list(self.summary.get("faults", []))

    def charged(self, bot: str) -> set[str]:
        """The kinds of fault of a bot."""
        return {fault["kind"] for fault in self.faults if fault["bot"] == bot} or {INNOCENT}

    @property
    def disqualified(self) -> set[str]:
        return {one["bot"] for one in self.summary.get("disqualified", [])}

    def lineups(self, *bots: str) -> list[Any]:
        """The lineups in which none but these bots sit."""
        return [one for one in self.summary["lineups"] if {*one["seats"]} <= {*bots}]

    def files(self) -> dict[str, bytes]:
        """What lies in the results folder, but for the logs and when it was played."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and path.parent.name != "logs" and path.name != HISTORY
        }

    def finish(self) -> "Outcome":
        """Fail unless the run finished, with the exit code that tells of disqualified bots."""
        return self.expect(3 if self.disqualified else 0)

    def expect(self, code: int) -> "Outcome":
        """Fail unless the run ended with this code, quietly, and took all its processes along."""
        told = f"{self.out[-4000:]}\n{self.err[-4000:]}"
        if self.code != code:
            pytest.fail(f"exit code {self.code}, not {code}:\n{told}")
        if "Traceback" in self.out + self.err:
            pytest.fail(f"a traceback is shown:\n{told}")
        if self.left:
            pytest.fail(f"processes are left behind: {self.left}")
        return self


def processes(mark: str) -> dict[int, str]:
    """The running processes that carry a mark in their environment, with their command lines."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (
                    (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
                )
    return found


def leftovers(mark: str) -> tuple[str, ...]:
    """What still runs after the time of grace; it is killed then."""
    deadline = time.monotonic() + GRACE
    while (found := processes(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    for number in found:
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
    return tuple(found.values())


@contextlib.contextmanager
def started(place: Path, *words: str) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """A command that runs in a folder, and its mark; whatever happens, it is gone afterwards."""
    mark = uuid4().hex
    with (
        (place / "out").open("wb") as out,
        (place / "err").open("wb") as err,
        subprocess.Popen(
            [*ARENA, *words],
            cwd=place,
            env={**os.environ, MARK: mark},
            stdin=subprocess.PIPE,  # open and empty, so that who reads it waits
            stdout=out,
            stderr=err,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process, mark
        finally:
            for number in [process.pid, *processes(mark)] if process.poll() is None else []:
                with contextlib.suppress(OSError):
                    os.kill(number, signal.SIGKILL)


def arena(place: Path, *words: str) -> Outcome:
    """Run a command in a folder to its end."""
    with started(place, *words) as (process, mark):
        try:
            code = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pytest.fail(f"arena {shlex.join(words)} hangs:\n{shown(place / 'out')[-2000:]}")
        left = leftovers(mark)
    return Outcome(code, shown(place / "out"), shown(place / "err"), place / "results" / "t", left)


def shown(path: Path) -> str:
    """What a run has printed so far; of a flood, the beginning."""
    with path.open("rb") as file:
        return file.read(MOST_PRINTED).decode("utf-8", "replace")


def prepare(place: Path, bots: Mapping[str, str], entries: Entries, keys: str = "") -> None:
    """Write bot files, an honest one with them, and a tournament of these entries in t.yaml."""
    (place / "bots").mkdir(parents=True, exist_ok=True)
    for name, source in {"patient": PATIENT, **bots}.items():
        (place / "bots" / f"{name}.py").write_text(source, "utf-8")
    listed = json.dumps([*entries], ensure_ascii=False)
    games = "" if "games:" in keys else "games: 2\n"
    (place / "t.yaml").write_text(f"{BRIEF}{games}{keys}bots: {listed}\n", "utf-8")


def played(
    place: Path, bots: Mapping[str, str], keys: str = "", *words: str, isolate: bool = False
) -> Outcome:
    """A run of honest bots with these."""
    extra: Entries = [{"bot": name, "isolate": "processes"} if isolate else name for name in bots]
    prepare(place, bots, [*HONEST, *extra], keys)
    return arena(place, "run", "t.yaml", "--workers", "2", *words)


def sources(bots: Mapping[str, hostile.Hostile]) -> dict[str, str]:
    return {name: bot.source for name, bot in bots.items()}


class Runs:
    """The runs that several tests look at, each made once for all workers of a test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._made: dict[str, Outcome] = {}

    def of(self, name: str) -> Outcome:
        """The run of a gang."""
        if name == "compiled" and os.environ.get("NUMBA_DISABLE_JIT") == "1":
            pytest.skip("machine code only")
        gang = GANGS[name]
        return self.made(name, sources(gang.bots), gang.keys, *gang.words, isolate=gang.isolate)

    def made(
        self, name: str, bots: Mapping[str, str], keys: str = "", *words: str, isolate: bool = False
    ) -> Outcome:
        if name not in self._made:
            place = self.folder / name
            kept = place.with_suffix(".outcome")
            with alone_with(place.with_suffix(".lock")):
                if not kept.exists():
                    outcome = played(place, bots, keys, *words, isolate=isolate)
                    kept.write_bytes(pickle.dumps(outcome))
            self._made[name] = pickle.loads(kept.read_bytes())
        return self._made[name]

    def honest(self, games: int = 2) -> Outcome:
        """The run of the honest bots alone."""
        return self.made(f"honest {games}", {}, f"games: {games}\n").finish()


@pytest.fixture(scope="module")
def runs(shared: Path) -> Runs:
    return Runs(shared / "runs")


# --- The contract: what holds for every gang ------------------------------------------------------


def nothing_odd_is_printed(outcome: Outcome, gang: str) -> None:
    odd = {sign for sign in outcome.out + outcome.err if not (sign.isprintable() or sign == "\n")}
    assert not odd, f"on the terminal: {odd}"


def every_bot_is_charged_with_what_it_did(outcome: Outcome, gang: str) -> None:
    bots = GANGS[gang].bots
    wrong = {name for name, bot in bots.items() if not outcome.charged(name) <= bot.charged}
    assert [fault for fault in outcome.faults if fault["bot"] in wrong] == [] and not wrong


def honest_bots_play_as_if_alone(outcome: Outcome, gang: str, alone: Outcome) -> None:
    assert [fault for fault in outcome.faults if fault["bot"] in HONEST] == []
    is_apart = hostile.APART in GANGS[gang].keys  # they meet nobody but one honest bot
    met = [one for one in alone.summary["lineups"] if "patient" in one["seats"] or not is_apart]
    assert outcome.lineups(*HONEST) == met
    assert not outcome.disqualified & {*HONEST}


def a_fault_loses_the_game(outcome: Outcome, gang: str) -> None:
    guilty = {name for name, bot in GANGS[gang].bots.items() if INNOCENT not in bot.charged}
    for lineup in outcome.summary["lineups"]:
        culprits = guilty & {*lineup["seats"]}
        if len(culprits) == 1:
            won = dict(zip(lineup["seats"], lineup["wins"], strict=True))
            assert won[culprits.pop()] == 0, lineup


def every_fault_is_told_in_full(outcome: Outcome, gang: str) -> None:
    kinds = [(fault["bot"], fault["kind"]) for fault in outcome.faults]
    assert len(set(kinds)) == len(kinds)
    for fault in outcome.faults:
        assert {*fault} == {"bot", "kind", "count", "message", "seats", "deal", "replay"}
        assert fault["kind"] in GUILTY
        assert fault["count"] > 0
        assert fault["bot"] in fault["seats"]
        assert len(fault["message"]) < 1000
        assert len(fault["message"].splitlines()) == 1
        command = shlex.split(fault["replay"])
        assert command[:2] == ["arena", "replay"]
        assert {*fault["seats"], "--deal", str(fault["deal"])} <= {*command}


def an_exception_is_told_with_file_and_line(outcome: Outcome, gang: str) -> None:
    for fault in outcome.faults:
        if fault["kind"] == "exception" and fault["bot"] in EXCEPTIONS:
            place = re.search(r"(\w+)\.py:(\d+)\)", fault["message"])
            assert place, fault
            assert place[1] == fault["bot"]
            lines = EXCEPTIONS[fault["bot"]].source.splitlines()
            assert 0 < int(place[2]) <= len(lines)
        if fault["bot"] == "value_error":
            assert re.search(r"ValueError: lost my way \(.*value_error\.py:3\)", fault["message"])


def the_tables_show_who_misbehaved(outcome: Outcome, gang: str) -> None:
    heading = next(line for line in outcome.out.splitlines() if line.split()[:1] == ["rank"])
    if {fault["bot"] for fault in outcome.faults} - outcome.disqualified:
        assert "faults" in heading
    for fault in outcome.faults:
        rows = [line for line in outcome.out.splitlines() if fault["bot"] in line.split()]
        assert any(fault["kind"] in row for row in rows), fault


def whoever_has_too_many_faults_is_out(outcome: Outcome, gang: str) -> None:
    """Too many are two where the gang's tournament says so, and otherwise a hundred."""
    counts: dict[str, int] = {}
    for fault in outcome.faults:
        counts[fault["bot"]] = counts.get(fault["bot"], 0) + fault["count"]
    told = {one["bot"]: one["faults"] for one in outcome.summary.get("disqualified", [])}
    limit = 2 if hostile.FEW in GANGS[gang].keys else 100
    assert {*told} == {bot for bot, count in counts.items() if count >= limit}
    assert all(count >= limit for count in told.values())
    seated = {bot for lineup in outcome.summary["lineups"] for bot in lineup["seats"]}
    placed = {row["bot"] for row in outcome.summary["standings"]}
    assert placed == {*HONEST, *GANGS[gang].bots} - {*told}
    columns = {*(outcome.folder / "crosstable.csv").read_text("utf-8").split("\n")[0].split(",")}
    assert not outcome.disqualified & (seated | columns)
    with (outcome.folder / "standings.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["note"] == "disqualified"]
    assert {row["bot"]: int(row["faults"]) for row in rows} == told
    assert all(row["first_fault"] and row["replay"] in outcome.out for row in rows)


def no_bot_is_called_not_reproducible_for_a_fault(outcome: Outcome, gang: str) -> None:
    steady = ("mixed", "exceptions", "answers", "endless", "deadly", "memories", "compiled")
    assert gang not in steady or "not_reproducible" not in outcome.summary


CONTRACT: tuple[Callable[..., None], ...] = (
    nothing_odd_is_printed,
    every_bot_is_charged_with_what_it_did,
    a_fault_loses_the_game,
    every_fault_is_told_in_full,
    an_exception_is_told_with_file_and_line,
    the_tables_show_who_misbehaved,
    whoever_has_too_many_faults_is_out,
    no_bot_is_called_not_reproducible_for_a_fault,
)


@pytest.mark.parametrize(
    "gang", [pytest.param(gang, marks=[pytest.mark.slow] * (gang != "mixed")) for gang in GANGS]
)
def test_a_run_keeps_the_contract_whoever_plays(runs: Runs, gang: str) -> None:
    outcome = runs.of(gang).finish()
    for holds in CONTRACT:
        holds(outcome, gang)
    honest_bots_play_as_if_alone(outcome, gang, runs.honest())


@pytest.mark.slow
def test_every_game_with_a_culprit_is_one_fault(runs: Runs) -> None:
    outcome = runs.of("exceptions").finish()
    games = sum(one["games"] for one in outcome.summary["lineups"])
    honest = sum(one["games"] for one in outcome.lineups(*HONEST))
    assert sum(fault["count"] for fault in outcome.faults) == games - honest


# --- Disqualification -----------------------------------------------------------------------------

MIXED = sources(GANGS["mixed"].bots)
KEYS = GANGS["mixed"].keys


@pytest.fixture(scope="module")
def mixed(runs: Runs) -> Outcome:
    """Culprits of every kind in one tournament."""
    return runs.of("mixed").finish()


def test_culprits_of_every_kind_are_charged_in_one_tournament(mixed: Outcome) -> None:
    kinds = ["exception", "illegal answer", "too slow", "died", "died", "exception"]
    assert {bot: mixed.charged(bot) for bot in MIXED} == {
        bot: {kind} for bot, kind in zip(MIXED, kinds, strict=True)
    }
    assert mixed.disqualified == {*MIXED}


def test_the_tables_without_the_disqualified_are_those_of_the_others_alone(
    runs: Runs, mixed: Outcome
) -> None:
    alone = runs.honest()
    for key in ("lineups", "standings", "games", "metrics"):
        assert mixed.summary[key] == alone.summary[key]
    for bot in HONEST:
        assert mixed.summary["by_bot"][bot] == alone.summary["by_bot"][bot]
    assert mixed.files()["crosstable.csv"] == alone.files()["crosstable.csv"]


@pytest.mark.slow
def test_any_number_of_workers_writes_the_same_bytes(tmp_path: Path, mixed: Outcome) -> None:
    """How far the games of a disqualified bot are stored depends on who was playing them."""
    other = played(tmp_path, MIXED, KEYS, "--workers", "3").finish()
    files, expected = other.files(), mixed.files()
    assert files.pop(LEDGER) and expected.pop(LEDGER)
    assert files == expected


@pytest.mark.slow
def test_the_disqualified_stay_out_when_a_run_goes_on(tmp_path: Path, mixed: Outcome) -> None:
    played(tmp_path, MIXED, KEYS, "--games", "1").finish()
    steps = arena(tmp_path, "run", "t.yaml").finish()
    assert steps.disqualified == {*MIXED}
    for key in ("lineups", "standings", "games", "metrics"):
        assert steps.summary[key] == mixed.summary[key]
    before = steps.files()
    again = arena(tmp_path, "run", "t.yaml").finish()
    assert "nothing to play" in again.out
    assert again.files() == before


@pytest.mark.slow
def test_a_hundred_faults_disqualify_by_default(tmp_path: Path) -> None:
    bots = {name: MIXED[name] for name in ("value_error", "too_high")}
    prepare(tmp_path, bots, ["cautious", "random", "value_error"], "games: 120\n")
    outcome = arena(tmp_path, "run", "t.yaml").finish()
    assert outcome.disqualified == {"value_error"}
    assert [row["bot"] for row in outcome.summary["standings"]] == ["cautious", "random"]


@pytest.mark.slow
def test_a_bot_that_only_sometimes_fails_is_in_while_it_has_few_faults(tmp_path: Path) -> None:
    outcome = played(tmp_path, {"now_and_then": MIXED["now_and_then"]}).finish()
    (fault,) = outcome.faults
    assert 0 < fault["count"] < 8
    assert "now_and_then" in {row["bot"] for row in outcome.summary["standings"]}


@pytest.mark.slow
def test_the_others_share_a_game_that_is_lost_by_a_fault(tmp_path: Path) -> None:
    bots = {name: MIXED[name] for name in ("value_error", "leaves_well")}
    keys = "players: 3\ngames: 6\n"
    prepare(tmp_path, bots, ["rule28", "cautious", *bots], keys)
    outcome = arena(tmp_path, "run", "t.yaml").finish()
    for bot in bots:
        for lineup in outcome.lineups("rule28", "cautious", bot):
            won = dict(zip(lineup["seats"], lineup["wins"], strict=True))
            assert won == {"rule28": 0.5, "cautious": 0.5, bot: 0}


# --- Abort ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bot",
    [
        "value_error",
        *(pytest.param(bot, marks=pytest.mark.slow) for bot in ("sleep", "leaves_well")),
    ],
)
def test_a_fault_can_end_the_run(tmp_path: Path, bot: str) -> None:
    keys = hostile.QUICK + "on_fault: abort\n"
    outcome = played(tmp_path, {bot: MIXED[bot]}, keys).expect(1)
    (kind,) = {**EXCEPTIONS, **MOVES, **ENDLESS, **DEADLY}[bot].charged
    assert bot in outcome.err
    assert kind in outcome.err
    assert re.search(rf"arena replay .*t\.yaml .*\b{bot}\b.* --deal \d+", outcome.err)
    assert "rank" not in outcome.out
    if bot == "value_error":
        assert "lost my way" in outcome.err


@pytest.mark.slow
def test_an_abort_concerns_no_run_without_faults(tmp_path: Path, runs: Runs) -> None:
    outcome = played(tmp_path, {}, "on_fault: abort\n").finish()
    assert outcome.summary == runs.honest().summary


# --- Replays --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_fault_can_be_replayed(mixed: Outcome) -> None:
    place = mixed.folder.parent.parent
    (fault,) = (fault for fault in mixed.faults if fault["bot"] == "value_error")
    told = arena(place, *shlex.split(fault["replay"])[1:]).expect(0)
    assert fault["message"] in told.out + told.err


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["sleep", "leaves_well"])
def test_the_replay_of_a_fault_comes_to_an_end(mixed: Outcome, bot: str) -> None:
    place = mixed.folder.parent.parent
    (fault,) = (fault for fault in mixed.faults if fault["bot"] == bot)
    told = arena(place, *shlex.split(fault["replay"])[1:])
    assert "Traceback" not in told.out + told.err
    assert bot in told.out + told.err
    assert not told.left


# --- Output ---------------------------------------------------------------------------------------

SILENT = ["prints", "prints_at_import", "writes_stderr", "writes_to_1", "runs_echo", "floods"]
HEARD = [("loud", name) for name in hostile.LOUD] + [("isolated loud", name) for name in SILENT]


def heard(runs: Runs, which: str) -> Outcome:
    """A run of bots that print."""
    isolate = " " in which
    bots = {name: hostile.LOUD[name] for name in SILENT} if isolate else hostile.LOUD
    keys = "decision_limit: 20\n" + hostile.APART
    return runs.made(which, bots, keys, isolate=isolate).finish()


def log_of(outcome: Outcome, bot: str, bots: Sequence[str]) -> str:
    """All that is in the log of a bot; names of others may contain its own."""
    files = [
        path
        for path in (outcome.folder / "logs").glob("*.log")
        if max((name for name in bots if name in path.name), key=len, default="") == bot
    ]
    return "".join(path.read_text("utf-8", "replace") for path in files)


@pytest.mark.slow
@pytest.mark.parametrize(("which", "bot"), HEARD)
def test_what_a_bot_prints_goes_to_its_log(runs: Runs, which: str, bot: str) -> None:
    outcome = heard(runs, which)
    told = log_of(outcome, bot, [*hostile.LOUD])
    assert hostile.NOISE.format(bot) in told
    assert {*re.findall(r"NOISE-OF-\w+!", told)} == {hostile.NOISE.format(bot)}
    assert outcome.charged(bot) == {INNOCENT}


@pytest.mark.slow
@pytest.mark.parametrize("which", ["loud", "isolated loud"])
def test_nothing_that_bots_print_reaches_the_terminal(runs: Runs, which: str) -> None:
    outcome = heard(runs, which)
    assert "NOISE" not in outcome.out + outcome.err
    assert not outcome.faults
    sizes = {path.name: path.stat().st_size for path in (outcome.folder / "logs").iterdir()}
    assert {name: size for name, size in sizes.items() if size > 2**20} == {}


@pytest.mark.slow
def test_a_flood_within_one_decision_is_cut_while_it_comes(tmp_path: Path) -> None:
    """Written past Python's own streams, at some 5 MB a second until the time is up."""
    flood = "while True:\n    os.write(1, bytes(1 << 18))\n    time.sleep(0.05)"
    bots = {"flood": hostile.deciding(flood, "import os, time")}
    prepare(tmp_path, bots, ["rule28", "flood"], "max_faults: 1\n")
    largest = 0
    with started(tmp_path, "run", "t.yaml") as (process, _):
        while process.poll() is None:
            for log in tmp_path.glob("results/t/logs/*.log"):
                with contextlib.suppress(OSError):
                    largest = max(largest, log.stat().st_size)
            time.sleep(0.01)
    assert 2**20 <= largest < 2**23


def test_a_run_of_silent_bots_has_the_files_it_always_had(runs: Runs) -> None:
    assert {*runs.honest().files()} - {".lock"} == {
        f"bots/{sha256(PATIENT.encode()).hexdigest()}/patient.py",
        "tournament.yaml",
        "ledger.sqlite",
        "standings.csv",
        "standings.md",
        "crosstable.csv",
        "crosstable.md",
        "pairs.csv",
        "fit.csv",
        "fit.md",
        "seats.csv",
        "seats.md",
        "lengths.csv",
        "lengths.md",
        *(f"games/{kind}.jsonl" for kind in ("closest", "comeback", "longest", "typical")),
        "styles.csv",
        "styles.md",
        "summary.json",
    }
    assert not {"faults", "disqualified", "not_reproducible"} & {*runs.honest().summary}


# --- Names ----------------------------------------------------------------------------------------

NAMES = (
    "evil 🎲",
    "../../../escape",
    "a/b",
    "..",
    "--help",
    "it's; echo `x` 🎲",
    "%s{}\\n",
    "élan ½",
)
NAMED = "print('NOISE')\nraise ValueError('lost my way')"


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Bots that print and fail under names that mean something elsewhere."""
    place = tmp_path_factory.mktemp("far") / "down" / "below"
    prepare(
        place,
        {"evil": hostile.deciding(NAMED)},
        ["rule28", *({"bot": "evil", "as": n} for n in NAMES)],
    )
    return arena(place, "run", "t.yaml").finish()


@pytest.mark.slow
def test_odd_names_lead_out_of_no_folder(named: Outcome) -> None:
    place = named.folder.parent.parent
    assert {path.name for path in place.iterdir()} == {"bots", "t.yaml", "results", "out", "err"}
    assert [path.name for path in place.parent.parent.iterdir()] == ["down"]
    assert [path.name for path in place.parent.iterdir()] == ["below"]
    assert [path.name for path in named.folder.parent.iterdir()] == ["t"]
    assert {path.name for path in named.folder.iterdir() if path.is_dir()} == {"bots", "logs"}
    kept = [path.name for path in (named.folder / "bots").glob("**/*") if path.is_file()]
    assert sorted(kept) == ["evil.py"]
    logs = [*(named.folder / "logs").iterdir()]
    assert {fault["bot"] for fault in named.faults} and 0 < len(logs) <= len(named.faults)
    assert all("NOISE" in path.read_text("utf-8") for path in logs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["it's; echo `x` 🎲", pytest.param("--help", marks=pytest.mark.slow)]
)
def test_the_replay_of_a_bot_with_an_odd_name_can_be_typed(named: Outcome, name: str) -> None:
    (fault,) = (fault for fault in named.faults if fault["bot"] == name)
    place = named.folder.parent.parent
    told = arena(place, *shlex.split(fault["replay"])[1:]).expect(0)
    assert "lost my way" in told.err
    assert "NOISE" not in told.out


# --- Memory from game to game ---------------------------------------------------------------------


@pytest.mark.slow
def test_bots_that_remember_play_the_same_for_any_number_of_workers(runs: Runs) -> None:
    outcome, other = (
        runs.made(f"learners {number}", hostile.LEARNERS, "", "--workers", number).finish()
        for number in ("1", "3")
    )
    assert outcome.files() == other.files()
    assert not other.faults
    assert "not_reproducible" not in other.summary
    logs = {name: log_of(other, name, [*hostile.LEARNERS]) for name in hostile.LEARNERS}
    remembering = {name for name, log in logs.items() if "REMEMBERS" in log}
    assert remembering == {"learned", "schooled"}


@pytest.mark.slow
def test_two_bots_of_one_file_share_no_memory(tmp_path: Path) -> None:
    twins = [{"bot": "twin", "as": f"twin {number}"} for number in (1, 2)]
    prepare(tmp_path, {"twin": hostile.TWIN}, ["rule28", *twins])
    assert not arena(tmp_path, "run", "t.yaml").finish().faults


# --- Reproducible ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def unsteady(runs: Runs) -> Outcome:
    """Bots whose answers depend on more than the game, among others that only look so."""
    return runs.made("unsteady", {**hostile.UNSTEADY, **hostile.STEADY}).finish()


@pytest.mark.slow
@pytest.mark.parametrize("bot", hostile.UNSTEADY)
def test_a_bot_that_answers_differently_in_the_same_game_is_told(
    unsteady: Outcome, bot: str
) -> None:
    assert bot in unsteady.summary["not_reproducible"]
    assert "reproduc" in unsteady.out
    assert bot in {row["bot"] for row in unsteady.summary["standings"]}


@pytest.mark.slow
def test_no_other_bot_is_called_not_reproducible(unsteady: Outcome, runs: Runs) -> None:
    assert {*unsteady.summary["not_reproducible"]} <= {*hostile.UNSTEADY}
    assert unsteady.lineups(*HONEST) == runs.honest().summary["lineups"]
    assert not unsteady.faults


# --- Before the first game ------------------------------------------------------------------------

BEFORE = {
    "leaves": "import sys\nsys.exit(3)",
    "interrupts": "raise KeyboardInterrupt",
    "generator_exit": "raise GeneratorExit",
}


def test_a_bot_that_cannot_be_imported_is_refused(tmp_path: Path) -> None:
    bots = list(BEFORE)
    rest = hostile.playing("pass")
    prepare(tmp_path, {name: f"{BEFORE[name]}\n{rest}" for name in bots}, ["rule28", *bots])
    outcome = arena(tmp_path, "run", "t.yaml").expect(2)
    for name in bots:
        assert name in outcome.err


# --- Programs -------------------------------------------------------------------------------------

PROGRAMS = {
    "deaf": "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)",
    "quits": "",
    "babbles": "import sys\nfor line in sys.stdin:\n    print('{\"move\":' * 9999, flush=True)",
    "floods": "import os\nwhile True:\n    os.write(1, b'x' * 65536)",
    "junk": r"import os, time"
    "\n"
    r"os.write(1, b'\xff\xfe\0\n\n\n{}\n[]\nnull\n')"
    "\ntime.sleep(60)",
}


@pytest.mark.slow
def test_hostile_programs_harm_nobody(tmp_path: Path, runs: Runs) -> None:
    commands = []
    for name, source in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(source)
        commands.append({"command": [sys.executable, f"{name}.py"], "as": name})
    prepare(tmp_path, {}, [*HONEST, *commands], hostile.QUICK + hostile.FEW + "start_limit: 5\n")
    outcome = arena(tmp_path, "run", "t.yaml")
    if outcome.code not in (0, 3):  # they may be refused before the first game
        outcome.expect(outcome.code)
        assert any(name in outcome.err for name in PROGRAMS), outcome.err
        assert "bot: is missing" not in outcome.err, "command: is no way to name a bot"
    else:
        outcome.finish()
        assert all(outcome.charged(name) <= GUILTY for name in PROGRAMS)
        assert outcome.lineups(*HONEST) == runs.honest().summary["lineups"]


# --- The end of a run -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "isolate"),
    [
        (signal.SIGINT, False),
        pytest.param(signal.SIGTERM, True, marks=pytest.mark.slow),
        pytest.param(signal.SIGKILL, False, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_is_ended_leaves_no_process(
    tmp_path: Path, number: signal.Signals, isolate: bool
) -> None:
    bots = sources(hostile.some(ENDLESS, "loop_that_swallows", "ignores_the_alarm"))
    entries: Entries = [
        "patient",
        *({"bot": name, "isolate": "processes" if isolate else False} for name in bots),
    ]
    prepare(tmp_path, bots, entries, "decision_limit: 50\n")
    with started(tmp_path, "run", "t.yaml", "--workers", "2") as (process, mark):
        deadline = time.monotonic() + PATIENCE
        while ": playing " not in shown(tmp_path / "out") and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(1)  # until the bots have been asked
        assert process.poll() is None, shown(tmp_path / "err")
        process.send_signal(number)
        code = process.wait(PATIENCE)
        assert not leftovers(mark)
    if number == signal.SIGINT:
        assert code == 130
    assert "Traceback" not in shown(tmp_path / "err")
