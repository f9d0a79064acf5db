"""What the arena does with hostile bots, seen from outside: whole runs in processes of their own.

Every gang of `hostile` plays a small tournament with honest bots.
"""

import contextlib
import csv
import os
import re
import shlex
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from helpers.arena import Arena
from helpers.hostile import DEADLY, ENDLESS, EXCEPTIONS, GUILTY, INNOCENT, MOVES, deciding
from helpers.hostile_deeds import LEARNERS, LOUD, NOISE, STEADY, TWIN, UNSTEADY
from helpers.hostile_runs import (
    APART,
    FEW,
    GANGS,
    HONEST,
    QUICK,
    Entries,
    Outcome,
    Runs,
    arena,
    leftovers,
    played,
    prepare,
    shown,
    some,
    sources,
    started,
)
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.pool.bot_logs import BotLogs, first_faults

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="bots that need signals and fork")


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
    is_apart = APART in GANGS[gang].keys  # they meet nobody but one honest bot
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
            assert fault["bot"] != "value_error" or "lost my way" in lines[int(place[2]) - 1]
            assert 0 < int(place[2]) <= len(lines)


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
    limit = 2 if FEW in GANGS[gang].keys else 100
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
    """Unless the other bot wins it in its first turn: such a game has a length."""
    outcome = runs.of("exceptions").finish()
    games = sum(one["games"] for one in outcome.summary["lineups"])
    honest = sum(one["games"] for one in outcome.lineups(*HONEST))
    with (outcome.folder / "lengths.csv").open() as file:
        asked_for_nothing = [row for row in csv.DictReader(file) if row["bot"] not in HONEST]
    faults = sum(fault["count"] for fault in outcome.faults)
    assert faults + sum(int(row["games"]) for row in asked_for_nothing) == games - honest


# --- Disqualification -----------------------------------------------------------------------------

MIXED = sources(GANGS["mixed"].bots)
KEYS = GANGS["mixed"].keys


@pytest.fixture(scope="module")
def mixed(runs: Runs) -> Outcome:
    """Culprits of every kind in one tournament."""
    return runs.of("mixed").finish()


def test_the_tables_without_the_disqualified_are_those_of_the_others_alone(
    runs: Runs, mixed: Outcome
) -> None:
    alone = runs.honest()
    assert mixed.disqualified == {*MIXED}
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


# --- Abort ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "bot",
    [
        "value_error",
        *(pytest.param(bot, marks=pytest.mark.slow) for bot in ("sleep", "leaves_well")),
    ],
)
def test_a_fault_can_end_the_run(tmp_path: Path, bot: str) -> None:
    keys = QUICK + "on_fault: abort\n"
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
@pytest.mark.parametrize("bot", ["value_error", "sleep", "leaves_well"])
def test_the_replay_of_a_fault_shows_it_and_comes_to_an_end(mixed: Outcome, bot: str) -> None:
    place = mixed.folder.parent.parent
    (fault,) = (fault for fault in mixed.faults if fault["bot"] == bot)
    told = arena(place, *shlex.split(fault["replay"])[1:])
    told.expect(0 if bot == "value_error" else told.code)
    assert (fault["message"] if bot == "value_error" else bot) in told.out + told.err


# --- Output ---------------------------------------------------------------------------------------

SILENT = ["prints", "prints_at_import", "writes_stderr", "writes_to_1", "runs_echo", "floods"]


def log_of(outcome: Outcome, bot: str, bots: Sequence[str]) -> str:
    """All that is in the log of a bot; names of others may contain its own."""
    files = [
        path
        for path in (outcome.folder / "logs").glob("*.log")
        if max((name for name in bots if name in path.name), key=len, default="") == bot
    ]
    return "".join(path.read_text("utf-8", "replace") for path in files)


@pytest.mark.slow
@pytest.mark.parametrize(("door", "names"), [("plain", [*LOUD]), ("processes", SILENT)])
def test_what_bots_print_goes_to_their_logs_and_nowhere_else(
    runs: Runs, door: str, names: list[str]
) -> None:
    bots = {name: LOUD[name] for name in names}
    keys = "decision_limit: 20\n" + APART
    outcome = runs.made(f"loud {door}", bots, keys, door=door).finish()
    for bot in names:
        told = log_of(outcome, bot, names)
        assert {*re.findall(r"NOISE-OF-\w+!", told)} == {NOISE.format(bot)}
    assert "NOISE" not in outcome.out + outcome.err
    assert not outcome.faults
    sizes = {path.name: path.stat().st_size for path in (outcome.folder / "logs").iterdir()}
    assert {name: size for name, size in sizes.items() if size > 2**20} == {}


