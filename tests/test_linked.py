"""Functions that are only linked into others: compiled once with them, and as right as any."""

from collections.abc import Callable
from typing import Any

import numba
import pytest
from numba.core.codegen import JITCodeLibrary

from cantstop_arena.runtime.machinecode.linked import LINKED


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
