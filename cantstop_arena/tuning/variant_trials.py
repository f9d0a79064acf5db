"""Where variants of a bot are tried out: against the same opponents, on the same deals.

Two sit at a table, and every deal is played in both seatings. Games are played by errands, so that
no bot's code runs in the arena's own process; several are at work at once.
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
from cantstop_arena.errors import ERROR, BotError, UsageError
from cantstop_arena.processes import shutdown
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, run_all
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.preparation import pack_spec, prepare_bots, unpack_spec
from cantstop_arena.tournaments.table_spec import SeatSpec, TableSpec, seat_for
from cantstop_arena.tuning.cma_search import Numbers

if TYPE_CHECKING:
    from cantstop_arena.table.table import GameTable

SEATS = 2
Options = Mapping[str, Any]
_INVALID = "{}: the process that played the games sent an invalid message"
_LIMIT = 3600.0  # seconds that the games of one variant may take at a time


class VariantTrials:
    """Lets variants of a bot meet opponents.

    Raises UsageError where the game cannot be played by two, BotError where a bot cannot play.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        rules: Any,
        bot: BotDescription,
        against: Sequence[BotDescription],
        seed: int,
    ) -> None:
        if SEATS not in catalogue.game.players:
            raise UsageError(f"bots are tuned in games of two, and {catalogue.game.title} has none")
        self._catalogue, self._rules, self._seed = catalogue, rules, seed
        self._bot = bot
        self._against = [
            seat_for(f"opponent {other.name}", other, other.defaults) for other in against
        ]
        for opponent in self._against:
            prepare_bots(self._spec(self._seat("bot", {}), opponent), lambda _: None)

    def _seat(self, name: str, options: Options) -> SeatSpec:
        return seat_for(name, self._bot, {**self._bot.defaults, **options})

    def _spec(self, *seats: SeatSpec) -> TableSpec:
        catalogue = self._catalogue
        return TableSpec(
            catalogue.game.name, self._rules, seats, SEATS, self._seed, catalogue.folder
        )

    @property
    def win_units(self) -> int:
        """What there is to win in a deal, in the parts that `won` counts."""
        return win_units(SEATS) * len(self._catalogue.game.orders(SEATS))

    def won(self, variants: Sequence[Options], first: int, deals: int) -> Sequence[Ints]:
        """What each variant wins of each deal: a row for each opponent.

        Raises BotError where a bot commits a fault.
        """
        seats = [self._seat("bot", options) for options in variants]
        pairs = product(seats, self._against)
        played = list(self._played([self._spec(*pair) for pair in pairs], first, deals))
        rows = len(self._against)
        return [np.array(played[start : start + rows]) for start in range(0, len(played), rows)]

    def duel(self, options: Options, first: int, deals: int) -> Ints:
        """What a variant wins of each deal against the bot as it is."""
        spec = self._spec(self._seat("bot", options), self._seat("bot as it is", {}))
        return next(self._played([spec], first, deals))

    def _played(self, specs: Sequence[TableSpec], first: int, deals: int) -> Iterator[Ints]:
        keywords = {"first": first, "deals": deals}
        calls = [
            IsolatedCall(f"{__name__}:play_variants", {"spec": pack_spec(spec), **keywords}, _LIMIT)
            for spec in specs
        ]
        with shutdown.defer_until_safe():
            for spec, data in zip(specs, run_all(calls), strict=True):
                shutdown.check()
                yield _wins_from_data(data, spec, deals)


class LiveVariantTrials(VariantTrials):
    """Lets variants of one of the arena's own bots meet opponents, in this process.

    They differ in one list of numbers, and are compiled once for all.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        rules: Any,
        bot: BotDescription,
        against: Sequence[BotDescription],
        seed: int,
        option: str,
    ) -> None:
        super().__init__(catalogue, rules, bot, against, seed)
        self._option = option
        self._numbers: Numbers = np.array(bot.defaults[option], np.float64)
        self._tables = [self._table(opponent) for opponent in self._against]

    def _table(self, opponent: SeatSpec) -> "GameTable":
        loader = Loader(self._catalogue.folder)
        spec = loader.find(self._bot.name, self._catalogue.game)
        member = SeatedBot("bot", spec.build({self._option: self._numbers}), "live")
        game, seated_bots = self._catalogue.game, [member, opponent.seated_bot(loader)]
        table: GameTable = game.table(self._rules, seated_bots, SEATS, self._seed)
        return table

    def won(self, variants: Sequence[Options], first: int, deals: int) -> Sequence[Ints]:
        return [self._won(options, first, deals) for options in variants]

    def _won(self, options: Options, first: int, deals: int) -> Ints:
        with shutdown.defer_until_safe():
            self._numbers[:] = options[self._option]
            return np.array([_won(table, first, deals) for table in self._tables])


def variant_trials_for(
    catalogue: Catalogue,
    rules: Any,
    bot: BotDescription,
    against: Sequence[BotDescription],
    seed: int,
    options: Sequence[str],
) -> VariantTrials:
    """The quickest laboratory in which these options can be tried out."""
    (search, *others) = [bot.options[name].search for name in options]
    ours = all(description.origin == "built-in" for description in (bot, *against))
    if ours and not others and search and search.live:
        return LiveVariantTrials(catalogue, rules, bot, against, seed, options[0])
    return VariantTrials(catalogue, rules, bot, against, seed)


# Games ----------------------------------------------------------------------------------------


def play_variants(spec: str, first: int, deals: int) -> Mapping[str, Any]:
    """What the first bot of a spec wins of each deal: what an errand does."""
    try:
        table: GameTable = unpack_spec(spec).table()
        table.warm_up()
        won = _won(table, first, deals)
    except BaseException as error:
        return {ERROR: exception_report(error)}
    return {"won": base64.b64encode(won.astype(np.uint16).tobytes()).decode()}


def _won(table: "GameTable", first: int, deals: int) -> Ints:
    """What the first bot wins of each deal. Raises BotError where a bot commits a fault."""
    result = table.play(Block((0, 1), first, deals))
    if result.faults:
        fault = result.faults[0]
        raise BotError(f"{table.seated_bots[fault.bot].name} cannot play: {fault.message}")
    number: NDArray[np.int64] = wins_by_deal(result.masks(), table.orders)[:, 0]
    return number


def _wins_from_data(data: Any, spec: TableSpec, deals: int) -> Ints:
    names = " and ".join(dict.fromkeys(seat.bot.name for seat in spec.seats))
    if isinstance(data, CallFailed):
        raise BotError(f"{names}: the games' process {data}")
    if isinstance(data, dict) and isinstance(complaint := data.get(ERROR), str):
        raise BotError(f"{names}: {complaint}")
    try:
        won = np.frombuffer(base64.b64decode(data["won"]), np.uint16)
    except (TypeError, KeyError, ValueError) as error:
        raise BotError(_INVALID.format(names)) from error
    if len(won) != deals:
        raise BotError(_INVALID.format(names))
    return won.astype(np.int64)
