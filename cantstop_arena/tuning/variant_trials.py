"""Trials of variants of a bot, against the same opponents and on the same deals.

Every deal is played in all orders of the seats; the opponent fills all seats but the variant's.
The workers of a pool play the games, on this machine or on others; built-in bots that are tuned
in a list of numbers play in the arena's own process, unless others are to play.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from cantstop_arena.bots.bot_start import BotStart
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.known_bot import BotAddress, BotDescription
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block, BlockResult, win_units
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.errors import FaultError
from cantstop_arena.processes import shutdown
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.file.entrants import Entrant, foreign_isolated
from cantstop_arena.tournaments.file.tournament_file import seats_that_meet
from cantstop_arena.tournaments.group_pool import GroupPool
from cantstop_arena.tournaments.pool.worker_pool import PoolOptions
from cantstop_arena.tournaments.preparation import disturbance_notice, disturbing, prepare_bots
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec, entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy
from cantstop_arena.tuning.cma_search import Numbers

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

Options = Mapping[str, Any]


class VariantTrials:
    """Plays variants of a bot against opponents, in a pool. Use it as a context manager.

    `observer` gets the progress. Raises UsageError when bots cannot meet in games of so many
    `players`, BotError when a bot cannot play.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        rules: Any,
        bot: BotDescription,
        against: Sequence[BotDescription],
        seed: int,
        observer: RunObserver,
        pool_options: PoolOptions,
        players: int | None = None,
    ) -> None:
        self.players = seats_that_meet(players, catalogue.game)
        self.lineup_size = catalogue.game.lineup_size(self.players)
        self._catalogue, self._rules, self._seed = catalogue, rules, seed
        self._bot, self._observer = bot, observer
        self._pool = GroupPool(pool_options, observer)
        self._opponents = [
            self._start_of(f"opponent {opponent.name}", opponent, opponent.defaults)
            for opponent in against
        ]
        self._separate: set[BotAddress] = set()
        for opponent in self._opponents:
            self._prepare(self._spec([self._seat("bot", {})], [opponent]))

    def __enter__(self) -> "VariantTrials":
        return self

    def __exit__(self, *problem: object) -> None:
        self._pool.__exit__(*problem)

    def _prepare(self, spec: TableSpec) -> None:
        """Build and try the bots; those that disturb a process that they share play apart."""
        bots = prepare_bots(spec, self._observer.on_compile, FaultPolicy().decision_limit)
        for number, what in disturbing(bots).items():
            bot = spec.seats[number].bot
            if bot not in self._separate:
                self._separate.add(bot)
                self._observer.on_notice(disturbance_notice(bot.name, what))

    def _seat(self, name: str, options: Options) -> BotStart:
        return self._start_of(name, self._bot, {**self._bot.defaults, **options})

    def _start_of(self, name: str, bot: BotDescription, options: Options) -> BotStart:
        entrant = foreign_isolated(Entrant(name, bot, options), self._catalogue.isolation)
        start = entrant_start(entrant, self._catalogue, FaultPolicy())
        return replace(start, dice_name=bot.name)  # all variants meet the same dice

    def _spec(self, variants: Sequence[BotStart], opponents: Sequence[BotStart]) -> TableSpec:
        """A table of all variants, and of each opponent as often as it is in a lineup."""
        catalogue, copies = self._catalogue, self.lineup_size - 1
        seats = (*variants, *(seat for opponent in opponents for seat in [opponent] * copies))
        spec = TableSpec(
            catalogue.game.name, self._rules, seats, self.players, self._seed, catalogue.folder
        )
        return spec.with_own_processes(
            [n for n, seat in enumerate(seats) if seat.bot in self._separate]
        )

    def _groups(self, variants: int, opponents: int) -> Iterator[Group]:
        """The groups of such a table: each variant with each opponent."""
        copies = self.lineup_size - 1
        for variant, opponent in product(range(variants), range(opponents)):
            first = variants + opponent * copies
            yield (variant, *range(first, first + copies))

    @property
    def opponents(self) -> int:
        """The number of opponents."""
        return len(self._opponents)

    @property
    def games_per_deal(self) -> int:
        """The number of orders in which a deal is played."""
        return len(self._catalogue.game.orders(self.players))

    @property
    def win_units(self) -> int:
        """The most that a bot can win in a deal, in the units of `wins`."""
        return win_units(self.lineup_size) * self.games_per_deal

    def wins(self, variants: Sequence[Options], first: int, deals: int) -> Sequence[Ints]:
        """The wins of each variant, in win units: a row for each opponent, a column for each deal.

        Raises FaultError when a bot commits a fault.
        """
        seats = [self._seat("bot", options) for options in variants]
        wins = self._play(seats, self._opponents, first, deals)
        count = len(self._opponents)
        return [np.array(wins[start : start + count]) for start in range(0, len(wins), count)]

    def duel(self, options: Options, first: int, deals: int) -> Ints:
        """The wins of a variant against the bot's present options, in win units by deal."""
        seats = [self._seat("bot", options)], [self._seat("bot as it is", {})]
        (wins,) = self._play(*seats, first, deals)
        return wins

    def _play(
        self, variants: Sequence[BotStart], opponents: Sequence[BotStart], first: int, deals: int
    ) -> Sequence[Ints]:
        """The wins of each variant against each opponent."""
        spec = self._spec(variants, opponents)
        groups = [*self._groups(len(variants), len(opponents))]
        orders = self._catalogue.game.orders(self.players)
        return [
            _first_wins(result, orders) for result in self._pool.play(spec, groups, first, deals)
        ]


