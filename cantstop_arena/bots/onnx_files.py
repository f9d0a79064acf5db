"""Files in the format ONNX: what a net takes and returns, and what it was trained for.

Read without a library, as the arena's own process does not load nets. A file is a message of
Protocol Buffers, `ModelProto` in https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, from which
the numbers of the fields are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from cantstop_arena.errors import BotError

METADATA = "cantstop_arena."
"""What the names of the project's metadata in a file begin with."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # kinds of fields
_ENDS = {_FIXED64: 8, _FIXED32: 4}
_MAX_DEPTH = 20  # of graphs inside operators
_MAX_FIELDS = 300_000  # of all messages; a net of 10,000 operators has some 200,000

_DOMAINS = ("", "ai.onnx", "ai.onnx.ml")  # of the operators that ONNX defines
_FLOAT = 1  # the type of tensors


class NetTensor(msgspec.Struct, frozen=True):
    """An input or output of a net: its name, its type, and its shape; None where any size fits."""

    name: str
    type: int
    shape: tuple[int | None, ...]


class NetFile(msgspec.Struct, frozen=True):
    """What the file of a net says of it."""

    inputs: tuple[NetTensor, ...]
    outputs: tuple[NetTensor, ...]
    metadata: Mapping[str, str]

    @property
    def observation_size(self) -> int | None:
        """The length of an observation; None if the file does not say."""
        return self.inputs[0].shape[1]

    @property
    def rows(self) -> int | None:
        """The rows that a batch must have; None if any number will do."""
        return self.inputs[0].shape[0]


def read_net(content: bytes) -> NetFile:
    """The net in a file. Raises BotError if it is none that the arena can play."""
    try:
        return _net_in(_Message(memoryview(content), iter(range(_MAX_FIELDS))))
    except (ValueError, IndexError, UnicodeDecodeError, RecursionError) as error:
        raise BotError("it is no file in the format ONNX, or it is damaged") from error


def _net_in(content: _Message) -> NetFile:
    model = _fields(content)
    graphs = _messages(model, 7)
    if not graphs:
        raise ValueError("no graph")
    functions = [_fields(function) for function in _messages(model, 25)]
    own_domains = {_text(function, 10) for function in functions}
    graph = _fields(graphs[-1])
    _check_graph(graph, own_domains, 0)
    for function in functions:
        _check_nodes(_messages(function, 7), own_domains, 0)
    constants = {_text(_fields(tensor), 8) for tensor in _messages(graph, 5)}
    inputs = [_tensor(_fields(value)) for value in _messages(graph, 11)]
    inputs = [tensor for tensor in inputs if tensor.name not in constants]
    outputs = [_tensor(_fields(value)) for value in _messages(graph, 12)]
    _check_input(inputs)
    entries = [_fields(entry) for entry in _messages(model, 14)]
    metadata = {_text(entry, 1): _text(entry, 2) for entry in entries}
    return NetFile(tuple(inputs), tuple(outputs), metadata)


def _check_input(inputs: Sequence[NetTensor]) -> None:
    names = ", ".join(tensor.name for tensor in inputs) or "none"
    if len(inputs) != 1:
        raise BotError(f"it must have one input, the observations; it has {names}")
    if len(inputs[0].shape) != 2 or inputs[0].type != _FLOAT:
        raise BotError(
            f"its input {names} must be float32 of the shape (rows, numbers of an observation)"
        )


def _check_graph(graph: _Fields, own_domains: set[str], depth: int) -> None:
    """Raise BotError for operators and data that are not in the file."""
    if depth > _MAX_DEPTH:
        raise ValueError("graphs in graphs")
    for tensor in _messages(graph, 5):
        _check_tensor(tensor)
    for sparse in _messages(graph, 15):
        _check_sparse(sparse)
    _check_nodes(_messages(graph, 1), own_domains, depth)


def _check_nodes(nodes: Sequence[_Message], own_domains: set[str], depth: int) -> None:
    for node in map(_fields, nodes):
        domain = _text(node, 7)
        if domain not in _DOMAINS and domain not in own_domains:
            raise BotError(
                f"its operator {_text(node, 4)} of {domain} is none of ONNX's own, which alone are"
                " played"
            )
        for attribute in map(_fields, _messages(node, 5)):
            for tensor in (*_messages(attribute, 5), *_messages(attribute, 10)):
                _check_tensor(tensor)
            for sparse in (*_messages(attribute, 22), *_messages(attribute, 23)):
                _check_sparse(sparse)
            for graph in (*_messages(attribute, 6), *_messages(attribute, 11)):
                _check_graph(_fields(graph), own_domains, depth + 1)


def _check_sparse(sparse: _Message) -> None:
    for tensor in (*_messages(_fields(sparse), 1), *_messages(_fields(sparse), 2)):
        _check_tensor(tensor)


def _check_tensor(tensor: _Message) -> None:
    fields = _fields(tensor)
    if _messages(fields, 13) or any(location == 1 for location in fields.get(14, ())):
        raise BotError(
            "its weights are in another file: export them into the same one (external_data=False)"
        )


def _tensor(value: _Fields) -> NetTensor:
    types = [_fields(kind) for kind in _messages(value, 2)]
    tensors = [_fields(tensor) for kind in types for tensor in _messages(kind, 1)]
    if not tensors:
        return NetTensor(_text(value, 1), 0, ())
    shapes = [_fields(shape) for shape in _messages(tensors[-1], 2)]
    sizes = [_fields(size) for shape in shapes for size in _messages(shape, 1)]
    shape = tuple(_number(size, 1) or None for size in sizes)
    return NetTensor(_text(value, 1), _number(tensors[-1], 1), shape)


# Protocol Buffers -------------------------------------------------------------------------------


class _Message(NamedTuple):
    """A message, and a number for each field of its file that may still be read."""

    content: memoryview
    budget: Iterator[int]


_Fields = dict[int, list[int | _Message]]
"""The values of a message's fields, by number."""


def _fields(message: _Message) -> _Fields:
    fields: _Fields = {}
    for number, value in _values(message):
        fields.setdefault(number, []).append(value)
    return fields


def _values(parent: _Message) -> Iterator[tuple[int, int | _Message]]:
    message, budget = parent
    at = 0
    while at < len(message):
        if next(budget, None) is None:
            raise BotError(f"it has more than {_MAX_FIELDS:,} parts, as no net that can play has")
        key, at = _varint(message, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield number, value
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        else:
            size = _ENDS.get(kind, -1)
        if size < 0 or at + size > len(message):
            raise ValueError("a field without an end")
        yield number, _Message(message[at : at + size], budget)
        at += size


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A whole number in groups of seven bits, and the index after it."""
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number without an end")


def _messages(fields: _Fields, number: int) -> list[_Message]:
    return [value for value in fields.get(number, ()) if isinstance(value, _Message)]


def _text(fields: _Fields, number: int) -> str:
    texts = _messages(fields, number)
    return bytes(texts[-1].content).decode() if texts else ""


def _number(fields: _Fields, number: int) -> int:
    numbers = [value for value in fields.get(number, ()) if isinstance(value, int)]
    return numbers[-1] if numbers else 0
