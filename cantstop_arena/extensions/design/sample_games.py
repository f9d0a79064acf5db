"""Games of some bots under one rule set that are played, measured and forgotten.

For profiles and designs; comparisons and tournaments keep their games in ledgers.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.comparisons.comparison_file import repeat_bots
from cantstop_arena.comparisons.deal_ratios import DealRatios
from cantstop_arena.comparisons.samples import RatioSample, SamplePlan, read_sample
from cantstop_arena.deals.outcomes import BlockResult
from cantstop_arena.deals.payoff import STORED
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.game_api.game import Game
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.group_pool import GroupPool
from cantstop_arena.tournaments.ledger.cover import StoredDeals
from cantstop_arena.tournaments.ledger.row_codec import MEASURED
from cantstop_arena.tournaments.table_spec import TableSpec, entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy

MIN_EQUAL = 16  # deals; fewer may be alike by chance
_BITS = np.array([number.bit_count() for number in range(256)], np.int64)


class SampleGames(msgspec.Struct, frozen=True):
    """The deals that groups of bots have played: the blocks of each group, one after the other.

    Copies of a bot are numbered as in `SamplePlan`.
    """

    game: Game
    bots: tuple[str, ...]
    groups: tuple[Group, ...]
    orders: Orders
    blocks: tuple[tuple[BlockResult, ...], ...]

    @property
    def deal_count(self) -> int:
        """The number of deals, which all groups have played."""
        return sum(result.block.deals for result in self.blocks[0])

    @property
    def games(self) -> int:
        """The number of games."""
        return self.deal_count * len(self.orders) * len(self.groups)

    @property
    def are_equal(self) -> bool:
        """Whether all deals are the same games, as where no chance is involved."""
        rows = [
            row
            for group, _ in enumerate(self.groups)
            for row in (self.masks(group), self.measures(group), self._payoffs(group))
            if len(row)
        ]
        return self.deal_count >= MIN_EQUAL and all((row == row[0]).all() for row in rows)

    def __add__(self, later: "SampleGames") -> "SampleGames":
        joined = (*zip(self.blocks, later.blocks, strict=True),)
        return replace(self, blocks=tuple((*old, *new) for old, new in joined))

    def deals(self, start: int, count: int) -> Iterator[StoredDeals]:
        """The blocks, in the form of a ledger's; the first deal counts as number 0."""
        origin = self.blocks[0][0].block.first
        for group, blocks in zip(self.groups, self.blocks, strict=True):
            for result in blocks:
                yield group, result.block.first - origin, result.masks(), _measures(result)

    @property
    def plan(self) -> SamplePlan:
        """How the deals are summed up."""
        measures = DealRatios(self.game.counts)
        return SamplePlan(measures, self.orders, self.groups, self.deal_count, self.bots)

    def sample(self) -> RatioSample:
        """The sums of all measures."""
        return read_sample(self, self.plan)

    def masks(self, group: int) -> Ints:
        """The winners of a group's games: deals by orders."""
        return np.concatenate([result.masks() for result in self.blocks[group]]).astype(np.int64)

    def measures(self, group: int) -> Ints:
        """The sums of what a group's games count: a row for each deal."""
        return np.concatenate([_measures(result) for result in self.blocks[group]]).astype(np.int64)

    def _payoffs(self, group: int) -> Ints:
        """What a group's games have paid: a row for each deal; none in a game without payoffs."""
        stored = b"".join(result.payoffs for result in self.blocks[group])
        paid = np.frombuffer(stored, STORED)
        return paid.reshape(self.deal_count, -1) if len(paid) else paid

    def wins(self, group: int) -> Ints:
        """What the bots of a group, then the seats, have won, in win units: a row for each deal."""
        masks = [result.masks() for result in self.blocks[group]]
        return wins_by_deal(np.concatenate(masks), self.orders)

    def shared_by_several(self) -> Ints:
        """By unit of the sample, the games that several seats have won, or nobody."""
        several = np.zeros(self.deal_count, np.int64)
        for group, _ in enumerate(self.groups):
            several += (_BITS[self.masks(group)] > 1).sum(axis=1)
        by_unit: Ints = np.add.reduceat(several, np.arange(self.plan.units) * self.plan.size)
        return by_unit


def _measures(result: BlockResult) -> Any:
    return np.frombuffer(result.measures, MEASURED).reshape(result.block.deals, -1)


class SamplePlayer:
    """Plays deals of some bots under rule sets of a game, all with the same chance."""

    def __init__(
        self,
        catalogue: Catalogue,
        entrants: tuple[Entrant, ...],
        players: int,
        seed: Seed,
        pool: GroupPool,
    ) -> None:
        self.game, self.players = catalogue.game, players
        self.bots = tuple(entrant.name for entrant in entrants)
        self.orders = self.game.orders(players)
        size = self.game.lineup_size(players)
        seated, lineups = repeat_bots(entrants, size)
        self.groups = lineups or (*combinations(range(len(seated)), size),)
        self._seats = tuple(entrant_start(each, catalogue, FaultPolicy()) for each in seated)
        self._catalogue, self._seed, self._pool = catalogue, seed, pool

    def spec(self, rules: Any) -> TableSpec:
        """The table under a rule set."""
        folder = self._catalogue.folder
        return TableSpec(
            self.game.name, rules, self._seats, self.players, self._seed, folder, keeps_counts=True
        )

    def games_of(self, deals: int) -> int:
        """The number of games in so many deals."""
        return deals * len(self.orders) * len(self.groups)

    def play(self, rules: Any, first: int, deals: int) -> SampleGames:
        """Play so many deals from the `first` on. Raises ArenaError."""
        results: Sequence[BlockResult] = [
            *self._pool.play(self.spec(rules), self.groups, first, deals)
        ]
        blocks = tuple((result,) for result in results)
        return SampleGames(self.game, self.bots, self.groups, self.orders, blocks)
