"""Hostile files and packages: each is named with its reason, and everything else goes on.

Each does its worst while it is read. A new way to misbehave is one entry in a table here.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import indent
from typing import TypeAlias

import pytest
from helpers.arena import Arena
from helpers.game_packages import described, on_path
from helpers.hostile import HEAD, each
from helpers.hostile_deeds import CHANGES
from helpers.parameters import slow_but

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.errors import BotError
from cantstop_arena.games import registry
from cantstop_arena.hookspecs import PROJECT
from cantstop_arena.packages import entry_points_of, load_entry_point
from cantstop_arena.processes.process_tree import children

BOT = "\ndef choose_move(turn, moves):\n    return 0\ndef roll_again(turn):\n    return False\n"
LIMIT = 1.0  # seconds in which a file is to be read
FOREVER = "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n"
GONE = "cannot send|ended its process|invalid|not done within"
MINE = """
from cantstop_arena import Bot
def build({}): pass
{}
def register_bots(): return [Bot({!r}, build)]
"""


def asking(option: str) -> str:
    """A bot with this option."""
    return BOT.replace("moves)", f"moves, {option})")


def writing(data: str) -> str:
    """Writes this to whatever is open."""
    return each(f"n > 2 and os.write(n, {data})")


# What a file does when it is read, and what is then told of it.
REFUSED = {
    "leaves at once": ("os._exit(1)", "ended its process with exit code 1"),
    "leaves in silence": ("os._exit(0)", "ended its process with exit code 0"),
    "leaves in order": ("sys.exit()", "SystemExit"),
    "kills itself": ("os.kill(os.getpid(), 11)", "ended its process by SIGSEGV"),
    "kills itself like others": ("os.kill(os.getpid(), 9)", "by SIGKILL"),
    "kills its parent": ("os.kill(os.getppid(), 9)", "by SIGKILL|lacks"),
    "kills its group": ("os.kill(0, 9)", "by SIGKILL"),
    "terminates its group": ("os.killpg(0, 15)", "by SIGTERM"),
    "interrupts": ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    "is a generator's end": ("raise GeneratorExit", "GeneratorExit"),
    "pretends to be the user": (
        "from cantstop_arena.errors import Interrupted\nraise Interrupted(2)",
        "pretends that the user wants to end",
    ),
    "sleeps": ("time.sleep(600)", "not done within 1 s"),
    "spins and catches all": (FOREVER, "not done within"),
    "stops itself": ("os.kill(os.getpid(), 19)", "was stopped, and is not done within 3 s"),
    "stops its parent": (f"os.kill(os.getppid(), 19)\n{FOREVER}", "done within"),
    "ignores signals": (
        "for n in {*range(1, 32)} - {9, 19}: signal.signal(n, signal.SIG_IGN)\ntime.sleep(600)",
        "not done within 3 s",
    ),
    "forks and waits": ("os.fork()\nos.wait()", "ChildProcessError|invalid"),
    "spins in a child": (f"if os.fork() == 0:\n    while True: pass\n{FOREVER}", "done"),
    "overflows the stack": ("def f(): f()\nf()", "RecursionError"),
    "overflows the real stack": (
        "sys.setrecursionlimit(1 << 30)\nclass A:\n    def __repr__(self): return"
        " str([self])\nrepr(A())",
        "ended its process by|RecursionError|MemoryError",
    ),
    "hogs memory": ("x = bytearray(1 << 40)", "MemoryError"),
    "hogs it bit by bit": ("x = []\nwhile True: x.append(bytes(1 << 26))", "MemoryError|done"),
    "asks": ("input()", "EOFError"),
    "has a default in itself": (f"x = []\nx.append(x){asking('a=x')}", "RecursionError|default"),
    "has an endless number": (asking("a=1 << 100000"), "cannot send its result: "),
    "has an infinite default": (asking("a=1e999"), "has the default inf"),
    "has a default that lies": (
        f"class L(int):\n    __class__ = int\n    __repr__ = sys.exit\n{asking('a=L()')}",
        "SystemExit|default|TypeError",
    ),
    "calls an option isolate": (asking("isolate=False"), "must not be called 'isolate'"),
    "calls an option bot": (asking("bot='x'"), "must not be called 'bot'"),
    "calls an option command": (asking("command='x'"), "must not be called 'command'"),
    "calls an option as": (
        MINE.format(
            "**x",
            "from inspect import Parameter, Signature\n"
            "option = Parameter('as_', 3, default=1)\noption._name = 'as'\n"
            "build.__signature__ = Signature([option])",
            "b",
        ),
        "must not be called 'as'",
    ),
    "registers without end": (
        "def register_bots():\n    while True: yield 1",
        "not done within|MemoryError",
    ),
    "registers and leaves": ("def register_bots(): os._exit(2)", "exit code 2"),
    "has a strange name": (MINE.format("", "", "\x1b[2J"), "name cannot be used"),
    "has no name at all": (MINE.format("", "", ""), "name cannot be used|must be"),
    "raises when it is told of": (
        "class E(BaseException):\n    def __str__(self): raise SystemExit\nraise E",
        "does not import",
    ),
    "writes to every pipe": (writing(r"b'{}\n'"), "invalid"),
    "writes without end": (
        f"while True:\n{indent(writing('bytes(65536)'), '    ')}",
        "invalid|ended its process|done",
    ),
    "writes what is too deep": (writing(r"b'[' * 60000 + b'\n'"), "invalid"),
    "writes bots that lie": (
        writing(r"""b'{"bots": [{"name": 3}], "beside": ["../../etc/passwd", "/dev/zero"]}\n'"""),
        "invalid",
    ),
    "closes every file": ("os.closerange(0, 1000)" + BOT, GONE),
    "patches what is built in": (
        "builtins.isinstance = builtins.getattr = None" + BOT,
        f"{GONE}|TypeError",
    ),
    "is half a bot in a module that answers all": (
        "def __getattr__(name): raise SystemExit(name)",
        "SystemExit",
    ),
    "warps the engine": (
        "for n in list(sys.modules):\n    if 'cantstop' in n: sys.modules[n] = None\n"
        "import cantstop_arena.hookspecs",
        "ModuleNotFoundError|ImportError",
    ),
    "nests too deep": ("(" * 5000, "SyntaxError|MemoryError|RecursionError"),
    "adds without end": ("x = " + "+".join(["1"] * 100000), "RecursionError|lacks"),
    "lies about classes": (
        "class M:\n    __class__ = property(lambda self: 1 / 0)\nm = M()" + BOT,
        "ZeroDivisionError",
    ),
    "writes as its warden": (
        each("with open(f'/proc/{os.getppid()}/fd/{n}', 'wb') as f: n > 2 and f.write(b'{}\\n')")
        + "\ntime.sleep(1)",
        "invalid|done|lacks choose_move",
    ),
}

HARMLESS = {
    **{name.replace("_", " "): f"{act}{BOT}" for name, act in CHANGES.items()},
    "patches json": "json.encoder.c_make_encoder = json.dumps = None\n"
    "json.JSONEncoder.iterencode = None" + BOT,
    "leaves work for the end": "atexit.register(lambda: open('trace', 'w'))" + BOT,
    "is a number of itself": "__doc__ = 5" + BOT,
    "deletes itself": "del sys.modules[__name__]" + BOT,
    "closes the standard files": "sys.stdout.close()\nsys.stderr = None" + BOT,
    "prints without end": "for _ in range(20000): print('x' * 100)" + BOT,
    "spins in a thread": (
        "def f():\n    while True: pass\nthreading.Thread(target=f).start()" + BOT
    ),
    "leaves a daemon": (
        "if os.fork() == 0:\n    os.setsid()\n    os.fork() or time.sleep(600)\n    os._exit(0)"
        + BOT
    ),
    "leaves many": (
        "for _ in range(30):\n    if os.fork() == 0:\n        os.setsid()\n"
        "        time.sleep(600)" + BOT
    ),
    "annotates by code": BOT.replace("moves)", "moves, a: 'print(1)' = 2)"),
    "replaces the arena": "sys.modules['cantstop_arena.cli'] = None" + BOT,
}


Listing: TypeAlias = tuple[set[str], dict[str, str]]
"""The names that `arena bots --json` lists, and the reasons of files in which it finds none."""


def _arena(arena: Arena, folder: Path, *words: str) -> tuple[int, str]:
    result = arena(*words, "--bots", str(folder), code=None)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result.code, result.text


def _listed(arena: Arena, folder: Path) -> Listing:
    code, output = _arena(arena, folder, "bots", "--json")
    assert code == 0
    told = json.loads(output)
    reasons = {bad["name"]: bad["reason"] for bad in told["broken"]}
    return {row["name"] for row in told["bots"]}, reasons


@pytest.fixture(autouse=True)
def unharmed(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever happens, this process stays as it is, and has no children that it did not have."""
    monkeypatch.setattr("cantstop_arena.bots.bot_files.MAX_IMPORT_SECONDS", LIMIT)
    before = children(), Path.cwd(), json.dumps, os.write
    yield
    assert (children(), Path.cwd(), json.dumps, os.write) == before


