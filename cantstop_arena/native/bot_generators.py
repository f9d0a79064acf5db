"""Generator expressions, `map` and `key=` in compiled bots, in forms that numba compiles.

numba compiles generator functions and calls of functions that it knows, but no function that is
made inside another. So a bot's function is compiled from a changed syntax tree, in which

    sum(turn.chance(column) for column in move)
    max(moves, key=lambda move: value_of(turn, move))

are calls of generator functions, which take as arguments the variables that their bodies use:

    sum(_generator_1(move, turn))  # yields turn.chance(column)
    first_max(_generator_2(moves, turn))  # yields pairs, (value_of(turn, move), move)

Evaluation order is Python's; `any` and `all` stop at the first item that decides.
"""

import ast
import linecache
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any, TypeAlias, cast

from cantstop_arena.native.bot_iterables import (
    first_max,
    first_min,
    sorted_by_key,
)

_Comprehension: TypeAlias = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp
_ITERABLE, _ITEM = "_iterable", "_item"  # variables of the generator functions

_WITH_KEY: dict[str, tuple[Callable[..., Any], Collection[str]]] = {
    "max": (first_max, ()),
    "min": (first_min, ()),
    "sorted": (sorted_by_key, ("reverse",)),
}
"""The function that replaces a builtin with `key=`, and the other keywords that it takes."""


def without_generator_expressions(function: FunctionType) -> FunctionType:
    """The function with its generator expressions, `map` and `key=` as calls of functions.

    It is the function itself if it has none of them, or if its source is not known.
    """
    definition = _definition_of(function)
    if definition is None:
        return function
    rewriter = _Rewriter(function)
    definition.body = [rewriter.visit(statement) for statement in definition.body]
    return _compiled(definition, rewriter.generators, function) if rewriter.generators else function


def _definition_of(function: FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function's definition; None if its source is not known."""
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename))
    try:
        tree = ast.parse(text)
        codes = _inner_codes(compile(text, code.co_filename, "exec", dont_inherit=True))
    except (SyntaxError, ValueError):
        return None
    if code not in codes:  # the file has changed since the function was loaded
        return None
    definitions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return next((node for node in definitions if _first_line(node) == code.co_firstlineno), None)


def _inner_codes(code: CodeType) -> Iterator[CodeType]:
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield const
            yield from _inner_codes(const)


def _first_line(definition: ast.FunctionDef) -> int:
    return min([definition.lineno, *(node.lineno for node in definition.decorator_list)])


class _Rewriter(ast.NodeTransformer):
    """Rewrites the body of a function; `generators` are the functions that its calls need."""

    def __init__(self, function: FunctionType) -> None:
        code = function.__code__
        self.generators: list[ast.FunctionDef] = []
        self._variables = {*code.co_varnames, *code.co_cellvars}  # in scope, at this node
        self._shadowed = {*function.__globals__, *code.co_freevars}

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """The call of a generator function with the variables that the expression uses."""
        if any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node)):
            return node  # it sets a variable of the function
        outer = self._variables
        iterable = cast(ast.expr, self.visit(node.generators[0].iter))
        node.generators[0].iter = ast.copy_location(_name(_ITERABLE), iterable)
        self._visit_comprehension(node)
        inputs = sorted(_names_in(node, ast.Load) & outer - _targets(node))
        name = f"_generator_{len(self.generators) + 1}"
        generator = _function(name, [_ITERABLE, *inputs], [_loops(node)], node)
        self.generators.append(generator)
        return _call(_name(name), [iterable, *map(_name, inputs)], node)

    def _visit_comprehension(self, node: _Comprehension) -> ast.AST:
        """The comprehension with its parts rewritten, for which its own variables are in scope."""
        outer, self._variables = self._variables, self._variables | _targets(node)
        try:
            return self.generic_visit(node)
        finally:
            self._variables = outer

    visit_ListComp = visit_SetComp = visit_DictComp = _visit_comprehension

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call; that of `map`, or of a builtin with `key=`, takes a generator expression."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in self._variables | self._shadowed or _has_starred(node):
            return self.generic_visit(node)
        if name == "map" and len(node.args) == 2 and not node.keywords:
            function, iterable = node.args
            if applied := _application(function):
                return self.visit_GeneratorExp(_generator_of(*applied, iterable, node))
        if name in _WITH_KEY and (pairs := _pairs(name, node)):
            other_keywords = [self.visit(each) for each in node.keywords if each.arg != "key"]
            helper = _name(_inner_name(_WITH_KEY[name][0]))
            return _call(helper, [self.visit_GeneratorExp(pairs)], node, other_keywords)
        return self.generic_visit(node)

    def _unchanged(self, node: ast.AST) -> ast.AST:
        return node  # numba refuses other inner functions

    visit_Lambda = visit_FunctionDef = _unchanged


