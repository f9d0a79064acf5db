"""Vectors of eight numbers."""

from typing import Any

import numpy as np

from cantstop_arena.games.cantstop.engine.engine_decorators import njit_entry
from cantstop_arena.native import vectors


def _all_operations(numbers: Any, integers: Any, results: Any, sums: Any) -> None:
    one, two = vectors.load_vector(numbers, 1), vectors.load_vector(numbers, 9)
    vectors.store_vector(results, 0, vectors.larger_of_two(one, two))
    product = vectors.product_of_two(one, vectors.vector_of(vectors.number_at(numbers, 3)))
    vectors.store_vector(results, 8, vectors.sum_of_two(product, two))
    vectors.store_vector(
        results, 16, vectors.replace_equal(one, vectors.vector_of(numbers[2]), two)
    )
    whole = vectors.larger_of_two(
        vectors.load_vector(integers, 0), vectors.load_vector(integers, 8)
    )
    vectors.set_number_at(sums, 1, vectors.sum_of_vector(whole))


def test_vectors_are_the_same_compiled_and_in_plain_python() -> None:
    generator = np.random.default_rng(4)
    numbers = generator.random(17).astype(np.float32)
    integers = generator.integers(-(1 << 30), 1 << 30, (2, 8)).astype(np.int32)
    results = []
    compiled: Any = njit_entry(nrt=False)(_all_operations)
    for function in (compiled, _all_operations):
        floats, sums = np.zeros(24, np.float32), np.zeros(2, np.int32)
        with np.errstate(over="ignore"):
            function(numbers, integers, floats, sums)
        results.append((floats.tolist(), sums.tolist()))
    assert results[0] == results[1]
    one, two = numbers[1:9], numbers[9:17]
    expected = [np.maximum(one, two), one * numbers[3] + two]
    expected.append(np.where(one == numbers[2], two, one))
    assert results[0][0] == np.concatenate(expected).tolist()
    assert results[0][1] == [0, int(integers.max(axis=0).sum(dtype=np.int32))]