def _filed(name: str) -> str:
    return name.replace(" ", "_")


def _missed(listing: Listing, *names: str) -> dict[str, str | None]:
    """What is told of these files where it should be something else."""
    listed, all_reasons = listing
    assert {"rule28", "good", "zz_last"} <= listed
    reasons = {name: all_reasons.get(_filed(name)) for name in names}
    return {
        name: reason
        for name, reason in reasons.items()
        if (name in HARMLESS and _filed(name) not in listed)
        or (name in REFUSED and not re.search(REFUSED[name][1], reason or ""))
        or not (reason or "").replace("\n", "").isprintable()  # code stands in lines of its own
    }


def _dropped(folder: Path, *names: str) -> Path:
    for name in names:
        act = REFUSED[name][0] if name in REFUSED else HARMLESS[name]
        (folder / f"{_filed(name)}.py").write_text(f"{HEAD}{act}")
    for name in ("good", "zz_last"):
        (folder / f"{name}.py").write_text(BOT)
    return folder


QUICK = ("leaves at once", "kills its parent", "patches json", "leaves a daemon", "sleeps")


@pytest.mark.parametrize("names", slow_but((0,), [[*QUICK], [*REFUSED, *HARMLESS]]), ids=len)
def test_hostile_files_are_named_and_harm_nothing_but_themselves(
    arena: Arena, tmp_path: Path, names: list[str]
) -> None:
    assert _missed(_listed(arena, _dropped(tmp_path, *names)), *names) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leaves at once", "spins and catches all"])