def _pairs(name: str, call: ast.Call) -> ast.GeneratorExp | None:
    """The (key, item) pairs of a builtin's call; None if it has no `key=`, or other keywords."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    key = keywords.pop("key", None)
    applied = _application(key) if key else None
    if not applied or not call.args or not keywords.keys() <= {*_WITH_KEY[name][1]}:
        return None
    value, item = applied
    iterable = call.args[0] if len(call.args) == 1 else ast.Tuple(call.args, ast.Load())
    return _generator_of(ast.Tuple([value, _name(item)], ast.Load()), item, iterable, call)


def _application(function: ast.expr) -> tuple[ast.expr, str] | None:
    """The value of a function of an item, and the item's name; None if it cannot be written so."""
    match function:
        case ast.Lambda(ast.arguments([], [argument], None, [], [], None, []), body):
            return body, argument.arg
        case ast.Name() | ast.Attribute():
            return _call(function, [_name(_ITEM)], function), _ITEM
    return None


def _generator_of(
    value: ast.expr, item: str, iterable: ast.expr, location: ast.expr
) -> ast.GeneratorExp:
    """`(value for item in iterable)`."""
    clause = ast.comprehension(ast.Name(item, ast.Store()), iterable, [], is_async=0)
    node = ast.copy_location(ast.GeneratorExp(value, [clause]), location)
    return ast.fix_missing_locations(node)


def _loops(node: ast.GeneratorExp) -> ast.stmt:
    """The loops of a generator function that yields the items of a generator expression."""
    statement: ast.stmt = ast.Expr(ast.Yield(node.elt))
    for clause in reversed(node.generators):
        for condition in reversed(clause.ifs):
            statement = ast.If(condition, [statement], [])
        statement = ast.For(clause.target, clause.iter, [statement], [])
    return ast.fix_missing_locations(ast.copy_location(statement, node))


def _targets(node: _Comprehension) -> set[str]:
    """The variables of a comprehension."""
    return {name for clause in node.generators for name in _names_in(clause.target, ast.Store)}


def _names_in(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    names = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, context)}


def _has_starred(call: ast.Call) -> bool:
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return starred or any(keyword.arg is None for keyword in call.keywords)


def _name(identifier: str) -> ast.Name:
    return ast.Name(identifier, ast.Load())


def _call(
    function: ast.expr,
    arguments: Sequence[ast.expr],
    location: ast.expr,
    keywords: Iterable[ast.keyword] = (),
) -> ast.Call:
    node = ast.Call(function, list(arguments), list(keywords))
    return ast.fix_missing_locations(ast.copy_location(node, location))


def _function(
    name: str, parameters: Iterable[str], body: Iterable[ast.stmt], location: ast.AST
) -> ast.FunctionDef:
    arguments = ast.arguments([], [ast.arg(each) for each in parameters], None, [], [], None, [])
    node = ast.FunctionDef(name, arguments, list(body), [])
    return ast.fix_missing_locations(ast.copy_location(node, location))


def _compiled(
    definition: ast.FunctionDef, generators: Sequence[ast.stmt], function: FunctionType
) -> FunctionType:
    """The function of a changed definition, with the globals, closure and defaults of the old."""
    _strip_definition(definition)
    helpers = {_inner_name(helper): helper for helper, _ in _WITH_KEY.values()}
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    values = dict(zip(function.__code__.co_freevars, cells, strict=True)) | helpers
    result = ast.copy_location(ast.Return(_name(definition.name)), definition)
    factory = _function("factory", values, [*generators, definition, result], definition)
    namespace: dict[str, Any] = {}
    tree = ast.fix_missing_locations(ast.Module([factory], []))
    exec(
        compile(tree, function.__code__.co_filename, "exec", dont_inherit=True),
        function.__globals__,
        namespace,
    )
    made: FunctionType = namespace["factory"](**values)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return made


def _strip_definition(definition: ast.FunctionDef) -> None:
    """Remove what Python evaluates when it comes to a definition: decorators, defaults, types."""
    definition.decorator_list, definition.returns = [], None
    definition.args.defaults = []
    definition.args.kw_defaults = [None for _ in definition.args.kwonlyargs]
    for node in ast.walk(definition.args):
        if isinstance(node, ast.arg):
            node.annotation = None


def _inner_name(helper: Callable[..., Any]) -> str:
    """The name of a helper in changed functions, where no variable of a bot's has it."""
    return f"_{helper.__name__}"
