"""The first look at a machine: whether what is installed there is what is installed here."""

import inspect
from collections.abc import Mapping

from cantstop_arena.game_api.game import Game
from cantstop_arena.tournaments.cluster import machine_versions
from cantstop_arena.tournaments.cluster.cluster_messages import FirstLook
from cantstop_arena.tournaments.cluster.machine_versions import ARENA, MISSING, versions

_PACKAGE = __name__.partition(".")[0]


def first_look(game: Game) -> FirstLook:
    """The question to every machine that is to play a game, and the answer that is expected."""
    package = type(game).__module__.partition(".")[0]
    games = {} if package == _PACKAGE else {game.name: package}
    # An expression of plain text: `eval` travels by its name, so nothing need be installed there.
    source = inspect.getsource(machine_versions)
    question = f"(lambda names: (exec({source!r}, names), names['versions']({games!r}))[1])"
    return FirstLook(f"{question}({{'__name__': 'arena_versions'}})", versions(games))


def differences(there: object, look: FirstLook) -> str:
    """Where a machine's answer differs from what is here, as text; empty if it does not."""
    here = look.versions
    if not isinstance(there, Mapping):
        return f"it cannot say what is installed there: {type(there).__name__}"
    if there.get(ARENA) == MISSING:
        return f"{ARENA} is not installed there"
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    return "; ".join(_difference(name, there.get(name), here.get(name)) for name in names)


def _difference(name: str, there: object, here: str | None) -> str:
    if there in (MISSING, None):
        return f"{name} is not installed there"
    return f"{name} is {there} there and {here or MISSING} here"
