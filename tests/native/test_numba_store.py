"""Functions that are only linked into others: compiled once with them, and as right as any."""

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.codegen import JITCodeLibrary
from numba.core.event import install_recorder

import cantstop_arena
from cantstop_arena.native.numba_store import LINKED, UNWRAPPED, LinkedStore, set_llvm_options

ROOT = Path(cantstop_arena.__file__).parent
DOCUMENTED = {"cgutils", "errors", "imputils", "typing", "types"}
"""The modules of numba.core that its documentation on extensions has."""


@pytest.mark.slow
def test_two_modules_alone_use_what_numba_does_not_document() -> None:
    allowed = {ROOT / "native" / name for name in ("numba_store.py", "object_files.py")}
    private = {
        f"{path.relative_to(ROOT)}: {name}"
        for path in {*ROOT.rglob("*.py")} - allowed
        for name in _imports_of_numba(path)
        if "._" in name or (".core." in name and name.split(".")[2] not in DOCUMENTED)
    }
    assert not private


def _imports_of_numba(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba"):
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("numba"))


def linked(function: Callable[..., Any]) -> Any:
    return numba.njit(**LINKED)(function)


@linked
def third(number: int) -> int:
    if number == 7:
        raise ValueError("seven is not for this")
    return 100 // number


@linked
def second(number: int) -> int:
    below: int = third(number) + third(number + 1)
    return below


def first(number: int) -> int:
    more: int = second(number) + 1
    return more


@pytest.mark.slow
def test_code_is_optimised_once_however_deep_it_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    optimised = []
    optimise = JITCodeLibrary._optimize_final_module

    def noted(library: Any) -> None:
        optimised.append(library.name)
        optimise(library)

    monkeypatch.setattr(JITCodeLibrary, "_optimize_final_module", noted)
    compiled = numba.njit(no_cfunc_wrapper=True)(first)
    assert compiled(4) == 46
    assert not {"second", "third"} & {*optimised} and optimised.count("first") == 1


def test_errors_come_through() -> None:
    compiled = numba.njit(first)
    with pytest.raises(ValueError, match="seven is not for this"):
        compiled(6)
    with pytest.raises(ZeroDivisionError):
        compiled(0)


def kept(function: Callable[..., Any], folder: Path) -> Any:
    dispatcher = linked(function)
    dispatcher._cache = LinkedStore(function.__name__, lambda: "of this test", lambda: folder)
    return dispatcher


def compiled_anew(part: Any, *arguments: Any) -> tuple[Any, list[str]]:
    """What a caller that is compiled now gets, and what was compiled with it."""
    names = []
    with install_recorder("numba:compile") as heard:
        answer = numba.njit(lambda *given: part(*given))(*arguments)
    for _, event in heard.buffer:
        names.append(event.data["dispatcher"].py_func.__name__)
    return answer, names


def second_of(number: int) -> int:
    below: int = second(number)
    return below


def asked(function: Callable[[int], int], number: int) -> int:
    return function(number)


def test_what_is_kept_is_linked_again_without_being_compiled(tmp_path: Path) -> None:
    first_answer, first_names = compiled_anew(kept(second_of, tmp_path), 4)
    again, names = compiled_anew(kept(second_of, tmp_path), 4)
    assert first_answer == again == 45
    assert "second_of" in first_names and "second_of" not in names
    with pytest.raises(ValueError, match="seven is not for this"):
        compiled_anew(kept(second_of, tmp_path), 6)


def test_a_damaged_file_is_compiled_again(tmp_path: Path) -> None:
    compiled_anew(kept(second_of, tmp_path), 4)
    (file,) = tmp_path.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    answer, names = compiled_anew(kept(second_of, tmp_path), 4)
    assert answer == 45 and "second_of" in names


def test_what_depends_on_a_function_is_not_kept(tmp_path: Path) -> None:
    """The name of its type may be that of another function in another process."""
    for function, answer in ((second, 45), (third, 25)):
        part = kept(asked, tmp_path)
        assert numba.njit(lambda number, of=function, part=part: part(of, number))(4) == answer
    assert not [*tmp_path.iterdir()]


def test_loops_whose_length_is_unknown_are_not_unrolled() -> None:
    """The options of LLVM are in force; one that no longer knows them would show here."""
    set_llvm_options()

    def rounds(count: int) -> int:
        total = 3
        for index in range(count):
            total = total * total ^ index
        return total

    compiled = numba.njit(numba.int64(numba.int64), **UNWRAPPED)(rounds)
    (text,) = compiled.inspect_asm().values()
    assert text.count("mul") == 1
