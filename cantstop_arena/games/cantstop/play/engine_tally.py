"""The tally of a block's games, which the engine fills in."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import Tally
from cantstop_arena.deals.seatings import Orders
from cantstop_arena.games.cantstop.counts import COUNTS, HIGHLIGHTS, MEASURES
from cantstop_arena.games.cantstop.engine.entry_points import engine
from cantstop_arena.games.cantstop.engine.game_array import COLUMN_UNITS, TALLY
from cantstop_arena.native.object_files import array_arguments

LUCK_UNIT = COLUMN_UNITS * 1296 / 1_000_000
"""A millionth of a column at stake, or of a won game, with six-sided dice."""
_MAX_LUCK = (1 << 31) - 1


class EngineTally:
    """The tally of a block; the engine writes its arrays."""

    def __init__(self, handle: Any, orders: Orders, deals: int, measured: bool) -> None:
        self._handle = handle
        self._players = len(orders[0])
        self._tallies = np.zeros(len(orders), TALLY).view(np.recarray)
        self.winners: NDArray[np.uint8] = np.zeros((deals, len(orders)), np.uint8)
        measured_deals = deals if measured else 0
        self._measures: NDArray[Any] = np.zeros((measured_deals, len(MEASURES)), np.int32)
        self._sums: NDArray[np.int64] = np.zeros(len(COUNTS), np.int64)
        arrays = array_arguments(self._sums, self._tallies, self.winners, self._measures)
        self._tally_game = partial(engine().tally_finished_game, handle, *arrays)

    @property
    def payoffs(self) -> NDArray[Any]:
        """No rows: the game pays nothing."""
        return np.zeros((0, 0), np.int32)

    @property
    def last_payoffs(self) -> list[None]:
        """None for each order, too."""
        return [None] * len(self._tallies)

    @property
    def records(self) -> tuple[Any, ...]:
        """The arrays, in the order of the engine's parameters."""
        return self._sums, self._tallies, self.winners, self._measures

    @property
    def fingerprints(self) -> NDArray[np.uint32]:
        """None: dice are rolled in every game."""
        return np.zeros(0, np.uint32)

    @property
    def measures(self) -> NDArray[Any]:
        """A row for each deal, if counts are stored by deal."""
        return self._measures

    def enter(self, index: int, order: int) -> None:
        self._tally_game(order, index)

    def tallies(self) -> tuple[Tally, ...]:
        records = self._tallies.view(TALLY, np.ndarray)  # ten times as fast to read as a recarray
        return tuple(_tally(record, self._players) for record in records)


class LuckTally(EngineTally):
    """A tally with counts by deal, followed by the luck of each position and of each seat.

    Luck is in units of `LUCK_UNIT`. `chances` is the array by which it is measured (see
    `engine.winning_chance`), `seat_luck` that in which the table sums the luck of the present game.
    """

    def __init__(
        self,
        handle: Any,
        orders: Orders,
        deals: int,
        chances: NDArray[Any],
        seat_luck: NDArray[np.int64],
    ) -> None:
        super().__init__(handle, orders, deals, measured=True)
        self._orders = np.array(orders, np.int64)
        self._chances, self._seat_luck = chances, seat_luck
        self._luck = np.zeros((deals, 2 * self._players), np.int64)

    @property
    def records(self) -> tuple[Any, ...]:
        return *super().records, self._chances, self._seat_luck, self._luck

    @property
    def measures(self) -> NDArray[Any]:
        luck = np.clip(np.rint(self._luck / LUCK_UNIT), -_MAX_LUCK, _MAX_LUCK)
        return np.concatenate([self._measures, luck.astype(np.int32)], axis=1)

    def enter(self, index: int, order: int) -> None:
        self.note_luck(index, order)
        super().enter(index, order)

    def note_luck(self, index: int, order: int) -> None:
        """Add the luck of the game that has just ended, and reset it."""
        from cantstop_arena.games.cantstop.engine import luck

        luck.add_luck_to_deal(self._handle, self._orders[order], self._seat_luck, self._luck[index])


def _tally(record: Any, players: int) -> Tally:
    counts = dict(zip(COUNTS, map(tuple, record["counts"][:, :players].tolist()), strict=True))
    lengths, length_deals = record["lengths"].tolist(), record["length_deals"].tolist()
    return Tally(
        games=int(record["games"]),
        wins=tuple(record["wins"][:players].tolist()),
        unfinished=int(record["unfinished"]),
        forfeits=int(record["forfeits"]),
        counts=counts,
        squares=dict(zip(COUNTS, record["squares"].tolist(), strict=True)),
        lengths={
            number: (games, length_deals[number]) for number, games in enumerate(lengths) if games
        },
        highlights={
            name: (how_much, deal)
            for name, how_much, deal in zip(
                HIGHLIGHTS,
                record["telling"].tolist(),
                record["telling_deals"].tolist(),
                strict=True,
            )
            if how_much
        },
    )
