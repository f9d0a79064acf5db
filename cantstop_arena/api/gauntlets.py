"""One bot against a field."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from cantstop_arena.api.entrants import AnyBot, entrant_of
from cantstop_arena.api.folder_names import folder_name
from cantstop_arena.api.tournaments import (
    PlannedTournament,
    named,
    plan,
    said_of_arguments,
)
from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.bot_sources.plugins import DEFAULT_FOLDER
from cantstop_arena.bot_sources.versions import RESULTS
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import UsageError
from cantstop_arena.games.registry import DEFAULT, game_called
from cantstop_arena.texts import how_many
from cantstop_arena.tournament.files.entrants import Entrant


def gauntlet(
    challenger: AnyBot,
    against: Sequence[AnyBot] = (),
    *,
    players: int = 2,
    games: int | None = None,
    rules: "str | Mapping[str, Any] | None" = None,
    seed: Seed | None = None,
    game: str = DEFAULT,
    bots_folder: Path | str = DEFAULT_FOLDER,
    results: Path | str = RESULTS,
) -> PlannedTournament:
    """The tournament of a challenger with a field, whose bots do not play each other.

    Without a field it is that of all built-in bots that can play. Raises UsageError.
    """
    catalogue = Catalogue(Path(bots_folder), game_called(game), results=Path(results))
    told = {"name": "gauntlet", "game": game, "rules": rules, "games": games, "seed": seed}
    _check_seats(players, catalogue)
    with said_of_arguments():
        entrants = _entrants(challenger, against or [*catalogue.game.bots], catalogue)
        _check_field(entrants, players)
        planned = plan({**told, "players": players}, entrants, catalogue)
    if not against:
        planned = _without_refused(planned)
        _check_field(planned.tournament.entrants, players)
    first = planned.tournament.entrants[0].name
    planned = dataclasses.replace(planned, tournament=planned.tournament.challenged(first))
    return named(planned, folder_name(planned.tournament, 1, before="gauntlet-"))


def _entrants(
    challenger: AnyBot, field: Sequence[AnyBot], catalogue: Catalogue
) -> tuple[Entrant, ...]:
    """The challenger, and the field without it; of bots of one name the first."""
    entrants: dict[str, Entrant] = {}
    for one in (challenger, *field):
        entrant = entrant_of(one, catalogue)
        entrants.setdefault(entrant.name, entrant)
    return tuple(entrants.values())


def _check_seats(players: int, catalogue: Catalogue) -> None:
    seats = [number for number in catalogue.game.players if number > 1]
    if players not in seats:
        raise UsageError(f"a table has {seats[0]} to {seats[-1]} seats, not {players}")


def _check_field(entrants: Sequence[Entrant], players: int) -> None:
    if len(entrants) < players:
        needed = how_many(players - 1, "other bot")
        name = entrants[0].name
        raise UsageError(f"{name} needs {needed} to play against; name them with --against")


def _without_refused(planned: PlannedTournament) -> PlannedTournament:
    """The same without the bots of the field that cannot play under these rules."""
    told = planned.tournament
    first, *field = told.entrants
    able = [one for one in field if not told.game.refusal(one.bot.name, told.rules, told.players)]
    return dataclasses.replace(planned, tournament=replace(told, entrants=(first, *able)))
