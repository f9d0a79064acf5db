"""The exit codes: one table in the docs, and every command follows it."""

import signal
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from helpers.arena import Arena, Done
from helpers.parameters import slow_but
from helpers.time_limit import TIME_LIMIT

from cantstop_arena.exit_codes import ExitCode

PLAIN = """
def choose_move(turn, moves):
    return 0
def roll_again(turn):
    return turn.rolls < 3
"""
NONE = """
def choose_move(turn, moves):
    return None
def roll_again(turn):
    return False
"""
LOST = NONE.replace("moves):\n    return None", 'moves, n=3):\n    raise ValueError("lost")')
BOTS = {"plain": PLAIN, "none": NONE}
CUP = "name: cup\ngames: 200\nseed: 1\nbots: [rule28, none, random]\n"
BRIEF = "name: brief\ngames: 20\nseed: 1\nbots: [rule28, random]\n"


# --- 0: done --------------------------------------------------------------------------------------


def test_done_is_0_whatever_the_result(arena: Arena) -> None:
    arena("run brief.yaml --no-page", code=0, yaml=BRIEF)
    arena("rate results/brief", code=0)
    arena("match random rule28 --sprt 0 50 --quiet --no-page", code=0)


# --- 1: failed while running, or a check with findings --------------------------------------------


@pytest.mark.slow
def test_a_check_with_findings_is_1(arena: Arena) -> None:
    arena("bots check plain", code=0, bots=BOTS)
    arena("bots check none", code=1)


def test_a_fault_that_ends_a_run_is_1(arena: Arena) -> None:
    told = arena("run cup.yaml --no-page", code=1, bots=BOTS, yaml=f"{CUP}on_fault: abort\n").error
    assert "arena replay" in told


@pytest.mark.slow
def test_a_fault_in_tuning_is_1(arena: Arena) -> None:
    told = arena("tune lost n=1..9 --games 2000 --quiet", code=1, bots={"lost": LOST}).error
    assert "lost: bot cannot play: ValueError: lost" in told
    assert "FaultError" not in told


@pytest.mark.slow
def test_output_that_cannot_be_written_is_1() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run([*ARENA, "rules"], stdout=full, stderr=subprocess.PIPE)
    assert ended.returncode == 1
    assert ended.stderr.count(b"\n") == 1, "one line, no traceback"


@pytest.mark.slow
def test_a_closed_output_is_no_failure() -> None:
    assert subprocess.run(["sh", "-c", '"$@" >&-', "sh", *ARENA, "rules"]).returncode == 0


# --- 2: wrong use, nothing was played -------------------------------------------------------------

WRONG = """
run missing.yaml
run bad.yaml
run brief.yaml --workers 0
run brief.yaml --results game.jsonl/x --seed 1.5
match rule28 nobody
match rule28 random --rules nowhere
match rule28 random --game nothing
match rule28 random --exit-code
gauntlet nobody
gauntlet rule28 --players 9
compare missing.yaml
tune nobody n=1..2
tune rule28 threshold=9..1
rate nowhere
rate bots
report nowhere
export nowhere --games games.csv
export bots
plan --difference 0
bots nobody
bots new plain
bots check missing.py
bots check nobody
bots compile rule28
bench nobody
games nothing
rules nothing
odds --runners 1
play nobody
play rule28 --seat 9
replay missing.jsonl
replay game.jsonl
draw missing.jsonl
draw brief.yaml rule28 random --deal 0 --roll 3
completion tcsh
nothing
"""


@pytest.mark.parametrize("command", WRONG.strip().splitlines())
def test_wrong_use_is_2_and_plays_nothing(arena: Arena, command: str) -> None:
    files = {"brief.yaml": BRIEF, "bad.yaml": "games: many\n", "game.jsonl": "{}\n"}
    assert arena(command, code=2, bots=BOTS, files=files).error
    assert not Path("results").exists()


# --- 3: finished, but a bot was disqualified ------------------------------------------------------


@pytest.mark.slow
def test_a_disqualified_bot_is_3_in_every_command_that_plays_or_rates(arena: Arena) -> None:
    finished = arena("run cup.yaml", code=3, bots=BOTS, yaml=CUP)
    assert [row["bot"] for row in finished.table("standings")] == ["rule28", "random", "none"]
    assert "Written to" in finished.text
    arena("run cup.yaml --no-page --quiet", code=3)
    arena("rate results/cup", code=3)
    arena("gauntlet rule28 --against none --games 200 --no-page --quiet", code=3)
    comparison = "compare: [classic, jump]\ngames: 200\nseed: 1\nbots: [rule28, none]\n"
    arena("compare two.yaml --no-page --quiet", code=3, yaml=comparison)


@pytest.mark.slow
def test_a_disqualified_bot_of_a_match_is_named_with_the_reason(arena: Arena) -> None:
    finished = arena("match none rule28 --games 400", code=3, bots=BOTS)
    assert reason_in(finished).startswith("none is disqualified after 100 faults")
    assert "illegal answer: choose_move must return an index, not None" in reason_in(finished)
    assert "deal counts" not in finished.text
    command = reason_in(finished).partition("Replay: arena ")[2]
    assert "choose_move must return an index" in arena(command, code=None).output


@pytest.mark.slow
def test_a_disqualified_bot_goes_before_the_verdict(arena: Arena) -> None:
    arena("match none rule28 --sprt 0 5 --exit-code --no-page", code=3, bots=BOTS)


def reason_in(finished: Done) -> str:
    """The line of a match that names the disqualified bot and the reason."""
    return next(line for line in finished.text.splitlines() if "is disqualified" in line)


# --- 0, 4, 5: the verdict of a test ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("rule28 random --sprt 0 50", ExitCode.DONE),
        ("random rule28 --sprt 0 50", ExitCode.H0_ACCEPTED),
        ("rule28 glenn-aloi --sprt 0 1 --games 200", ExitCode.UNDECIDED),
    ],
)
def test_the_verdict_is_the_exit_code_on_request(arena: Arena, words: str, code: int) -> None:
    arena(f"match {words} --quiet --no-page --seed 1 --exit-code", code=code)
    arena(f"match {words} --quiet --no-page --seed 1", code=0)


# --- 128 + signal: stopped ------------------------------------------------------------------------

ARENA = (sys.executable, "-m", "cantstop_arena")
ENDLESS = "name: endless\ngames: 100000000\nseed: 1\nbots: [rule28, random]\n"
PLAYING = {
    "run": ("run", "endless.yaml", "--no-page"),
    "match": ("match", "rule28", "random", "--games", "100000000", "--no-page"),
    "play": ("play", "rule28"),
}


@pytest.mark.parametrize(
    ("command", "number"),
    slow_but([0], product(PLAYING, [signal.SIGINT, signal.SIGTERM])),
)
def test_a_signal_is_128_and_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, number: signal.Signals
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("endless.yaml").write_text(ENDLESS)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*ARENA, *PLAYING[command]], stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout and process.stdout.read(1), "it has begun"
        process.send_signal(number)
        output = process.communicate(timeout=TIME_LIMIT)[0]
    assert process.returncode == 128 + number
    assert b"Traceback" not in output
