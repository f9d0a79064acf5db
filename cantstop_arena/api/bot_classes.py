"""Bots that are classes or functions of the caller's: their source becomes a bot's file.

A bot plays in other processes, later again in a replay, and perhaps on another day. So what plays
is text: the source of the class and of all of the caller's own that it names, which one can read,
and whose digest says whether it has changed. What has no text, such as an open file, cannot play.
"""

import ast
import hashlib
import inspect
import linecache
import symtable
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from cantstop_arena.atomic_files import write_atomically
from cantstop_arena.bots.bot_files import is_installed
from cantstop_arena.errors import BotError

FOLDER = ".bots"  # below the results
_DIGEST_LENGTH = 12  # digits of a digest
_FUTURE = "from __future__ import annotations\n"
_HEAD = '"""{name}, as a program of the caller\'s defines it."""\n\n' + _FUTURE
_FOOT = """
from cantstop_arena import Bot as _Bot, hookimpl as _hookimpl

game = {game!r}


@_hookimpl
def register_bots():
    return [_Bot({name!r}, {name})]
"""


def write_bot_file(builder: Callable[..., Any], results: Path, game: str) -> Path:
    """The file, below `results`, of the bot that a class or a function builds. Raises BotError."""
    text = source_of(builder, game)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
    path = results / FOLDER / digest / f"{builder.__name__}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text)
    return path


def source_of(builder: Callable[..., Any], game: str) -> str:
    """The text of that file. Raises BotError where it cannot be written."""
    if not isinstance(builder, type | FunctionType) or builder.__name__ == "<lambda>":
        given = f"{builder!r:.60}"
        raise BotError(f"a bot is a name, a path, or a class or function with a name, not {given}")
    name = builder.__name__
    collected = _Collected(name)
    collected.define(name, builder)
    return _HEAD.format(name=name) + collected.text() + _FOOT.format(name=name, game=game)


class _Collected:
    """The names that a bot's file needs, each below those that it depends on."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._values: dict[str, Any] = {}
        self._imports: set[str] = set()
        self._parts: list[str] = []

    def text(self) -> str:
        """All of it: imports, then everything else."""
        return "\n".join([*sorted(self._imports), "", *self._parts])

    def take(self, name: str, value: Any) -> None:
        """Have a name stand for a value."""
        if name in self._values:
            if self._values[name] is not value:
                raise self._refusal(f"two different things are called {name}")
            return
        self._values[name] = value
        if line := self._import(name, value):
            self._imports.add(line)
        elif isinstance(value, ModuleType):
            raise self._refusal(f"{name} is a module of yours; name what is needed of it")
        elif isinstance(inner := _undecorated(value), type | FunctionType):
            self.define(name, inner)
        else:
            self._parts.append(f"{name} = {self._constant(name, value)}")

    def _import(self, name: str, value: Any) -> str:
        """The line that imports it, where it belongs to something that is installed."""
        if isinstance(value, ModuleType):
            return f"import {value.__name__} as {name}" if _comes_along(value.__name__) else ""
        module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if not (isinstance(module, str) and isinstance(own, str) and _comes_along(module)):
            return ""
        return f"from {module} import {own} as {name}" if "." not in own else ""

    def define(self, name: str, value: Any) -> None:
        """Have a name stand for a class or a function, by its source."""
        self._values.setdefault(name, value)
        text = _definition(value)
        if not text:
            raise self._refusal(f"the source of {name} is nowhere to be found")
        by_name = _names_where_defined(value)
        for other in sorted(_named_in(text) - {value.__name__}):
            if other in by_name:
                self.take(other, by_name[other])
        self._parts.append(f"\n{text}")
        if name != value.__name__:
            self._parts.append(f"{name} = {value.__name__}")

    def _constant(self, name: str, value: Any) -> str:
        if _is_numbers(value):
            self._imports.add("import numpy as _numpy")
            return f"_numpy.array({value.tolist()!r}, {str(value.dtype)!r})[()]"
        text = repr(value)
        try:
            if ast.literal_eval(text) == value:
                return text
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            pass
        raise self._refusal(f"{name} is a {type(value).__name__}, which has no text to play from")

    def _refusal(self, why: str) -> BotError:
        mend = "write the bot into a file, and name that"
        return BotError(f"{self._bot} cannot play: {why}; {mend}")


def _comes_along(module: str) -> bool:
    """Whether every process can import a module: it is Python's, or installed."""
    if module == "__main__":
        return False
    if module.partition(".")[0] in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and is_installed(file)


def _undecorated(value: Any) -> Any:
    return inspect.unwrap(value) if callable(value) else value


def _is_numbers(value: Any) -> bool:
    """Whether these are numbers of NumPy that a text can give."""
    is_array = isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf"
    return is_array and bool(np.isfinite(value).all())


def _definition(value: type | FunctionType) -> str:
    """The text that defines a class or a function, decorators included; empty where there is none.

    A class is found by its methods: those of a notebook know their cell, the class does not.
    """
    for code in _codes(value):
        tree = _tree(code.co_filename)
        for node in ast.walk(tree) if tree else ():
            if _is_of(node, value.__name__, code.co_firstlineno):
                return _text_of(node, linecache.getlines(code.co_filename))
    try:
        return textwrap.dedent(inspect.getsource(value))
    except (OSError, TypeError):
        return ""


def _codes(value: type | FunctionType) -> Iterator[Any]:
    functions = [value] if isinstance(value, FunctionType) else _methods(value)
    yield from (function.__code__ for function in functions)


def _methods(value: type) -> list[FunctionType]:
    return [item for item in vars(value).values() if isinstance(item, FunctionType)]


def _tree(file: str) -> ast.AST | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def _is_of(node: ast.AST, name: str, line: int) -> bool:
    kinds = (ast.FunctionDef, ast.ClassDef)
    if not isinstance(node, kinds) or node.name != name:
        return False
    return _begin(node) <= line <= (node.end_lineno or 0)


def _begin(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _text_of(node: Any, lines: list[str]) -> str:
    return textwrap.dedent("".join(lines[_begin(node) - 1 : node.end_lineno])).rstrip() + "\n"


def _names_where_defined(value: Any) -> Mapping[str, Any]:
    """What names mean where it was defined."""
    functions = [value] if isinstance(value, FunctionType) else _methods(value)
    module = vars(sys.modules[value.__module__]) if value.__module__ in sys.modules else {}
    by_name = dict(module)
    for function in functions:
        by_name |= function.__globals__
        by_name |= inspect.getclosurevars(function).nonlocals
    return by_name


def _named_in(text: str) -> set[str]:
    """The names that a definition takes from outside, but for those in annotations."""
    return set(_globals_of(symtable.symtable(_FUTURE + text, "bot", "exec"), is_top=True))


def _globals_of(table: symtable.SymbolTable, is_top: bool = False) -> Iterator[str]:
    for symbol in table.get_symbols():
        outside = not symbol.is_assigned() if is_top else symbol.is_global()
        if symbol.is_referenced() and outside:
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals_of(child)
