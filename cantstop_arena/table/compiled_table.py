"""The table of a game with a kernel: compiled bots play in machine code, others in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.dice_keys import DiceBits
from cantstop_arena.deals.outcomes import ILLEGAL, Block
from cantstop_arena.deals.seatings import Group, Order, lineups
from cantstop_arena.deals.seeds import Seed
from cantstop_arena.errors import BotError, GameError
from cantstop_arena.game_api import watched
from cantstop_arena.game_api.answers import IllegalAnswer, index_among
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.kernel_spec import DRAW, Kernel, numbers_of, parameters_of
from cantstop_arena.game_api.state import GameAuthorError
from cantstop_arena.game_api.streams import DealChance
from cantstop_arena.native import kernel_code
from cantstop_arena.native.code_cache import CompiledBot, compiles
from cantstop_arena.native.kernel_code import KernelWorkspace, Slots, compiled_bot, game_loop, row
from cantstop_arena.table.bot_faults import BotFault, fault_of
from cantstop_arena.table.determinism import TraceStep
from cantstop_arena.table.game_checks import check_payoffs
from cantstop_arena.table.kernel_tally import KernelTally
from cantstop_arena.table.plain_table import PlainTable
from cantstop_arena.table.seated_bot import SeatedBot

_BATCH = 4096  # games between two returns from machine code
_KERNEL = watched.GAME_FUNCTIONS.index("kernel") + 1
_DECISION = 1  # the only one of the game


class CompiledTable(PlainTable):
    """A table of a game with a kernel. Compiled and plain games have equal results.

    Raises BotError when a bot marked `@compiled` does not compile.
    """

    def __init__(
        self, game: Game, rules: Any, seated_bots: Sequence[SeatedBot], players: int, seed: Seed
    ) -> None:
        super().__init__(game, rules, seated_bots, players, seed)
        self._kernel: Kernel | None = None
        self._bots: Sequence[CompiledBot | None] = ()
        self._compile_bots()

    def _compile_bots(self) -> None:
        """Compile or load the bots for the kernel of these rules."""
        self._loop: _Loop | None = None
        with self.game_at_work():
            players = len(self.orders[0])
            self._kernel = self.game.kernel(self.rules, players) if compiles() else None
        if self._kernel is None:
            self._bots = [None] * len(self.seated_bots)
            return
        workspace = _workspace_of(self._kernel, self.rules)
        (decision,) = self.game.decisions
        by_digest: dict[str, CompiledBot | None] = {}
        for bot in self.seated_bots:
            function = getattr(bot.player, decision, None)
            if bot.digest not in by_digest:
                by_digest[bot.digest] = compiled_bot(
                    function, decision, workspace, bot.name, bot.digest
                )
        self._bots = [by_digest[bot.digest] for bot in self.seated_bots]

    def change_rules(self, rules: Any, players: int, memory: Any) -> None:
        self.rules = rules
        self._set_orders(players)
        self._compile_bots()
        super().change_rules(rules, players, memory)

    def is_compiled(self, bots: Iterable[int]) -> bool:
        return all(self._bots[bot] for bot in bots)

    def warm_up(self) -> None:
        super().warm_up()
        if any(self._bots):
            self._own_loop  # noqa: B018 - compile it before any bot's time counts

    @property
    def _own_loop(self) -> _Loop:
        """The loop of the kernel. Raises GameError when it does not compile."""
        if self._loop is None:
            assert self._kernel is not None
            self._loop = _Loop(self.game, self._kernel, self.rules, len(self.orders[0]))
        return self._loop

    # One game

    def start(self, seats: Group, deal: int) -> None:
        """Start a deal in plain Python, for games that are recorded or played step by step."""
        self.seats = seats
        self.begin(deal)
        self.number = self._number_of(seats, deal)
        self._seed_python(deal)
        self._seat_players()

    def trace(self) -> Iterator[TraceStep]:
        """What each seat gets, and its decisions, in games that play compiled."""
        if not self.is_compiled(self.seats):
            return super().trace()
        results = zip(*self.played_alone(self.seats, self._deal), strict=True)
        return (TraceStep(seat, result) for seat, result in enumerate(results))

    def ends_otherwise(self, seats: Group, deal: int) -> bool:
        recorded = self.result().points, self.decision_counts
        try:
            payoffs, decisions = self.played_alone(seats, deal)
        except BotFault:
            return True
        return ([*recorded[0]] or payoffs, recorded[1]) != (payoffs, decisions)

    def played_alone(self, seats: Group, deal: int) -> tuple[list[int], list[int]]:
        """A game of compiled bots in one seating: what each seat gets, and its decisions.

        Raises BotFault and GameError.
        """
        self.seats = seats
        played = self._play([deal], [tuple(range(len(seats)))], seats, (0, 1))
        if played.fault:
            raise played.fault
        return played.payoffs[0].tolist(), played.decisions[0].tolist()

    # Blocks

    def new_tally(self, deals: int) -> KernelTally:
        return KernelTally(self, deals)

    def play_compiled(
        self, block: Block, start: int, stop: int, tally: Any
    ) -> tuple[int, BotFault | None]:
        positions = tuple(range(len(block.group)))
        orders = [*lineups(positions, self.orders)]
        for first in range(start, stop, _BATCH):
            end = min(stop, first + _BATCH)
            low, high = first // len(orders), (end - 1) // len(orders)
            deals = range(block.first + low, block.first + high + 1)
            played = self._play(deals, orders, block.group, (first, end))
            culprit = self._seat  # of a fault
            for order in range(len(orders)):
                games = np.arange((order - first) % len(orders), played.games, len(orders))
                indices = (first + games) // len(orders)
                results = played.payoffs[games], played.decisions[games]
                tally.enter_all(indices, order, block.first, *results)
                seats = tuple(block.group[position] for position in orders[order])
                for index in tally.without_draws(indices, played.has_draws[games]):
                    tally.mark_game(index, self._plain_fingerprint(seats, block.first + index))
            if played.fault:
                cursor = first + played.games
                deal, order = divmod(cursor, len(orders))
                self._deal, self._seat = block.first + deal, culprit
                self.seats = tuple(block.group[position] for position in orders[order])
                return cursor, played.fault
        return stop, None

    def _plain_fingerprint(self, seats: Group, deal: int) -> int | None:
        """The fingerprint of a game without draws, which is played again in plain Python."""
        self.start(seats, deal)
        self.play_out()
        return self.fingerprint(self.result())

    def _play(
        self, deals: Sequence[int], orders: Sequence[Order], group: Group, games: tuple[int, int]
    ) -> _Played:
        """Play games of compiled bots, numbered from the first deal. Raises GameError."""
        bots = [self._bots[bot] for bot in group]
        has_random = any(bot and bot.memory for bot in bots)
        dice = [
            (self.dice_of(tuple(group[p] for p in order)), deal)
            for deal in deals
            for order in orders
        ]
        keys = self._keys(dice, has_random)
        numbers = np.frombuffer(self._watched.numbers, np.int64)
        loop, (first, end) = self._own_loop, games
        players = len(self.orders[0])
        payoffs = np.zeros((end - first, players), np.int64)
        decisions = np.zeros((end - first, players + 1), np.int64)
        fault: BotFault | None = None
        try:
            cursor = loop.play(
                numbers, row([bot.address for bot in bots if bot]), np.array(orders, np.int64),
                payoffs, decisions, self._openings(dice), keys, first, end,
            )  # fmt: skip
        except Exception as error:
            cursor = int(numbers[watched.CURSOR])
            self._deal = deals[cursor // len(orders) - first // len(orders)]
            if numbers[watched.MARK] & 3 != watched.BOT:
                raise self._game_error(error) from error
            fault = fault_of(error)
        if cursor < 0:
            self._deal = deals[(-1 - cursor) // len(orders) - first // len(orders)]
            raise self._game_error(loop.game_error())
        if fault is None and cursor < end:
            fault = loop.fault_of_answer()
        self._watched.mark(watched.ARENA)
        self._seat = int(numbers[watched.SEAT])
        self._check_payoffs(payoffs[: cursor - first], [*deals], first % len(orders), len(orders))
        has_draws = decisions[:, players]
        return _Played(cursor - first, payoffs, decisions[:, :players], has_draws, fault)

    def _check_payoffs(
        self, payoffs: NDArray[np.int64], deals: Sequence[int], skipped: int, orders: int
    ) -> None:
        """Raise GameError unless the game may pay this; games are in order from the first deal."""
        payoff = self.payoff
        if payoff is None or not len(payoffs):
            return
        sums = payoffs.sum(axis=1) if payoff.zero_sum else np.zeros(len(payoffs))
        suspects = {int(np.abs(sums).argmax()), *map(int, payoffs.argmax(axis=0))}
        for game in sorted(suspects.union(map(int, payoffs.argmin(axis=0)))):
            values = [payoff.value_of(parts) for parts in payoffs[game].tolist()]
            try:
                check_payoffs(values, payoff, self.side_by_seat, len(self.orders))
            except GameAuthorError as error:
                self._deal = deals[(skipped + game) // orders]
                raise self._game_error(error) from error

    def _openings(self, dice: Sequence[tuple[DiceBits, int]]) -> NDArray[np.int64]:
        """The opening of each circle's deal, followed by -1. Raises GameError."""
        openings = [self._opening_of(*at) for at in dice]
        rows = np.full((len(openings), 1 + max(map(len, openings))), -1, np.int64)
        for row_, opening in zip(rows, openings, strict=True):
            row_[: len(opening)] = opening
        return rows

    def _keys(self, dice: Iterable[tuple[DiceBits, int]], has_random: bool) -> NDArray[np.uint64]:
        """The keys of each circle's deal: of chance, and of the bots' random numbers, if any."""
        assert self._kernel is not None
        bots = len(self.orders[0]) if has_random else 0
        draws = self._kernel.outcomes is not None
        rows = [_keys_of_deal(bits.circle, deal, draws, bots) for bits, deal in dice]
        keys = np.zeros((len(rows), 1 + len(self.orders[0])), np.uint64)
        keys[:, : 1 + bots] = rows
        return keys


