"""The identity of a tournament as stored in its ledger, and differences between two."""

from collections.abc import Iterator, Mapping
from typing import Any

from cantstop_arena.deals.seatings import Orders
from cantstop_arena.deals.seeds import SEED_FORM, Seed, seed_of
from cantstop_arena.errors import LedgerError
from cantstop_arena.games.registry import game_named
from cantstop_arena.tournaments.ledger.row_codec import text


def orders_of(identity: Mapping[str, Any]) -> Orders:
    """The orders in which bots take their seats in each deal of a tournament. Raises ValueError."""
    game, players = game_named(str(identity["game"])), identity["players"]
    if type(players) is not int or players not in game.players:
        raise ValueError(f"{game.title} has no {players!r:.20} seats")
    return game.orders(players)


def seed_in(identity: Mapping[str, Any]) -> Seed:
    """The seed in the identity of a tournament. Raises LedgerError when there is none."""
    seed = seed_of(identity.get("seed"))
    if seed is None:
        raise LedgerError(f"A ledger's seed must be {SEED_FORM}, not {text(identity.get('seed'))}")
    return seed


def differences(first: Any, second: Any, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where two identities differ: the path of the key, and both values, as JSON."""
    if isinstance(first, dict) and isinstance(second, dict):
        for key in [*first, *(key for key in second if key not in first)]:
            inner = f"{path}.{key}" if path else str(key)
            yield from differences(first.get(key), second.get(key), inner)
    elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for number, (this, that) in enumerate(zip(first, second, strict=True), start=1):
            yield from differences(this, that, f"{path}[{number}]")
    elif first != second:
        yield path, text(first), text(second)