def test_a_tournament_is_told_of_a_hostile_file_where_it_names_it(
    arena: Arena, tmp_path: Path, name: str
) -> None:
    folder = _dropped(tmp_path, name)
    file = tmp_path / "cup.yaml"
    file.write_text(f"games: 10\nbots: [rule28, {_filed(name)}]\n")
    result = arena("run", str(file), "--bots", str(folder), code=2)
    assert re.search(f"cup.yaml:2:16: .*({REFUSED[name][1]})", result.error)


# --- Files that are no files ----------------------------------------------------------------------


def test_what_is_no_regular_file_is_never_read(arena: Arena, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "loop.py").symlink_to("loop.py")
    with (tmp_path / "huge.py").open("wb") as huge:
        huge.truncate(1 << 40)
    (tmp_path / "evil\x1b[2J\u202e.py").write_text("1 / 0")
    _, reasons = _listed(arena, _dropped(tmp_path))
    for name in ("pipe", "zero", "folder"):
        assert "cannot be read: it is no regular file" in reasons[name]
    assert "Too many levels" in reasons["loop"]
    assert "larger than 16 MiB" in reasons["huge"]
    assert "\x1b" not in "".join(reasons)


def test_what_is_printed_obeys_no_terminal(arena: Arena, tmp_path: Path) -> None:
    (tmp_path / "says.py").write_text(f'"""\\x1b[31mRed\\u202e and back."""{BOT}')
    (tmp_path / "evil\x1b[2J\u202e.py").write_text(BOT)
    _, output = _arena(arena, tmp_path, "bots")
    assert "Red" in output
    output += arena("run", "a\x1b[2J\u202e.yaml", color=True, code=2, yaml="bots: 5\n").error
    assert "a\\x1b[2J\\u202e.yaml:1:7: bots must be a list" in output
    assert output.replace("\n", "").isprintable()


# --- What plays is what was recorded --------------------------------------------------------------


def test_a_copy_that_somebody_has_changed_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    told = hashlib.sha256(BOT.encode()).hexdigest()
    kept = BotSource(tmp_path / "mine.py", digest=told).copied(tmp_path / "kept")
    assert kept.texts() == {"mine.py": BOT.encode()}
    (tmp_path / "kept" / told / "mine.py").write_text(BOT + "1\n")
    with pytest.raises(BotError, match="has changed since the run started"):
        kept.texts()


