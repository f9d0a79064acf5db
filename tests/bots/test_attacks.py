"""What hostile isolated bots do to the arena itself, or to learn the seed: nothing comes of it."""

from pathlib import Path
from textwrap import indent

import pytest
from helpers.arena import Arena
from helpers.parameters import slow_but

from cantstop_arena.processes.child_output import MAX_LOG_BYTES

CUP = """
games: 2
seed: 20260101
decision_limit: 0.5
max_faults: 1
bots: [odds, {bot: sly, isolate: true}]
"""


LIBRARIES = """
import os, signal, socket, stat, sys, threading, time
import numpy as np
def channel():
    for number in range(3, 256):
        try:
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                return number
        except OSError:
            pass
"""


def attacker(act: str) -> str:
    """A bot that does this in each decision on a move."""
    return (
        f"{LIBRARIES}def choose_move(turn, moves):\n{indent(act, '    ')}\n    return 0\n"
        "def roll_again(turn):\n    return turn.rolls < 3\n"
    )


# What a bot does in its first decision, by class, and what it is charged with; nobody else is.
ATTACKS = {
    "answers-of-a-tuple": ("return (0,)", "illegal"),
    "answers-of-a-subclass": ("return type('Zero', (np.ndarray,), {})((1,))", "illegal"),
    "answers-that-unpickle": (
        "class Sly:\n    __reduce__ = lambda self: (os._exit, (3,))\nreturn Sly()",
        "illegal",
    ),
    "answers-that-hide-their-class": (
        "class Sly:\n    __class__ = property(lambda self: int)\n"
        "    __index__ = lambda self: 0\nreturn Sly()",
        "illegal",
    ),
    "answers-of-many-digits": ("return 10 ** 5000", "illegal"),
    "answers-that-are-no-number": ("return float('nan')", "illegal"),
    "answers-of-half-letters": ("return '\\ud800' * 9", "illegal"),
    "answers-like-our-own-marks": ("return {'not': 'an answer', 'type': 'Answer'}", "illegal"),
    "messages-without-end": (
        "os.write(channel(), b'canstop\\n' + (1 << 16).to_bytes(8))\ntime.sleep(600)",
        "too slow",
    ),
    "messages-that-grow": (
        "from cantstop_arena.processes.channel import encoded, frame\n"
        "from cantstop_arena.bots.bot_messages import Answer\n"
        "head, n = encoded(Answer(1, 7)), 1 << 22\n"
        "body = head.replace(b'\\xa5value\\x07',"
        " b'\\xa5value\\xdd' + n.to_bytes(4) + b'\\x90' * n)\n"
        "assert len(body) > n\n"
        "data = b'canstop\\n' + len(body).to_bytes(8) + body\n"
        "while data: data = data[os.write(channel(), data):]\n"
        "time.sleep(600)",
        "sent an invalid message",
    ),
    "messages-too-long": (
        "os.write(channel(), b'canstop\\n' + b'\\xff' * 8)\ntime.sleep(600)",
        "invalid",
    ),
    "messages-twice": (
        "from cantstop_arena.processes.channel import frame as written\n"
        "from cantstop_arena.bots.bot_messages import Answer\n"
        "for n in range(1, 9): os.write(channel(), written(Answer(n, 0)))\ntime.sleep(600)",
        "unexpected message",
    ),
    "messages-of-the-start": (
        "from cantstop_arena.processes.channel import frame as written\n"
        "from cantstop_arena.bots.bot_messages import BotStarted\n"
        "os.write(channel(), written(BotStarted(True)))\ntime.sleep(600)",
        "sent no answer",
    ),
    "messages-in-one-direction": (
        "socket.socket(fileno=channel()).shutdown(socket.SHUT_WR)\ntime.sleep(600)",
        "died",
    ),
    "files-inherited": ("os.closerange(3, 256)\nreturn 0", "died"),
    "files-exchanged": (
        "for n in range(3, 40):\n    try: os.dup2(os.open('/dev/zero', 0), n)\n"
        "    except OSError: pass\nreturn 0",
        "",
    ),
    "ends-while-others-work": (
        "threading.Thread(target=lambda: os._exit(7)).start()\ntime.sleep(600)",
        "died",
    ),
    "ends-by-a-signal": ("os.kill(os.getpid(), signal.SIGSEGV)\ntime.sleep(9)", "died"),
    "ends-its-group": ("os.killpg(0, signal.SIGKILL)", "died"),
    "ends-in-a-deadlock": ("lock = threading.Lock()\nlock.acquire()\nlock.acquire()", "too slow"),
    "ends-in-a-deep-stack": ("sys.setrecursionlimit(10**9)\ndef f(): f()\nf()", ""),
    "processes-in-a-bomb": ("while True: os.fork()", "exception"),
    "processes-of-threads": (
        "while True: threading.Thread(target=time.sleep, args=(600,)).start()",
        "exception",
    ),
    "memory-in-one-piece": ("x = bytearray(1 << 42)", "exception: MemoryError"),
    "memory-in-pipes": (
        "import fcntl\nwhile True: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
        "exception: PermissionError",
    ),
    "signals-to-all": ("os.kill(-1, signal.SIGKILL)\nreturn 0", ""),
    "signals-to-its-parent": ("os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(600)", ""),
    "time-of-an-alarm": (
        "signal.signal(signal.SIGALRM, lambda *_: None)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\ntime.sleep(600)",
        "too slow",
    ),
    "time-that-stands-still": ("time.monotonic = time.time = lambda: 0.0\nwhile True: pass", ""),
    "errors-that-end-the-reader": (
        "class Sly(BaseException):\n    def __str__(self): os._exit(5)\nraise Sly",
        "died",
    ),
    "errors-of-the-arena": (
        "from cantstop_arena.errors import GameError\nraise GameError('the game is to blame')",
        "exception: GameError",
    ),
    "errors-with-a-terminal": ("raise ValueError('\\x1b]0;title\\x07' * 99)", "exception"),
    "errors-without-end": ("raise ValueError(*['x' * 1000] * 100_000)", "exception: ValueError"),
    "output-without-end": (
        "def prints():\n    while True: os.write(2, b'x' * 60_000)\n"
        "for _ in range(8): threading.Thread(target=prints, daemon=True).start()\n"
        "time.sleep(600)",
        "too slow",
    ),
    "messages-in-every-open-file": (
        "for n in range(40):\n    try: os.write(n, b'\\xc1' * 1000)\n    except OSError: pass",
        "invalid message",
    ),
    "descriptors-passed-along": (
        "socket.send_fds(socket.socket(fileno=os.dup(channel())), [b'canstop'], [0] * 80)",
        "exception: PermissionError",
    ),
    "descriptors-out-of-band": (
        "socket.socket(fileno=os.dup(channel())).send(b'!', socket.MSG_OOB)\ntime.sleep(600)",
        "too slow",
    ),
    "questions-unread": (
        "socket.socket(fileno=os.dup(channel())).shutdown(socket.SHUT_RD)\nreturn 0",
        "died",
    ),
    "questions-stolen": (
        "threading.Thread(target=os.read, args=(channel(), 1 << 20)).start()\nreturn 0",
        "",
    ),
    "answers-of-a-patched-server": (
        "import gc\nfrom cantstop_arena.bots.bot_server import BotServer\n"
        "BotServer.answer = lambda self, question: question\nreturn 0",
        "",
    ),
    "priority-above-all": (
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))",
        "exception: PermissionError",
    ),
    "priority-of-its-parent": (
        "import resource\nresource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))\nreturn 0",
        "",
    ),
    "clocks-of-the-machine": ("time.clock_settime(time.CLOCK_REALTIME, 0)", "PermissionError"),
    "processes-by-number": (
        "import ctypes\ncalls = ctypes.CDLL(None, use_errno=True)\n"
        "made = [calls.syscall(n, 17, 0, 0, 0, 0) for n in (56, 57, 58, 435)]\n"
        "assert max(made) > 0, 'refused'",
        "exception: AssertionError",
    ),
    "rights-by-a-program": (
        "os.execv('/bin/su', ['su', '-c', 'id'])",
        "died",
    ),
    "ends-in-a-stop": ("os.kill(os.getpid(), signal.SIGSTOP)\ntime.sleep(600)", "too slow"),
}
FEW = ("messages-twice", "messages-in-every-open-file")


