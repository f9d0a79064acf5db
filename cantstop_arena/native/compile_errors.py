"""Compiler errors of bots as plain messages, with the line of the bot that caused them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

_PACKAGE_FOLDER = str(Path(__file__).parents[1])
_FRAME_LINE = re.compile(r'File "([^"\n]+)", line (\d+)')
_RAISED_AT = re.compile(r"Raised from (\S+) \((\d+)\)")
_SIGNATURE = re.compile(r">>> (\w+)\((.*)\)$", re.MULTILINE)
_COLOR = re.compile(r"\x1b\[[\d;]*m")  # numba highlights messages where colorama is installed
_MAX_LENGTH = 300
UNDEFINED = r"name '(\w+)' is not defined"
_NO_MESSAGE = "the compiler refuses it without a word"

_OPERATORS = {
    **dict.fromkeys(("add", "iadd"), "+"),
    **dict.fromkeys(("sub", "isub"), "-"),
    **dict.fromkeys(("mul", "imul"), "*"),
    **dict.fromkeys(("truediv", "itruediv"), "/"),
    **{"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=", "and_": "&"},
    **{"or_": "|", "mod": "%", "floordiv": "//", "pow": "**"},
}

_TYPE_NAMES: Sequence[tuple[str, str]] = (
    (r"BoundFunction.*'(\w+)'\).*", r"the method \1 without ()"),
    (r"Literal\[int\].*|u?int\d+", "a whole number"),
    (r"float\d+", "a number with a point"),
    (r"Literal\[str\].*|unicode_type", "a text"),
    (r"Literal\[bool\].*|bool", "true or false"),
    (r"slice.*", "a slice"),
    (r"(Uni)?Tuple\(.*", "a tuple"),
    (r"none", "nothing"),
    (r"OptionalType\(.*|Optional\(.*", "nothing on some ways through it"),
    (r"(reflected )?list\(.*", "a list"),
    (r"array\(.*", "an array"),
)


class BotWording(NamedTuple):
    """What messages call the types of a game, and what they know of its bots."""

    types: Sequence[tuple[str, str]]
    """Patterns of numba's names of types, and what the documentation calls these."""
    decisions: Sequence[str]
    """The names of the functions of a bot."""
    hint: Callable[[str, str], str]
    """A hint at the right name, given a type and the attribute that it lacks; or an empty text."""

    def type_text(self, type_name: str) -> str:
        """The documentation's term for a type, given numba's name of it."""
        for pattern, text in (*self.types, *_TYPE_NAMES):
            if re.fullmatch(pattern, type_name):
                return re.sub(pattern, text, type_name)
        return type_name


def plain_message(error: BaseException, wording: BotWording) -> str:
    """The cause of a compiler error in one sentence, with the file and line of the bot."""
    report = _COLOR.sub("", str(error))
    for pattern, explanation in _CAUSES:
        if match := re.search(pattern, report):
            return f"{explanation(match, wording)}{_source_line(report)}"
    signature = _innermost_signature(report)
    if signature and signature[0] not in wording.decisions:
        return f"{_unknown_call(*signature, wording)}{_source_line(report)}"
    return f"{_compiler_message(report)}{_source_line(report)}"


def _compiler_message(report: str) -> str:
    """The compiler's own message, for causes not in `_CAUSES`: the last before the bot's line."""
    frame = _first_line_of_bot(report)
    lines = [
        line.strip() for line in report[: frame.start() if frame else len(report)].splitlines()
    ]
    messages = [line for line in lines if line and not _CONTEXT_LINE.match(line)]
    return f"{(messages or lines or [_NO_MESSAGE])[-1 if frame else 0]:.{_MAX_LENGTH}}"


_CONTEXT_LINE = re.compile(
    r"Failed in|During: |No implementation|>>> |There are|- Of which|Overload"
)


def _source_line(report: str) -> str:
    """The first line of the bot's code in the report, as " (FILE:LINE)", else its function."""
    if frame := _first_line_of_bot(report) or _RAISED_AT.search(report):
        return f" ({frame[1]}:{frame[2]})"
    calls = [name for name, _ in _SIGNATURE.findall(report) if name[0] != "_"]
    return f" (in {calls[-1]})" if calls else ""


def _first_line_of_bot(report: str) -> re.Match[str] | None:
    return next(
        (frame for frame in _FRAME_LINE.finditer(report) if not _is_library_file(frame[1])), None
    )


def _is_library_file(file: str) -> bool:
    return str(Path(file).absolute().resolve()).startswith(_PACKAGE_FOLDER) or "numba/" in file


def _innermost_signature(report: str) -> tuple[str, str] | None:
    """The name and arguments of the call that does not compile: the last before the bot's line."""
    frame = _first_line_of_bot(report)
    signatures = _SIGNATURE.findall(report[: frame.start() if frame else len(report)])
    return signatures[-1] if signatures else None


