"""What the engine writes down of a block's games."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import Tally
from cantstop_arena.deals.seatings import Orders
from cantstop_arena.games.cantstop.counts import COUNTS, MEASURES, TELLING
from cantstop_arena.games.cantstop.engine.machine import engine, shown
from cantstop_arena.games.cantstop.engine.state import TALLY


class EngineBooks:
    """The books of a block; the engine writes into their arrays itself."""

    def __init__(self, handle: Any, orders: Orders, deals: int, measured: bool) -> None:
        self._players = len(orders[0])
        self._tallies = np.zeros(len(orders), TALLY).view(np.recarray)
        self.winners: NDArray[np.uint8] = np.zeros((deals, len(orders)), np.uint8)
        kept = deals if measured else 0
        self.measures: NDArray[Any] = np.zeros((kept, len(MEASURES)), np.uint32)
        self._sums: NDArray[np.int64] = np.zeros(len(COUNTS), np.int64)
        self.records = shown(self._sums, self._tallies, self.winners, self.measures)
        """The arrays, as the engine takes them."""
        self._settle = partial(engine().settle, handle, *self.records)

    def enter(self, index: int, order: int) -> None:
        self._settle(order, index)

    def tallies(self) -> tuple[Tally, ...]:
        return tuple(_tally(record, self._players) for record in self._tallies)


def _tally(record: Any, players: int) -> Tally:
    counts = {
        name: tuple(record["counts"][number, :players].tolist())
        for number, name in enumerate(COUNTS)
    }
    found = np.flatnonzero(record["lengths"]).tolist()
    return Tally(
        games=int(record["games"]),
        wins=tuple(record["wins"][:players].tolist()),
        unfinished=int(record["unfinished"]),
        forfeits=int(record["forfeits"]),
        counts=counts,
        squares=dict(zip(COUNTS, record["squares"].tolist(), strict=True)),
        lengths={
            number: (int(record["lengths"][number]), int(record["length_deals"][number]))
            for number in found
        },
        telling={
            name: (how_much, deal)
            for name, how_much, deal in zip(
                TELLING, record["telling"].tolist(), record["telling_deals"].tolist(), strict=True
            )
            if how_much
        },
    )
