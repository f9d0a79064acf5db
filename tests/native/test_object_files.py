"""Machine code that is loaded without numba: whole or made again, and called like any function."""

import ctypes
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numba
import numpy as np
import pytest

from cantstop_arena.native import object_files
from cantstop_arena.native.code_cache import SUFFIX, key_of, processor, toolchain, write_checked
from cantstop_arena.native.numba_store import UNWRAPPED, object_code
from cantstop_arena.native.object_files import (
    Compiled,
    Image,
    Loaded,
    PythonCalls,
    assembled_object,
    load,
)

pytestmark = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="there is no machine code")

NUMBER = numba.int64


def compiled(function: Callable[..., Any], *kinds: Any) -> Compiled:
    """What numba makes of a function, as `load` takes it."""
    dispatcher = numba.njit(**UNWRAPPED)(function)
    dispatcher.compile(kinds)
    return object_code(dispatcher.overloads[kinds])


def doubled(number: int) -> int:
    return 2 * number


class Counted:
    """Something to compile, and how often it was."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> Sequence[Compiled]:
        self.times += 1
        return [compiled(doubled, NUMBER)]


def times_compiled(folder: Path | None, stamp: str = "") -> int:
    """How often a new process would compile; and what it comes by gives the right answer."""
    object_files._LOADED.clear()
    counted = Counted()
    calls = PythonCalls(load(folder, "doubled", stamp, counted), {"doubled": 1}, None)
    assert calls.functions["doubled"](-21) == -42
    return counted.times


@pytest.mark.slow
@pytest.mark.parametrize(
    "bots", ["bots: [rule28, glenn-aloi]", "game: cubus\nbots: [champion, deny]"]
)
def test_a_warm_start_imports_no_compiler(tmp_path: Path, bots: str) -> None:
    """Whoever lists, sets up and plays two compiled bots, and records their games again."""
    (tmp_path / "warm.yaml").write_text(f"games: 20\n{bots}\n")
    command = [sys.executable, "-m", "cantstop_arena", "run", "warm.yaml", "--quiet", "--fresh"]
    told = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}  # by the processes that it starts, too
    for _ in range(2):  # the first time, the sources may be others than when all was compiled
        done = subprocess.run(command, cwd=tmp_path, env=told, capture_output=True, text=True)
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "cantstop_arena.native.object_files" in imported, done.stderr
    assert "numba" not in imported


def test_what_was_compiled_is_found_again(tmp_path: Path) -> None:
    assert times_compiled(tmp_path) == 1
    assert times_compiled(tmp_path) == 0
    assert times_compiled(tmp_path, stamp="something else was compiled in") == 1
    assert times_compiled(None) == 1


@pytest.mark.parametrize("at", [0.0, 0.001, 0.3, 1.0])
def test_what_is_not_whole_is_compiled_again(tmp_path: Path, at: float) -> None:
    times_compiled(tmp_path)
    (file,) = tmp_path.glob(f"*{SUFFIX}")
    written = bytearray(file.read_bytes())
    written[int(at * (len(written) - 1))] ^= 1
    file.write_bytes(written)
    assert times_compiled(tmp_path) == 1
    assert times_compiled(tmp_path) == 0
    file.write_bytes(file.read_bytes()[:-20])
    assert times_compiled(tmp_path) == 1


@pytest.mark.parametrize(
    "packed",
    [
        b"no message",
        msgspec.msgpack.encode([("object", 1)]),
    ],
    ids=["nonsense", "another shape"],
)
def test_what_is_whole_and_of_no_use_is_compiled_again(tmp_path: Path, packed: bytes) -> None:
    times_compiled(tmp_path)
    (file,) = tmp_path.glob(f"*{SUFFIX}")
    key = key_of(toolchain(), processor(), "", "doubled")
    write_checked(file, key, packed)
    assert times_compiled(tmp_path) == 1
    assert times_compiled(tmp_path) == 0


def test_code_is_not_loaded_twice_while_it_is_in_use(tmp_path: Path) -> None:
    counted = Counted()
    first = load(tmp_path, "doubled", "", counted)
    again = load(tmp_path, "doubled", "", counted)
    assert load(tmp_path, "doubled", "", counted) is again
    assert first.addresses and counted.times == 1


def calling(function: Callable[..., Any], *kinds: Any) -> Callable[..., Any]:
    """A function as Python calls it."""
    found = Loaded([compiled(function, *kinds)])
    calls = PythonCalls(found, {"function": len(kinds)}, None)

    def call(*numbers: Any) -> Any:
        return calls.functions["function"](*numbers)  # which keeps the code

    return call


def refuse(number: int) -> int:
    if number < 0:
        raise IndexError("there is no such column")
    return number


def refuse_by_value(number: int) -> int:
    if number < 0:
        raise ValueError("not", number)
    return number


def nothing(number: int) -> None:
    if number == 12:
        raise KeyError("twelve")


def test_numbers_and_nothing_come_back() -> None:
    whole = calling(lambda one, other: one - other, NUMBER, NUMBER)
    assert whole(3, 10) == -7
    assert whole(np.int64(1 << 62), -5) == (1 << 62) + 5
    unsigned = calling(lambda number: np.uint64(number), NUMBER)
    assert unsigned(-1) == (1 << 64) - 1
    assert calling(nothing, NUMBER)(11) is None


def test_what_compiled_code_raises_is_raised_where_it_stands() -> None:
    call = calling(refuse, NUMBER)
    assert call(5) == 5
    with pytest.raises(IndexError, match="there is no such column") as caught:
        call(-1)
    places = [(entry.path, entry.lineno + 1) for entry in caught.traceback]
    line = refuse.__code__.co_firstlineno + 2
    assert (Path(__file__), line) in [(Path(path), number) for path, number in places]
    with pytest.raises(KeyError, match="twelve"):
        calling(nothing, NUMBER)(12)
    assert call(6) == 6


def test_code_that_calls_what_numba_brings_along_says_so_and_works() -> None:
    found = compiled(refuse_by_value, NUMBER)
    assert found.needs_numba
    assert not compiled(refuse, NUMBER).needs_numba
    with pytest.raises(ValueError, match="not") as caught:
        calling(refuse_by_value, NUMBER)(-3)
    assert caught.value.args == ("not", -3)


@pytest.mark.parametrize("what", ["7", None, 1.5, 1 << 70])
def test_what_is_no_number_never_reaches_the_code(what: object) -> None:
    with pytest.raises((TypeError, OverflowError)):
        calling(doubled, NUMBER)(what)


# Object files -------------------------------------------------------------------------------------

CALLER = """
declare double @there(double)
define double @twice(double %x) {
  %y = call double @there(double %x)
  %z = call double @there(double %y)
  ret double %z
}
"""
CALLED = """
declare double @cbrt(double)
@arena_place = external constant i64
@one = private constant double 1.5
define double @there(double %x) {
  %y = call double @cbrt(double %x)
  %one = load double, ptr @one
  %z = fadd double %y, %one
  ret double %z
}
define ptr @given() {
  ret ptr @arena_place
}
"""
SWITCH = """
declare void @abort()
define i64 @chosen(i64 %n) {
  switch i64 %n, label %no [i64 0, label %a i64 1, label %b i64 2, label %c i64 3, label %d]
a:
  ret i64 17
b:
  call void @abort()
  ret i64 -5
c:
  ret i64 901
d:
  call void @abort()
  ret i64 44
no:
  ret i64 0
}
"""
COUNTER = """
@count = internal global i64 40
define i64 @counted() {
  %n = load i64, ptr @count
  %m = add i64 %n, 1
  store i64 %m, ptr @count
  ret i64 %m
}
"""


def function(address: int, *kinds: Any) -> Any:
    return ctypes.CFUNCTYPE(*kinds)(address)


def test_files_are_linked_with_each_other_with_symbols_and_with_the_process() -> None:
    files = [assembled_object(None, "", text) for text in (CALLER, SWITCH, CALLED)]
    image = Image(files, {"arena_place": 0x123456789ABC})
    twice = function(image.address("twice"), ctypes.c_double, ctypes.c_double)
    assert twice(8.0) == math.cbrt(2 + 1.5) + 1.5
    assert function(image.address("given"), ctypes.c_size_t)() == 0x123456789ABC
    chosen = function(image.address("chosen"), ctypes.c_int64, ctypes.c_int64)
    assert [chosen(n) for n in (0, 2, 9)] == [17, 901, 0]


def test_files_have_variables() -> None:
    image = Image([assembled_object(None, "", COUNTER)], {})
    counted = function(image.address("counted"), ctypes.c_int64)
    assert [counted(), counted()] == [41, 42]


def test_what_nobody_has_is_missed() -> None:
    with pytest.raises(RuntimeError, match="nowhere"):
        Image([assembled_object(None, "", CALLED)], {"arena_place": 1}).address("nowhere")


def test_what_was_assembled_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = assembled_object(tmp_path, "calls", COUNTER)
    monkeypatch.setattr(object_files, "assemble", None)
    assert assembled_object(tmp_path, "calls", COUNTER) == code
