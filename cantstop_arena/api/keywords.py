"""The keywords of functions that plan or play games: their types, and what `help` lists.

Their names and defaults are those of `tournaments.file.keys`; a test compares them.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypedDict, TypeVar, cast

from cantstop_arena.api.bot_arguments import Isolate
from cantstop_arena.deals.outcomes import LuckRemoved
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.game_api.bot_options import did_you_mean
from cantstop_arena.processes.system import open_standard_files
from cantstop_arena.tournaments.file.keys import KEYS, Key
from cantstop_arena.tournaments.pool.remote_pools import PoolAddress
from cantstop_arena.tournaments.run_options import RunOptions
from cantstop_arena.views.progress_lines import Progress

F = TypeVar("F", bound=Callable[..., Any])
Rules = str | Mapping[str, Any] | Any
"""The name of a rule set, a mapping with a `base`, or a rule set."""


class FolderKeys(TypedDict, total=False):
    """The folders of bots and of results."""

    results: Path | str
    bots_folder: Path | str


class PoolKeys(TypedDict, total=False):
    """Where games are played, and by how many workers."""

    workers: int | None
    cluster: str | PoolAddress | None
    cluster_wait: float | None
    start_method: str | None
    memory: int | str | None


class RunKeys(PoolKeys, total=False):
    """How a tournament is played."""

    fresh: bool
    progress: Progress
    page: bool


class LimitKeys(TypedDict, total=False):
    """The limits for bots, and what their faults cost; None: the default."""

    decision_limit: float | None
    start_limit: float | None
    max_faults: int | None
    on_fault: str | None
    game_limit: float | None


class FileKeys(FolderKeys, total=False):
    """What may be said beside a file."""

    games: int | None
    seed: Seed | None
    isolate: Isolate
    luck_removed: LuckRemoved
    openings: Mapping[str, Any] | str | None


class TournamentFileKeys(FileKeys, total=False):
    """What may be said beside the file of a tournament."""

    score: str | None


class RunFileKeys(TournamentFileKeys, RunKeys, total=False):
    """The keywords of `run`."""


class PairingKeys(FileKeys, LimitKeys, total=False):
    """The keywords of `gauntlet`, which names its bots."""

    game: str
    rules: Rules | None
    players: int | None
    score: str | None


class TournamentKeys(FileKeys, LimitKeys, total=False):
    """The keywords of `tournament`: the keys of a file, and the folders."""

    name: str | None
    game: str
    rules: Rules | None
    players: int | None
    until: Mapping[str, float] | None
    anchor: Mapping[str, float] | None
    gauntlet: str | None
    score: str | None
    exclude: Sequence[str] | None


class MatchKeys(PairingKeys, RunKeys, total=False):
    """The keywords of `match`, beside those of its test."""


class CompareKeys(FileKeys, LimitKeys, RunKeys, total=False):
    """The keywords of `compare`, beside the keys of comparisons alone."""

    name: str | None
    game: str
    exclude: Sequence[str] | None


class HistoryKeys(PoolKeys, total=False):
    """The keywords of `history`."""

    bots_folder: Path | str
    progress: Progress
    page: bool


class TuneKeys(FolderKeys, PoolKeys, total=False):
    """The keywords of `tune`, beside those of its search."""

    game: str
    rules: str | None
    players: int | None
    isolate: Isolate
    progress: Progress
    page: bool


def keywords(keys: type, table: Sequence[Key] = KEYS, **defaults: Any) -> Callable[[F], F]:
    """Let a function take the keywords of `keys`, a TypedDict, with the defaults of their keys.

    `help` lists them in the order of the `table` of keys, an unknown one is a TypeError, and the
    function gets a value for each.
    """
    known = [key for key in table if key.name in keys.__annotations__]
    types = {key.name: keys.__annotations__[key.name] for key in known}
    values = {key.name: key.default for key in known} | defaults

    def decorate(function: F) -> F:
        own = inspect.signature(function)
        named = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
        shared = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=values[name], annotation=annotation
            )
            for name, annotation in types.items()
        ]
        signature = own.replace(parameters=[*named, *shared])

        @wraps(function)
        def called(*arguments: Any, **given: Any) -> Any:
            for name in given:
                if name not in signature.parameters:
                    hint = did_you_mean(name, signature.parameters)
                    raise TypeError(
                        f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}"
                    )
            open_standard_files()  # a server may have none
            given = {name: _of_python(value) for name, value in given.items()}
            return function(*map(_of_python, arguments), **{**values, **given})

        called.__signature__ = signature  # type: ignore[attr-defined]
        return cast(F, called)

    return decorate


def _of_python(value: Any) -> Any:
    """A value, a list or a number in place of an array or a number of NumPy or pandas."""
    return value.tolist() if hasattr(value, "tolist") else value


def only(keys: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given keywords that are among `keys`, a TypedDict."""
    return {name: given[name] for name in keys.__annotations__ if name in given}


def run_options(given: PoolKeys) -> RunOptions:
    """The options of a run that starts with these keywords."""
    return RunOptions(**only(PoolKeys, given), fresh=bool(given.get("fresh")))
