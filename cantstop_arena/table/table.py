"""The base class of tables, at which bots play one game, by decisions or by blocks."""

import hashlib
import os
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from cantstop_arena.deals.dice_keys import DiceBits, dice_bits
from cantstop_arena.deals.outcomes import Block, BlockResult, Fault
from cantstop_arena.deals.seatings import Group, Orders, lineups
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.game_api.decisions import GAME_OVER, GameOver
from cantstop_arena.game_api.game import Game
from cantstop_arena.game_api.state import Event, Opening
from cantstop_arena.processes.interpreter_guard import InterpreterGuard, LeftAlone
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.block_loop import play_block
from cantstop_arena.table.block_tally import BlockTally
from cantstop_arena.table.bot_faults import BotFault, fault_of
from cantstop_arena.table.conversation import PersonSeat
from cantstop_arena.table.determinism import TraceStep
from cantstop_arena.table.seated_bot import GameStart, SeatedBot

if TYPE_CHECKING:
    from cantstop_arena.table.batch_loop import BatchGames


class GameTable(ABC):
    """A table at which bots play one game under one rule set, `players` of them at a time.

    Bots are identified by their index in `seated_bots`. Subclasses define how a game is begun,
    played and counted.
    """

    def __init__(
        self, game: Game, rules: Any, seated_bots: Sequence[SeatedBot], players: int, seed: Seed
    ) -> None:
        self._guard = InterpreterGuard()  # as it is before anybody plays
        self.game = game
        self.rules = rules
        self.seed = seed
        self._set_orders(players)
        self.seated_bots = tuple(seated_bots)
        self.people = tuple(bot.player for bot in seated_bots if isinstance(bot.player, PersonSeat))
        self.on_speaker: Callable[[int], None] = lambda bot: None  # called with the bot on turn
        self.after_block: Callable[[], None] = lambda: None
        self.keeps_counts = False  # whether counts are stored deal by deal
        self.luck_measure = ""  # how luck is measured and stored, too; empty: not at all
        self.opening_of: Callable[[DiceBits, int], Opening] = lambda bits, deal: ()
        """The opening of a deal with these dice: see tournaments.openings."""
        self.seats: Group = tuple(range(players))
        self.group = self.seats
        """The bots that meet; other processes see bots as positions in it."""
        self.number = 0
        """The number of the game that is played alone, among those of the group."""
        self.sitting: list[Any] = []
        # The bots that have sat down in this block, partners apart.
        self._learners: set[tuple[int, int]] = set()
        self._dice: dict[tuple[Group, Group], DiceBits] = {}

    def play(
        self, block: Block, forfeits: Iterable[Fault] = (), alone: bool = False
    ) -> BlockResult:
        """Play a block: its deals, each in every seating of its group.

        Games in `forfeits` are lost unplayed by the bots that the faults name. With `alone` games
        are played one after the other, though they can be in step.
        """
        return play_block(self, block, tuple(forfeits), alone)

    # Methods of subclasses

    @property
    @abstractmethod
    def seat(self) -> int:
        """The seat that decides, or has decided last."""

    @property
    @abstractmethod
    def turn(self) -> int:
        """The current turn, counted over all seats from 1."""

    @abstractmethod
    def begin(self, deal: int) -> None:
        """Begin a deal with the bots in `seats`."""

    def begin_again(self, deal: int) -> None:  # noqa: B027
        """Begin the deal again, when the bots have been created."""

    @abstractmethod
    def stops(self) -> Iterator[Any]:
        """Play the game that has been started to its end, and have the bots decide.

        Yields each stop after its answer, and PendingDecision where a person is to decide. Raises
        BotFault.
        """

    @abstractmethod
    def mark_as_deciding(self, seat: int) -> None:
        """Show other processes that the bot in this seat causes what happens now."""

    @abstractmethod
    def mark_game(self, cursor: int, positions: Group) -> None:
        """Show other processes which game of a block is played, and the bots' positions by seat."""

    @abstractmethod
    def clear_decision(self) -> None:
        """Show other processes that no bot is deciding."""

    @abstractmethod
    def attach_memory(self, memory: Any) -> None:
        """Store what other processes observe in this shared memory."""

    @abstractmethod
    def change_rules(self, rules: Any, players: int, memory: Any) -> None:
        """Change the rules or the number of seats; other processes observe this memory."""

    @abstractmethod
    def forfeit(self, seat: int) -> None:
        """End the game as lost by the bot in this seat, and won by all other sides."""

    @abstractmethod
    def events(self) -> Iterator[Any]:
        """Play the game that has been started, and yield its events. Raises BotFault.

        Where a person is to decide, it yields PendingDecision.
        """

    def ends_otherwise(self, seats: Group, deal: int) -> bool:
        """Whether machine code gives another result than the game that was just recorded.

        Where machine code plays recorded games, too, there is nothing to compare.
        """
        return False

    @abstractmethod
    def trace(self) -> Iterator[TraceStep]:
        """Play the game that has been started, and yield steps to compare with another play.

        Raises BotFault.
        """

    @abstractmethod
    def ending(self) -> Event:
        """The last event of the record, when the game is over."""

    @abstractmethod
    def abandoned_event(self) -> Event:
        """The last event of the record of a game that a person has left."""

    @abstractmethod
    def new_tally(self, deals: int) -> BlockTally:
        """An empty tally for so many deals, in which games are counted as they end."""

    @abstractmethod
    def key_of_bot(self, seat: int) -> int:
        """The key of the random numbers of the bot in a seat in this deal."""

    @property
    @abstractmethod
    def speaker(self) -> int:
        """The index of the bot on turn, also while machine code plays."""

    def is_compiled(self, bots: Iterable[int]) -> bool:
        """Whether all these bots play as machine code."""
        return False

    def play_compiled(
        self, block: Block, start: int, stop: int, tally: BlockTally
    ) -> tuple[int, BotFault | None]:
        """Play and count the compiled games of a block numbered `start` to `stop - 1`.

        Returns the number of the next game, which has not been counted, and its fault, if any.
        """
        raise NotImplementedError

    def batched_among(self, bots: Iterable[int]) -> tuple[int, ...]:
        """The batched ones of these bots."""
        return tuple(bot for bot in bots if isinstance(self.seated_bots[bot].player, BatchedBot))

    def plays_in_step(self, bots: Iterable[int]) -> bool:
        """Whether games of these bots are played in step, by batched bots and compiled ones."""
        return False

    def games_in_step(self, block: Block, tally: BlockTally) -> "BatchGames":
        """The games of a block in step; they are counted in the tally."""
        raise NotImplementedError

    def mark_batch(self, cursor: int, position: int) -> None:
        """Show other processes that the bot at a position decides for a batch of games, the first
        of which has this number in its block."""
        raise NotImplementedError

    def warm_up(self) -> None:  # noqa: B027
        """Do what takes long (compiling, loading) before any bot's time counts."""

    def warm_up_steps(self) -> None:  # noqa: B027
        """Compile or load what plays games in step."""

    @abstractmethod
    def last_view(self, seat: int) -> Any:
        """The last view of the bot in a seat in this game; None when it has not decided."""

    @abstractmethod
    def marking_game_over(self, seat: int) -> AbstractContextManager[None]:
        """Show other processes that `game_over` of the bot in this seat is running.

        If it fails, this is the `seat` of the culprit.
        """

    # Methods of all tables

    def _set_orders(self, players: int) -> None:
        """Note how bots take their seats at a table of so many."""
        self.orders = self.game.orders(players)
        self.side_by_seat = self.game.side_by_seat(players)
        """The side of each seat; a lineup has a bot for each side."""

    def by_seat(self, lineup: Group) -> Group:
        """The bots of a lineup by seat; one that has a bot for each seat stays as it is."""
        if len(lineup) == len(self.side_by_seat):
            return lineup
        return tuple(lineup[side] for side in self.side_by_seat)

    def dice_of(self, seats: Group) -> DiceBits:
        """The bits from which the dice of these bots, by seat, follow in every deal."""
        key = self.group, seats
        if key not in self._dice:
            lineup = self.group if {*seats} <= {*self.group} else sorted({*seats})
            seated = {bot: self.seated_bots[bot] for bot in lineup if bot in seats}
            names = {bot: seat.dice_name or seat.name for bot, seat in seated.items()}
            self._dice[key] = dice_bits(bits_of(self.seed), seats, names)
        return self._dice[key]

    def start(self, lineup: Group, deal: int) -> None:
        """Seat the bots of a lineup, by index, and begin a deal.

        Raises BotFault when a bot cannot be created; then `seat` is that of the culprit.
        """
        self.seats = seats = self.by_seat(lineup)
        self.begin(deal)
        if not self.is_compiled(seats):
            self.number = self._number_of(lineup, deal)
            self._seed_python(deal)
            self._seat_players()
            self.begin_again(deal)

    def _number_of(self, lineup: Group, deal: int) -> int:
        """The number of a game: its deal times the seatings of a deal, plus its seating."""
        seatings = _indices_of_seatings(self.group, self.orders)
        return deal * len(self.orders) + seatings.get(lineup, 0)

    def start_with(self, players: Sequence[Any], lineup: Group, deal: int) -> None:
        """Begin a deal with these players, by seat, in place of the bots."""
        self.seats = self.by_seat(lineup)
        self.begin(deal)
        self._seed_python(deal)
        self.sitting = [*players]
        self.begin_again(deal)

    def play_out(self) -> None:
        """Play the game that has been started to its end. Raises BotFault."""
        for _ in self.stops():
            pass

    def call_game_over(self) -> None:
        """Call `game_over` of the bots that have it. Raises BotFault."""
        players = [
            (seat, player) for seat, player in enumerate(self.sitting) if hasattr(player, GAME_OVER)
        ]
        ending = self.ending() if players else {}
        for seat, player in players:
            winners, points = tuple(ending["winners"]), tuple(ending.get("points", ()))
            self.on_speaker(self.seats[seat])
            with self.marking_game_over(seat):
                self._call_hook(player, seat, GameOver(seat, len(self.seats), winners, points))

    def _call_hook(self, player: Any, seat: int, result: GameOver) -> None:
        process = os.getpid()
        try:
            player.game_over(self.last_view(seat), result)
        except BaseException as error:
            raise fault_of(error, player) from error
        finally:
            if os.getpid() != process:  # the bot has forked: this is the child
                os._exit(0)
            self._guard.restore_quickly()

    def leave_process_alone(self) -> None:
        """Restore nothing of the process: it belongs to a program that does other work, too."""
        self._guard = LeftAlone()

    def note_process(self) -> None:
        """Note the state of a process that plays at this table, when it has been set up."""
        self._guard.note()

    def restore_after_call(self) -> None:
        """Restore what a bot may have changed in this process, as far as that is done quickly."""
        self._guard.restore_quickly()

    def restore_process(self) -> None:
        """Restore the process state that plain bots may have changed, and reset learning bots."""
        self._guard.restore()
        self._learners.clear()

    def _seat_players(self) -> None:
        """Create the plain bots, each marked as deciding, so that others see which one hangs."""
        self.sitting = []
        for seat, bot in enumerate(self.seats):
            if self.is_compiled((bot,)):
                self.sitting.append(self.seated_bots[bot].player)
                continue
            self.mark_as_deciding(seat)
            self.on_speaker(bot)
            try:
                self.sitting.append(self._player_for(bot, seat))
            except BaseException as error:
                raise fault_of(error, self.seated_bots[bot].player) from error
        self.clear_decision()

    def _player_for(self, bot: int, seat: int) -> Any:
        seated_bot = self.seated_bots[bot]
        if seated_bot.make_player is None:
            return seated_bot.player
        partner = self.side_by_seat[:seat].count(self.side_by_seat[seat])
        is_fresh = not (seated_bot.learns and (bot, partner) in self._learners)
        self._learners.add((bot, partner))
        key, players = self.key_of_bot(seat), len(self.seats)
        return seated_bot.make_player(
            GameStart(seat, players, self.rules, key, is_fresh, self.group, self.number, partner)
        )

    def _seed_python(self, deal: int) -> None:
        """Seed `random` and NumPy, so that plain bots' numbers depend on the dice alone."""
        text = f"{self.dice_of(self.seats).circle}/{deal}".encode()
        digest = hashlib.blake2b(text, digest_size=4).digest()
        random.seed(digest)
        np.random.seed(int.from_bytes(digest))


@lru_cache(1024)
def _indices_of_seatings(group: Group, orders: Orders) -> dict[Group, int]:
    """The index of each seating of a group."""
    return {seats: index for index, seats in enumerate(lineups(group, orders))}
