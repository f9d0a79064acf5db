"""Vectors of eight numbers, which compiled code keeps in registers.

LLVM makes vector instructions of them on every processor. It does not do so with loops over arrays
in one record, as it cannot tell that what a loop writes is not what it reads. In plain Python,
vectors are NumPy arrays of length WIDTH.

Arrays are contiguous, of float32 or int32 throughout; `index` counts their numbers in order,
whatever their shape.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from cantstop_arena.native.numba_store import INLINE

WIDTH = 8


class VectorType(types.Type):
    """The type of vectors of float32 or int32."""

    def __init__(self, number: types.Type) -> None:
        self.number = number
        super().__init__(name=f"Vector({number})")


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        number = ir.FloatType() if kind.number == types.float32 else ir.IntType(32)
        super().__init__(manager, kind, ir.VectorType(number, WIDTH))


def load_vector(array: Any, index: Any) -> Any:
    """The numbers from an index of an array on, as a vector."""
    return array.reshape(-1)[index : index + WIDTH].copy()


def store_vector(array: Any, index: Any, vector: Any) -> None:
    """Write a vector into an array, from an index on."""
    array.reshape(-1)[index : index + WIDTH] = vector


def number_at(array: Any, index: Any) -> Any:
    """The number at an index of an array, which takes no time to see that it is not negative."""
    return array.reshape(-1)[index]


def set_number_at(array: Any, index: Any, number: Any) -> None:
    """Write a number into an array; see `number_at`."""
    array.reshape(-1)[index] = number


def vector_of(number: Any) -> Any:
    """A vector of the same number eight times."""
    return np.full(WIDTH, number)


def sum_of_two(vector: Any, other: Any) -> Any:
    """The sums, number by number."""
    return vector + other


def product_of_two(vector: Any, other: Any) -> Any:
    """The products, number by number."""
    return vector * other


def larger_of_two(vector: Any, other: Any) -> Any:
    """The larger of each two numbers."""
    return np.where(vector > other, vector, other)


def replace_equal(vector: Any, number: Any, other: Any) -> Any:
    """The vector, with the numbers of `other` where it equals `number`."""
    return np.where(vector == number, other, vector)


def sum_of_vector(vector: Any) -> Any:
    """The sum of the numbers of a vector, which are integers."""
    return vector.sum(dtype=np.int32)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """The address of a vector in an array."""
    data = context.make_array(kind)(context, builder, array).data
    vector = context.get_value_type(VectorType(kind.dtype))
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


@intrinsic
def _load(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_pointer(context, builder, array, *arguments), align=4)

    return VectorType(array.dtype)(array, types.int64), generate


@intrinsic
def _store(typing_context: Any, array: Any, index: Any, vector: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, array, *arguments[:2])
        builder.store(arguments[2], pointer, align=4)
        return context.get_dummy_value()

    return types.none(array, types.int64, vector), generate


@intrinsic
def _number_at(typing_context: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        return builder.load(builder.gep(data, [arguments[1]]))

    return array.dtype(array, types.int64), generate


@intrinsic
def _set_number_at(typing_context: Any, array: Any, index: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(array)(context, builder, arguments[0]).data
        builder.store(arguments[2], builder.gep(data, [arguments[1]]))
        return context.get_dummy_value()

    return types.none(array, types.int64, array.dtype), generate


@intrinsic
def _vector_of(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nothing = ir.Constant(context.get_value_type(signature.return_type), ir.Undefined)
        first = builder.insert_element(nothing, arguments[0], ir.IntType(32)(0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(first, nothing, zeros)

    return VectorType(number)(number), generate


@intrinsic
def _sum_of_vector(typing_context: Any, vector: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        total, count = arguments[0], WIDTH
        while count > 1:
            count //= 2
            parts = []
            for first in (0, count):
                mask = ir.Constant(
                    ir.VectorType(ir.IntType(32), count), [*range(first, first + count)]
                )
                parts.append(builder.shuffle_vector(total, total, mask))
            total = builder.add(*parts)
        return builder.extract_element(total, ir.IntType(32)(0))

    return types.int32(vector), generate


def _of_two(of_floats: str, of_integers: str) -> Any:
    """An intrinsic of two vectors, given the names of llvmlite's operations."""

    @intrinsic
    def operation(typing_context: Any, vector: Any, other: Any) -> Any:
        name = of_floats if vector.number == types.float32 else of_integers

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, name)(*arguments)

        return vector(vector, vector), generate

    return operation


_add, _multiply = _of_two("fadd", "add"), _of_two("fmul", "mul")


@intrinsic
def _larger(typing_context: Any, vector: Any, other: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        is_float = vector.number == types.float32
        compare = builder.fcmp_ordered if is_float else builder.icmp_signed
        return builder.select(compare(">", *arguments), *arguments)

    return vector(vector, vector), generate


@intrinsic
def _replace_equal(typing_context: Any, vector: Any, number: Any, other: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        value, compared, new = arguments
        return builder.select(builder.fcmp_ordered("==", value, compared), new, value)

    return vector(vector, vector, vector), generate


def _compile_as(function: Callable[..., Any], code: Callable[..., Any]) -> None:
    """Let compiled functions call `code` for a function."""
    overload(function, jit_options=INLINE, strict=False)(lambda *_: code)


_compile_as(load_vector, lambda array, index: _load(array, index))
_compile_as(store_vector, lambda array, index, vector: _store(array, index, vector))
_compile_as(number_at, lambda array, index: _number_at(array, index))
_compile_as(set_number_at, lambda array, index, number: _set_number_at(array, index, number))
_compile_as(vector_of, lambda number: _vector_of(number))
_compile_as(sum_of_two, lambda vector, other: _add(vector, other))
_compile_as(product_of_two, lambda vector, other: _multiply(vector, other))
_compile_as(larger_of_two, lambda vector, other: _larger(vector, other))
_compile_as(replace_equal, lambda vector, number, other: _replace_equal(vector, number, other))
_compile_as(sum_of_vector, lambda vector: _sum_of_vector(vector))
