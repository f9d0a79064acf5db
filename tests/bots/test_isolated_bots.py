"""Bots in processes of their own: the protocol, and programs that do their worst."""

import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but
from helpers.paths import ROOT
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.bot_messages import (
    Decide,
    EndGame,
    ProgramQuestion,
    StartBot,
    StartGame,
)
from cantstop_arena.bots.bot_start import BotStart, Isolation
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import describe_command
from cantstop_arena.bots.isolated_bot import BotRaised, IsolatedBot
from cantstop_arena.bots.known_bot import BotAddress
from cantstop_arena.bots.loader import Loader
from cantstop_arena.bots.program_lines import ProgramLines
from cantstop_arena.errors import BotError
from cantstop_arena.game_api.streams import Stream
from cantstop_arena.games.cantstop.codec import turn_as_json, turn_in
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC, NAMED, PARAMETERS, RULES, RuleSet
from cantstop_arena.games.cantstop.turn import Move, Turn
from cantstop_arena.processes.channel import ProtocolError
from cantstop_arena.processes.child import ChildFailed
from cantstop_arena.processes.child_command import environment
from cantstop_arena.processes.child_limits import ChildLimits
from cantstop_arena.processes.child_output import MAX_LOG_BYTES
from cantstop_arena.processes.json_lines import MAX_LINE_BYTES, ForeignValue, line_of, object_in

PROTOCOL_PAGE = ROOT / "docs" / "reference" / "protocol.md"
STEPS = ROOT / "bots" / "programs" / "steps.sh"
LINUX = sys.platform == "linux"
KEY = 0x9E3779B97F4A7C15


def spaces(**standing: int) -> tuple[int, ...]:
    """Spaces by column: `spaces(c7=3)`."""
    return tuple(standing.get(f"c{column}", 0) for column in range(13))


