"""The text of a plain bot's file as that of a compiled one: two marks and an import more."""

import ast
from collections.abc import Collection, Iterator
from importlib.util import decode_source

from cantstop_arena.errors import BotError

_IMPORT = "from cantstop_arena import compiled"
_MARK = "@compiled"


def compiled_text(source: bytes, decisions: Collection[str]) -> str:
    """The text with its decisions marked. Raises BotError where they are not defined in it."""
    text = decode_source(source)
    body = ast.parse(text).body
    functions = {one.name: one for one in body if isinstance(one, ast.FunctionDef)}
    if missing := [name for name in decisions if name not in functions]:
        raise BotError(f"{' and '.join(missing)} must be defined by def at the top of the file")
    lines = text.splitlines()
    for number in sorted((functions[name].lineno for name in decisions), reverse=True):
        lines.insert(number - 1, _MARK)
    first = next(_after_the_head(body))
    gap = [] if isinstance(first, ast.Import | ast.ImportFrom) else ["", ""]
    lines[_begins(first) - 1 : _begins(first) - 1] = [_IMPORT, *gap]
    return "\n".join(lines) + "\n"


def _after_the_head(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What follows the docstring and imports from __future__."""
    for number, one in enumerate(body):
        is_docstring = not number and isinstance(one, ast.Expr)
        is_future = isinstance(one, ast.ImportFrom) and one.module == "__future__"
        if not (is_docstring or is_future):
            yield one


def _begins(one: ast.stmt) -> int:
    """The line in which a statement begins, with its decorators."""
    decorators: list[ast.expr] = getattr(one, "decorator_list", [])
    return min([one.lineno, *(decorator.lineno for decorator in decorators)])
