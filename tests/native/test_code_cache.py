"""Machine code that is whole and fresh: what stands for it, and how it is kept."""

import ast
import importlib
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numba
import numpy as np
import pytest
from helpers.parameters import slow_but

import cantstop_arena
from cantstop_arena.errors import ArenaError
from cantstop_arena.games.cantstop.engine.engine_cache import ENGINE_CACHE
from cantstop_arena.native import numba_store
from cantstop_arena.native.code_cache import (
    SUFFIX,
    cache_folder,
    cache_root,
    functions_fingerprint,
    private_folder,
    sources_fingerprint,
)
from cantstop_arena.native.numba_store import Store

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there is no machine code")
ROOT = Path(cantstop_arena.__file__).parent


def caches() -> Iterator[tuple[str, str]]:
    """The games and extensions that are there and have machine code, and where their cache is."""
    for path in sorted(ROOT.glob("*/*/**/*.py")):
        name = re.search(r"^(\w+) = CodeCache\(", path.read_text("utf-8"), re.M)
        if name:
            module = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
            yield "/".join(path.relative_to(ROOT).parts[:2]), f"{module}:{name[1]}"


CACHES = dict(caches())


# What it is compiled from ---------------------------------------------------------------------

SOURCE = '''
"""A docstring."""
from other_engine import LIMIT, helped
import other_engine as other

class Kind:
    """A docstring."""

def count(items):
    """A docstring."""
    return [item + LIMIT for item in items if item in {"a", "b"}] or helped(other.STEP)

taught = [lambda view: view + 1]
'''
OTHER = '''
"""A docstring."""
import numpy as np
LIMIT, STEP, UNUSED = 60, 1, 2
TABLE = np.arange(3)
NESTED = {"of": (1, [2, 3])}

def helped(value):
    """A docstring."""
    return value + deeper()

def deeper(more=5):
    return TABLE[0] + NESTED["of"]

def unused():
    return 1
'''
UNCHANGED = {
    "docstrings": ("A docstring", "Another"),
    "no docstring": ('    """A docstring."""\n    return', "    return"),
    "comments": ("    return value", "    # why\n\n    return value"),
    "what nobody names": ("60, 1, 2", "60, 1, 3"),
    "functions nobody calls": ("return 1", "return 2"),
}
CHANGED = {
    "a constant of another module": ("60, 1, 2", "120, 1, 2"),
    "what is looked up in a module": ("60, 1, 2", "60, 2, 2"),
    "a table": ("np.arange(3)", "np.arange(1, 4)"),
    "the type of a table": ("np.arange(3)", "np.arange(3.0)"),
    "what is in a constant": ("[2, 3]", "[2, 4]"),
    "a function called by one that is called": ("TABLE[0]", "TABLE[1]"),
    "a default": ("more=5", "more=6"),
    "code": ("item + LIMIT", "item - LIMIT"),
    "what teaches": ("view + 1", "view + 2"),
}


@pytest.fixture
def stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """The fingerprint of a module that uses another one, some text in both replaced."""

    def of(old: str = "", new: str = "") -> str:
        place = tmp_path / str(len(list(tmp_path.iterdir())))
        place.mkdir()
        (place / "some_engine.py").write_text(SOURCE.replace(old, new) if old else SOURCE)
        (place / "other_engine.py").write_text(OTHER.replace(old, new) if old else OTHER)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(place)
            for name in ("other_engine", "some_engine"):
                patch.delitem(sys.modules, name, raising=False)
                patch.setitem(sys.modules, name, importlib.import_module(name))
            engine: Any = sys.modules["some_engine"]
            return functions_fingerprint(engine.count, engine.taught)

    return of


@pytest.mark.parametrize("change", UNCHANGED.values(), ids=UNCHANGED)
def test_what_is_not_compiled_leaves_the_fingerprint(
    stamp: Callable[..., str], change: tuple[str, str]
) -> None:
    assert stamp(*change) == stamp()


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED)
def test_what_is_compiled_in_changes_the_fingerprint(
    stamp: Callable[..., str], change: tuple[str, str]
) -> None:
    assert stamp(*change) != stamp()


