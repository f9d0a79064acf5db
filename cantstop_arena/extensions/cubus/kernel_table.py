"""The table of Cubus: lineups of compiled bots play in machine code, all others in plain Python."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import repeat
from typing import Any

from cantstop_arena.deals.outcomes import ILLEGAL, Block
from cantstop_arena.deals.seatings import Group, lineups
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.extensions.cubus.chance import keys_of_deal
from cantstop_arena.extensions.cubus.choices.bot_view import CubusBotView
from cantstop_arena.extensions.cubus.choices.named_positions import view_of
from cantstop_arena.extensions.cubus.compiled_bots import machine_code
from cantstop_arena.extensions.cubus.compiled_games import (
    CompiledGames,
    CountedGames,
    CubusMachineCode,
    WatchedNumbers,
    plays,
)
from cantstop_arena.extensions.cubus.counts import GameCounts, SeatCounts
from cantstop_arena.extensions.cubus.engine.library import library
from cantstop_arena.extensions.cubus.measures import counted_result
from cantstop_arena.extensions.cubus.rules import RuleSet
from cantstop_arena.game_api import watched
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Question, Result
from cantstop_arena.native.code_cache import compiles
from cantstop_arena.table.bot_faults import BotFault, fault_of
from cantstop_arena.table.conversation import PendingDecision
from cantstop_arena.table.determinism import TraceStep
from cantstop_arena.table.plain_table import PlainTable
from cantstop_arena.table.seated_bot import SeatedBot

_BATCH = 64  # games between two returns from machine code
_BUILD, _KNOCK = 1, 2  # the numbers of the decisions
_SLOTS = (watched.CURSOR, watched.SEAT, watched.MARK, watched.STEP, watched.POSITIONS)
_MARKS = (
    watched.mark_of(watched.ARENA),
    watched.mark_of(watched.BOT, _BUILD),
    watched.mark_of(watched.BOT, _KNOCK),
)


class KernelTable(PlainTable):
    """A table of Cubus. Compiled and plain games have equal results.

    Raises BotError when a bot marked `@compiled` does not compile.
    """

    def __init__(
        self,
        game: Game,
        rules: RuleSet,
        seated_bots: Sequence[SeatedBot],
        players: int,
        seed: Seed,
    ) -> None:
        super().__init__(game, rules, seated_bots, players, seed)
        self._played: Result | None = None
        self._compile_bots()

    def _compile_bots(self) -> None:
        """Compile or load the bots for these rules."""
        self._own_games: CompiledGames | None = None
        self._machine_code: Sequence[CubusMachineCode | None] = [None] * len(self.seated_bots)
        if not (compiles() and plays(self.rules)):
            return
        players = len(self.orders[0])
        by_digest: dict[str, CubusMachineCode | None] = {}
        for bot in self.seated_bots:
            if bot.digest not in by_digest:
                by_digest[bot.digest] = machine_code(bot, self.rules, players)
        self._machine_code = [by_digest[bot.digest] for bot in self.seated_bots]

    def change_rules(self, rules: RuleSet, players: int, memory: Any) -> None:
        self.rules = rules
        self._set_orders(players)
        self._compile_bots()
        super().change_rules(rules, players, memory)

    def is_compiled(self, bots: Iterable[int]) -> bool:
        return all(self._machine_code[bot] for bot in bots)

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
        positions = tuple(range(len(self.seats)))
        _, counted, fault = self._play(self.seats, [positions], [self._deal], 0)
        if fault:
            raise fault
        return (TraceStep(seat, counts) for seat, counts in enumerate(counted.seats[0].tolist()))

    def ends_otherwise(self, seats: Group, deal: int) -> bool:
        recorded = self.result()
        positions = tuple(range(len(seats)))
        _, counted, fault = self._play(seats, [positions], [deal], 0)
        return bool(fault) or _result_of(counted, 0) != recorded

    def begin(self, deal: int) -> None:
        self._played = None
        super().begin(deal)

    def result(self) -> Result:
        return self._played or super().result()

    def warm_up(self) -> None:
        if not self._all_compiled():
            super().warm_up()
        if any(self._machine_code):
            self._kernel_games  # noqa: B018 - load the kernel before any bot's time counts

    @property
    def _kernel_games(self) -> CompiledGames:
        """The games of these rules, whose row shows other processes what happens."""
        numbers = self._watched.numbers
        if self._own_games is None or self._own_games.watched.numbers is not numbers:
            shown = WatchedNumbers(numbers, _SLOTS, _MARKS)
            self._own_games = CompiledGames(self.rules, len(self.orders[0]), shown)
        return self._own_games

    def _prepare_game(self) -> None:
        if self._all_compiled():
            _load_searches(self.rules)
        else:
            super()._prepare_game()

    def _all_compiled(self) -> bool:
        return self.is_compiled(range(len(self.seated_bots)))

    def play_compiled(
        self, block: Block, start: int, stop: int, tally: Any
    ) -> tuple[int, BotFault | None]:
        positions = tuple(range(len(block.group)))
        orders = [*lineups(positions, self.orders)]
        for first in range(start, stop, _BATCH):
            games = range(first, min(stop, first + _BATCH))
            deals = [block.first + game // len(orders) for game in games]
            seatings = [orders[game % len(orders)] for game in games]
            played, counted, fault = self._play(block.group, seatings, deals, first)
            for number, game in enumerate(games[:played]):
                self._deal, self.loser = deals[number], None
                self._played = _result_of(counted, number)
                tally.enter(*divmod(game, len(orders)))
            if fault:
                seats = tuple(block.group[position] for position in seatings[played])
                return games[played], self._plain_fault(seats, deals[played], fault)
        return stop, None

    def _plain_fault(self, seats: Group, deal: int, fault: BotFault) -> BotFault:
        """The fault of a game when it is played in plain Python, up to that point.

        The same as that of machine code unless the bot differs in the two.
        """
        seat = self._seat
        self.start(seats, deal)
        try:
            self.play_out()
        except BotFault as plain_fault:
            return plain_fault
        self.begin(deal)
        self._seat = seat
        return fault

    def _play(
        self, group: Group, seatings: Sequence[Group], deals: Sequence[int], first: int
    ) -> tuple[int, CountedGames, BotFault | None]:
        """Play a game of each deal: how many were played, their counts, the fault of the next."""
        keys = [
            keys_of_deal(self.dice_of(tuple(group[p] for p in seating)).circle, deal, len(seating))
            for seating, deal in zip(seatings, deals, strict=True)
        ]
        bots = [code for bot in group if (code := self._machine_code[bot])]
        played, counted, error = self._kernel_games.play(bots, seatings, keys, first)
        numbers = self._watched.numbers
        mark, self._seat = numbers[watched.MARK], int(numbers[watched.SEAT])
        self._watched.mark(watched.ARENA)
        if error and mark not in _MARKS[1:]:
            raise error
        fault = fault_of(error) if error else None
        if fault is None and played < len(deals):
            fault = BotFault(ILLEGAL, "an answer that is no build, in machine code")
        return played, counted, fault


def _result_of(counted: CountedGames, number: int) -> Result:
    """The result of one of the games that were counted."""
    seats = [SeatCounts(*seat) for seat in counted.seats[number].tolist()]
    highest = max(seat.points for seat in seats)
    winners = tuple(seat for seat, counts in enumerate(seats) if counts.points == highest)
    return counted_result(seats, GameCounts(*counted.games[number].tolist()), winners)


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
    deque(map(view.keep, view.options(), repeat(0)), 0)
    view.choose()


@cache
def _load_search_without_box() -> None:
    view = _small_view()
    view.takes()
    deque(view.iter_targets("none"), 0)


def _small_view() -> CubusBotView:
    return view_of("1@0,0", "TOLR", [(0, 0)], "leaflet")
