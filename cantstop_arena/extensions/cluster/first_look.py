"""The first look at a machine: whether what is installed there is what is installed here."""

import inspect
from collections.abc import Mapping

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.extensions.cluster import machine_versions
from cantstop_arena.extensions.cluster.cluster_messages import FirstLook
from cantstop_arena.extensions.cluster.machine_versions import (
    ARENA,
    MISSING,
    SANDBOX,
    facts_here,
)
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.table_spec import TableSpec

_PACKAGE = __name__.partition(".")[0]


def first_look(spec: TableSpec) -> FirstLook:
    """The question to every machine that is to play at a table, and the expected answer."""
    game = game_named(spec.game)
    package = type(game).__module__.partition(".")[0]
    games = {} if package == _PACKAGE else {game.name: package}
    isolated = next((seat.name for seat in spec.seats if seat.isolation is Isolation.SANDBOX), "")
    # An expression of plain text: `eval` travels by its name, so nothing need be installed there.
    source = inspect.getsource(machine_versions)
    call = f"names['facts_here']({games!r}, {bool(isolated)})"
    question = f"(lambda names: (exec({source!r}, names), {call})[1])"
    question += "({'__name__': 'arena_versions'})"
    return FirstLook(question, facts_here(games, bool(isolated)), isolated)


def differences(there: object, look: FirstLook) -> str:
    """Where a machine's answer differs from what is here, as text; empty if it does not."""
    here = look.facts
    if not isinstance(there, Mapping):
        return f"it cannot say what is installed there: {type(there).__name__}"
    if there.get(ARENA) == MISSING:
        return f"{ARENA} is not installed there"
    names = [name for name in {**here, **there} if there.get(name) != here.get(name)]
    return "; ".join(_difference(name, there, look) for name in names)


def _difference(name: str, there: Mapping[str, object], look: FirstLook) -> str:
    fact = there.get(name)
    if name == SANDBOX:
        return f"bot {look.isolated} is isolated, and there is no sandbox there: {fact}"
    if fact in (MISSING, None):
        return f"{name} is not installed there"
    return f"{name} is {fact} there and {look.facts.get(name, MISSING)} here"
