"""Bots as Python says them: names, files, programs, and classes of the caller's own."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from cantstop_arena.api.bot_classes import write_bot_file
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import UsageError
from cantstop_arena.tournaments.file.bot_references import entrant_from_reference, entrant_with
from cantstop_arena.tournaments.file.entrants import (
    A_NAME,
    Entrant,
    EntrantReader,
    is_printed_well,
)
from cantstop_arena.tournaments.file.yaml_reader import Reader
from cantstop_arena.tournaments.file.yaml_text import dump

Builder: TypeAlias = Callable[..., Any]
"""A class, or a function, that is called with a bot's options and gives its decisions."""


@dataclass(frozen=True)
class BotArgument:
    """A bot that is to play, with its options, under a name of its own if it has one.

    See `bot`, which makes it.
    """

    what: "str | Path | Builder"
    options: Mapping[str, Any] = field(default_factory=dict)
    as_: str | None = None
    isolate: bool = False
    command: tuple[str, ...] = ()


AnyBot: TypeAlias = "str | Path | Builder | BotArgument"


def bot(
    what: "str | Path | Builder" = "",
    /,
    *,
    as_: str | None = None,
    isolate: bool = False,
    command: Sequence[str] = (),
    **options: Any,
) -> BotArgument:
    """A bot with options, for a tournament: `bot("glenn-aloi", weights="linear")`.

    It is a name as `arena bots` lists it, a path to a bot's file, or a class (or function) whose
    call with the options gives an object with the game's decisions as methods. Of a class the
    *source* plays, written to a file with all of yours that it names, in processes of their own:
    nothing that it does there is seen here. `as_` is the name that it plays by, `isolate` gives it
    a process for itself, and a program in any language is a `command`.
    """
    return BotArgument(what, options, as_, isolate, tuple(command))


def plain_value(value: Any) -> Any:
    """A value as a tournament file would have it: numbers of NumPy become plain, tuples lists.

    Raises UsageError for what no file could say.
    """
    if isinstance(value, Mapping):
        return {key: plain_value(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(part) for part in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise UsageError(f"{value!r:.60} is nothing that a tournament file could say")


def entrants_of(
    bots: Sequence[AnyBot], catalogue: Catalogue, isolate: bool = False
) -> tuple[Entrant, ...]:
    """The entrants that bots stand for; their names differ. Raises BotError, UsageError."""
    if isinstance(bots, str):
        raise UsageError(f"bots must be a list, like [{bots!r}, 'rule28']")
    entrants = tuple(entrant_of(path, catalogue) for path in bots)
    names = [path.name for path in entrants]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UsageError(
            f"two bots are called {twice!r}; bot(..., as_=NAME) gives one another name"
        )
    return tuple(replace(path, isolate=path.isolate or isolate) for path in entrants)


def entrant_of(item: AnyBot, catalogue: Catalogue) -> Entrant:
    """The entrant that a bot stands for. Raises BotError, UsageError."""
    if isinstance(item, str):
        return entrant_from_reference(item, catalogue)
    request = item if isinstance(item, BotArgument) else BotArgument(item)
    request = dataclasses.replace(request, options=plain_value(request.options))
    entrant = _entrant(request, catalogue)
    name = entrant.name if request.as_ is None else request.as_
    if not is_printed_well(name):
        raise UsageError(f"the name of a bot {A_NAME}, not {name!r:.60}")
    return replace(entrant, name=name, isolate=entrant.isolate or request.isolate)


def _entrant(request: BotArgument, catalogue: Catalogue) -> Entrant:
    if request.command:
        if request.as_ is None:
            raise UsageError("a program needs a name: bot(command=[...], as_=NAME)")
        return _program(request, catalogue)
    if not isinstance(request.what, str | Path):
        path = write_bot_file(request.what, catalogue.results, catalogue.game.name)
        return entrant_with(str(path), request.options, catalogue, path.stem)
    if not str(request.what):
        raise UsageError("bot() needs a name, a path, a class or a command")
    return entrant_with(str(request.what), request.options, catalogue)


def _program(request: BotArgument, catalogue: Catalogue) -> Entrant:
    data = {"bots": [{"command": list(request.command), "as": request.as_}]}
    reader = Reader(Path("bot"), dump(data))
    entries = reader.mapping(reader.root, "a bot")
    entrants = EntrantReader(reader, catalogue, Path()).read(entries["bots"], 1)
    reader.finish()
    return entrants[0]
