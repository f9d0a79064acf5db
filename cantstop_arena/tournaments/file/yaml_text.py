"""Parsing YAML text to a tree of nodes with locations, and writing data as YAML text.

Unquoted values are parsed leniently, not as YAML 1.1 does: `1e6` is a number, `017`
and `2024-05-01` are text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.reader import ReaderError

from cantstop_arena.errors import ConfigError, Problem, UsageError

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
