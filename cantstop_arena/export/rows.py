"""Rows for other programs: games, and decisions."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from cantstop_arena.deals.counting import Counts
from cantstop_arena.export.ledger_games import LedgerGame, LedgerGames
from cantstop_arena.export.replayed_games import GameAgain, ReplayedGame

Row = Mapping[str, Any]
Columns = Mapping[str, type]
"""The names of columns, and the types of their values; `object` stands for anything in JSON."""


class GameRows(msgspec.Struct, frozen=True):
    """A row for each game: the deal, the seating, who sat where, who won.

    With `counts` rows also say how the game went, and nothing there where it was not played again.
    """

    games: LedgerGames
    counts: Counts | None = None

    @property
    def columns(self) -> Columns:
        """All columns."""
        return {
            "deal": int,
            "seating": int,
            **{f"bot_{seat}": str for seat in self._seats},
            **{f"winner_{seat}": bool for seat in self._seats},
            **self._counted,
        }

    @property
    def _seats(self) -> range:
        return range(len(self.games.orders[0]))

    @property
    def _counted(self) -> Columns:
        """Those of games that have been played again: the length, its ending, counts by seat."""
        if self.counts is None:
            return {}
        counts = {f"{name}_{seat}": int for name in self.counts.names for seat in self._seats}
        return {self.counts.length: int, "unfinished": bool, "forfeit": bool, **counts}

    def row(self, game: LedgerGame, again: GameAgain | None = None) -> Row:
        """The row of a game."""
        return {
            "deal": game.deal,
            "seating": game.seating,
            **{f"bot_{seat}": self.games.names[bot] for seat, bot in enumerate(game.bots)},
            **{f"winner_{seat}": seat in game.winners for seat in self._seats},
            **(self._again(again) if again else dict.fromkeys(self._counted)),
        }

    def _again(self, again: GameAgain) -> Row:
        if self.counts is None:
            return {}
        data = dict.fromkeys(self._counted) | {
            "unfinished": again.unfinished,
            "forfeit": again.forfeit,
        }
        if again.forfeit:
            return data
        counts = {
            f"{name}_{seat}": number
            for name in self.counts.names
            for seat, number in enumerate(again.counts[name])
        }
        return {**data, self.counts.length: sum(again.counts[self.counts.length]), **counts}


DECISIONS: Columns = {
    "deal": int,
    "seating": int,
    "seat": int,
    "bot": str,
    "decision": str,
    "position": object,
    "options": object,
    "answer": object,
    "won": bool,
}
"""A row for each decision; `won` says whether the seat won that game, alone or with others."""


def decision_rows(result: LedgerGames, played: ReplayedGame) -> Iterator[Row]:
    """The rows of a game's decisions, in their order."""
    game, again = played.game, played.again
    for taken in again.decisions if again else ():
        yield {
            "deal": game.deal,
            "seating": game.seating,
            "seat": taken.seat,
            "bot": result.names[game.bots[taken.seat]],
            "decision": taken.decision,
            "position": taken.position,
            "options": taken.options,
            "answer": taken.answer,
            "won": taken.seat in game.winners,
        }
