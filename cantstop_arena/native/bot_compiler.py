"""What is compiled of the bots of any game: their functions and all that these call."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, overload

from cantstop_arena.errors import BotError, GameError
from cantstop_arena.hookspecs import MODULE_PREFIX, PROJECT, compile_options
from cantstop_arena.native.bot_generators import without_generator_expressions
from cantstop_arena.native.compile_errors import UNDEFINED, BotWording, plain_message
from cantstop_arena.native.memory_options import ARRAY, BLOCK, SIZE, is_array, is_number
from cantstop_arena.native.numba_store import INLINE, declared_names


@contextmanager
def errors_of_bot(name: str, wording: BotWording) -> Iterator[None]:
    """Raises BotError, with the name of the bot, for whatever the compiler raises inside.

    Raises GameError for a name that the arena's own code lacks.
    """
    try:
        yield
    except BotError as error:
        raise BotError(f"{name} does not compile: {error}") from error
    except Exception as error:  # numba raises more than its own errors
        message = f"{name} does not compile: {plain_message(error, wording)}"
        if (undefined := re.search(UNDEFINED, str(error))) and not _is_missed(undefined[1]):
            raise GameError(f"{message}; this is an error of the arena, not of {name}") from error
        raise BotError(message) from error


_registered: set[Any] = set()


def _is_missed(name: str) -> bool:
    """Whether a function of a bot refers to a name that it lacks."""
    return any(
        name in _referenced_names(function.__code__) and name not in function.__globals__
        for function in _registered
        if (function.__module__ or "").partition(".")[0] != PROJECT
    )


# Compiled code that uses `random` or `numpy.random` calls these for the generators' state.
_GENERATORS = {"numba_get_py_random_state", "numba_get_np_random_state"}


def register_function(
    function: FunctionType, unmarked: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Register a function as callable from compiled code, and the functions that it calls.

    Of these, only functions of its own module, of its bot's folder, or marked `@compiled`; the
    options of numba for those that are not marked are `unmarked`.
    """
    if function in _registered:
        return
    _registered.add(function)
    options = {**INLINE, **(compile_options(function) or unmarked)}
    code = without_generator_expressions(function)
    overload(function, jit_options=options, strict=False)(lambda *_, **__: code)
    for referenced in _referenced_functions(code):
        if compile_options(referenced) is not None or _belong_to_same_bot(referenced, function):
            register_function(referenced, unmarked)


def _belong_to_same_bot(*functions: FunctionType) -> bool:
    """Whether functions are of one module, or of the modules of one bot that is a folder."""
    modules = {function.__module__ or "" for function in functions}
    packages = {module.partition(".")[0] for module in modules}
    return len(modules) == 1 or (len(packages) == 1 and packages.pop().startswith(MODULE_PREFIX))


def draws_unseeded(decision: Any) -> bool:
    """Whether a compiled decision uses numba's own random generators.

    They cannot be seeded for each deal, so games could not be replayed.
    """
    (compiled,) = decision.overloads.values()
    return not declared_names(compiled).isdisjoint(_GENERATORS)


def _referenced_functions(function: FunctionType) -> list[FunctionType]:
    """The plain Python functions to which a function refers, by name or as a module's attribute."""
    values = _referenced_values(function)
    modules = [value for value in values if isinstance(value, ModuleType)]
    names = _referenced_names(function.__code__)
    attributes = [vars(module).get(name) for module in modules for name in names]
    return [value for value in (*values, *attributes) if isinstance(value, FunctionType)]


def _referenced_values(function: FunctionType) -> list[Any]:
    """The globals and closure variables to which a function refers."""
    closed_over = [cell.cell_contents for cell in function.__closure__ or ()]
    cells = dict(zip(function.__code__.co_freevars, closed_over, strict=True))
    by_name = {**function.__globals__, **cells}
    return [by_name[name] for name in _referenced_names(function.__code__) if name in by_name]


def _referenced_names(code: CodeType) -> list[str]:
    inner = [
        name
        for const in code.co_consts
        if isinstance(const, CodeType)
        for name in _referenced_names(const)
    ]
    return [*code.co_names, *code.co_freevars, *inner]


# Calls and arguments --------------------------------------------------------------------------


