"""What a run would say and play, without playing or writing anything."""

from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.tournaments.changes import changes
from cantstop_arena.tournaments.endings import Ending, ending_of
from cantstop_arena.tournaments.ledger.cover import Cover
from cantstop_arena.tournaments.ledger.ledger import LEDGER
from cantstop_arena.tournaments.ledger.query_plan import plan_of
from cantstop_arena.tournaments.ledger.read_ledger import working_copy
from cantstop_arena.tournaments.run import COPIES, decisions, stored_disturbances
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.tournament import Tournament


def show_plan(
    tournament: Tournament,
    catalogue: Catalogue,
    folder: Path,
    observer: RunObserver,
    fresh: bool = False,
    ending: Ending | None = None,
) -> None:
    """Tell the observer what `run_tournament` would: what has changed, and what will be played.

    Raises LedgerError when the ledger in `folder` cannot be used.
    """
    with working_copy(folder / LEDGER, tournament.query.bots, fresh) as ledger:
        before = ledger.query()
        stored = before.setting.deal_seed if before else None
        for text in decisions(tournament, folder, stored):
            observer.on_notice(text)
        if tournament.has_random_seed and stored is not None:
            tournament = replace(tournament, seed=stored)
        tournament = tournament.with_own_processes(stored_disturbances(tournament, ledger))
        if before is not None:
            for text in changes(before, tournament, catalogue, folder / COPIES):
                observer.on_notice(text)
        ledger.set_query(tournament.query)
        ledger.check(tournament.query)
        deals = next((ending or ending_of(tournament)).looks(tournament))
        observer.on_plan(plan_of(Cover(ledger, tournament.query, deals)))