class LiveVariantTrials(VariantTrials):
    """Plays variants of a built-in bot against built-in opponents, in this process.

    The variants differ in one list of numbers, so one compilation serves all.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        rules: Any,
        bot: BotDescription,
        against: Sequence[BotDescription],
        seed: int,
        observer: RunObserver,
        pool_options: PoolOptions,
        option: str,
        players: int | None = None,
    ) -> None:
        super().__init__(catalogue, rules, bot, against, seed, observer, pool_options, players)
        self._option = option
        self._numbers: Numbers = np.array(bot.defaults[option], np.float64)
        self._tables = [self._table(opponent) for opponent in self._opponents]

    def _table(self, opponent: BotStart) -> "GameTable":
        loader = Loader(self._catalogue.folder)
        spec = loader.find(self._bot.name, self._catalogue.game)
        player = spec.build({self._option: self._numbers})
        variant = SeatedBot("bot", player, "live", dice_name=spec.name)
        opponents = [seat_bot(opponent, loader) for _ in range(self.lineup_size - 1)]
        table: GameTable = self._catalogue.game.table(
            self._rules, [variant, *opponents], self.players, self._seed
        )
        return table

    def wins(self, variants: Sequence[Options], first: int, deals: int) -> Sequence[Ints]:
        return [self._variant_wins(options, first, deals) for options in variants]

    def _variant_wins(self, options: Options, first: int, deals: int) -> Ints:
        with shutdown.defer_until_safe():
            self._numbers[:] = options[self._option]
            wins = np.array([_wins(table, first, deals) for table in self._tables])
        self._observer.on_progress(self.games_per_deal * wins.size)
        self._observer.on_tick()
        return wins


def variant_trials_for(
    catalogue: Catalogue,
    rules: Any,
    bot: BotDescription,
    against: Sequence[BotDescription],
    seed: int,
    options: Sequence[str],
    observer: RunObserver,
    pool_options: PoolOptions,
    players: int | None = None,
) -> VariantTrials:
    """The quickest kind of trials for variants in these options; other machines play all."""
    (search, *other_searches) = [bot.options[name].search for name in options]
    has_foreign = any(description.origin.is_foreign for description in (bot, *against))
    is_here = not has_foreign and pool_options.cluster is None
    if is_here and not other_searches and search and search.live:
        return LiveVariantTrials(
            catalogue, rules, bot, against, seed, observer, pool_options, options[0], players
        )
    return VariantTrials(catalogue, rules, bot, against, seed, observer, pool_options, players)


def _wins(table: "GameTable", first: int, deals: int) -> Ints:
    """The wins of the first bot by deal. Raises FaultError when a bot commits a fault."""
    result = table.play(Block((*range(len(table.seated_bots)),), first, deals))
    if result.faults:
        fault = result.faults[0]
        raise FaultError(f"{table.seated_bots[fault.bot].name} cannot play: {fault.message}")
    return _first_wins(result, table.orders)


def _first_wins(result: BlockResult, orders: Orders) -> Ints:
    """The wins of the first bot of a group by deal."""
    wins: NDArray[np.int64] = wins_by_deal(result.masks(), orders)[:, 0]
    return wins
