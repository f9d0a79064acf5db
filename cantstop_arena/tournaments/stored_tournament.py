"""Loading a tournament from its results folder, with the bots as they were then."""

from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.file.tournament_file import read
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger
from cantstop_arena.tournaments.tournament import RESOLVED, Tournament


def load_tournament(folder: Path, catalogue: Catalogue) -> Tournament:
    """The tournament of a results folder, to replay its games.

    For bots whose files have changed since, the copies that played are used. Raises ArenaError.
    """
    query = read_ledger(folder, lambda totals: totals.query)
    tournament = read(folder / RESOLVED, catalogue)
    digests = {bot.name: bot.version.digest for bot in query.bots}
    catalogue = catalogue.playing(tournament.game)
    entrants = (
        _as_played(entrant, digests[entrant.name], catalogue) for entrant in tournament.entrants
    )
    return replace(tournament, seed=query.setting.deal_seed, entrants=tuple(entrants))


def _as_played(entrant: Entrant, digest: str, catalogue: Catalogue) -> Entrant:
    path = entrant.bot.path
    if path is None or entrant.bot.digest == digest:
        return entrant
    return replace(entrant, bot=catalogue.version(path, digest))
