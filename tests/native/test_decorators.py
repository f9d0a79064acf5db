"""How numba is called: once for each function, and fast."""

import resource
from collections.abc import Callable
from typing import Any

from cantstop_arena.native.code_cache import CodeCache
from cantstop_arena.native.decorators import decorators, with_frame_room


def faults_of_calls(depth: int) -> int:
    """The page faults of 500 calls of a function, made below `depth` others."""
    if depth:
        return faults_of_calls(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(500):
        small(0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def small(number: int) -> int:
    return number


def most_faults() -> int:
    return max(map(faults_of_calls, range(300)))


def test_no_call_gets_memory_for_its_frame_from_the_system() -> None:
    assert with_frame_room(most_faults) < 500


def test_with_frame_room_returns_and_raises_as_the_function_does() -> None:
    def caught(call: Callable[..., Any]) -> str:
        try:
            return str(call(int, "x"))
        except ValueError as error:
            return str(error)

    assert with_frame_room(divmod, 7, 2) == (3, 1)
    assert caught(with_frame_room) == caught(lambda function, text: function(text))


def test_calls_with_literals_use_the_version_for_numbers() -> None:
    game = decorators(CodeCache("test", []))

    @game.njit_call(nrt=False)  # type: ignore[untyped-decorator]
    def inner(number: int, factor: int) -> int:
        return number * factor

    @game.njit_entry  # type: ignore[untyped-decorator]
    def outer(number: int) -> Any:
        return inner(number, 2) + inner(3, number) + inner(1, 0)

    assert outer(5) == 25
    assert len(inner.signatures) == 1


def test_a_called_function_is_no_part_of_an_inlined_one() -> None:
    game = decorators(CodeCache("test", []))

    @game.njit_call(nrt=False)  # type: ignore[untyped-decorator]
    def called(number: int) -> int:
        return number + 1

    @game.njit_inline(nrt=False)  # type: ignore[untyped-decorator]
    def inlined(number: int) -> Any:
        return called(number) * 2

    @game.njit_entry(nrt=False)  # type: ignore[untyped-decorator]
    def entry(number: int) -> Any:
        return inlined(number)

    assert entry(3) == 8
    assert [_must_be_inlined(function) for function in (called, inlined)] == [False, True]


def _must_be_inlined(function: Any) -> bool:
    (result,) = function.overloads.values()
    code = result.library._final_module.get_function(result.fndesc.llvm_func_name)
    return b"alwaysinline" in b" ".join(code.attributes)
