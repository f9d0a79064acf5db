"""Programs that play, and programs that do their worst: what they say, when they start and end."""

import json
import os
import select
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.isolated import (
    KEY,
    LINUX,
    MOVES,
    READY,
    SERVED,
    STEPS,
    TURN,
    Started,
    assert_gone,
    chosen_by,
    failure_of,
    kind,
    pid_of,
    program,
    rolls_again,
    start_of,
)
from helpers.parameters import slow_but
from helpers.paths import ROOT

from cantstop_arena.bots.isolated_bot import BotRaised, IsolatedBot
from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.processes.child import ChildFailed
from cantstop_arena.processes.child_command import environment
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.child_output import MAX_LOG_BYTES
from cantstop_arena.processes.json_lines import MAX_LINE_BYTES, object_in


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    with Started(tmp_path) as ours:
        yield ours


# --- The words on the pipe ------------------------------------------------------------------------


ODD_LINES = [
    b"",
    b"null",
    b"[]",
    b"0",
    b"{",
    b'{"move":NaN}',
    b'{"move":-Infinity}',
    b'{"move":0}{"move":0}',
    b"\xff\xfe",
    b'\xef\xbb\xbf{"move":0}',
    b'{"move":"\xed\xa0\x80"}',
    b"[" * 60_000,
    b'{"a":' * 12_000,
    b'{"move":' + b"9" * 50_000 + b"}",
    b"\x1b[2J\x00\x07",
]


