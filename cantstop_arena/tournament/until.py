"""Plays a tournament until every bot's interval is narrow enough, looking now and then.

The looks come after numbers of deals that the tournament file alone decides, and each of them sees
all games up to there. So a tournament ends at the same deal for any number of workers, and after
any interruption: one that goes on begins with the first look that is not behind it.
"""

from pathlib import Path
from typing import Protocol

import msgspec
from msgspec.structs import replace

from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.deals.outcomes import Results
from cantstop_arena.ratings.precision import widest
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.tournament import run
from cantstop_arena.tournament.files.tournament import Tournament
from cantstop_arena.tournament.ledgers.accounts import reached
from cantstop_arena.tournament.pool.worker_pool import Terms

BLOCKS = 32  # at each look; with more, looks would cost more than games


class Look(msgspec.Struct, frozen=True):
    """What is seen after so many `games` of each group: the bot whose interval is the widest.

    Nobody, where nobody has played; see `outcomes.Until` for what is measured.
    """

    games: int
    bot: str
    measure: str
    measured: float


class Onlooker(run.Watch, Protocol):
    """Who is told how a run goes on, and what is seen at each look."""

    def looks(self, look: Look) -> None:
        """So narrow are the intervals by now."""


def play(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    terms: Terms,
    watch: Onlooker,
    fresh: bool = False,
) -> Results:
    """Play what is missing of a tournament in `folder`, and return all its results.

    Where it has no rule to end by, this is `run.play`.
    """
    rule = tournament.until
    if rule is None:
        return run.play(tournament, catalogue, folder, terms, watch, fresh)
    with run.opened(tournament, catalogue, folder, fresh) as session:
        before = min(reached(session.ledger.spans()), tournament.deals)
        for deals in looks(rule.expected, tournament.deals):
            if deals < before:
                continue
            games = deals * len(tournament.orders)
            session.play(replace(tournament, games=games, blocks=BLOCKS), terms, watch)
            results = session.results()
            bot, measured = widest(results, rule)
            watch.looks(Look(games, bot, rule.measure, measured))
            if measured <= rule.most:
                break
        return results