@pytest.mark.slow
def test_a_flood_within_one_decision_is_cut_while_it_comes(tmp_path: Path) -> None:
    """Written past Python's own streams, at some 5 MB a second until the time is up."""
    flood = "while True:\n    os.write(1, bytes(1 << 18))\n    time.sleep(0.05)"
    bots = {"flood": deciding(flood)}
    prepare(tmp_path, bots, ["rule28", "flood"], "max_faults: 1\n")
    largest = 0
    with started(tmp_path, "run", "t.yaml") as (process, _):
        while process.poll() is None:
            for log in tmp_path.glob("results/t/logs/*.log"):
                with contextlib.suppress(OSError):
                    largest = max(largest, log.stat().st_size)
            time.sleep(0.01)
    assert 2**20 <= largest < 2**23


# --- Names ----------------------------------------------------------------------------------------

NAMES = (
    "evil 🎲",
    "a/../../../../escape",
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
        {"evil": deciding(NAMED)},
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
    logs = [*(named.folder / "logs").glob("[0-9]*.log")]
    assert {fault["bot"] for fault in named.faults} and 0 < len(logs) <= len(named.faults)
    assert all("NOISE" in path.read_text("utf-8") for path in logs)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["it's; echo `x` 🎲", "--help"])
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
        runs.made(f"learners {number}", LEARNERS, "", "--workers", number).finish()
        for number in ("1", "3")
    )
    assert outcome.files() == other.files()
    assert not other.faults
    assert "not_reproducible" not in other.summary
    logs = {name: log_of(other, name, [*LEARNERS]) for name in LEARNERS}
    remembering = {name for name, log in logs.items() if "REMEMBERS" in log}
    assert remembering == {"learned", "schooled"}


@pytest.mark.slow
def test_two_bots_of_one_file_share_no_memory(tmp_path: Path) -> None:
    twins = [{"bot": "twin", "as": f"twin {number}"} for number in (1, 2)]
    prepare(tmp_path, {"twin": TWIN}, ["rule28", *twins])
    assert not arena(tmp_path, "run", "t.yaml").finish().faults


# --- Reproducible ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_bots_that_answer_differently_in_the_same_game_are_told(runs: Runs) -> None:
    """And nobody else is, though some only look so."""
    outcome = runs.made("unsteady", {**UNSTEADY, **STEADY}).finish()
    assert {*outcome.summary["not_reproducible"]} == {*UNSTEADY}
    assert "reproduc" in outcome.out
    assert outcome.lineups(*HONEST) == runs.honest().summary["lineups"]
    assert not outcome.faults
    assert len(outcome.summary["standings"]) == len({*HONEST, *UNSTEADY, *STEADY})


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
    bots = sources(some(ENDLESS, "loop_that_swallows", "ignores_the_alarm"))
    entries: Entries = [
        "patient",
        *({"bot": name, "isolate": "processes" if isolate else False} for name in bots),
    ]
    prepare(tmp_path, bots, entries, "decision_limit: 50\n")
    with started(tmp_path, "run", "t.yaml", "--workers", "2") as (process, mark):
        deadline = time.monotonic() + TIME_LIMIT
        while ": playing " not in shown(tmp_path / "out") and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(1)  # until the bots have been asked
        assert process.poll() is None, shown(tmp_path / "err")
        process.send_signal(number)
        code = process.wait(TIME_LIMIT)
        assert not leftovers(mark)
    if number == signal.SIGINT:
        assert code == 130
    assert "Traceback" not in shown(tmp_path / "err")


def test_first_faults_are_there_while_a_run_writes_logs(tmp_path: Path) -> None:
    """They come in the order of the workers, so that a finished run's folder has none."""
    logs = BotLogs(tmp_path / "logs", ["loops", "random"])
    logs.begin()
    for text in ("loops: too slow", "random: division by zero"):
        logs.note_fault(text)
    assert first_faults(logs.folder) == ["loops: too slow", "random: division by zero"]
    logs.end()
    assert not logs.folder.exists()


@pytest.mark.slow
def test_an_endless_loop_is_named_at_once_and_soon_disqualified(arena: Arena) -> None:
    loops = (
        "def choose_move(turn, moves):\n    print('here')\n    while True:\n        pass\n\n\n"
        "def roll_again(turn):\n    return False\n"
    )
    yaml = "name: cup\ngames: 200\nseed: 1\ndecision_limit: 0.2\nbots: [loops, random]"
    done = arena(
        "run cup.yaml --workers 1 --no-page",
        bots={"loops": loops},
        yaml=yaml,
        code=3,
        process=True,
    )
    what = "loops: too slow: choose_move gave no answer within 0.2 s (bots/loops.py:1), in deal 0"
    assert done.error.count(f"{what}; arena bots check bots/loops.py\n") == 1
    assert done.error.index(what) < done.error.index("What bots printed is in results/cup/logs: 0")
    assert "loops is disqualified after 6 faults" in done.text