def _unknown_call(name: str, arguments: str, wording: BotWording) -> str:
    kinds = [wording.type_text(argument) for argument in _split(arguments)]
    if "a slice" in kinds:
        return "what the table shows has no slices"
    if name in _OPERATORS and len(kinds) == 2:
        return f"unsupported operation: {kinds[0]} {_OPERATORS[name]} {kinds[1]}"
    if name == "getitem" and len(kinds) == 2:
        return f"{kinds[0]} cannot be looked up by {kinds[1]}"
    if name in ("bool", "truth"):
        return f"{', '.join(kinds)} has no truth of its own; ask for its len()"
    return f"{name}() does not take {', '.join(kinds) or 'nothing'}"


def _split(arguments: str) -> list[str]:
    """Arguments, split at the commas outside all brackets."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _unknown_attribute(match: re.Match[str], wording: BotWording) -> str:
    name, kind = match.groups()
    return f"{wording.type_text(kind)} has no {name!r}{wording.hint(kind, name)}"


def _wrong_return(match: re.Match[str], wording: BotWording) -> str:
    return f"{match[1]}, not {wording.type_text(match[2])}"


def _mixed_returns(match: re.Match[str], wording: BotWording) -> str:
    kinds = dict.fromkeys(map(wording.type_text, _split(match[1])))
    return f"what it returns is of different kinds: {', '.join(kinds)}"


def _two_kinds(match: re.Match[str], wording: BotWording) -> str:
    return f"{wording.type_text(match[1])} on one way, {wording.type_text(match[2])} on another"


def _mixed_variable(match: re.Match[str], wording: BotWording) -> str:
    return f"{match[3]} is of different kinds: {_two_kinds(match, wording)}"


def _not_iterable(match: re.Match[str], wording: BotWording) -> str:
    return f"{wording.type_text(match[1])} can be looked up, not iterated"


_Wording: TypeAlias = Callable[[re.Match[str], BotWording], str]


def _expanded(text: str) -> _Wording:
    return lambda match, wording: match.expand(text)


_CAUSES: Sequence[tuple[str, _Wording]] = (
    (UNDEFINED, _expanded(r"\1 is not defined")),
    (
        "use of yield in a closure|use of cell variable",
        _expanded("a generator expression with := cannot be compiled; write a loop"),
    ),
    (
        r"Untyped global name '(\w+)':.*<class 'builtin_function_or_method'>",
        _expanded(r"\1 cannot be compiled; write a loop"),
    ),
    (
        r"Untyped global name '(\w+)':.*<class 'type'>",
        _expanded(r"the class \1 cannot be used in a compiled bot"),
    ),
    (
        r"Untyped global name '(\w+)':.*<class 'function'>",
        _expanded(r"the function \1 of another module is not @compiled"),
    ),
    (
        r"Untyped global name '(\w+)':.*<class '(?:set|dict)'>",
        _expanded(r"\1 is a set or dict of the module; use a NumPy array"),
    ),
    (
        r"reflected list\(.*assigned to variable '(\w+)' in globals",
        _expanded(r"\1 is a list of the module; use a NumPy array or a tuple"),
    ),
    (
        r"Untyped global name '(\w+)': Cannot type empty list",
        _expanded(r"\1 is a list of the module; use a NumPy array or a tuple"),
    ),
    (
        r"Untyped global name '(\w+)':.*<class '([\w.]+)'>",
        _expanded(r"\1, which is a \2, cannot be used in a compiled bot"),
    ),
    ("format spec in f-strings", _expanded("a number cannot be formatted in a text")),
    (r"opcode \(STORE_GLOBAL\)", _expanded("a variable of the module cannot be changed (global)")),
    (r"opcode \(IMPORT_NAME\)", _expanded("import belongs at the top of the file")),
    (r"unsupported opcode \((\w+)\)", _expanded(r"this cannot be compiled (\1)")),
    (r"Can't unify return type from the following types: (.*)", _mixed_returns),
    (r"Cannot unify (.*) and (.*) for '\$\S+',", _two_kinds),
    (
        r"Cannot unify (.*) and (.*) for '(\w+)[.\d]*',",
        _mixed_variable,
    ),
    (
        "re-entrant to the same function",
        _expanded("a function that calls itself cannot be compiled; write a loop"),
    ),
    (
        "Cannot capture the non-constant value",
        _expanded("a lambda or inner function cannot be compiled here; write a loop"),
    ),
    (r"(\w+ must return [^,\n]*), not a value of type (.*)", _wrong_return),
    (r"Unknown attribute '(\w+)' of type (\w+)", _unknown_attribute),
    (
        r"Invalid use of getiter with parameters \((\w+)\)",
        _not_iterable,
    ),
    (r"missing a required argument: '(\w+)'", _expanded(r"a call lacks the argument \1")),
    (
        r"type of variable '(\w+)', have imprecise type",
        _expanded(r"it cannot be seen what \1 is to hold, since nothing is ever put into it"),
    ),
    (
        "Exception object cannot be stored",
        _expanded("an exception has no name here (except ... as)"),
    ),
    (r"The 'with \(context manager\)", _expanded("with cannot be compiled")),
    (
        r"Type of variable '\$\S+' cannot be determined",
        _expanded("the type of a value cannot be determined (is there a :=?)"),
    ),
)