@pytest.mark.parametrize("line", ODD_LINES, ids=lambda line: repr(line[:20]))
def test_a_line_that_holds_no_object_is_nonsense(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        object_in(line)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 320


# --- Programs -------------------------------------------------------------------------------------


def test_a_command_has_arguments_and_is_relative_to_its_folder(started: Started) -> None:
    remote = started(("./programs/steps.sh", "2"), cwd=ROOT / "bots")
    assert rolls_again(remote, TURN._replace(rolls=2)) is False


RAW = [0, 1, -7, 10**30, 0.0, 1.5, True, None, "0", [0], {"a": 1}, {"not": 1}]
RAW_LINES = [json.dumps({"move": value, "more": 1}) for value in RAW]
FILLING = MAX_LINE_BYTES - len('{"move":2,"x":""}')


def test_an_error_that_a_program_reports_is_no_reason_to_end_it(started: Started) -> None:
    remote = started.program(
        r"""hear(); say(b'{"error":"oh\\u001b[2J\\n no \\ud800' + b'x' * 9000 + b'"}\n')
hear(); hear(); say(b'{"roll":true}\n'); hear()"""
    )
    before = pid_of(remote)
    failure = failure_of(lambda: chosen_by(remote, TURN, MOVES))
    assert isinstance(failure, BotRaised)
    assert str(failure).startswith(r"oh\x1b[2J no \ud800xxx")
    started.begin(remote)
    assert rolls_again(remote, TURN) is True
    assert pid_of(remote) == before


TWO = 'say(b\'{"move":1}\\n{"move":2}\\n\')'
# What a program does, and what it is then heard to answer.
ANSWERED: dict[str, tuple[str, list[Any]]] = {
    "raw answers": (
        f"for told in {RAW_LINES!r}: hear(); say(told.encode() + b'\\r\\n')\nhear()",
        RAW,
    ),
    "the longest lines": (
        f"while hear(): say(b'{{\"move\":2,\"x\":\"' + b'x' * {FILLING} + b'\"}}\\n')",
        [2, 2, 2],
    ),
    "an answer in pieces": (
        "hear()\nfor sign in b'{\"move\":1}\\n': say(bytes([sign])); time.sleep(0.002)\nhear()",
        [1],
    ),
}
# What else it does when it has heard a question, after how many answers of 1, and what follows.
INVALID: dict[str, tuple[str, int, str]] = {
    "a second answer": (f"{TWO}; hear(); {TWO}", 1, "unexpected message"),
    "a flood of lines": ("while True: say(b'{\"move\":1}\\n' * 1000)", 1, ""),
    "no JSON": ("say(b'hello\\n'); hear()", 0, ""),
    "no such key": ("say(b'{\"roll\":true}\\n'); hear()", 0, ""),
    "an error that is no text": ("say(b'{\"error\":1}\\n'); hear()", 0, ""),
    "a long line": ("say(b'{\"move\":0,\"x\":\"' + b'x' * 65536 + b'\"}\\n'); hear()", 0, ""),
    "a flood without an end": ("while True: say(b'x' * 4096)", 0, ""),
}
ENDED: dict[str, tuple[str, int, str]] = {
    "an answer with the last breath": ("say(b'{\"move\":1}\\n'); os._exit(0)", 1, ""),
    "exit code": ("os._exit(3)", 0, "exit code 3"),
    "the end after half an answer": ("say(b'{\"move\"'); os._exit(0)", 0, "exit code 0"),
    "a signal": ("os.kill(os.getpid(), signal.SIGSEGV)", 0, "SIGSEGV"),
    "a signal without a name": ("os.kill(os.getpid(), 40)", 0, "signal 40"),
    "closing its output": ("os.close(1); time.sleep(600)", 0, "closed the pipe of its process"),
    "leaving a child that holds the pipe": (
        "if os.fork() == 0: time.sleep(600)\nos._exit(4)",
        0,
        "exit code 4",
    ),
}


@pytest.mark.parametrize(("text", "answers"), ANSWERED.values(), ids=ANSWERED)
def test_what_a_program_says_is_its_answer(started: Started, text: str, answers: list[Any]) -> None:
    remote = started.program(text)
    for value in answers:
        answer = chosen_by(remote, TURN, MOVES)
        assert (answer, type(answer)) == (value, type(value))


@pytest.mark.parametrize("case", slow_but(range(0, 30, 3), [*INVALID, *ENDED]))
def test_what_a_program_says_or_does_is_its_end(started: Started, case: str) -> None:
    text, answers, told = {**INVALID, **ENDED}[case]
    remote = started.program(f"hear()\n{text}")
    assert [chosen_by(remote, TURN, MOVES) for _ in range(answers)] == [1] * answers
    failure = failure_of(lambda: chosen_by(remote, TURN, MOVES))
    assert kind(failure) == ("invalid" if case in INVALID else "died")
    assert told in str(failure)
    assert_plays_on(started, remote)


def assert_plays_on(started: Started, remote: IsolatedBot) -> None:
    """After a failure there is no program; the next game starts one."""
    before = set(started.groups)
    assert kind(failure_of(lambda: rolls_again(remote, TURN))) == "died"
    for group in before:
        assert_gone(group)
    started.begin(remote)
    assert pid_of(remote) not in before


AHEAD = {
    "of the first question": ("say(ONE)\nwhile hear(): say(ONE)", 0),
    "of the next game's questions": ("hear(); say(ONE)\nhear(); say(ONE)\nhear()", 1),
}


@pytest.mark.parametrize(("text", "answers"), AHEAD.values(), ids=AHEAD)
def test_an_answer_ahead_of_its_question_is_nonsense(
    started: Started, text: str, answers: int
) -> None:
    remote = started.program(f"ONE = b'{{\"move\":1}}\\n'\n{text}")
    assert [chosen_by(remote, TURN, MOVES) for _ in range(answers)] == [1] * answers
    started.begin(remote)
    assert remote._child is not None
    select.select([remote._child.channel], [], [])
    failure = failure_of(lambda: chosen_by(remote, TURN, MOVES))
    assert (kind(failure), "unexpected message" in str(failure)) == ("invalid", True)


STOPS = "os.kill(os.getpid(), signal.SIGSTOP)"
LATE = {
    "sleeping": "hear(); time.sleep(600)",
    "ignoring SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
    "a drip": "hear()\nwhile True: say(b' '); time.sleep(0.001)  # a drip",
    "half an answer": "hear(); say(b'{\"move\":'); time.sleep(600)",
    "asleep, a child too": "os.fork(); hear(); time.sleep(600)",
    "busy": "hear()\nwhile True: pass",
    "a busy child": "hear()\nif os.fork() == 0:\n  while True: pass\ntime.sleep(600)",
    "a busy thread": "hear()\nthreading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()",
    "stopped": STOPS,
    "stopped when asked": f"hear(); {STOPS}",
}


@pytest.mark.parametrize("text", slow_but([0, 4, 8], LATE.values()), ids=LATE)
def test_a_program_that_does_not_answer_is_overdue(started: Started, text: str) -> None:
    """It is at fault unless somebody else may have stopped it."""
    remote = started.program(text, decision_limit=0.3)
    failure = failure_of(lambda: chosen_by(remote, TURN, MOVES))
    assert kind(failure) == "too slow"
    assert "no answer within 0.3 s" in str(failure)
    assert isinstance(failure, ChildFailed)
    assert failure.failure.proven is ("perhaps" not in str(failure))
    if LINUX and "a drip" not in text:  # on a busy machine its short sleeps prove nothing
        assert failure.failure.proven is (STOPS not in text)
    assert_plays_on(started, remote)


def test_a_program_that_never_reads_is_overdue(started: Started) -> None:
    remote = started(program(READY + "time.sleep(600)"), decision_limit=0.2)

    for _ in range(1000):  # more than a pipe holds; the arena does not wait
        started.begin(remote)
    assert kind(failure_of(lambda: rolls_again(remote, TURN))) == "too slow"
    assert_plays_on(started, remote)


def test_a_large_question_is_given_whole(started: Started) -> None:
    size = 1 << 20
    options = json.dumps({"text": "x" * size})
    echo = 'hello = hear(); say(b\'{"type":"ready"}\\n\'); hear()\n'
    text = READY.partition("hear(); say")[0] + echo
    text += "while hear(): say(b'{\"move\":%d}\\n' % len(json.loads(hello)['options']['text']))"
    assert chosen_by(started(program(text), options=options), TURN, MOVES) == size


# --- Starting and ending --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("./nobody",), "nobody: No such file"),
        (("./file",), "file: Permission denied"),
        (("nul\0",), "embedded null"),
        (program("import os; os._exit(3)"), "exit code 3"),
        (program("import sys; sys.exit('so sorry')"), r"exit code 1 \(so sorry\)"),
        (program("print('hello', flush=True); input(); input()"), "hello"),
        (program("print('{}', flush=True); input(); input()"), "ready"),
        (program('print(\'{"error":"no!"}\', flush=True); input(); input()'), "no!"),
        (program("import time; time.sleep(600)"), "no answer within 0.5 s"),
        (SERVED, "no longer holds a bot 'nobody'"),
    ],
)
def test_a_program_that_does_not_get_ready_is_refused(
    tmp_path: Path, argv: tuple[str, ...], told: str
) -> None:
    (tmp_path / "file").write_text("no program")
    limit = 0.5 if "sleep" in str(argv) else 120.0  # of a busy machine
    start = start_of(argv, tmp_path, start_limit=limit, log=tmp_path / "log")
    remote = IsolatedBot(start)
    for _ in range(1 if argv is SERVED else 2):
        with pytest.raises(BotError, match=told) as caught:
            remote.begin(0, 2, CLASSIC, KEY)
        assert str(caught.value).isprintable()