def test_sources_that_were_written_are_read_again(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    single, module = tmp_path / "single.py", inner / "module.py"
    single.touch()
    module.write_text("ANSWER = 1")

    def read() -> str:
        return sources_fingerprint(single, inner)

    before = read()
    (inner / "__pycache__").mkdir()
    (inner / "notes.txt").write_text("no source")
    assert read() == before
    times = module.stat()
    module.write_text("ANSWER = 2")
    os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert read() != before
    module.write_text("ANSWER = 1")
    assert read() == before
    single.write_text("1")
    assert read() != before
    single.write_text("")
    module.rename(inner / "other.py")
    assert read() != before


IMPORT_ALL = """
import sys
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
print(*(module.__file__ for name, module in sys.modules.items() if "cantstop_arena" in name))
"""


@pytest.mark.slow
@pytest.mark.parametrize("home", CACHES)
def test_all_that_is_compiled_and_all_that_it_imports_is_in_the_fingerprint(home: str) -> None:
    """Except for the `__init__` of packages, and modules whose functions are never compiled."""
    folder = ROOT / home
    compiled = {
        path
        for path in folder.rglob("*.py")
        if path.parent == folder / "engine" or any("njit_" in name for name in _imported(path))
    }
    names = [
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in compiled
    ]
    told = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL, *names], capture_output=True, text=True, check=True
    )
    never = {ROOT / f"{name}.py" for name in ("atomic_files", "bounded_files", "exit_codes")}
    files = {Path(name) for name in told.stdout.split()} - never
    sources = resolve_name(CACHES[home]).sources
    assert compiled and compiled <= files
    assert all(path.exists() for path in sources)
    assert not {
        file
        for file in files
        if file.name != "__init__.py" and file not in sources and file.parent not in sources
    }


def _imported(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text()))
    return {one.name for node in nodes if isinstance(node, ast.ImportFrom) for one in node.names}


# How it is kept ---------------------------------------------------------------------------------


def doubled(number: int) -> int:
    return 2 * number


def tripled(number: int) -> int:
    return 3 * number


def dispatcher(place: Path, function: Callable[..., Any] = doubled, stamp: str = "") -> Any:
    made = numba.njit(function)
    made._cache = Store(function.__name__, lambda: stamp, lambda: place)
    return made


def hits(place: Path, function: Callable[..., Any] = doubled, stamp: str = "") -> int:
    """How often a new process would find the function compiled; and it gives the right answer."""
    made = dispatcher(place, function, stamp)
    assert made(21) == function(21)
    return sum(made.stats.cache_hits.values())


@pytest.fixture
def place(tmp_path: Path) -> Path:
    assert hits(tmp_path) == 0
    return tmp_path


def entry_in(place: Path) -> Path:
    (entry,) = place.glob(f"doubled*{SUFFIX}")
    return entry


def test_what_was_compiled_is_found_again(place: Path) -> None:
    assert hits(place) == 1
    assert hits(place, tripled) == 0
    assert hits(place, stamp="something else was compiled in") == 0


def flipped(at: float) -> Callable[[Path], object]:
    def flip(entry: Path) -> None:
        written = bytearray(entry.read_bytes())
        written[int(at * (len(written) - 1))] ^= 1
        entry.write_bytes(written)

    return flip


def cut(at: float) -> Callable[[Path], object]:
    return lambda entry: os.truncate(entry, int(at * entry.stat().st_size))


def swapped(entry: Path) -> None:
    hits(entry.parent, tripled)
    (other,) = entry.parent.glob("tripled*")
    other.replace(entry)


def link(entry: Path) -> None:
    entry.rename(entry.with_name("elsewhere"))
    entry.symlink_to(entry.with_name("elsewhere"))


def directory(entry: Path) -> None:
    entry.unlink()
    (entry / "inner").mkdir(parents=True)


def pipe(entry: Path) -> None:
    entry.unlink()
    os.mkfifo(entry)


DAMAGES: dict[str, Callable[[Path], object]] = {
    **{f"cut at {at}": cut(at) for at in (0.0, 0.0001, 0.001, 0.5, 0.999)},
    **{f"flipped at {at}": flipped(at) for at in (0.0, 0.0005, 0.001, 0.3, 0.9, 1.0)},
    "longer": lambda entry: entry.write_bytes(entry.read_bytes() + b"x"),
    "noise": lambda entry: entry.write_bytes(np.random.default_rng(1).bytes(3000)),
    "another's": swapped,
    "a link": link,
    "a directory": directory,
    "a pipe": pipe,
    "written by anybody": lambda entry: entry.chmod(0o666),
}
NAMES = ("cut at 0.0", "cut at 0.5", "flipped at 0.001", "longer", "noise", "a link", "a pipe")
QUICK = [[*DAMAGES].index(name) for name in (*NAMES, "written by anybody")]


@pytest.mark.parametrize("damage", slow_but(QUICK, DAMAGES.values()), ids=DAMAGES)
def test_what_is_not_whole_is_thrown_away_and_compiled_again(
    place: Path, damage: Callable[[Path], object]
) -> None:
    damage(entry_in(place))
    assert hits(place) == 0
    assert stat.S_ISREG(entry_in(place).lstat().st_mode)
    assert hits(place) == 1


def test_what_is_whole_and_of_no_use_is_compiled_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(numba_store, "dumps", lambda payload: b"no pickle")
        entry_in(place).unlink()
        assert hits(place) == 0
    assert hits(place) == 0
    assert hits(place) == 1


