"""Machine code in any order: missing, cut and foreign files, interruptions, failures to compile."""

import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.finished import alone_with
from helpers.parameters import long_but
from helpers.paths import ROOT

from cantstop_arena.games.registry import all_games
from cantstop_arena.native.code_cache import CodeCache
from cantstop_arena.native.decorators import decorators

PACKAGE = ROOT / "cantstop_arena"
SCALARS = {"np.int64", "np.uint64", "np.int32", "np.float32", "np.int16", "np.uint8", "np.float64"}
MATCHES = {
    game.name: f"match {' '.join([*game.bots][1:3])} --game {game.name} --games 4 --seed a"
    for game in all_games()
}
COMPILED_LONGEST = [*MATCHES][-1]


# Rules for functions without reference counting ---------------------------------------------------


def uncounted() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """The functions of the package that are decorated with nrt=False."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                "nrt=False" in ast.unparse(decorator) for decorator in node.decorator_list
            ):
                yield file, node


@pytest.mark.slow
def test_functions_without_reference_counting_call_no_method_of_arrays() -> None:
    # numba types such a call only if another function of the process has typed it before.
    functions = list(uncounted())
    assert len(functions) > 100
    calls = [
        f"{file.relative_to(PACKAGE)}:{node.lineno} {ast.unparse(node)}"
        for file, function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if not ast.unparse(node.func).startswith("math.")
        if ast.unparse(node.func) not in SCALARS
    ]
    assert not calls


# Functions that do not compile --------------------------------------------------------------------


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CANTSTOP_ARENA_CACHE", str(tmp_path))
    return tmp_path


def test_what_cannot_be_compiled_runs_as_plain_python(
    own_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = decorators(CodeCache("test", []))

    @game.njit_call(nrt=False)  # type: ignore[untyped-decorator]
    def untyped(number: int) -> Any:
        return {"a": number, 1: "b"}["a"]

    @game.njit_entry(nrt=False)  # type: ignore[untyped-decorator]
    def entry(number: int) -> Any:
        return untyped(number) + 1

    assert [entry(2), entry(3)] == [3, 4]
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "entry cannot be compiled here" in error
    assert "Traceback" not in error
    (details,) = own_cache.rglob("*entry-not-compiled.txt")
    assert "Traceback" in details.read_text("utf-8")


CACHE = CodeCache("test", [Path(__file__)])
GAME = decorators(CACHE)


@GAME.njit_entry  # type: ignore[untyped-decorator]
def inner(number: int) -> int:
    return number + 1


@GAME.njit_entry  # type: ignore[untyped-decorator]
def outer(number: int) -> Any:
    return inner(number) * 2


def test_an_entry_that_compiled_functions_call_is_part_of_them(own_cache: Path) -> None:
    assert outer(3) == 8
    assert [path.name.partition("-")[0] for path in CACHE.folder().iterdir()] == [
        f"{__name__}.outer"
    ]


def test_functions_outside_the_sources_and_inside_others_are_not_stored(own_cache: Path) -> None:
    def nested(number: int) -> int:
        return number

    elsewhere = CodeCache("elsewhere", [])
    for cache, function in ((CACHE, nested), (elsewhere, inner.py_func)):
        assert decorators(cache).njit_entry(function)(1) in (1, 2)
    assert not list(own_cache.rglob("*.code"))


# Caches with holes --------------------------------------------------------------------------------


def arena(cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CANTSTOP_ARENA_CACHE": str(cache), "NUMBA_OPT": "0"}
    return subprocess.run(
        [sys.executable, "-m", "cantstop_arena", *words],
        capture_output=True,
        text=True,
        env=environment,
        cwd=cache.parent,
    )


def check(cache: Path, game: str) -> str:
    """Play a match with a cache; returns its table of pairs."""
    shutil.rmtree(cache.parent / "results", ignore_errors=True)
    done = arena(cache, *MATCHES[game].split(), "--no-page")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "cannot be compiled" not in done.stderr
    (pairs,) = cache.parent.glob("results/*/pairs.csv")
    return pairs.read_text("utf-8")


@pytest.fixture
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with all functions of all games, made once for all workers of a run."""
    shared = tmp_path_factory.getbasetemp().parent / "full-code-cache"
    with alone_with(shared.with_suffix(".lock")):
        if not (shared / "done").exists():
            shared.mkdir(exist_ok=True)
            for game in MATCHES:
                (shared / f"{game}.out").write_text(check(shared / "cache", game), "utf-8")
            (shared / "done").touch()
    return shared


def stored(cache: Path) -> list[Path]:
    """The files of machine code, in the order in which they were stored."""
    return sorted(cache.rglob("*.code"), key=lambda path: (path.stat().st_mtime_ns, path.name))


def files_of(cache: Path, game: str) -> list[Path]:
    return [path for path in stored(cache) if game in path.parts]


@pytest.mark.slow
@pytest.mark.parametrize("game", MATCHES)
@pytest.mark.parametrize("start", long_but([48], range(64)))
def test_a_game_starts_from_every_prefix_of_its_compiled_functions(
    full: Path, tmp_path: Path, game: str, start: int
) -> None:
    count = len(files_of(full / "cache", game))
    for length in range(start, count, 64):
        cache = tmp_path / f"cache-{length}"
        shutil.copytree(full / "cache", cache)
        for path in files_of(cache, game)[length:]:
            path.unlink()
        assert check(cache, game) == (full / f"{game}.out").read_text("utf-8"), length


@pytest.mark.slow
@pytest.mark.parametrize("game", MATCHES)
@pytest.mark.parametrize("number", long_but([0], range(30)))
def test_a_game_starts_from_any_part_of_its_compiled_functions(
    full: Path, tmp_path: Path, game: str, number: int
) -> None:
    shutil.copytree(full / "cache", tmp_path / "cache")
    chance = random.Random(number)
    for path in files_of(tmp_path / "cache", game):
        broken = chance.choice(["", "", "", "missing", "cut", "foreign", "folder"])
        if broken == "cut":
            path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])
        elif broken == "foreign":
            path.write_bytes(chance.randbytes(1000))
        elif broken:
            path.unlink()
            if broken == "folder":
                path.mkdir()
    assert check(tmp_path / "cache", game) == (full / f"{game}.out").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("tenth", long_but([0], range(10)))
def test_the_first_compile_can_be_interrupted_at_any_moment(full: Path, tenth: int) -> None:
    folder = full / f"interrupted-{tenth}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    environment = {**os.environ, "CANTSTOP_ARENA_CACHE": str(folder / "cache"), "NUMBA_OPT": "0"}
    with subprocess.Popen(
        [sys.executable, "-m", "cantstop_arena", *MATCHES[COMPILED_LONGEST].split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=folder,
    ) as process:
        time.sleep(1 + 1.2 * tenth)
        process.send_signal(signal.SIGINT if tenth % 2 else signal.SIGKILL)
        process.communicate()
    assert check(folder / "cache", COMPILED_LONGEST) == (
        full / f"{COMPILED_LONGEST}.out"
    ).read_text("utf-8")
