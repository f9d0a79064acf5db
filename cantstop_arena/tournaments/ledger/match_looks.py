"""The looks of a sequential test: its state at each of them, from the ledger of its match."""

from pathlib import Path

from cantstop_arena.games.registry import game_named
from cantstop_arena.ratings.sequential.confidence import looks
from cantstop_arena.ratings.sequential.sprt import GROWTH, Sprt, TestState, expected_deals
from cantstop_arena.tournaments.ledger.aggregation import LedgerTotals, deals_played
from cantstop_arena.tournaments.ledger.ledger_query import LUCK_BY_STAKE
from cantstop_arena.tournaments.ledger.read_ledger import read_ledger
from cantstop_arena.tournaments.schedule import MatchDeals

MAX_GAMES = 4_000_000  # that are read again; a longer test has no looks


def match_looks(folder: Path, test: Sprt) -> list[tuple[int, TestState]]:
    """The deals of each look of the test that ended the match in a folder, with its state there.

    The looks are those of the run, up to the one at which a hypothesis was accepted; empty where
    deals repeat others, or a bot is disqualified.
    """
    return read_ledger(folder, lambda totals: _looks(totals, test))


def _looks(totals: LedgerTotals, test: Sprt) -> list[tuple[int, TestState]]:
    ledger, query = totals.ledger, totals.query
    played = deals_played(ledger.counting_spans())
    if ledger.repeated() or not played or played * len(totals.orders) > MAX_GAMES:
        return []
    payoff = game_named(query.setting.game).payoff
    deals = MatchDeals(totals.orders, test, payoff, query.detail >= LUCK_BY_STAKE)
    states = []
    for look in looks(expected_deals(test), query.deals, GROWTH):
        if look > played:
            break
        deals.count(ledger, look)
        states.append((look, deals.look()))
        if states[-1][1].accepted is not None:
            break
    return states
