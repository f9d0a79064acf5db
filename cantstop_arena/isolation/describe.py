"""What a bot file holds, learnt without running it in this process."""

import argparse
import hashlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cantstop_arena.botspecs import BotSpec
from cantstop_arena.errors import BotError
from cantstop_arena.isolation.child import Child
from cantstop_arena.isolation.failures import Failure, Overdue
from cantstop_arena.isolation.launch import Launch, python_module
from cantstop_arena.isolation.serve import complaint_of
from cantstop_arena.isolation.stdio import take_pipes
from cantstop_arena.isolation.wire import ERROR, LONGEST_REPORT, line_of, object_in
from cantstop_arena.options import Option
from cantstop_arena.plugins import Catalogue
from cantstop_arena.texts import in_a_line

_LONGEST_COMPLAINT = 1000
_TUPLE = "tuple"  # the key under which a tuple is told, for JSON has only lists


@dataclass(frozen=True)
class Description:
    """What there is to know of a bot that is not built here; `digest` is its spec's."""

    name: str
    options: Mapping[str, Option]
    summary: str
    digest: str
    learns: bool


def describe(path: Path, folder: Path, limit: float = 20.0, name: str | None = None) -> Description:
    """The one bot of a file, or that of a name. Raises BotError with the reason for none.

    The file is run in a process of its own, for `limit` seconds at most.
    """
    named = () if name is None else ("--name", name)
    places = ("--bots", str(folder.absolute()), *named, "--", str(path.absolute()))
    child = Child(Launch(python_module("describe", *places), Path.cwd()))
    try:
        told = object_in(child.hear(limit))
        if isinstance(complaint := told.get(ERROR), str):
            raise BotError(in_a_line(complaint, _LONGEST_COMPLAINT))
        return _description(told)
    except Overdue as failure:
        raise BotError(f"does not import: it is not done within {limit:g} s") from failure
    except Failure as failure:
        raise BotError(f"does not import: {failure}") from failure
    except (KeyError, TypeError, AttributeError) as error:
        raise BotError("does not import: what it says of itself is nonsense") from error
    finally:
        child.kill()


def described_command(argv: Sequence[str]) -> str:
    """A digest of a command: its words, or the contents of those that are files."""
    told = json.dumps([_content_digest(word) or word for word in argv])
    return hashlib.sha256(told.encode()).hexdigest()


def _content_digest(word: str) -> str | None:
    if not os.path.isfile(word):
        return None
    return hashlib.sha256(Path(word).read_bytes()).hexdigest()


# --- What is told, from one process to the other --------------------------------------------------


def _told(spec: BotSpec) -> Mapping[str, Any]:
    options = [
        {
            "name": option.name,
            "default": _listed(option.default),
            "choices": [choice for choice in option.choices if _is_sayable(choice)],
        }
        for option in spec.options.values()
    ]
    summary = in_a_line(spec.summary, LONGEST_REPORT)
    told = {"name": spec.name, "options": options, "summary": summary, "digest": spec.digest}
    return {**told, "learns": spec.learns}


def _description(told: Mapping[str, Any]) -> Description:
    options = [
        Option(str(option["name"]), _unlisted(option["default"]), tuple(option["choices"]))
        for option in told["options"]
    ]
    named = {option.name: option for option in options}
    return Description(
        str(told["name"]),
        named,
        str(told["summary"]),
        str(told["digest"]),
        told["learns"] is True,
    )


def _is_sayable(choice: object) -> bool:
    return choice is None or type(choice) in (bool, int, str)


def _listed(value: object) -> object:
    """A default as JSON has it."""
    if isinstance(value, tuple):
        return {_TUPLE: [_listed(item) for item in value]}
    return [_listed(item) for item in value] if isinstance(value, list) else value


def _unlisted(value: Any) -> Any:
    """The default that was told."""
    if isinstance(value, dict):
        return tuple(_unlisted(item) for item in value[_TUPLE])
    return [_unlisted(item) for item in value] if isinstance(value, list) else value


def main() -> None:
    """Run a bot file, and tell what it holds."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the arena
    _, answers = take_pipes()
    parser = argparse.ArgumentParser(prog="python -m cantstop_arena.isolation.describe")
    parser.add_argument("--bots", type=Path, required=True, help="the folder of bots")
    parser.add_argument("--name", help="the bot, where the file holds several")
    parser.add_argument("path", type=Path)
    asked = parser.parse_args()
    catalogue = Catalogue(asked.bots)
    try:
        name, path = asked.name, asked.path
        spec = catalogue.load_file(path) if name is None else catalogue.reopen(name, path)
        answers.write(line_of(_told(spec)))
    except BaseException as error:
        answers.write(line_of({ERROR: complaint_of(error)}))


if __name__ == "__main__":
    main()