TURN = Turn(
    seat=0,
    players=2,
    number=3,
    rolls=2,
    dice=(2, 3, 5, 6),
    runners=spaces(c5=1, c11=1),
    free=1,
    placed=(5, 11),
    usable=(3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    claimed=(2,),
    markers=spaces(c7=3),
    rivals=(spaces(c6=4, c8=1),),
    claims=0,
    rival_claims=(1,),
    rules=CLASSIC,
    random=Stream(KEY),
)
MOVES = ((5, 11), (7, 9), (8, 8))

# What a program of the tests begins with: it is ready, and has heard of its first game.
READY = """
import json, os, signal, sys, threading, time
def hear():
    line = sys.stdin.buffer.readline()
    if not line:
        os._exit(0)
    return line
def say(data):
    while data:
        data = data[os.write(1, data):]
hear(); say(b'{"type":"ready"}\\n')
hear()
"""


SERVED: tuple[str, ...] = ()
"""The command of a bot in Python, which the arena serves."""


def start_of(argv: tuple[str, ...], cwd: Path, **fields: Any) -> BotStart:
    """The start of a program, or of NOBODY if it is SERVED."""
    isolated = {"isolation": Isolation.SANDBOX_IF_ANY, "command": argv, "cwd": cwd}
    return BotStart(name="tested", **{"bot": NOBODY, **isolated, **fields})


def program(text: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", "-c", text)


class Started:
    """Remotes that are closed when a test is over, and leave nobody behind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remotes: list[IsolatedBot] = []
        self.groups: set[int] = set()

    def __call__(self, argv: Sequence[str], **treatment: Any) -> IsolatedBot:
        """A remote for a command, or SERVED, with its first game begun."""
        usual = start_of(tuple(argv), self.folder, decision_limit=5.0)
        remote = IsolatedBot(replace(usual, **treatment))
        self.remotes.append(remote)
        self.begin(remote)
        return remote

    def program(self, text: str, **treatment: Any) -> IsolatedBot:
        return self(program(READY + text), **treatment)

    def begin(self, remote: IsolatedBot) -> None:
        remote.begin(0, 2, CLASSIC, KEY)
        self.groups.add(pid_of(remote))

    def close(self) -> None:
        for remote in self.remotes:
            remote.close()
        for group in self.groups:
            assert_gone(group)


def chosen_by(remote: IsolatedBot, turn: Turn, moves: Sequence[Move]) -> object:
    return remote.decide(GAME.decisions["choose_move"], turn, moves)


def rolls_again(remote: IsolatedBot, turn: Turn) -> object:
    return remote.decide(GAME.decisions["roll_again"], turn)


def pid_of(remote: IsolatedBot) -> int:
    assert remote._child is not None
    return remote._child.pid


def assert_gone(group: int) -> None:
    """Nobody of a process group is alive, soon."""
    end = time.monotonic() + 60
    while living(group) and time.monotonic() < end:
        time.sleep(0.02)
    if not living(group):
        return
    raise AssertionError(f"{living(group)} of process group {group} live on")


def living(group: int) -> list[str]:
    """The states of a process group's members; elsewhere than on Linux only whether it has any."""
    if not LINUX:
        try:
            os.killpg(group, 0)
        except OSError:
            return []
        return ["somebody"]
    states = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, told = (process / "stat").read_text().rpartition(") ")[2].split()[:3]
            states += [f"{process.name} {state}"] if int(told) == group and state != "Z" else []
    return states


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    signal.alarm(500)  # ends this process where something waits for a program for ever
    ours = Started(tmp_path)
    yield ours
    ours.close()
    signal.alarm(0)


@pytest.fixture
def bot(tmp_path: Path, started: Started) -> Callable[..., IsolatedBot]:
    """A bot in Python, served, from the text of its file."""

    def served(text: str, **treatment: Any) -> IsolatedBot:
        (tmp_path / "mine.py").write_text(text)
        return started(SERVED, bot=address_of(tmp_path / "mine.py"), folder=tmp_path, **treatment)

    return served


NOBODY = BotAddress("nobody", GAME.name, "built-in", "")


def address_of(path: Path) -> BotAddress:
    """The bot of a file, whatever that says."""
    source = BotSource(path).identified()
    return BotAddress(path.stem, GAME.name, "file", source.digest, source)


def kind(error: Exception) -> str:
    """The kind of a child's failure."""
    assert isinstance(error, ChildFailed)
    return error.failure.kind


def failure_of(ask: Callable[[], object]) -> ChildFailed | BotRaised:
    """The failure that a question ends with. Every message is one printable line, not long."""
    with pytest.raises((ChildFailed, BotRaised)) as caught:
        ask()
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 700
    failure = caught.value
    assert isinstance(failure, ChildFailed | BotRaised)
    return failure


# --- What is documented ---------------------------------------------------------------------------


def test_the_documented_exchange_is_what_is_said(started: Started) -> None:
    page = PROTOCOL_PAGE.read_text()
    start = page.index('> {"type":"hello"')
    lines = re.findall(r"^([<>]) (\{.*\})$", page[start:], re.M)  # before it, another game's
    heard = started.folder / "heard"
    tee = f"tee {heard} | {STEPS} | tee -a {heard}.answers"
    remote = started(("sh", "-c", tee))
    rules, answers = CLASSIC, []
    for sign, line in lines:
        told = json.loads(line)
        if told.get("type") == "game":
            rules = GAME.rules.from_dict(told["rules"])
        if sign == ">" and "turn" in told:
            turn = turn_in(told["turn"], rules, Stream(0))
            moves = GAME.codec.moves_from_json(told.get("moves", ()))
            answers.append(chosen_by(remote, turn, moves) if moves else rolls_again(remote, turn))
    messages, replies = ([line for sign, line in lines if sign == kind] for kind in "><")
    assert lines_of(heard, len(messages)) == messages
    answered = lines_of(Path(f"{heard}.answers"), len(replies))
    assert list(map(json.loads, answered)) == list(map(json.loads, replies))
    assert answers == [0, True, False]


def lines_of(file: Path, count: int) -> list[str]:
    """The lines of a file of tee, once all are there: it writes to its pipe before its file."""
    end = time.monotonic() + 60
    while file.read_text().count("\n") < count and time.monotonic() < end:
        time.sleep(0.01)
    return file.read_text().splitlines()


def table_below(heading: str) -> list[list[str]]:
    _, _, below = PROTOCOL_PAGE.read_text().partition(f"\n## {heading}\n")
    found = re.search(r"(?:^\|.*\|\n)+", below, re.M)
    assert found
    return [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in found[0].splitlines()][
        2:
    ]


def test_the_table_of_turn_is_that_of_the_program() -> None:
    assert [field for field, _ in table_below("`turn`")] == list(turn_as_json(TURN))
    assert set(Turn._fields) - {"rules", "random", "memory"} | {"bust_chance"} == set(
        turn_as_json(TURN)
    )


def test_the_table_of_messages_is_that_of_the_program_lines() -> None:
    lines = ProgramLines(GAME)
    messages: list[ProgramQuestion] = [
        StartBot({}),
        StartGame(0, 2, True, {}, KEY),
        Decide(1, "choose_move", {}, []),
        Decide(2, "roll_again", {}),
        EndGame(0, 2, [1]),
    ]
    types = [json.loads(lines.bytes_of(message))["type"] for message in messages]
    assert [row[0] for row in table_below("Messages of the arena")] == types


# --- The words on the pipe ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rules", [rules for rules, _ in NAMED.values()], ids=lambda rules: rules.name
)
def test_rules_arrive_as_they_were_sent(rules: RuleSet) -> None:
    told = json.loads(line_of(RULES.as_dict(rules)))
    assert GAME.rules.from_dict(told) == rules
    assert list(told) == ["name", *PARAMETERS]


@given(st.data())
def test_a_turn_arrives_as_it_was_sent(data: st.DataObject) -> None:
    row = st.tuples(*[st.integers(0, 13)] * 13)
    columns = st.sets(st.integers(2, 12)).map(lambda drawn: tuple(sorted(drawn)))
    rivals = tuple(data.draw(st.lists(row, max_size=3)))
    turn = TURN._replace(
        runners=data.draw(row),
        markers=data.draw(row),
        rivals=rivals,
        rival_claims=(1,) * len(rivals),
        placed=data.draw(columns),
        usable=data.draw(columns),
        claimed=data.draw(columns),
    )
    told = json.loads(line_of({"turn": turn_as_json(turn)}))["turn"]
    assert turn_in(told, CLASSIC, turn.random) == turn
    assert told["bust_chance"] == turn.bust_chance()
    assert told["runners"] == {str(i): turn.runners[i] for i in range(13) if turn.runners[i]}


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


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@pytest.mark.slow
@given(
    st.binary()
    | json_values.map(lambda value: json.dumps({"move": value}).encode())
    | st.lists(st.sampled_from([b'{"move":', b"0", b"}", b'"', b"\xc3"])).map(b"".join)
)
def test_any_line_is_an_object_or_nonsense(line: bytes) -> None:
    try:
        assert isinstance(object_in(line), dict)
    except ProtocolError as failure:
        assert str(failure).isprintable()


# --- Programs -------------------------------------------------------------------------------------


def test_a_shell_script_plays(started: Started) -> None:
    remote = started((str(STEPS),))
    assert chosen_by(remote, TURN, MOVES) == 0
    assert [rolls_again(remote, TURN._replace(rolls=rolls)) for rolls in (1, 3, 4, 10)] == [
        *(True, True),
        *(False, False),
    ]
    started.begin(remote)
    assert rolls_again(remote, TURN) is True


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


@pytest.mark.parametrize("case", [*INVALID, *ENDED])
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


def test_an_answer_before_the_question_is_nonsense(started: Started) -> None:
    remote = started.program("say(b'{\"move\":1}\\n')\nwhile hear(): say(b'{\"move\":2}\\n')")
    assert remote._child is not None
    select.select([remote._child.channel], [], [])
    assert kind(failure_of(lambda: chosen_by(remote, TURN, MOVES))) == "invalid"


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


@pytest.mark.parametrize("text", LATE.values(), ids=LATE)
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


def test_a_question_without_a_game_finds_nobody(tmp_path: Path) -> None:
    remote = IsolatedBot(start_of((str(STEPS),), tmp_path))
    assert kind(failure_of(lambda: rolls_again(remote, TURN))) == "died"
    remote.close()


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


# --- Bots in Python -------------------------------------------------------------------------------

CHOOSE = "def choose_move(turn, moves):\n    return 0\n"
AGAIN = "def roll_again(turn):\n    return True\n"


def test_a_bot_sees_all_that_a_plain_bot_sees(bot: Callable[..., IsolatedBot]) -> None:
    seen = "(turn._replace(random=None), moves, turn.bust_chance(), turn.chance(7), turn.random())"
    told = f"raise ValueError(sha256(repr({seen}).encode()).hexdigest())"
    text = f"from hashlib import sha256\n{CHOOSE}{AGAIN}".replace("return 0", told)
    failure = failure_of(lambda: chosen_by(bot(text), TURN, MOVES))
    turn = TURN._replace(random=Stream(KEY))
    plain = (turn._replace(random=None), MOVES, turn.bust_chance(), turn.chance(7), turn.random())  # type: ignore[arg-type]
    assert str(failure).startswith(f"ValueError: {sha256(repr(plain).encode()).hexdigest()} (")


RETURNED = {
    "2": "2",
    "True": "True",
    "np.int64(2)": "2",
    "np.uint8(2)": "2",
    "np.bool_(False)": "False",
    "type('Two', (int,), {})(2)": "2",
    "0.0": "0.0",
    "None": "None",
    "'left'": "'left'",
    r"'\ud800'": r"'\ud800'",
    "float('nan')": "nan",
    "float('-inf')": "-inf",
    "[1, [2]]": "[1, [2]]",
    "Broken()": "<Broken instance at 0x",
    "'\\x1b[2J\\n'": r"'\x1b[2J\n'",
    "'x' * 10**6": "'xxx",
    "{'not': 'a'}": "{'not': 'a'}",
}


def test_what_a_bot_returns_looks_the_same_here(bot: Callable[..., IsolatedBot]) -> None:
    cases = f"import numpy as np\nCASES = {list(RETURNED)}\n"
    broken = "class Broken:\n    def __repr__(self): raise ValueError\n"
    choose = CHOOSE.replace("return 0", "return eval(CASES[turn.number])")
    remote = bot(cases + broken + choose + AGAIN)
    for number, told in enumerate(RETURNED.values()):
        answer = chosen_by(remote, TURN._replace(number=number), MOVES)
        assert repr(answer).startswith(told)
        assert repr(answer).isprintable()
        assert len(repr(answer)) <= 60


RAISED = {
    "raise ValueError('a\\nb \\x1b')": r"ValueError: a b \\x1b \(<string>:1\)",
    "missing(turn)": r"NameError: .*missing.* \(<string>:1\)",
    "fail()": r"ZeroDivisionError: division by zero \(.*mine.py:1\)",
    "raise SystemExit(2)": "SystemExit: 2",
    "raise KeyboardInterrupt": "KeyboardInterrupt",
    "raise GeneratorExit": "GeneratorExit",
    "choose_move(turn, moves)": "RecursionError",
    "raise Sad": "Sad",
    "bytearray(1 << 40)": "MemoryError",
    "turn.nothing": "AttributeError",
    "turn.seat = 1": "AttributeError",
    "input()": "EOFError",
}


def test_whatever_a_bot_raises_is_told(bot: Callable[..., IsolatedBot]) -> None:
    fail = "def fail(): 1 / 0\nclass Sad(Exception): __str__ = lambda self: 1 / 0\n"
    choose = CHOOSE.replace("return 0", "exec(CASES[turn.number])")
    remote = bot(f"{fail}CASES = {list(RAISED)}\n{choose}{AGAIN}", limits=ChildLimits(1 << 32))
    before = pid_of(remote)
    for number, told in enumerate(RAISED.values()):
        turn = TURN._replace(number=number)
        failure = failure_of(lambda turn=turn: chosen_by(remote, turn, MOVES))  # type: ignore[misc]
        assert isinstance(failure, BotRaised)
        assert re.match(told, str(failure))
    assert rolls_again(remote, TURN) is True
    assert pid_of(remote) == before


def test_a_number_of_too_many_digits_is_no_number(bot: Callable[..., IsolatedBot]) -> None:
    remote = bot(CHOOSE.replace("0", "10 ** 5000") + AGAIN)
    assert isinstance(chosen_by(remote, TURN, MOVES), ForeignValue)


def test_options_reach_a_bot_as_they_do_directly(bot: Callable[..., IsolatedBot]) -> None:
    text = CHOOSE + AGAIN.replace("(turn)", "(turn, when=(1, 2), how='a')").replace(
        "True", "'%r %r' % (when, how)"
    )
    remote = bot(text, options='{"when": [3, [4.5, Infinity]], "how": "\\u00e9"}')
    assert repr(rolls_again(remote, TURN)) == repr("(3, [4.5, inf]) 'é'")


def test_a_bot_that_cannot_be_built_is_refused(bot: Callable[..., IsolatedBot]) -> None:
    family = """
from cantstop_arena import Bot
def build(risk=1):
    raise ValueError("no")
def register_bots():
    return [Bot("mine", build)]
"""
    with pytest.raises(BotError, match="bot mine cannot be built: ValueError: no"):
        bot(family)


def test_every_game_has_a_bot_of_its_own(bot: Callable[..., IsolatedBot], started: Started) -> None:
    text = """
import random
import numpy as np
from cantstop_arena import Bot
class Mine:
    def __init__(self):
        self.games = 0
    def choose_move(self, turn, moves):
        self.games += 1
        return self.games
    def roll_again(self, turn):
        return int(1e9 * (random.random() + np.random.random() + turn.random()))
def register_bots():
    return [Bot("mine", Mine)]
"""
    remote = bot(text)
    os.kill(pid_of(remote), signal.SIGINT)  # Ctrl-C does not reach it
    drawn = []
    for _ in range(3):
        assert [chosen_by(remote, TURN, MOVES) for _ in range(2)] == [1, 2]
        drawn.append([rolls_again(remote, TURN) for _ in range(2)])
        started.begin(remote)
    assert drawn[0] == drawn[1] == drawn[2]
    remote.begin(0, 2, CLASSIC, KEY + 1)
    assert rolls_again(remote, TURN) not in drawn[0]


def test_a_file_called_like_a_module_of_python_is_no_module(
    started: Started, tmp_path: Path
) -> None:
    (tmp_path / "random.py").write_text(CHOOSE + AGAIN)
    remote = started(SERVED, bot=address_of(tmp_path / "random.py"), folder=tmp_path, cwd=tmp_path)
    assert rolls_again(remote, TURN) is True


def test_the_server_does_without_numba() -> None:
    text = "import sys, cantstop_arena.bots.bot_server, cantstop_arena.bots.isolated_bot\n"
    text += "sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", text]).returncode == 0


