"""What tests share: a code cache that outlives one test run, and tables set up in a line."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import pytest

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in a job in the background of a shell
    signal.signal(signal.SIGINT, signal.default_int_handler)  # for what the tests start

# The engine looks for its code cache when it is imported, which is after this file.
os.environ.setdefault("CANTSTOP_ARENA_CACHE", str(Path(gettempdir()) / "cantstop-arena-tests"))

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.play import Table
    from cantstop_arena.games.cantstop.rules import RuleSet
    from cantstop_arena.hookspecs import Player


class Tables:
    """Builds tables, each distinct one once, for setting one up takes a moment."""

    def __init__(self) -> None:
        from cantstop_arena.plugins import Catalogue

        self.catalogue = Catalogue(Path("no such folder"))
        self._built: dict[object, Table] = {}

    def of(self, rules: "RuleSet", bots: Sequence[str], players: int, seed: int = 1980) -> "Table":
        """A table of built-in bots by name; "plain rule28" is rule28 without machine code."""
        key = (rules, tuple(bots), players, seed)
        if key not in self._built:
            from cantstop_arena.games.cantstop.play import Table
            from cantstop_arena.games.cantstop.table import Contestant

            contestants = [
                Contestant(name, self.player(name), name.removeprefix("plain ")) for name in bots
            ]
            self._built[key] = Table(rules, contestants, players, seed)
        return self._built[key]

    def player(self, name: str) -> "Player":
        """A built-in bot, as plain Python where the name says so."""
        player = self.catalogue.find(name.removeprefix("plain ")).build({})
        return plain(player) if name.startswith("plain ") else player


def plain(player: "Player") -> "Player":
    """The same bot, without its marks: it plays as plain Python."""
    from cantstop_arena.hookspecs import Player

    return Player(
        lambda turn, moves: player.choose_move(turn, moves), lambda turn: player.roll_again(turn)
    )


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The session's tables."""
    return Tables()