# --- Packages -------------------------------------------------------------------------------------


def _package(folder: Path, name: str, entry_points: str, text: str) -> None:
    described(folder, name, entry_points)
    (folder / f"{name}.py").write_text(text)


ENTRIES = {
    **{name: REFUSED[name] for name in ("leaves at once", "spins and catches all")},
    "kills its parent": ("os.kill(os.getppid(), 9)\ntime.sleep(60)", "by SIGKILL"),
    "offers odd rules": (
        "def register_rules(): return [3]",
        "expected a RuleSet as a rule set, not a int",
    ),
}


@pytest.mark.slow
def test_entry_points_harm_nothing_but_themselves(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    for name, (act, _) in ENTRIES.items():
        points = f"[cantstop_arena]\n{_filed(name)} = evil_{_filed(name)}\n"
        _package(packages, f"evil_{_filed(name)}", points, f"{HEAD}{act}")
    _package(packages, "evil_good", "[cantstop_arena]\nfriend = evil_good\n", BOT)
    monkeypatch.syspath_prepend(packages)
    listed, reasons = _listed(arena, _dropped(tmp_path))
    assert {"friend", "good", "zz_last"} <= listed
    for name, (_, reason) in ENTRIES.items():
        assert reason in reasons[_filed(name)]


HARMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a pipe": (os.mkfifo, "no regular file"),
    "a folder": (Path.mkdir, "no regular file"),
    "without an end": (lambda path: path.symlink_to("/dev/zero"), "no regular file"),
    "not UTF-8": (lambda path: path.write_bytes(b"[cantstop_arena]\n\xff = x\n"), "codec"),
    "no header": (lambda path: path.write_text("cantstop_arena\n=\n"), "no section headers"),
    "no name": (lambda path: path.write_text("[cantstop_arena]\n = x\n"), "parsing errors"),
    "no value": (lambda path: path.write_text("[cantstop_arena]\nx\n"), "parsing errors"),
    "far too long": (lambda path: path.write_text("#" * (1 << 21)), "larger than"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_package_whose_declarations_cannot_be_read_is_named(tmp_path: Path, harm: str) -> None:
    make, reason = HARMS[harm]
    described(tmp_path, "evil", "")
    (tmp_path / "evil-1.0.dist-info/entry_points.txt").unlink()
    make(tmp_path / "evil-1.0.dist-info/entry_points.txt")
    with on_path(tmp_path):
        points, malformed = entry_points_of(PROJECT)
        ((name, why),) = [one for one in malformed if one[0].startswith("evil")]
        assert "evil" not in {point.name for point in points}
        assert name == "evil-1.0.dist-info" and why.startswith("its entry_points.txt cannot")
        assert reason in why
        registry.command_names()  # what `arena --help` asks


@pytest.mark.parametrize(
    "value", ["", ":x", "os path", "this is nonsense!", "os:a b", "os..path", "5", "os:x:y"]
)
def test_an_entry_point_that_names_nothing_is_said_to(tmp_path: Path, value: str) -> None:
    described(tmp_path, "evil", f"[{PROJECT}]\nevil_one = {value}\n")
    with on_path(tmp_path):
        (point,) = (point for point in entry_points_of(PROJECT)[0] if point.name == "evil_one")
        with pytest.raises(BotError, match="names no module, nor module:object"):
            load_entry_point(point)


GAMES = {
    "raise SystemExit(0)\n": "SystemExit",
    "from cantstop_arena import hookimpl\nfrom cantstop_arena.games.cantstop.game import CantStop\n"
    "@hookimpl\ndef register_games():\n    return [CantStop()]\n": (
        "a game called cantstop is already here (built in); choose another name"
    ),
}


@pytest.mark.parametrize("text", GAMES, ids=["exits", "named like another"])
def test_a_game_that_cannot_be_had_is_named_with_the_reason(tmp_path: Path, text: str) -> None:
    _package(tmp_path, "evil_game", "[cantstop_arena.games]\nevil = evil_game\n", text)
    with on_path(tmp_path):
        assert GAMES[text] in registry.broken_games()["evil"]
