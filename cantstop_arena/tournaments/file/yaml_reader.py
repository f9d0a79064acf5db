"""YAML text as a tree of nodes, read as checked values with the location of every problem.

Unquoted values are parsed leniently, not as YAML 1.1 does: `1e6` is a number, `017`
and `2024-05-01` are text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from yaml import MappingNode, ScalarNode, SequenceNode
from yaml.composer import ComposerError
from yaml.reader import ReaderError

from cantstop_arena.errors import ConfigError, Problem, UsageError
from cantstop_arena.game_api.bot_options import MAX_QUOTE_LENGTH, did_you_mean
from cantstop_arena.texts import beginning_of
from cantstop_arena.tournaments.file.keys import hint_at_key

_GROUPED = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")


class Entry(NamedTuple):
    """One entry of a mapping: the nodes of its key and its value."""

    key: Node
    value: Node


class Reader:
    """Converts the nodes of one file to values, and collects all problems.

    An invalid value is reported and replaced by a valid one, so that reading continues. If `text`
    is given, it is read instead of the file.
    """

    def __init__(self, path: Path, text: str | None = None) -> None:
        self.file = str(path)
        self.root, self._refused = compose(path, text)
        self._listed: dict[frozenset[str], Location] = {}  # known keys: where a message lists them
        self.problems = [
            Problem(self.file, *location, why) for location, why in self._refused.items()
        ]

    def located(self, node: Node, message: str) -> str:
        """A message with the location of a node, for what is no problem."""
        return str(Problem(self.file, *line_and_column(node), message))

    def complain(self, node: Node, message: str) -> None:
        """Add a problem once, unless the node has been refused when it was parsed."""
        location = line_and_column(node)
        problem = Problem(self.file, *location, message)
        if location not in self._refused and problem not in self.problems:
            self.problems.append(problem)

    def finish(self) -> None:
        """Raise ConfigError if there are problems."""
        if self.problems:
            raise ConfigError(self.problems)

    def mapping(
        self, node: Node, what: str, allowed: Collection[str] | None = None
    ) -> dict[str, Entry]:
        """The entries of a mapping by key; keys must be among `allowed` and may not repeat."""
        entries: dict[str, Entry] = {}
        for key, entry in self._entries(node, what):
            if key in entries:
                line, _ = line_and_column(entries[key].key)
                self.complain(entry.key, f"{quoted(key)} stands here again, after line {line}")
            elif allowed is not None and key not in allowed:
                location = line_and_column(entry.key)
                is_first = self._listed.setdefault(frozenset(allowed), location) == location
                names = f"; known: {', '.join(allowed)}" if is_first else ""
                hint = hint_at_key(key, allowed)
                self.complain(entry.key, f"unknown key {quoted(key)}{hint}{names}")
            entries.setdefault(key, entry)
        return entries

    def _entries(self, node: Node, what: str) -> Iterator[tuple[str, Entry]]:
        if not isinstance(node, MappingNode):
            self.complain(node, f"{what} must be a mapping (key: value), not {node_text(node)}")
            return
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                self.complain(key, f"a key must be a word, not {node_text(key)}")
            elif key.value == "<<":
                self.complain(key, "merging with << is not supported; write the keys out")
            else:
                yield key.value, Entry(key, value)

    def items(self, node: Node, what: str) -> list[Node]:
        """The items of a list."""
        if isinstance(node, SequenceNode):
            return list(node.value)
        self.complain(node, f"{what} must be a list, not {node_text(node)}")
        return []

    def integer(self, entry: Entry | None, what: str, span: range, default: int) -> int:
        """An integer in `span`; an invalid one is replaced by the lowest, which needs least."""
        if entry is None:
            return default
        value = converted_losslessly(self.plain(entry.value), default)
        text = node_text(entry.value)
        if _GROUPED.fullmatch(text):  # 1.000 is a thousand in half of Europe, and 1 in YAML
            hint = f"; for {text.replace('.', ',')} write {text.replace('.', '')}"
        elif type(value) is int and value in span:
            return value
        else:
            hint = ""
        self.complain(entry.value, f"{what} must be {range_text(span)}, not {text}{hint}")
        return span[0]

    def seconds(self, entry: Entry | None, what: str, maximum: float, default: float) -> float:
        """A time in seconds, above 0 and up to `maximum`, which replaces an invalid one."""
        if entry is None:
            return default
        value = converted_losslessly(self.plain(entry.value), default)
        if type(value) is float and 0 < value <= maximum:
            return value
        must = f"a number of seconds above 0, up to {maximum:g}"
        self.complain(entry.value, f"{what} must be {must}, not {node_text(entry.value)}")
        return maximum

    def amount(self, entry: Entry, what: str, minimum: float, maximum: float) -> float:
        """A number from `minimum` to `maximum`, which replaces an invalid one."""
        value = converted_losslessly(self.plain(entry.value), maximum)
        if type(value) is float and minimum <= value <= maximum:
            return value
        must = f"a number from {minimum:g} to {maximum:g}"
        self.complain(entry.value, f"{what} must be {must}, not {node_text(entry.value)}")
        return maximum

    def choice(self, entry: Entry | None, what: str, choices: Sequence[str]) -> str:
        """One of the `names`; the first when there is no entry."""
        word = self.text(entry.value, what) if entry else None
        if entry is None or word is None:
            return choices[0]
        if word not in choices:
            hint = did_you_mean(word.lower(), choices)
            must = f"{what} must be {' or '.join(choices)}, not {quoted(word)}{hint}"
            self.complain(entry.value, must)
        return word

    def flag(self, entry: Entry | None, what: str, default: bool) -> bool:
        """True or false."""
        if entry is None:
            return default
        value = self.plain(entry.value)
        if not isinstance(value, bool):
            self.complain(
                entry.value, f"{what} must be true or false, not {node_text(entry.value)}"
            )
        return value is True

    def text(self, node: Node, what: str) -> str | None:
        """A text; None when there is none, which is reported."""
        value = scalar(node) if isinstance(node, ScalarNode) else None
        if isinstance(value, str):
            return value
        mendable = isinstance(node, ScalarNode) and node.value
        hint = f"; if the text {node.value} is meant, put it in quotes" if mendable else ""
        self.complain(node, f"{what} must be text, not {node_text(node)}{hint}")
        return None

    def plain(self, node: Node) -> Any:
        """The value of any node, as plain data."""
        if isinstance(node, MappingNode):
            entries = self.mapping(node, "a mapping")
            return {key: self.plain(entry.value) for key, entry in entries.items()}
        if isinstance(node, SequenceNode):
            return [self.plain(item) for item in node.value]
        assert isinstance(node, ScalarNode)
        return scalar(node)


def is_mapping(node: Node) -> bool:
    """Whether a node is a mapping."""
    return isinstance(node, MappingNode)


def is_list(node: Node) -> bool:
    """Whether a node is a list."""
    return isinstance(node, SequenceNode)


def converted_losslessly(value: Any, default: Any) -> Any:
    """A value in the type of its default if nothing is lost: 28.0 as 28, a list as a tuple."""
    if type(default) is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if type(default) is float and type(value) is int:
        return float(value)
    if isinstance(default, tuple) and isinstance(value, list):
        return tuple(converted_losslessly(item, default[0] if default else None) for item in value)
    return value


def range_text(span: range) -> str:
    """The text for an integer in a span, to follow "must be"."""
    return f"a whole number from {span[0]} to {span[-1]}"


def node_text(node: Node) -> str:
    """The text for the value of a node, to follow "must be …, not"."""
    if not isinstance(node, ScalarNode):
        return "a mapping" if is_mapping(node) else "a list"
    if isinstance(scalar(node), str):
        quotes = "" if isinstance(plain_value(node.value), str) else " in quotes"
        return quoted(node.value) + quotes
    return node.value or "nothing"


def quoted(text: str) -> str:
    """A text in quotes for a message: on one line, and shortened if too long."""
    return repr(beginning_of(text, MAX_QUOTE_LENGTH))


def unknown_word(kind: str, word: str, names: Collection[str]) -> str:
    """The message about a word that is none of the `names`."""
    hint = did_you_mean(word.lower(), names)
    return f"unknown {kind} {quoted(word)}{hint}; known: {', '.join(names)}"


MAX_BYTES = 1 << 18
MAX_LEVELS = 20
MAX_NUMBER_LENGTH = 100

Node = yaml.Node
Location = tuple[int, int]
Refusals = dict[Location, str]
Scalar = None | bool | int | float | str


def line_and_column(node: Node) -> Location:
    """The location of the first character of a node: line and column, from 1."""
    return _location(node.start_mark)


def _location(mark: Any) -> Location:
    return mark.line + 1, mark.column + 1


def scalar(node: yaml.ScalarNode) -> Scalar:
    """The value of a scalar node; in quotes it is always text."""
    return str(node.value) if node.style else plain_value(node.value)


def plain_value(text: str) -> Scalar:
    """The value of a word without quotes."""
    word = text.lower()
    if word in _LITERALS:
        return _LITERALS[word]
    number = _number(text)
    return text if number is None else number


_LITERALS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null")),
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
}
# A leading zero means octal in YAML 1.1 and decimal in YAML 1.2: such words are text here.
_NUMERIC = re.compile(r"[-+]?(?!0[0-9_])\.?[0-9][0-9a-zA-Z_.+-]*")


def _number(text: str) -> int | float | None:
    if len(text) > MAX_NUMBER_LENGTH or not _NUMERIC.fullmatch(text):
        return None
    with suppress(ValueError):
        return int(text, base=0)
    with suppress(ValueError):
        number = float(text)
        return number if math.isfinite(number) else None
    return None


def compose(path: Path, text: str | None = None) -> tuple[Node, Refusals]:
    """The tree of a file or of `text`, and the refused nodes: messages by location.

    Raises ConfigError when the text cannot be parsed or is empty.
    """
    text = _text_of(path) if text is None else text
    try:
        composer = _Composer(text)
    except ReaderError as error:
        message = f"the character U+{error.character:04X} is not allowed"
        raise _fatal(path, message, _end(text[: error.position])) from None
    try:
        root = composer.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark or composer.get_mark()
        raise _fatal(path, _yaml_error_text(error), _location(mark)) from None
    except (ValueError, OverflowError):  # by escapes such as "\UFFFFFFFF"
        raise _fatal(path, "this is no valid YAML", _location(composer.get_mark())) from None
    if root is None:
        raise _fatal(path, "this file is empty")
    return root, composer.refused


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except IsADirectoryError:
        raise UsageError(f"{path} is a folder, not a file") from None
    except OSError as error:
        raise _fatal(path, f"this file cannot be read: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise _fatal(path, f"this file is longer than {MAX_BYTES} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", "replace")
        raise _fatal(path, "this is not text in UTF-8", _end(before)) from None


class _Composer(yaml.SafeLoader):
    """Composes a small tree of plain data; refuses tags, aliases and deep nesting."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.refused: Refusals = {}
        self._level = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent):
            return self._alias_placeholder(self.get_event())  # type: ignore[no-untyped-call]
        if getattr(event, "tag", None) is not None:
            self.refused[_location(event.start_mark)] = "tags (!…) are not supported; leave it out"
        if self._level == MAX_LEVELS:
            raise ComposerError(None, None, "this is nested too deeply", event.start_mark)
        self._level += 1
        node = super().compose_node(parent, index)
        self._level -= 1
        return node

    def _alias_placeholder(self, alias: Any) -> Node:
        message = "aliases (*…) are not supported; write the value out"
        self.refused[_location(alias.start_mark)] = message
        return yaml.ScalarNode("", "", alias.start_mark, alias.end_mark)


def _yaml_error_text(error: yaml.MarkedYAMLError) -> str:
    description = ", ".join(part for part in (error.context, error.problem) if part)
    hint = "; indent with spaces, not with tabs" if "'\\t'" in description else ""
    return f"this is no valid YAML: {description}{hint}"


def _fatal(path: Path, message: str, location: Location = (1, 1)) -> ConfigError:
    return ConfigError([Problem(str(path), *location, message)])


def _end(text: str) -> Location:
    """The location after the last character of a text."""
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def dump(mapping: Mapping[str, Any]) -> str:
    """A mapping as YAML, with its keys in order, which is parsed to the same values."""
    return yaml.dump(
        dict(mapping),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )


class _Dumper(yaml.SafeDumper):
    """Quotes every text that would be parsed as another type, and writes no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted_if_needed(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None if isinstance(plain_value(text), str) else "'"
    if not text.isprintable():  # PyYAML loses a single U+0085 except in double quotes
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _quoted_if_needed)
