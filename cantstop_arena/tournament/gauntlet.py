"""A challenger against a field: only its games are played."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.deals.seeds import Seed, drawn
from cantstop_arena.errors import UsageError
from cantstop_arena.texts import how_many
from cantstop_arena.tournament.files.config import RESOLVED, FaultPolicy, Tournament
from cantstop_arena.tournament.files.references import entrant_called

LONGEST = 80  # of a bot's name, in the name of a folder


def gauntlet(
    challenger: str,
    field: Sequence[str],
    catalogue: Catalogue,
    rules: Any,
    players: int,
    games: int,
    seed: Seed | None,
    results: Path,
) -> Tournament:
    """The tournament of a challenger with each group of a field; without a seed one is drawn.

    What bots can be is told in files/references; the challenger is left out of the field. Raises
    BotError, and UsageError where the field is too small.
    """
    first = entrant_called(challenger, catalogue)
    entrants = {first.name: first}
    for one in (entrant_called(reference, catalogue) for reference in field):
        entrants.setdefault(one.name, one)
    if len(entrants) < players:
        needed = how_many(players - 1, "other bot")
        raise UsageError(f"{first.name} needs {needed} to play against; name them with --against")
    name = "gauntlet-" + re.sub(r"[^\w.-]+", "_", first.name)[:LONGEST]
    return Tournament(
        name=name,
        game=catalogue.game,
        rules=rules,
        players=players,
        games=games,
        seed=drawn() if seed is None else seed,
        drawn=seed is None,
        policy=FaultPolicy(),
        entrants=tuple(entrants.values()),
        source=results / name / RESOLVED,
    ).challenged(first.name)