# --- The same games -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "players", "bots"),
    slow_but(
        (0,),
        [
            ("jump", 3, "random, odds, cautious"),
            ("korean", 2, "glenn-aloi, example"),
            ("long5", 1, "rule28"),
        ],
    ),
)
def test_isolated_bots_play_the_same_games(
    arena: Arena, rules: str, players: int, bots: str
) -> None:
    example = (ROOT / "bots/example.py").read_text()
    yaml = f"games: 4\nseed: 3\nrules: {rules}\nplayers: {players}\nbots: [{bots}]\nisolate: "
    played = []
    for isolate in ("processes", "false"):
        words = "run cup.yaml --quiet --fresh"
        done = arena(words, bots={"example": example}, yaml=yaml + isolate)
        played.append({key: done.json.get(key) for key in ("lineups", "by_bot", "standings")})
    assert played[0] == played[1]
    assert "faults" not in done.json


# --- What a file holds ----------------------------------------------------------------------------

DESCRIBED = '''"""Plays.

And more."""
from typing import Literal
def choose_move(turn, moves, side: Literal["low", "high", None] = "low", weights=(1, (2.5, None))):
    return 0
def roll_again(turn, steps=6, lengths=[1, "é"], on=True, risk=0.5):
    return False
'''


def test_a_file_is_described_as_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(DESCRIBED)
    spec = Loader(tmp_path).load_file(tmp_path / "mine.py")
    described = Catalogue(tmp_path).load_file(tmp_path / "mine.py")
    assert described == spec.description()
    assert described.summary == "Plays."


def test_a_file_is_not_run_here_to_be_described(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"import sys\nsys.described = 1\n{CHOOSE}{AGAIN}")
    assert Catalogue(tmp_path).find("mine").name == "mine"
    assert not hasattr(sys, "described")


def test_a_file_that_is_missing_cannot_be_described(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="cannot be read"):
        Catalogue(tmp_path).load_file(tmp_path / "mine.py")


def test_a_command_is_known_by_its_words_and_the_contents_of_files(tmp_path: Path) -> None:
    bot, data = tmp_path / "bot", tmp_path / "data"
    bot.write_text("one")
    data.write_text("")
    digest = describe_command([str(bot), "--fast"])
    assert digest == describe_command((str(bot), "--fast"))
    assert digest != describe_command([str(bot), "--slow"])
    (tmp_path / "moved").write_text("one")
    assert digest == describe_command([str(tmp_path / "moved"), "--fast"])
    assert describe_command([str(tmp_path), "x" * 5000, "nul\0"])
    bot.write_text("two")
    assert digest != describe_command([str(bot), "--fast"])
    fed = describe_command([str(bot), str(data)])
    data.write_text("three")
    assert fed != describe_command([str(bot), str(data)])
