"""The table of Cubus: lineups of built-in bots play compiled, all others play in plain Python."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from cantstop_arena.deals.outcomes import Block
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Question, Result
from cantstop_arena.games.cubus.bots.strategies import BOTS
from cantstop_arena.games.cubus.chance import keys_of_deal
from cantstop_arena.games.cubus.choices.bot_view import CubusBotView
from cantstop_arena.games.cubus.choices.named_positions import view_of
from cantstop_arena.games.cubus.counts import GameCounts, SeatCounts
from cantstop_arena.games.cubus.engine.kernel import CountedGames, fast, play_all
from cantstop_arena.games.cubus.engine.library import library
from cantstop_arena.games.cubus.measures import counted_result
from cantstop_arena.games.cubus.rules import RuleSet
from cantstop_arena.native.code_cache import unwrap_partial
from cantstop_arena.table.bot_faults import BotFault
from cantstop_arena.table.conversation import PendingDecision
from cantstop_arena.table.determinism import TraceStep
from cantstop_arena.table.plain_table import PlainTable
from cantstop_arena.table.seated_bot import SeatedBot

_NAME_OF: dict[Any, str] = {bot.build: name for name, bot in BOTS.items()}
_BATCH = 64  # games of one lineup between two calls of `mark_game`, which the watchdog needs


class KernelTable(PlainTable):
    """A table of Cubus. Compiled and plain games have equal results."""

    def __init__(
        self,
        game: Game,
        rules: RuleSet,
        seated_bots: Sequence[SeatedBot],
        players: int,
        seed: Seed,
    ) -> None:
        super().__init__(game, rules, seated_bots, players, seed)
        self._names = [_name_of(seated_bot) for seated_bot in seated_bots]
        self._played: Result | None = None

    def is_compiled(self, bots: Iterable[int]) -> bool:
        names = [self._names[bot] for bot in bots]
        return all(names) and fast(self.rules, names)

    def start(self, seats: Group, deal: int) -> None:
        """Start a deal in plain Python, for games that are recorded or traced step by step."""
        self.seats = seats
        self.begin(deal)
        self._seed_python(deal)
        self._seat_players()

    def stops(self) -> Iterator[Question | PendingDecision]:
        super().warm_up()  # here at the latest, before any bot's time counts
        return super().stops()

    def trace(self) -> Iterator[TraceStep]:
        """The counts of each seat, in games that play compiled."""
        if not self.is_compiled(self.seats):
            return super().trace()
        counted = self._counted(self.seats, [self._deal])
        return (TraceStep(seat, counts) for seat, counts in enumerate(counted.seats[0].tolist()))

    def begin(self, deal: int) -> None:
        self._played = None
        super().begin(deal)

    def result(self) -> Result:
        return self._played or super().result()

    def warm_up(self) -> None:
        if not self._all_compiled():
            super().warm_up()
        if any(self._names) and fast(self.rules, ()):
            players = len(self.orders[0])
            for name in {"champion" if name == "champion" else "greedy" for name in self._names}:
                play_all(self.rules, [name] * players, [])

    def _prepare_game(self) -> None:
        if self._all_compiled():
            _load_searches(self.rules)
        else:
            super()._prepare_game()

    def _all_compiled(self) -> bool:
        return self.is_compiled(range(len(self._names)))

    def play_compiled(
        self, block: Block, start: int, stop: int, tally: Any
    ) -> tuple[int, BotFault | None]:
        orders = len(self.orders)
        for seating, lineup in enumerate(lineups(block.group, self.orders)):
            games = range(start + (seating - start) % orders, stop, orders)
            for first in range(0, len(games), _BATCH):
                batch = games[first : first + _BATCH]
                self.mark_game(batch[0], tuple(map(block.group.index, lineup)))
                self._play_batch(block, lineup, seating, [game // orders for game in batch], tally)
        return stop, None

    def _play_batch(
        self, block: Block, lineup: Group, seating: int, deals: Sequence[int], tally: Any
    ) -> None:
        """Play a lineup's games of some deals (numbers within the block) and tally them."""
        counted = self._counted(lineup, [block.first + deal for deal in deals])
        for deal, seats, game in zip(
            deals, counted.seats.tolist(), counted.games.tolist(), strict=True
        ):
            self._deal, self.loser = block.first + deal, None
            self._played = _result([SeatCounts(*seat) for seat in seats], GameCounts(*game))
            tally.enter(deal, seating)

    def _counted(self, lineup: Group, deals: Sequence[int]) -> CountedGames:
        seed, players = bits_of(self.seed), len(lineup)
        keys = [keys_of_deal(seed, deal, players) for deal in deals]
        names = [self._names[bot] for bot in lineup]
        return play_all(self.rules, names, keys, [self._net_of(bot) for bot in lineup])

    def _net_of(self, bot: int) -> Any:
        """The net of champion, which it has from its options; None for other bots."""
        nets = getattr(self.seated_bots[bot].player.build, "keywords", {}).get("nets")
        return nets[len(self.orders[0])].net if nets else None


def _name_of(seated_bot: SeatedBot) -> str:
    """The name of a built-in bot; "" for any other bot, and for one in another process."""
    build = getattr(seated_bot.player, "build", None)
    return _NAME_OF.get(unwrap_partial(build)[0], "") if build else ""


def _result(seats: Sequence[SeatCounts], game: GameCounts) -> Result:
    highest = max(seat.points for seat in seats)
    winners = [number for number, seat in enumerate(seats) if seat.points == highest]
    return counted_result(seats, game, winners)


def warm_up(rules: RuleSet) -> None:
    """Load the library of the rules' box, and the compiled searches."""
    _load_searches(rules)
    _load_search_without_box()


def _load_searches(rules: RuleSet) -> None:
    """Load all that compiled bots use in games that are played in plain Python."""
    library(rules.box)
    _load_search_in_box()


@cache
def _load_search_in_box() -> None:
    """Call the helpers that search in a box or near the pile once, which loads machine code."""
    view = _small_view()
    view.bound()
    view.nearby()
    deque(view.iter_targets(), 0)


@cache
def _load_search_without_box() -> None:
    view = _small_view()
    view.takes()
    deque(view.iter_targets("none"), 0)


def _small_view() -> CubusBotView:
    return view_of("1@0,0", "TOLR", [(0, 0)], "leaflet")
