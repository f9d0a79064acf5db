"""Functions of iterables in compiled bots that numba lacks, or has for some types only."""

from numba import types
from numba.extending import overload, register_jitable

from cantstop_arena.native.numba_store import INLINE


@overload(sum, jit_options=INLINE)
def _sum(iterable, start=0):
    if not isinstance(iterable, types.Generator):
        return None  # numba has the others

    def total(iterable, start=0):
        result = start
        for item in iterable:
            result = result + item
        return result

    return total


@overload(any, jit_options=INLINE)
def _any(iterable):
    def iterable_type(iterable):
        for item in iterable:  # noqa: SIM110 - this is `any`
            if item:
                return True
        return False

    return iterable_type if isinstance(iterable, types.IterableType) else None


@overload(all, jit_options=INLINE)
def _all(iterable):
    def iterable_type(iterable):
        for item in iterable:  # noqa: SIM110 - this is `all`
            if not item:
                return False
        return True

    return iterable_type if isinstance(iterable, types.IterableType) else None


@register_jitable(**INLINE)
def first_max(pairs):
    """The item of the first (key, item) with the greatest key."""
    remaining = iter(pairs)
    max_key, best = next(remaining)
    for key, item in remaining:
        if key > max_key:
            max_key, best = key, item
    return best


@register_jitable(**INLINE)
def first_min(pairs):
    """The item of the first (key, item) with the smallest key."""
    remaining = iter(pairs)
    min_key, best = next(remaining)
    for key, item in remaining:
        if key < min_key:
            min_key, best = key, item
    return best


@register_jitable(**INLINE)
def sorted_by_key(pairs, reverse=False):
    """The items of (key, item) pairs, sorted by key; those with equal keys keep their order."""
    keys = []
    items = []
    for key, item in pairs:
        keys.append(key)
        items.append(item)
        index = len(keys) - 1
        while index and (key > keys[index - 1] if reverse else key < keys[index - 1]):
            keys[index], items[index] = keys[index - 1], items[index - 1]
            index -= 1
        keys[index], items[index] = key, item
    return items
