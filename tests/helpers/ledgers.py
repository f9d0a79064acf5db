"""Ledgers and tournaments without bots: queries of versions that nobody has written."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from cantstop_arena.bots.bot_start import Isolation
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.origins import Origin
from cantstop_arena.games.cantstop.game import GAME
from cantstop_arena.games.cantstop.rules import CLASSIC
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.ledger_query import version_of
from cantstop_arena.tournaments.ledger.open_ledger import open_ledger
from cantstop_arena.tournaments.tournament import FaultPolicy, Tournament


def entrant(name: str, isolate: bool = False, learns: bool = False) -> Entrant:
    """An entrant whose program nobody has."""
    bot = BotDescription(
        name=name, origin=Origin.PROGRAM, digest=name, options={}, summary="", learns=learns
    )
    return Entrant(name, bot, {}, Isolation.PROCESSES if isolate else Isolation.NONE)


@cache
def name_of(number: int) -> str:
    """A name such that the versions of bots are in the order of their numbers."""
    names = (f"bot {number} of try {tried}" for tried in count())
    return next(n for n in names if version_of(entrant(n)).id.startswith(f"{number:02x}"))


def tournament(bots: int, players: int, games: int, **what: Any) -> Tournament:
    """A tournament of such entrants, in the order of their versions.

    `what` is for `entrant`, or a field of the tournament.
    """
    of_bots = {key: what.pop(key) for key in ("isolate", "learns") if key in what}
    entrants = tuple(entrant(name_of(number), **of_bots) for number in range(bots))
    return Tournament(
        "cup", GAME, CLASSIC, players, games, 1, FaultPolicy(), Path(), entrants=entrants, **what
    )


def blocks_in(ledger: Path) -> int:
    """The number of blocks in a ledger that a run may be writing."""
    try:
        with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)) as connection:
            (count,) = connection.execute("select count(*) from blocks").fetchone()
    except sqlite3.OperationalError:  # it is not there yet, or locked
        return 0
    return int(count)


@contextmanager
def opened(path: Path, asked: Tournament, fresh: bool = False) -> Iterator[Cover]:
    """What the ledger at a path has of a tournament."""
    with open_ledger(path, fresh) as ledger:
        ledger.set_query(asked.query)
        ledger.check(asked.query)
        yield Cover(ledger, asked.query)
