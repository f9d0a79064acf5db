"""Files in the format ONNX: what a net takes and returns, and what it was trained for.

Read without a library, as the arena's own process does not load nets. A file is a message of
Protocol Buffers, `ModelProto` in https://github.com/onnx/onnx/blob/main/onnx/onnx.proto, from which
the numbers of the fields are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import msgspec

from cantstop_arena.errors import BotError

METADATA = "cantstop_arena."
"""What the names of the project's metadata in a file begin with."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # kinds of fields
_ENDS = {_FIXED64: 8, _FIXED32: 4}
_MAX_DEPTH = 20  # of graphs inside operators
_MAX_FIELDS = 200_000  # a net of a thousand layers has some 20,000

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
        return _net_in(_Message(memoryview(content), count()))
    except (ValueError, IndexError, UnicodeDecodeError, RecursionError) as error:
        raise BotError("it is no file in the format ONNX, or it is damaged") from error


def _net_in(model: _Message) -> NetFile:
    graphs = model.messages(7)
    if not graphs:
        raise ValueError("no graph")
    graph, functions = graphs[-1], model.messages(25)
    own_domains = {function.text(10) for function in functions}
    _check_graph(graph, own_domains, 0)
    for function in functions:
        _check_nodes(function.messages(7), own_domains, 0)
    constants = {tensor.text(8) for tensor in graph.messages(5)}
    inputs = [_tensor(value) for value in graph.messages(11)]
    inputs = [tensor for tensor in inputs if tensor.name not in constants]
    outputs = [_tensor(value) for value in graph.messages(12)]
    _check_input(inputs)
    metadata = {entry.text(1): entry.text(2) for entry in model.messages(14)}
    return NetFile(tuple(inputs), tuple(outputs), metadata)


def _check_input(inputs: Sequence[NetTensor]) -> None:
    names = ", ".join(tensor.name for tensor in inputs) or "none"
    if len(inputs) != 1:
        raise BotError(f"it must have one input, the observations; it has {names}")
    if len(inputs[0].shape) != 2 or inputs[0].type != _FLOAT:
        raise BotError(
            f"its input {names} must be float32 of the shape (rows, numbers of an observation)"
        )


def _check_graph(graph: _Message, own_domains: set[str], depth: int) -> None:
    """Raise BotError for operators and data that are not in the file."""
    if depth > _MAX_DEPTH:
        raise ValueError("graphs in graphs")
    for tensor in graph.messages(5):
        _check_tensor(tensor)
    for sparse in graph.messages(15):
        _check_sparse(sparse)
    _check_nodes(graph.messages(1), own_domains, depth)


def _check_nodes(nodes: Sequence[_Message], own_domains: set[str], depth: int) -> None:
    for node in nodes:
        domain = node.text(7)
        if domain not in _DOMAINS and domain not in own_domains:
            raise BotError(
                f"its operator {node.text(4)} of {domain} is none of ONNX's own, which alone are"
                " played"
            )
        for attribute in node.messages(5):
            for tensor in attribute.messages(5, 10):
                _check_tensor(tensor)
            for sparse in attribute.messages(22, 23):
                _check_sparse(sparse)
            for graph in attribute.messages(6, 11):
                _check_graph(graph, own_domains, depth + 1)


def _check_sparse(sparse: _Message) -> None:
    for tensor in sparse.messages(1, 2):
        _check_tensor(tensor)


def _check_tensor(tensor: _Message) -> None:
    if tensor.messages(13) or 1 in tensor.fields.get(14, ()):
        raise BotError(
            "its weights are in another file: export them into the same one (external_data=False)"
        )


def _tensor(value: _Message) -> NetTensor:
    tensors = [tensor for kind in value.messages(2) for tensor in kind.messages(1)]
    if not tensors:
        return NetTensor(value.text(1), 0, ())
    sizes = [size for shape in tensors[-1].messages(2) for size in shape.messages(1)]
    shape = tuple(size.number(1) or None for size in sizes)
    return NetTensor(value.text(1), tensors[-1].number(1), shape)


# Protocol Buffers -------------------------------------------------------------------------------


class _Message:
    """The values of a message's `fields`, by number; `field_count` is shared by those of a file.

    Raises ValueError for what is no message, and BotError for a file with too many fields.
    """

    def __init__(self, content: memoryview, field_count: Iterator[int]) -> None:
        self.fields: dict[int, list[int | memoryview]] = {}
        self._field_count = field_count
        for number, value in _values(content):
            if next(field_count) == _MAX_FIELDS:
                raise BotError(
                    f"it has more than {_MAX_FIELDS:,} nodes, tensors and names of them, or it is"
                    " damaged: export a smaller net"
                )
            self.fields.setdefault(number, []).append(value)

    def messages(self, *numbers: int) -> list[_Message]:
        """The messages inside."""
        return [_Message(value, self._field_count) for value in self._bytes(*numbers)]

    def text(self, number: int) -> str:
        """The last text of this number; empty if there is none."""
        texts = self._bytes(number)
        return bytes(texts[-1]).decode() if texts else ""

    def number(self, number: int) -> int:
        """The last whole number of this number; 0 if there is none."""
        numbers = [value for value in self.fields.get(number, ()) if isinstance(value, int)]
        return numbers[-1] if numbers else 0

    def _bytes(self, *numbers: int) -> list[memoryview]:
        values = (value for number in numbers for value in self.fields.get(number, ()))
        return [value for value in values if isinstance(value, memoryview)]


def _values(message: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(message):
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
        yield number, message[at : at + size]
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
