"""Bots that are classes or functions of the caller: their source is written to a bot's file.

A bot runs in other processes, and again in replays, perhaps on another day. Therefore its source
text is stored: that of the class, and of everything of the caller that it refers to. The digest of
the text identifies the bot. A value without source text, such as an open file, is refused.
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

from cantstop_arena.atomic_files import write_result
from cantstop_arena.errors import BotError
from cantstop_arena.processes.system import is_installed

FOLDER = ".bots"  # below the results
_DIGEST_LENGTH = 12  # hexadecimal digits
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
    """Write the source of a bot's class or function below `results`, and return the file's path.

    Raises BotError when the source cannot be extracted.
    """
    text = source_of(builder, game)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_LENGTH]
    return write_result(results, f"{FOLDER}/{digest}/{builder.__name__}.py", text)


def source_of(builder: Callable[..., Any], game: str) -> str:
    """The text of the bot's file. Raises BotError when the source cannot be extracted."""
    if not isinstance(builder, type | FunctionType) or builder.__name__ == "<lambda>":
        value = f"{builder!r:.60}"
        raise BotError(f"a bot is a name, a path, or a class or function with a name, not {value}")
    name = builder.__name__
    collected = _SourceCollector(name)
    collected.define(name, builder)
    return _HEAD.format(name=name) + collected.text() + _FOOT.format(name=name, game=game)


class _SourceCollector:
    """Collects the definitions that a bot's file needs, each after those that it depends on."""

    def __init__(self, bot: str) -> None:
        self._bot = bot
        self._values: dict[str, Any] = {}
        self._imports: set[str] = set()
        self._parts: list[str] = []

    def text(self) -> str:
        """The imports, then the definitions."""
        return "\n".join([*sorted(self._imports), "", *self._parts])

    def take(self, name: str, value: Any) -> None:
        """Add the import or the definition that binds `name` to `value`."""
        if name in self._values:
            if self._values[name] is not value:
                raise self._refusal(f"the name {name} is bound to two different values")
            return
        self._values[name] = value
        if line := self._import(name, value):
            self._imports.add(line)
        elif isinstance(value, ModuleType):
            raise self._refusal(
                f"{name} is a module that is not installed;"
                " import from it the names that the bot uses"
            )
        elif isinstance(inner := _undecorated(value), type | FunctionType):
            self.define(name, inner)
        else:
            self._parts.append(f"{name} = {self._constant(name, value)}")

    def _import(self, name: str, value: Any) -> str:
        """The line that imports the value; empty when its module is not installed."""
        if isinstance(value, ModuleType):
            return f"import {value.__name__} as {name}" if _is_importable(value.__name__) else ""
        module, own = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if not (isinstance(module, str) and isinstance(own, str) and _is_importable(module)):
            return ""
        return f"from {module} import {own} as {name}" if "." not in own else ""

    def define(self, name: str, value: Any) -> None:
        """Add the source of a class or a function under a name."""
        self._values.setdefault(name, value)
        text = _definition(value)
        if not text:
            raise self._refusal(f"the source of {name} cannot be found")
        namespace = _namespace_of(value)
        for other in sorted(_free_names(text) - {value.__name__}):
            if other in namespace:
                self.take(other, namespace[other])
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
        kind = type(value).__name__
        raise self._refusal(f"{name} is a {kind}, which cannot be written as source")

    def _refusal(self, why: str) -> BotError:
        remedy = "write the bot to a file, and pass its path"
        return BotError(f"{self._bot} cannot play: {why}; {remedy}")


def _is_importable(module: str) -> bool:
    """Whether every process can import a module: it is of the standard library, or installed."""
    if module == "__main__":
        return False
    if module.partition(".")[0] in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and is_installed(file)


def _undecorated(value: Any) -> Any:
    return inspect.unwrap(value) if callable(value) else value


def _is_numbers(value: Any) -> bool:
    """Whether a value is a NumPy array or scalar of finite numbers or booleans."""
    is_array = isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf"
    return is_array and bool(np.isfinite(value).all())


def _definition(value: type | FunctionType) -> str:
    """The source of a class or a function with its decorators; empty when there is none.

    A class is located by its methods, as in a notebook only functions refer to their cell.
    """
    for code in _codes(value):
        tree = _tree(code.co_filename)
        for node in ast.walk(tree) if tree else ():
            if _defines(node, value.__name__, code.co_firstlineno):
                return _text_of(node, linecache.getlines(code.co_filename))
    try:
        return textwrap.dedent(inspect.getsource(value))
    except (OSError, TypeError):
        return ""


def _codes(value: type | FunctionType) -> Iterator[Any]:
    functions = [value] if isinstance(value, FunctionType) else _methods(value)
    yield from (function.__code__ for function in functions)


def _methods(value: type) -> list[FunctionType]:
    return [attribute for attribute in vars(value).values() if isinstance(attribute, FunctionType)]


def _tree(file: str) -> ast.AST | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None


def _defines(node: ast.AST, name: str, line: int) -> bool:
    kinds = (ast.FunctionDef, ast.ClassDef)
    if not isinstance(node, kinds) or node.name != name:
        return False
    return _first_line(node) <= line <= (node.end_lineno or 0)


def _first_line(node: ast.FunctionDef | ast.ClassDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _text_of(node: Any, lines: list[str]) -> str:
    return textwrap.dedent("".join(lines[_first_line(node) - 1 : node.end_lineno])).rstrip() + "\n"


def _namespace_of(value: Any) -> Mapping[str, Any]:
    """The global and enclosing names of a class or a function, with their values."""
    functions = [value] if isinstance(value, FunctionType) else _methods(value)
    module = vars(sys.modules[value.__module__]) if value.__module__ in sys.modules else {}
    namespace = dict(module)
    for function in functions:
        namespace |= function.__globals__
        namespace |= inspect.getclosurevars(function).nonlocals
    return namespace


def _free_names(text: str) -> set[str]:
    """The free names of a definition, without those in annotations."""
    return set(_globals_of(symtable.symtable(_FUTURE + text, "bot", "exec"), is_top=True))


def _globals_of(table: symtable.SymbolTable, is_top: bool = False) -> Iterator[str]:
    for symbol in table.get_symbols():
        outside = not symbol.is_assigned() if is_top else symbol.is_global()
        if symbol.is_referenced() and outside:
            yield symbol.get_name()
    for child in table.get_children():
        yield from _globals_of(child)
