"""Checks answers of bots, and converts them to new objects of plain values.

Checks use `type(answer)`, since an object can lie about its `__class__`.
"""

from dataclasses import fields, is_dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import numpy as np

from cantstop_arena.texts import attribute_text, in_a_line, type_name

_PLAIN = (int, float, str, bool, list, tuple, set, frozenset, dict, NoneType)
_MAX_LENGTH = 60  # characters of an answer in a message


class IllegalAnswer(Exception):
    """A bot's answer is illegal. The message is one line."""


def index_among(name: str, answer: object, count: int) -> int:
    """An answer as the index of one of `count` moves. Raises IllegalAnswer."""
    if type(answer) is int and 0 <= answer < count:  # the usual case, checked fast
        return answer
    if not _is_integer_type(answer):
        raise IllegalAnswer(f"{name} must return an index, not {short(answer)}")
    index = _plain_int(answer)
    if not 0 <= index < count:
        raise IllegalAnswer(f"{name} returned {short(index)}; moves are 0 to {count - 1}")
    return index


def checked_bool(name: str, answer: object) -> bool:
    """An answer as bool; NumPy's bool and integers are allowed. Raises IllegalAnswer."""
    if answer is True or answer is False:
        return answer
    if issubclass(type(answer), np.bool_):
        return bool(answer)
    if not _is_integer_type(answer):
        raise IllegalAnswer(f"{name} must return True or False, not {short(answer)}")
    return _plain_int(answer) != 0


def checked_integer(name: str, answer: object) -> int:
    """An answer as int; NumPy's integers are allowed. Raises IllegalAnswer."""
    if not _is_integer_type(answer):
        raise IllegalAnswer(f"{name} must return a whole number, not {short(answer)}")
    return _plain_int(answer)


def convert_answer(name: str, answer: object, expected: Any) -> Any:
    """An answer converted to the type `expected`, such as a dataclass, a float, a tuple or None.

    Also accepts what JSON has in their place: lists for tuples, objects for dataclasses, and texts
    for keys. Raises IllegalAnswer.
    """
    kinds = get_args(expected) if get_origin(expected) in (Union, UnionType) else (expected,)
    if type(answer) in kinds and is_dataclass(answer) and not isinstance(answer, type):
        plain: Any = {field.name: getattr(answer, field.name, None) for field in fields(answer)}
    elif type(answer) in _PLAIN and not _is_endless(answer):
        plain = answer
    else:
        raise IllegalAnswer(f"{name} must return {_named(kinds)}, not {short(answer)}")
    import msgspec  # not needed for answers in Can't Stop

    try:
        return msgspec.convert(plain, expected, strict=True, str_keys=True)
    except (msgspec.ValidationError, RecursionError) as error:
        complaint = in_a_line(str(error), 2 * _MAX_LENGTH)
        raise IllegalAnswer(
            f"{name} must return {_named(kinds)}, not {short(answer)}: {complaint}"
        ) from None


def short(value: object) -> str:
    """The repr of a value for a message: on one line, shortened, and safe if the repr fails."""
    return in_a_line(attribute_text(value, repr) or f"a {type_name(value)}", _MAX_LENGTH)


def _is_integer_type(answer: object) -> bool:
    kind = type(answer)
    return issubclass(kind, int | np.integer) and not issubclass(kind, bool)


def _is_endless(answer: object) -> bool:
    """Whether it is a float that JSON cannot represent: an infinity or NaN."""
    return type(answer) is float and not isfinite(answer)


def _plain_int(answer: object) -> int:
    """The value as a plain int, without calling methods of the bot's class."""
    plain = issubclass(type(answer), int)
    return int.__index__(answer) if plain else int(np.int64(answer))  # type: ignore[arg-type]


def _named(kinds: tuple[Any, ...]) -> str:
    return " or ".join(map(_name, kinds))


def _name(kind: Any) -> str:
    if kind is NoneType:
        return "None"
    return str(kind) if get_args(kind) else getattr(kind, "__name__", str(kind))