@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("names", slow_but((0,), [[*FEW], [*ATTACKS]]), ids=len)
def test_each_attack_harms_nobody_else(arena: Arena, names: list[str]) -> None:
    bots = {name: attacker(ATTACKS[name][0]) for name in names}
    keys = "games: 2\nseed: 20260101\ndecision_limit: 0.5\nmax_faults: 1\nisolate: true\n"
    yaml = f"{keys}gauntlet: odds\nbots: [odds, {', '.join(bots)}]\n"
    done = arena("run cup.yaml --quiet", yaml=yaml, bots=bots, code=3)
    faults = {fault["bot"]: f"{fault['kind']}: {fault['message']}" for fault in done.json["faults"]}
    assert "odds" not in faults
    wanted = {name: ATTACKS[name][1] for name in names if ATTACKS[name][1]}
    missed = {name: faults.get(name) for name in wanted if wanted[name] not in faults.get(name, "")}
    assert missed == {}
    assert "\x1b" not in done.output and "20260101" not in done.output
    assert len(done.output) < 60_000
    assert all(log.stat().st_size <= MAX_LOG_BYTES for log in done.folder.glob("logs/*"))


ON_ALL_FILES = {
    "memory: shared memory made shorter": "os.ftruncate(number, 0)",
    "output: control characters": "stat.S_ISREG(os.fstat(number).st_mode) and os.write(number, "
    "b'File \"\\x1b]0;title\\x07/bot/sly.py\", line 1\\n')",
}


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("act", ON_ALL_FILES.values(), ids=ON_ALL_FILES)
def test_a_check_ends_with_a_finding(arena: Arena, act: str) -> None:
    each = f"for number in range(3, 40):\n    try: {act}\n    except OSError: pass"
    bots = {"sly": attacker(f"{each}\ntime.sleep(600)")}
    done = arena("bots check sly --isolate", bots=bots, code=1, process=True)
    assert "too slow: no answer" in done.text
    assert "\x1b" not in done.output