def caller(signature: Any) -> Any:
    """A compiled function that calls one of this signature: its arguments are the address of that,
    and the arguments of it."""
    answer, parameters = signature.return_type, signature.args

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = context.call_conv.get_function_type(answer, parameters).as_pointer()
        function = builder.inttoptr(arguments[0], kind)
        status, value = context.call_conv.call_function(
            builder, function, answer, parameters, arguments[1:]
        )
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return value

    @intrinsic
    def call(typing_context: Any, address: types.Type, argument: types.Type) -> Any:
        """Call the function at an address."""
        return answer(types.int64, argument), generate

    return call


def pointer_at(number_type: types.Type) -> Any:
    """A compiled function that takes an address, and returns the pointer to numbers there."""

    @intrinsic
    def pointer(typing_context: Any, address: types.Type) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(number_type)(types.int64), generate

    return pointer


floats_at, integers_at, words_at, half_words_at, bytes_at = map(
    pointer_at, (types.float64, types.int64, types.uint64, types.uint32, types.uint8)
)


# Linked to the block of `Loaded`; numba's own copy of the code, which is never called, finds this.
llvm.add_symbol(BLOCK, id(BLOCK))


def _number_reader(kind: types.Type) -> Any:
    """A compiled function that returns a number of the block, by its index."""

    @intrinsic
    def read(typing_context: Any, index: types.Type) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            block = builder.module.globals.get(BLOCK)
            if block is None:
                block = ir.GlobalVariable(builder.module, ir.IntType(8), BLOCK)
                block.global_constant = True  # so a loop reads it once
            offset = builder.mul(arguments[0], ir.IntType(64)(SIZE))
            value_type = ir.IntType(64) if kind == types.boolean else context.get_value_type(kind)
            address = builder.bitcast(builder.gep(block, [offset]), value_type.as_pointer())
            value = builder.load(address)
            return cgutils.is_not_null(builder, value) if kind == types.boolean else value

        return kind(types.int64), generate

    return read


_READERS = {
    bool: _number_reader(types.boolean),
    int: _number_reader(types.int64),
    float: _number_reader(types.float64),
}


@intrinsic
def read_only(typing_context: Any, array: types.Type) -> Any:
    """The array as one that cannot be written to."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

    return array.copy(readonly=True)(array), generate


def _array_reader(array: Any, index: int) -> Any:
    """A compiled function that returns an array in memory."""
    shape, symbol, is_constant = array.shape, ARRAY.format(index), not array.flags.writeable
    llvm.add_symbol(symbol, id(BLOCK))

    @intrinsic
    def pointer(typing_context: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            memory = builder.module.globals.get(symbol)
            if memory is None:
                memory = ir.GlobalVariable(builder.module, ir.IntType(8), symbol)
                memory.global_constant = is_constant  # no store changes it: a loop reads it once
            return builder.bitcast(memory, context.get_value_type(signature.return_type))

        return types.CPointer(numba.typeof(array).dtype)(), generate

    if is_constant:
        return numba.njit(**INLINE)(lambda: read_only(numba.carray(pointer(), shape)))
    return numba.njit(**INLINE)(lambda: numba.carray(pointer(), shape))


def options_reader(options: tuple[Any, ...], first: int = 0) -> Callable[[], Any]:
    """A function that returns the options to compiled code: constants, or values in memory.

    The first that is in memory has the index `first` in the block. Raises BotError for an integer
    of more than 64 bits. The function is written as text, since compiled code makes tuples of a
    fixed number of fields only.
    """
    values: list[str] = []
    scope: dict[str, Any] = {"__name__": __name__, "constants": options}
    for index, option in enumerate(options):
        if is_number(option):
            scope[f"read_{index}"] = _READERS[type(option)]
            values.append(f"read_{index}({first})")
            first += 1
        elif is_array(option):
            scope[f"read_{index}"] = _array_reader(option, first)
            values.append(f"read_{index}()")
            first += 1
        elif type(option) is int and not 0 <= option < 1 << 64:
            raise BotError(f"the option {option} does not fit into 64 bits")
        else:
            values.append(f"constants[{index}]")
    exec(f"def read():\n    return ({''.join(f'{value}, ' for value in values)})\n", scope)
    reader: Callable[[], Any] = scope["read"]
    return reader
