"""Trials of variants of a bot, against the same opponents and on the same deals.

Every deal is played in all orders of the seats; the opponent fills all seats but the variant's.
Isolated calls play the games, so that no bot's code runs in the arena's own process; several run at
the same time.
"""

import base64
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.known_bot import BotDescription
from cantstop_arena.bots.loader import Loader
from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.sampling import Ints, wins_by_deal
from cantstop_arena.deals.winners import win_units
from cantstop_arena.errors import ERROR, FaultError
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, run_all
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.file.keys import check_seats
from cantstop_arena.tournaments.preparation import pack_spec, prepare_bots, unpack_spec
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import SeatSpec, TableSpec, seat_for
from cantstop_arena.tuning.cma_search import Numbers

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

Options = Mapping[str, Any]
_INVALID_MESSAGE = "{}: the process that played the games sent an invalid message"
_MAX_SECONDS = 3600.0  # of a call, which plays one variant against one opponent


class VariantTrials:
    """Plays variants of a bot against opponents, in isolated calls.

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
        players: int = 2,
    ) -> None:
        check_seats(players, catalogue.game)
        self.players = players
        self._catalogue, self._rules, self._seed = catalogue, rules, seed
        self._bot, self._observer = bot, observer
        self._opponents = [
            seat_for(f"opponent {opponent.name}", opponent, opponent.defaults)
            for opponent in against
        ]
        for opponent in self._opponents:
            prepare_bots(self._spec(self._seat("bot", {}), opponent), observer.on_compile)

    def _seat(self, name: str, options: Options) -> SeatSpec:
        return seat_for(name, self._bot, {**self._bot.defaults, **options})

    def _spec(self, seat: SeatSpec, opponent: SeatSpec) -> TableSpec:
        catalogue, seats = self._catalogue, (seat, *[opponent] * (self.players - 1))
        return TableSpec(
            catalogue.game.name, self._rules, seats, self.players, self._seed, catalogue.folder
        )

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
        return win_units(self.players) * self.games_per_deal

    def wins(self, variants: Sequence[Options], first: int, deals: int) -> Sequence[Ints]:
        """The wins of each variant, in win units: a row for each opponent, a column for each deal.

        Raises FaultError when a bot commits a fault.
        """
        seats = [self._seat("bot", options) for options in variants]
        pairs = product(seats, self._opponents)
        wins = list(self._play([self._spec(*pair) for pair in pairs], first, deals))
        count = len(self._opponents)
        return [np.array(wins[start : start + count]) for start in range(0, len(wins), count)]

    def duel(self, options: Options, first: int, deals: int) -> Ints:
        """The wins of a variant against the bot's present options, in win units by deal."""
        spec = self._spec(self._seat("bot", options), self._seat("bot as it is", {}))
        return next(self._play([spec], first, deals))

    def _play(self, specs: Sequence[TableSpec], first: int, deals: int) -> Iterator[Ints]:
        keywords = {"first": first, "deals": deals}
        calls = [
            IsolatedCall(
                f"{__name__}:play_variants", {"spec": pack_spec(spec), **keywords}, _MAX_SECONDS
            )
            for spec in specs
        ]
        with shutdown.defer_until_safe():
            outcomes = run_all(calls, self._observer.on_tick)
            for spec, outcome in zip(specs, outcomes, strict=True):
                shutdown.check()
                self._observer.on_progress(self.games_per_deal * deals)
                yield _wins_in_outcome(outcome, spec, deals)


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
        option: str,
        players: int = 2,
    ) -> None:
        super().__init__(catalogue, rules, bot, against, seed, observer, players)
        self._option = option
        self._numbers: Numbers = np.array(bot.defaults[option], np.float64)
        self._tables = [self._table(opponent) for opponent in self._opponents]

    def _table(self, opponent: SeatSpec) -> "GameTable":
        loader = Loader(self._catalogue.folder)
        spec = loader.find(self._bot.name, self._catalogue.game)
        seated_bot = SeatedBot("bot", spec.build({self._option: self._numbers}), "live")
        opponents = [opponent.seated_bot(loader) for _ in range(self.players - 1)]
        table: GameTable = self._catalogue.game.table(
            self._rules, [seated_bot, *opponents], self.players, self._seed
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
    players: int = 2,
) -> VariantTrials:
    """The quickest kind of trials for variants in these options."""
    (search, *other_searches) = [bot.options[name].search for name in options]
    are_built_in = all(description.origin == "built-in" for description in (bot, *against))
    if are_built_in and not other_searches and search and search.live:
        return LiveVariantTrials(
            catalogue, rules, bot, against, seed, observer, options[0], players
        )
    return VariantTrials(catalogue, rules, bot, against, seed, observer, players)


# Games ----------------------------------------------------------------------------------------


def play_variants(spec: bytes, first: int, deals: int) -> Mapping[str, Any]:
    """The function of the calls: the wins of the first bot of a spec by deal."""
    try:
        table: GameTable = unpack_spec(spec).table()
        table.warm_up()
        wins = _wins(table, first, deals)
    except FaultError as error:
        return {ERROR: str(error)}
    except BaseException as error:
        return {ERROR: exception_report(error)}
    return {"won": base64.b64encode(wins.astype(np.uint16).tobytes()).decode()}


def _wins(table: "GameTable", first: int, deals: int) -> Ints:
    """The wins of the first bot by deal. Raises FaultError when a bot commits a fault."""
    result = table.play(Block((*range(len(table.seated_bots)),), first, deals))
    if result.faults:
        fault = result.faults[0]
        raise FaultError(f"{table.seated_bots[fault.bot].name} cannot play: {fault.message}")
    wins: NDArray[np.int64] = wins_by_deal(result.masks(), table.orders)[:, 0]
    return wins


def _wins_in_outcome(outcome: Any, spec: TableSpec, deals: int) -> Ints:
    names = " and ".join(dict.fromkeys(seat.bot.name for seat in spec.seats))
    if isinstance(outcome, CallFailed):
        raise FaultError(f"{names}: the games' process {outcome}")
    if isinstance(outcome, dict) and isinstance(message := outcome.get(ERROR), str):
        raise FaultError(f"{names}: {message}")
    try:
        wins = np.frombuffer(base64.b64decode(outcome["won"]), np.uint16)
    except (TypeError, KeyError, ValueError) as error:
        raise FaultError(_INVALID_MESSAGE.format(names)) from error
    if len(wins) != deals:
        raise FaultError(_INVALID_MESSAGE.format(names))
    return wins.astype(np.int64)
