"""Rows of games and of decisions for other programs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from cantstop_arena.deals.counting import Counts
from cantstop_arena.deals.payoff import Payoff
from cantstop_arena.export.ledger_games import LedgerGame, LedgerGames
from cantstop_arena.export.replayed_games import ReplayedGame, ReplayResult

Row = Mapping[str, Any]
Columns = Mapping[str, type]
"""The types of columns by name: `list` has integers, `object` stands for any JSON value."""


def has_won(game: LedgerGame, seat: int, replay: ReplayResult | None) -> bool | None:
    """Whether a seat has won, alone or with others, but not all of them.

    Of a seat that plays alone only a replay knows; None without one.
    """
    if len(game.bots) > 1:
        return seat in game.winners
    return None if replay is None else not (replay.unfinished or replay.forfeit)


class GameRows(msgspec.Struct, frozen=True):
    """A row for each game: the deal, the seating, and the bots, winners and scores by seat.

    With `counts` rows also hold the length, the ending, the counts and, with a `payoff`, the
    payoffs of the replay, None without a replay.
    """

    games: LedgerGames
    counts: Counts | None = None
    payoff: Payoff | None = None

    @property
    def columns(self) -> Columns:
        """The columns of all rows."""
        return {
            "deal": int,
            "seating": int,
            **{f"bot_{seat}": str for seat in self._seats},
            **{f"winner_{seat}": bool for seat in self._seats},
            **{f"score_{seat}": float for seat in self._seats},
            **self._replay_columns,
        }

    @property
    def _seats(self) -> range:
        return range(len(self.games.orders[0]))

    @property
    def _replay_columns(self) -> Columns:
        """The columns of replays: the length, the ending, payoffs and counts by seat."""
        if self.counts is None:
            return {}
        counts = {
            f"{name}_{seat}": float if name in self.counts.parts else int
            for name in self.counts.names
            for seat in self._seats
        }
        payoffs = {f"payoff_{seat}": float for seat in self._seats if self.payoff}
        return {self.counts.length: int, "unfinished": bool, "forfeit": bool, **payoffs, **counts}

    def row(self, game: LedgerGame, replay: ReplayResult | None = None) -> Row:
        """The row of a game."""
        return {
            "deal": game.deal,
            "seating": game.seating,
            **{f"bot_{seat}": self.games.names[bot] for seat, bot in enumerate(game.bots)},
            **{f"winner_{seat}": has_won(game, seat, replay) for seat in self._seats},
            **{f"score_{seat}": (seat in game.sharing) / len(game.sharing) for seat in self._seats},
            **(self._replay_values(replay) if replay else dict.fromkeys(self._replay_columns)),
        }

    def _replay_values(self, replay: ReplayResult) -> Row:
        if self.counts is None:
            return {}
        values = dict.fromkeys(self._replay_columns) | {
            "unfinished": replay.unfinished,
            "forfeit": replay.forfeit,
        }
        if self.payoff and replay.payoffs:
            values |= {
                f"payoff_{seat}": float(self.payoff.value_of(parts))
                for seat, parts in enumerate(replay.payoffs)
            }
        if replay.forfeit:
            return values
        parts = self.counts.parts
        counts = {
            f"{name}_{seat}": number / parts[name] if name in parts else number
            for name in self.counts.names
            for seat, number in enumerate(replay.counts[name])
        }
        return {**values, self.counts.length: sum(replay.counts[self.counts.length]), **counts}


ROLLS: Columns = {
    "deal": int,
    "seating": int,
    "turn": int,
    "roll": int,
    "seat": int,
    "bot": str,
    "dice": list,
    "moves": int,
    "forced": bool,
    "bust": bool,
    "move": list,
    "won": bool,
}
"""The columns of rolls. `turn` counts over all seats and `roll` in the turn, from 1; `moves` is the
number of legal moves, `forced` means one or none; `move` is the one chosen, None for a bust."""


def roll_rows(ledger_games: LedgerGames, played: ReplayedGame) -> Iterator[Row]:
    """The rows of a game's rolls, in their order."""
    game, replay = played.game, played.replay
    turn = number = 0
    for roll in replay.rolls if replay else ():
        number = number + 1 if roll.turn == turn else 1
        turn = roll.turn
        yield {
            "deal": game.deal,
            "seating": game.seating,
            "turn": turn,
            "roll": number,
            "seat": roll.seat,
            "bot": ledger_games.names[game.bots[roll.seat]],
            "dice": roll.dice,
            "moves": roll.moves,
            "forced": roll.moves < 2,
            "bust": not roll.moves,
            "move": roll.chosen,
            "won": has_won(game, roll.seat, replay),
        }


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
"""The columns of decisions; `won` is whether the seat won the game: see `has_won`."""


def decision_rows(
    ledger_games: LedgerGames, played: ReplayedGame, side_by_seat: Sequence[int]
) -> Iterator[Row]:
    """The rows of a game's decisions, in their order."""
    game, replay = played.game, played.replay
    for decision in replay.decisions if replay else ():
        side = side_by_seat[decision.seat]
        yield {
            "deal": game.deal,
            "seating": game.seating,
            "seat": decision.seat,
            "bot": ledger_games.names[game.bots[side]],
            "decision": decision.decision,
            "position": decision.position,
            "options": decision.options,
            "answer": decision.answer,
            "won": has_won(game, side, replay),
        }
