"""Options of bots: keyword parameters with defaults, and the check of given values."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from cantstop_arena.bounded_files import digest_of_file
from cantstop_arena.errors import BotError

MAX_QUOTE_LENGTH = 60  # characters of what a user wrote, in a message
MAX_DEPTH = 20  # lists in each other, in a default


@dataclass(frozen=True)
class Search:
    """How `arena tune` searches for the numbers of an option that is a list of numbers.

    The search begins at `start`; `steps` are useful changes of each number, 0 keeps it constant. A
    `live` bot is built with a NumPy array and plays with the current numbers in it. As annotation:
    `numbers: Annotated[tuple[float, ...], Search(start, steps)]`.
    """

    start: tuple[float, ...]
    steps: tuple[float, ...]
    live: bool = False


@dataclass(frozen=True)
class FilePath:
    """An option is the path of a file that the bot plays with, or empty.

    The file's content is then part of the bot's identity. As annotation:
    `nets: Annotated[str, FilePath()]`. For a built-in bot, `usual` are the files used if the option
    is empty.
    """

    usual: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Option:
    """One option: its default, and what its annotation declares.

    That is its possible values (`choices`), how it is tuned, or that it is the path of a file, with
    the `usual` files if it is empty.
    """

    name: str
    default: Any
    choices: tuple[Any, ...] = ()
    search: Search | None = None
    is_file: bool = False
    usual: tuple[Path, ...] = ()

    def fault(self, value: object) -> str | None:
        """What is wrong with a value, as text; None when it is valid."""
        if self.choices:
            return None if value in self.choices else self._not_a_choice(value)
        if value == self.default and type(value) is type(self.default):
            return None
        expected = _KINDS.get(type(self.default))
        if self.is_file:
            expected = (str,), "the path of a file"
        if expected is None:
            return None
        kinds, description = expected
        fits = isinstance(value, kinds) and (isinstance(value, bool) == (kinds == (bool,)))
        return None if fits else f"must be {description}, not {value!r:.{MAX_QUOTE_LENGTH}}"

    def _not_a_choice(self, value: object) -> str:
        listed = " or ".join(map(str, self.choices))
        hint = did_you_mean(str(value), map(str, self.choices))
        return f"must be {listed}, not {value!r:.{MAX_QUOTE_LENGTH}}{hint}"


_KINDS: Mapping[type, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "a text"),
    list: ((list, tuple), "a list"),
    tuple: ((list, tuple), "a list"),
    type(None): ((int, float, str), "a number or a text"),
}


def options_of(function: Callable[..., Any], skip: int = 0) -> dict[str, Option]:
    """The options among a function's parameters, after the first `skip`.

    Raises BotError when a default cannot be written in a tournament file.
    """
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    choices, searches = _listed_choices(function), dict(_notes(function, Search))
    files = dict(_notes(function, FilePath))
    for parameter in parameters:
        if parameter.default is not parameter.empty and not is_plain(parameter.default):
            default = f"{parameter.default!r:.{MAX_QUOTE_LENGTH}}"
            raise BotError(f"option {parameter.name} has the default {default}; {_PLAIN}")
        if parameter.name in files and not isinstance(parameter.default, str | None):
            default = f"{parameter.default!r:.{MAX_QUOTE_LENGTH}}"
            raise BotError(f"option {parameter.name} has the default {default}; {_PATH}")
    return {
        name: Option(
            name,
            default,
            choices.get(name, ()),
            searches.get(name),
            name in files,
            files[name].usual if name in files else (),
        )
        for parameter in parameters
        for name, default in [(parameter.name, parameter.default)]
        if default is not parameter.empty
    }


_PATH = 'a file is named by a text: FilePath() has the default "" or the path of a file'
_PLAIN = "a default must be a number, a text, true, false, null or a list of these"


def is_plain(value: object, depth: int = MAX_DEPTH) -> bool:
    """Whether a value can be written in a tournament file; lists in lists up to a depth."""
    if isinstance(value, list | tuple):
        return depth > 0 and all(is_plain(item, depth - 1) for item in value)
    if isinstance(value, float):
        return isfinite(value)
    return value is None or type(value) in (bool, int, str)


def _listed_choices(function: Callable[..., Any]) -> dict[str, tuple[Any, ...]]:
    hints = _hints(function)
    return {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}


def _notes(function: Callable[..., Any], kind: type[Any]) -> Iterator[tuple[str, Any]]:
    """The annotations of a type, as pairs of option and annotation."""
    for name, hint in _hints(function).items():
        yield from ((name, note) for note in get_args(hint) if isinstance(note, kind))


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    annotated = function.__init__ if inspect.isclass(function) else function
    try:
        return get_type_hints(annotated, include_extras=True)
    except Exception:  # a bot is not refused for an annotation with an undefined name
        return {}


def find_faults(options: Mapping[str, Option], given: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with given options, as (option, message) pairs."""
    faults = []
    for name, value in given.items():
        if name not in options:
            faults.append((name, _unknown(name, options)))
        elif message := options[name].fault(value):
            faults.append((name, f"option {name} {message}"))
    return faults


def files_among(options: Mapping[str, Option], given: Mapping[str, Any]) -> dict[str, str]:
    """Digests by option, for the options whose values are paths of files or that have usual files.

    Files are those that the user names: a default is the bot's own word, and never opened here.
    """
    files = {name: option for name, option in options.items() if option.is_file}
    digests = {name: _digest_of_named(option, given[name]) for name, option in files.items()}
    return {name: digest for name, digest in digests.items() if digest}


def _digest_of_named(option: Option, path: str | None) -> str:
    """The digest of the file at `path`, else of the usual files; empty if there are none."""
    if path and path != option.default:
        return digest_of_file(path)
    if not option.usual:
        return ""
    import hashlib

    return hashlib.sha256("".join(map(digest_of_file, option.usual)).encode()).hexdigest()


def _unknown(name: str, options: Iterable[str]) -> str:
    names = ", ".join(options)
    quoted = f"{name!r:.{MAX_QUOTE_LENGTH}}{did_you_mean(name, options)}"
    return f"unknown option {quoted}; options: {names or 'none'}"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A hint at the name that is most similar, for a message; empty if there is none."""
    import difflib

    near = difflib.get_close_matches(name, list(names), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def with_options(name: str, options: Mapping[str, Any]) -> str:
    """A name followed by options, as on the command line: `rule28:threshold=30`."""
    text = ",".join(f"{key}={_value_text(value)}" for key, value in options.items())
    return f"{name}:{text}" if text else name


def _value_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