def test_a_full_disk_is_said_once_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, data: bytes) -> int:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert hits(tmp_path) == hits(tmp_path, tripled) == 0
    told = capsys.readouterr().err
    assert told.count("No space left") == told.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_processes_that_compile_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    children = []
    for _ in range(4):
        if not (child := os.fork()):
            with suppress(BaseException):
                os._exit(hits(tmp_path))
            os._exit(9)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert set(codes) <= {0, 1}
    assert [path.suffix for path in tmp_path.iterdir()] == [SUFFIX]
    assert hits(tmp_path) == 1


# Where it is kept -------------------------------------------------------------------------------


@pytest.fixture
def lax() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("lax")
def test_only_their_owner_can_write_to_new_folders(tmp_path: Path) -> None:
    """Others can read, as the user of a process in the sandbox has to."""
    folder = private_folder(tmp_path / "root", "one", "two")
    assert {stat.S_IMODE(one.stat().st_mode) for one in (folder, *folder.parents[:2])} == {0o755}
    assert private_folder(tmp_path / "root", "one", "two") == folder


@pytest.mark.parametrize("shared", ["root", "root/one", "root/one/two"])
@pytest.mark.parametrize("mode", [0o777, 0o775, 0o707])
def test_nothing_is_loaded_from_where_others_can_write(
    tmp_path: Path, shared: str, mode: int
) -> None:
    private_folder(tmp_path / "root", "one", "two")
    (tmp_path / shared).chmod(mode)
    with pytest.raises(ArenaError, match=r"others could put .*chmod go-w") as caught:
        private_folder(tmp_path / "root", "one", "two")
    assert f"{tmp_path / shared}," in str(caught.value)


def test_a_folder_in_one_like_tmp_is_its_owners_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    private_folder(tmp_path, "one")


def test_nothing_is_loaded_from_a_folder_of_somebody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private_folder(tmp_path, "one")
    theirs = os.stat_result((0o40755, 0, 0, 1, 4321, 4321, 0, 0, 0, 0))
    monkeypatch.setattr(Path, "stat", lambda path, **_: theirs)
    with pytest.raises(ArenaError, match="others could"):
        private_folder(tmp_path, "one")


def shared(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)


def unwritable(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("")


UNUSABLE: dict[str, Callable[[Path], object]] = {
    "a file": Path.touch,
    "in a file": lambda root: root.symlink_to("/dev/null/cache"),
    "a link to nowhere": lambda root: root.symlink_to("nowhere/cache"),
    "shared": shared,
    "shared inside": lambda root: shared(root / "game"),
    "a file inside": lambda root: unwritable(root / "game"),
    "on a read-only disk": lambda root: root.symlink_to("/proc/cache"),
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled code, missing, beside the one of temporary files."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("CANTSTOP_ARENA_CACHE", str(tmp_path / "root"))
    return tmp_path / "root"


@pytest.mark.parametrize("spoil", UNUSABLE.values(), ids=UNUSABLE)
def test_where_code_cannot_be_kept_it_is_kept_in_a_private_temporary_folder(
    root: Path, spoil: Callable[[Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    spoil(root)
    folder = cache_folder("game", "code")
    assert folder == root.parent / "tmp" / f"cantstop-arena-{os.getuid()}" / "game/code"
    assert stat.S_IMODE(folder.stat().st_mode) & 0o022 == 0
    assert cache_folder("game", "code") == folder
    assert cache_folder("other").parent == folder.parents[1]  # also in children
    assert os.environ["CANTSTOP_ARENA_CACHE"] == str(folder.parents[1])
    warning = capsys.readouterr().err
    assert warning.count("set CANTSTOP_ARENA_CACHE") == warning.count("\n") == 1


def test_a_run_knows_what_it_must_compile_before_it_starts_workers(root: Path) -> None:
    """Else each would keep its code elsewhere, and warn."""
    shared(root)
    assert not ENGINE_CACHE.has_bot("0")
    assert cache_root() != root


@pytest.mark.parametrize("plant", [Path.touch, shared, lambda path: path.symlink_to("..")])
def test_a_temporary_folder_that_another_has_prepared_is_not_used(
    root: Path, plant: Callable[[Path], object]
) -> None:
    root.touch()
    plant(root.parent / "tmp" / f"cantstop-arena-{os.getuid()}")
    with pytest.raises(ArenaError, match="set CANTSTOP_ARENA_CACHE"):
        cache_folder("game")


def test_without_a_home_code_is_kept_in_a_private_temporary_folder(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def homeless(_: str) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.delenv("CANTSTOP_ARENA_CACHE")
    monkeypatch.setattr("cantstop_arena.native.code_cache.user_cache_path", homeless)
    assert cache_folder("game").is_relative_to(root.parent / "tmp")