LONG_REPORT = """
import msgspec, os
from cantstop_arena.processes.channel import encoded, frame
from cantstop_arena.processes.isolated_call import Raised, _Returned
data = frame(_Returned(msgspec.Raw(encoded(Raised("x" * (2 << 20))))))
while data:
    data = data[os.write(channel(), data):]
"""


@pytest.mark.usefixtures("sandbox")
def test_what_describes_a_file_sends_no_long_messages(arena: Arena) -> None:
    done = arena("bots", bots={"sly": f"{LIBRARIES}{LONG_REPORT}"})
    assert "does not import: it sent an invalid message" in done.text


READS = """
import glob, sys
for path in glob.glob("/bot/**", recursive=True):
    try:
        print(open(path, errors="replace").read(), file=sys.stderr, flush=True)
    except OSError:
        pass
try:
    import _helper, helper
except Exception:
    pass
"""
READER = attacker("pass") + READS


def _link(name: str, target: str = "cup.yaml") -> None:
    path = Path("bots", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(Path(target).absolute())


PRIVATE = {"_seed": "cup.yaml", "_helper.py": "cup.yaml", "_all": ".", "_accounts": "/etc/passwd"}
LINKS = [
    {**PRIVATE, "helper.py": "cup.yaml", "sly/seed": "cup.yaml"},
    {"sly": "."},  # a folder of its own
]


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
@pytest.mark.parametrize("links", LINKS, ids=len)
def test_links_beside_a_bot_show_it_nothing(arena: Arena, links: dict[str, str]) -> None:
    for name, target in links.items():
        _link(name, target)
    arena("run cup.yaml --quiet", yaml=CUP, bots={"sly": READER}, code=None)
    (log,) = Path("results/cup/logs").glob("*sly.log")
    text = log.read_text()
    assert "def channel" in text
    assert "20260101" not in text and "root:" not in text and "SQLite" not in text


@pytest.mark.slow
@pytest.mark.usefixtures("sandbox")
def test_a_link_out_of_a_folder_that_is_a_bot_is_refused(arena: Arena) -> None:
    _link("sly/seed")
    Path("bots/sly/inner").symlink_to("__init__.py")  # this is its own
    files = {"bots/sly/__init__.py": READER}
    done = arena("run cup.yaml --quiet", yaml=CUP, files=files, code=2)
    assert "bots/sly/seed is a link to a file outside of the bot's folder" in done.error
    Path("bots/sly/seed").unlink()
    arena("run cup.yaml --quiet")


@pytest.mark.usefixtures("sandbox")
def test_large_files_beside_a_bot_do_not_fill_the_arenas_memory(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cantstop_arena.bots.bot_sandbox.MAX_BYTES_BESIDE", 2 << 20)
    Path("bots").mkdir()
    for number in range(3):
        with Path(f"bots/_{number}").open("wb") as file:
            file.truncate(1 << 20)  # it takes no space on the disk
    done = arena("run cup.yaml --quiet", yaml=CUP, bots={"sly": READER}, code=2)
    assert "bots/sly.py has more than 2 MiB of files beside it" in done.error
