"""Compiler errors of bots as plain messages, with the line of the bot that caused them."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.games.cantstop.turn import Turn

_GAME_FOLDER = str(Path(__file__).parents[1])
_FRAME_LINE = re.compile(r'File "([^"\n]+)", line (\d+)')
_RAISED_AT = re.compile(r"Raised from (\S+) \((\d+)\)")
_SIGNATURE = re.compile(r">>> (\w+)\((.*)\)$", re.MULTILINE)
_MAX_LENGTH = 300
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
    (r"Spaces", "what is kept by column"),
    (r"Columns", "a set of columns"),
    (r"Moves", "the moves"),
    (r"Move", "a move"),
    (r"Rivals", "the rivals"),
    (r"RivalClaims", "the rivals' claims"),
    (r"Rules", "turn.rules"),
    (r"Turn", "turn"),
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


def plain_message(error: BaseException) -> str:
    """The cause of a compiler error in one sentence, with the file and line of the bot."""
    report = str(error)
    for pattern, sentence in _CAUSES:
        if match := re.search(pattern, report):
            return f"{sentence(match)}{_source_line(report)}"
    signature = _innermost_signature(report)
    text = _unknown_call(*signature) if signature else _compiler_message(report)
    return f"{text}{_source_line(report)}"


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
    return str(Path(file).absolute().resolve()).startswith(_GAME_FOLDER) or "numba/" in file


def _innermost_signature(report: str) -> tuple[str, str] | None:
    """The name and arguments of the call that does not compile: the last before the bot's line."""
    frame = _first_line_of_bot(report)
    signatures = _SIGNATURE.findall(report[: frame.start() if frame else len(report)])
    return (
        signatures[-1]
        if signatures and signatures[-1][0] not in ("choose_move", "roll_again")
        else None
    )


def _unknown_call(name: str, arguments: str) -> str:
    kinds = [type_term(argument) for argument in _split(arguments)]
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


def type_term(type_name: str) -> str:
    """The documentation's term for a type, given numba's name of it."""
    for pattern, text in _TYPE_NAMES:
        if re.fullmatch(pattern, type_name):
            return re.sub(pattern, text, type_name)
    return type_name


def _unknown_attribute(match: re.Match[str]) -> str:
    name, kind = match.groups()
    hint = (
        did_you_mean(name, [attribute for attribute in dir(Turn) if attribute[0] != "_"])
        if kind == "Turn"
        else ""
    )
    return f"{type_term(kind)} has no {name!r}{hint}"


def _wrong_return(match: re.Match[str]) -> str:
    return f"{match[1]}, not {type_term(match[2])}"


def _mixed_returns(match: re.Match[str]) -> str:
    kinds = dict.fromkeys(map(type_term, _split(match[1])))
    return f"what it returns is of different kinds: {', '.join(kinds)}"


def _two_kinds(match: re.Match[str]) -> str:
    return f"{type_term(match[1])} on one way, {type_term(match[2])} on another"


def _expanded(text: str) -> Callable[[re.Match[str]], str]:
    return lambda match: match.expand(text)


_CAUSES: Sequence[tuple[str, Callable[[re.Match[str]], str]]] = (
    (r"name '(\w+)' is not defined", _expanded(r"\1 is not defined")),
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
        lambda match: f"{match[3]} is of different kinds: {_two_kinds(match)}",
    ),
    (
        "re-entrant to the same function",
        _expanded("a function that calls itself cannot be compiled; write a loop"),
    ),
    (
        "Cannot capture the non-constant value",
        _expanded("a lambda or inner function cannot be compiled here; write a loop"),
    ),
    (r"((?:choose_move|roll_again) must return [^,\n]*), not a value of type (.*)", _wrong_return),
    (r"Unknown attribute '(\w+)' of type (\w+)", _unknown_attribute),
    (
        r"Invalid use of getiter with parameters \((\w+)\)",
        lambda match: f"{type_term(match[1])} can be looked up, not iterated",
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