@lru_cache(64)  # the rotations of a circle have the same
def _keys_of_deal(circle: int, deal: int, draws: bool, bots: int) -> tuple[int, ...]:
    """The key of chance, or 0, and those of the random numbers of so many bots."""
    chance = DealChance(circle, deal)
    return (
        chance.key_of((DRAW,)) if draws else 0,
        *(chance.key_of_bot(seat) for seat in range(bots)),
    )


class _Played(NamedTuple):
    """Games that machine code has played: how many, their results, and the fault of the next."""

    games: int
    payoffs: NDArray[np.int64]
    decisions: NDArray[np.int64]
    has_draws: NDArray[np.int64]
    fault: BotFault | None


class _Loop:
    """The compiled loop of a kernel under some rules, and the rows that it writes."""

    def __init__(self, game: Game, kernel: Kernel, rules: Any, players: int) -> None:
        """Raises GameError when the kernel does not compile."""
        self._game = game
        (self._decision,) = game.decisions
        self._state, self._got = row([0] * kernel.size), row([0] * players)
        self._rules = row(numbers_of(rules))
        workspace = _workspace_of(kernel, rules)
        self._workspace = row([0] * workspace.size)
        self._workspace[kernel_code.PLAYERS] = players
        self._workspace[kernel_code.RULES : workspace.eyes] = self._rules
        self._eyes = self._workspace[workspace.eyes : workspace.moves]
        self._moves = self._workspace[workspace.moves :]
        self._streams = np.zeros((players, 2), np.uint64)
        try:
            self._function: Callable[..., int] = game_loop(kernel, _SLOTS, game.name)
        except BotError as error:
            raise GameError(str(error)) from error

    def play(
        self, numbers: Any, addresses: Any, orders: Any, payoffs: Any, decisions: Any,
        openings: Any, keys: Any, start: int, stop: int,
    ) -> int:  # fmt: skip
        """Play games; returns what the function of `kernel_loop.loop_of` does."""
        return self._function(
            numbers, self._state, self._got, self._workspace, self._eyes, self._moves, self._rules,
            addresses, orders, payoffs, decisions, openings, keys, self._streams, start,
            stop, self._game.max_decisions,
        )  # fmt: skip

    def fault_of_answer(self) -> BotFault:
        """The fault of the bot whose answer is on the workspace, in the words of plain games."""
        answer = int(self._workspace[kernel_code.ANSWER])
        given = None if answer == kernel_code.NO_ANSWER else answer
        try:
            index_among(self._decision, given, int(self._workspace[kernel_code.MOVES]))
        except IllegalAnswer as error:
            return BotFault(ILLEGAL, str(error))
        raise AssertionError(answer)

    def game_error(self) -> GameAuthorError:
        """What the kernel does wrong in the game that the function has left."""
        max_decisions = f"{self._game.max_decisions:,}"
        texts = {
            kernel_code.ENDLESS: f"it has taken {max_decisions} decisions and has not ended; end it"
            " with a limit of turns, or raise Game.max_decisions",
            kernel_code.NO_SEAT: "who() returns neither a seat, nor -1 for chance or -4 at the end",
            kernel_code.NO_ACTION: "legal() writes no action for the seat that decides",
            kernel_code.NO_OUTCOME: "outcomes() says that a draw has no outcome",
            kernel_code.BAD_OPENING: "the opening cannot be played",
        }
        return GameAuthorError(texts[int(self._workspace[kernel_code.ANSWER])])


_SLOTS = Slots(
    watched.CURSOR,
    watched.SEAT,
    watched.MARK,
    watched.STEP,
    watched.POSITIONS,
    watched.mark_of(watched.ARENA),
    watched.mark_of(watched.GAME, _KERNEL),
    watched.mark_of(watched.BOT, _DECISION),
)


def _workspace_of(kernel: Kernel, rules: Any) -> KernelWorkspace:
    return KernelWorkspace(parameters_of(rules), kernel.seen, kernel.widest, kernel.view)