@pytest.mark.slow
def test_nobody_loses_by_a_program_that_starts_slowly(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it takes longer than a worker may stand still, and than all tries of a decision."""
    monkeypatch.setattr("cantstop_arena.tournaments.pool.worker_pool._GRACE", 0.3)
    entry = f"{{command: [sh, -c, 'sleep 2; exec {STEPS}'], as: slow}}"
    yaml = f"games: 2\nseed: 3\ndecision_limit: 0.3\nbots: [cautious, {entry}]\n"
    done = arena("run cup.yaml --quiet", yaml=yaml)
    assert "faults" not in done.json


def test_a_folder_or_a_log_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="nowhere: No such file"):
        IsolatedBot(start_of((str(STEPS),), tmp_path / "nowhere")).start()
    with pytest.raises(BotError, match="log cannot be written"):
        IsolatedBot(start_of((str(STEPS),), tmp_path, log=tmp_path / "nowhere" / "log")).start()


def test_closing_lets_a_program_end_by_itself(started: Started, tmp_path: Path) -> None:
    text = f"while sys.stdin.buffer.readline(): pass\nopen({str(tmp_path / 'end')!r}, 'w')"
    remote = started.program(text)
    remote.close()
    remote.close()
    assert (tmp_path / "end").exists()


def test_closing_ends_whoever_does_not_want_to(started: Started) -> None:
    remote = started.program(
        "os.fork(); signal.signal(signal.SIGTERM, lambda *_: 0)\nhear = 0\n"
        "while True: time.sleep(600)"
    )
    remote.close()


def test_open_files_do_not_add_up(started: Started) -> None:
    remote = started.program("hear(); os._exit(0)", log=started.folder / "log")
    failure_of(lambda: rolls_again(remote, TURN))
    before = open_files()
    for _ in range(5):
        started.begin(remote)
        failure_of(lambda: rolls_again(remote, TURN))
    assert open_files() == before


def open_files() -> list[str]:
    return sorted(path.name for path in Path("/dev/fd").iterdir())


def test_a_forked_process_has_a_program_of_its_own(started: Started) -> None:
    remote = started((str(STEPS),))
    before = pid_of(remote)
    child = os.fork()
    if child == 0:
        remote.begin(1, 2, CLASSIC, KEY)
        right = rolls_again(remote, TURN) is True and pid_of(remote) != before
        remote.close()
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    child = os.fork()
    if child == 0:
        remote.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert rolls_again(remote, TURN) is True


def test_an_interrupted_question_leaves_no_answer_behind(started: Started) -> None:
    remote = started.program("hear(); os.kill(os.getppid(), signal.SIGALRM); time.sleep(600)")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            chosen_by(remote, TURN, MOVES)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert_plays_on(started, remote)


def test_the_environment_is_small_and_fixed(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["here", "", "/there"]))
    remote = started.program(
        "while hear(): say(json.dumps({'roll': dict(os.environ)}).encode() + b'\\n')"
    )
    told = rolls_again(remote, TURN)
    assert isinstance(told, dict)
    assert {**environment(), "LC_CTYPE": ""} == {**told, "LC_CTYPE": ""}
    assert "SECRET" not in told
    assert told["PYTHONPATH"] == os.pathsep.join([str(Path("here").absolute()), "/there"])
    assert told["PYTHONHASHSEED"] == "0"


def test_limits_of_the_process(started: Started) -> None:
    text = """import resource
limits = [resource.getrlimit(kind)[1] for kind in (resource.RLIMIT_CORE, resource.RLIMIT_AS)]
hear()
say(json.dumps({"roll": [os.getsid(0) == os.getpgid(0), *limits]}).encode() + b'\\n')
hear()
"""
    remote = started.program(text, limits=ChildLimits(memory=1 << 30))
    assert rolls_again(remote, TURN) == [True, 0, 1 << 30]


# --- The log --------------------------------------------------------------------------------------


def test_the_log_is_added_to_and_kept_small(started: Started) -> None:
    log = started.folder / "log"
    log.write_text("before\n")
    text = f"os.write(2, b'here\\n' + b'x' * {2 * MAX_LOG_BYTES})\n"
    remote = started.program(text + "while hear(): say(b'{\"move\":1}\\n')", log=log)
    assert chosen_by(remote, TURN, MOVES) == 1
    started.begin(remote)
    assert log.stat().st_size == MAX_LOG_BYTES
    assert log.read_bytes().startswith(b"before\nhere\nxxx")
