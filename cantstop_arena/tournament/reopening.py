"""A tournament that was played, from its folder, with the bots as they were then."""

from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.tournament.files.config import read
from cantstop_arena.tournament.files.entrants import Entrant
from cantstop_arena.tournament.files.tournament import RESOLVED, Tournament
from cantstop_arena.tournament.ledgers.archive import looked_at
from cantstop_arena.tournament.ledgers.identities import seed_in


def played_in(folder: Path, catalogue: Catalogue) -> Tournament:
    """The tournament of a folder with results, to play its games again.

    Files of bots that have changed since are the copies that played. Raises ArenaError.
    """
    identity = looked_at(folder, lambda account: account.identity)
    tournament = read(folder / RESOLVED, catalogue)
    digests = {bot["name"]: bot["digest"] for bot in identity["bots"]}
    catalogue = catalogue.playing(tournament.game)
    entrants = (_as_played(one, digests[one.name], catalogue) for one in tournament.entrants)
    return replace(tournament, seed=seed_in(identity), entrants=tuple(entrants))


def _as_played(entrant: Entrant, digest: str, catalogue: Catalogue) -> Entrant:
    path = entrant.bot.path
    if path is None or entrant.bot.digest == digest:
        return entrant
    return replace(entrant, bot=catalogue.version(path, digest))
