"""The tally of a block of which machine code has played the games: many are counted at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.counting import length_class
from cantstop_arena.deals.outcomes import win_units
from cantstop_arena.deals.payoff import VOID
from cantstop_arena.deals.seatings import pairs_of_seats
from cantstop_arena.errors import GameError
from cantstop_arena.table.block_tally import DECISIONS, POINTS, RANK, PlainTally

_Numbers = NDArray[np.int64]


class KernelTally(PlainTally):
    """A tally that counts the games of one order together, as if they were entered one by one."""

    def enter_all(
        self, indices: _Numbers, order: int, first: int, payoffs: _Numbers, decisions: _Numbers
    ) -> None:
        """Count games in one order; `indices` are their deals, from `first`, the block's first."""
        if not len(indices):
            return
        tally = self._tallies[order]
        tally.games += len(indices)
        wins = self.wins_of(payoffs)
        self.winners[indices, order] = wins @ (1 << np.arange(tally.players))
        units = win_units(tally.players) // wins.sum(axis=1)
        for seat, share in enumerate((wins * units[:, None]).sum(axis=0).tolist()):
            tally.wins[seat] += share
        if len(self.payoffs):
            self._pay_all(indices, order, payoffs)
        counts = self._counts_of(payoffs, decisions)
        for name, values in counts.items():
            sums = values.sum(axis=0).tolist()
            tally.counts[name] = [a + b for a, b in zip(tally.counts[name], sums, strict=True)]
            tally.squares[name] += int((values.sum(axis=1) ** 2).sum())
        if len(self.measures):
            self._measure(indices, order, counts)
        self._count_lengths(tally, counts[self._counts.length].sum(axis=1), first + indices)

    def without_draws(self, indices: _Numbers, has_draws: _Numbers) -> list[int]:
        """Mark the deals in which games had draws; return those of the others, for `mark_game`."""
        self._has_draws[indices[has_draws != 0]] = True
        others: list[int] = indices[~self._has_draws[indices]].tolist()
        return others

    def mark_game(self, index: int, fingerprint: int | None) -> None:
        """Add the fingerprint of a game without draws to that of its deal."""
        self._mark(index, fingerprint)

    def wins_of(self, payoffs: _Numbers) -> NDArray[np.bool_]:
        """Whether each seat has the best payoff, by game."""
        payoff = self._table.payoff
        signed = payoffs if payoff is None else payoffs * payoff.sign
        wins: NDArray[np.bool_] = signed == signed.max(axis=1, keepdims=True)
        return wins

    def _pay_all(self, indices: _Numbers, order: int, payoffs: _Numbers) -> None:
        self.last_payoffs[order] = payoffs[-1].tolist()
        seats = [*self._table.orders[order]]
        by_position = np.zeros_like(payoffs)
        by_position[:, seats] = payoffs
        counts = self.payoffs[indices, 0] != VOID
        rows = np.concatenate([by_position, payoffs], axis=1).astype(self.payoffs.dtype)
        self.payoffs[indices[counts]] += rows[counts]

    def _counts_of(self, payoffs: _Numbers, decisions: _Numbers) -> dict[str, _Numbers]:
        """Every count by game and seat. Raises GameError for one that kernels do not have."""
        measured = {DECISIONS: decisions, POINTS: payoffs, RANK: _ranks_of(payoffs)}
        if missing := [name for name in self._counts.names if name not in measured]:
            title = self._table.game.title
            raise GameError(f"{title} counts {', '.join(missing)}, but its kernel does not say it")
        return {name: measured[name] for name in self._counts.names}

    def _measure(self, indices: _Numbers, order: int, counts: dict[str, _Numbers]) -> None:
        sums = [values.sum(axis=1) for values in counts.values()]
        columns = [np.ones(len(indices), np.int64), np.zeros(len(indices), np.int64), *sums]
        if self._pairs:
            seats = pairs_of_seats(self._table.orders[order])
            followed = dict(zip(seats, counts[self._counts.followed].T, strict=True))
            columns += [followed.get(pair, columns[1]) for pair in self._pairs]
        self.measures[indices] += np.stack(columns, axis=1).astype(self.measures.dtype)

    def _count_lengths(self, tally: Any, lengths: _Numbers, deals: _Numbers) -> None:
        distinct, firsts, games = np.unique(lengths, return_index=True, return_counts=True)
        for entry in np.argsort(firsts).tolist():
            number = length_class(int(distinct[entry]))
            before, first = tally.lengths.get(number, (0, int(deals[firsts[entry]])))
            tally.lengths[number] = before + int(games[entry]), first


def _ranks_of(payoffs: _Numbers) -> _Numbers:
    """Ranks from 1 for the best, by game and seat; equal payoffs have equal ranks."""
    ranks: _Numbers = 1 + (payoffs[:, None, :] > payoffs[:, :, None]).sum(axis=2)
    return ranks
