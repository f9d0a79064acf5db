"""Generator expressions, `map` and `key=` of compiled bots: the changed function is the same."""

import os
from collections.abc import Callable, Iterator
from inspect import isgeneratorfunction
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from helpers.parameters import slow_but

from cantstop_arena.bots.bot_files import BotFile, BotSource
from cantstop_arena.bots.known_bot import as_compiled
from cantstop_arena.bots.loader import Loader
from cantstop_arena.games.cantstop.engine.entry_points import native_player
from cantstop_arena.native.bot_generators import without_generator_expressions

HEAD = """LIMIT = 3
def half(x):
    return x // 2
def decide(turn, columns, limit=2, *, kind=1):
    '''A docstring.'''
    seen = [0]
    def count(x):
        seen[0] += 1
        return x
"""
EXPRESSIONS = [
    "sum(x * limit for x in columns if x != 7)",
    "any(count(x) > 6 for x in columns), seen",
    "all(count(x) < 6 for x in columns), seen",
    "sum(sum(x * y for y in columns if y > x) for x in columns if any(x < z for z in columns))",
    "[y for x in columns for y in range(x) if all(y >= z for z in columns)]",
    "max(columns, key=lambda column: -abs(column - 7))",
    "min(columns, key=half), max(columns, key=half)",
    "max(columns[0], 3, key=lambda x: -x)",
    "sorted(columns, key=lambda x: x % limit, reverse=True)",
    "sorted(columns, key=half)",
    "sum(map(half, columns)), list(map(lambda x: x + limit, columns))",
    "max(sum(map(half, range(x))) + limit for x in columns)",
    "max(columns, key=turn.get)",
    "sum(x + y for x, y in zip(columns, columns[1:], strict=False) if x if y)",
    "max(columns, key=lambda column: max(range(column), key=lambda x: (x % 5, column - x)))",
    "len({x for x in columns if any(x == y + kind for y in columns)})",
    "sorted(sum(x > y for x in columns) for y in columns)",
    "sum((x for x in columns), limit)",
    "sum(x for x in (x + 1 for x in columns))",
]
UNCHANGED = [
    "max(columns)",
    "(lambda x: x + limit)(3)",
    "max(columns, key=lambda x: x, default=3)",
    "sum((y := x) for x in columns)",
]


def decide_function(path: Path, expression: str) -> FunctionType:
    path.write_text(f"{HEAD}    return {expression}\n")
    function = BotFile(BotSource(path)).load().decide
    assert isinstance(function, FunctionType)
    return function


def inner_codes(function: Callable[..., object]) -> Iterator[str]:
    code: CodeType = function.__code__
    return (const.co_name for const in code.co_consts if isinstance(const, CodeType))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_changed_function_gives_the_same(expression: str, tmp_path: Path) -> None:
    function = decide_function(tmp_path / "mine.py", expression)
    changed = without_generator_expressions(function)
    assert changed is not function
    assert not {"<genexpr>", "<lambda>"} & {*inner_codes(changed)}
    arguments = {2: 1, 9: 5, 7: 5, 8: 0}, [9, 2, 7, 8]
    assert changed(*arguments) == function(*arguments)
    assert changed(*arguments, 5, kind=2) == function(*arguments, 5, kind=2)


@pytest.mark.parametrize("expression", UNCHANGED)
def test_what_cannot_be_rewritten_stays(expression: str, tmp_path: Path) -> None:
    function = decide_function(tmp_path / "mine.py", expression)
    assert without_generator_expressions(function) is function


def test_a_name_of_the_file_is_not_taken_for_the_builtin(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("def max(x, key):\n    return 'mine'\ndef f(x):\n    return max(x, key=abs)\n")
    function = BotFile(BotSource(path)).load().f
    assert without_generator_expressions(function) is function


def test_a_file_that_has_changed_since_is_compiled_as_it_was_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    function = decide_function(path, "sum(x * limit for x in columns)")
    path.write_text("something else")
    assert without_generator_expressions(function)({}, [1, 2]) == 6
    assert not isgeneratorfunction(without_generator_expressions(function))


BOT = """from cantstop_arena import hookimpl
@hookimpl
def choose_move(turn, moves):
    return max(range(len(moves)), key=lambda index: sum(map(turn.chance, moves[index])))
@hookimpl
def roll_again(turn, limit=3):
    return {}
"""
COMPILED = [
    "any(column > 5 for column in turn.placed) and all([column < 9 for column in turn.placed])",
    "sorted([7, 8], key=lambda column: turn.runners[column], reverse=True)[0] < 8",
    "min(turn.placed, key=turn.chance) < max(turn.rolls, 3, key=lambda x: -x)",
    "sum(sum(x * y for y in turn.placed if y > x) for x in turn.placed) < 100",
]


@pytest.mark.slow
@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="nothing is compiled")
@pytest.mark.parametrize("expression", slow_but([0], COMPILED))
def test_such_bots_compile(expression: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(BOT.format(expression))
    (bot,) = Loader(tmp_path).bots_of(BotSource(path))
    player: Any = as_compiled(bot.build({}), bot.decisions)
    assert native_player(player, bot.name, None) is not None
