"""A table: bots around one game, played decision by decision, or block by block."""

import hashlib
import os
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from cantstop_arena.deals.outcomes import Block, BlockResult, Fault
from cantstop_arena.deals.seatings import Group
from cantstop_arena.deals.seeds import Seed, bits_of
from cantstop_arena.errors import GameError
from cantstop_arena.game_api.decisions import GAME_OVER, GameOver
from cantstop_arena.game_api.game import Event, Game
from cantstop_arena.processes.interpreter_state import InterpreterState
from cantstop_arena.table.block_loop import play_block
from cantstop_arena.table.block_tally import BlockTally
from cantstop_arena.table.bot_faults import BotFault, fault_of
from cantstop_arena.table.seated_bot import GameStart, SeatedBot

NO_ANSWER = -1  # what is handed to an engine that has asked nothing


class GameTable(ABC):
    """Where contestants play one game under one rule set, `players` of them at a time.

    Bots are known by their numbers among the contestants. A game's own table says how it is begun,
    advanced and counted; `stops` plays it.
    """

    over: Any = None
    """What `advance` returns when the game is over."""

    def __init__(
        self, game: Game, rules: Any, seated_bots: Sequence[SeatedBot], players: int, seed: Seed
    ) -> None:
        self._interpreter_state = InterpreterState()  # as they are before anybody plays
        self.game = game
        self.rules = rules
        self.seed = seed
        self.orders = game.orders(players)
        self.seated_bots = tuple(seated_bots)
        self.on_speaker: Callable[[int], None] = lambda bot: None  # told who may print now
        self.after_block: Callable[[], None] = lambda: None
        self.keeps_counts = False  # whether counts are kept deal by deal
        self.scores_luck = False  # whether luck is, too
        self.seats: Group = tuple(range(players))
        self.group = self.seats
        """The bots that meet; watchers are told of them by their positions in it."""
        self.sitting: list[Any] = []
        self._taught: set[int] = set()  # the bots that have sat down in this block

    def play(self, block: Block, forfeits: Iterable[Fault] = ()) -> BlockResult:
        """Play a block: its deals, each in every seating of its group.

        The games of the `forfeits` are lost unplayed by the bots that these name.
        """
        return play_block(self, block, tuple(forfeits))

    # What each kind of table does its own way

    @property
    @abstractmethod
    def seat(self) -> int:
        """The seat that is asked, or was asked last."""

    @property
    @abstractmethod
    def turn(self) -> int:
        """The turn that is played, counted over all seats from 1."""

    @abstractmethod
    def begin(self, deal: int) -> None:
        """Lay out a deal for whoever has taken the seats."""

    def begin_again(self, deal: int) -> None:  # noqa: B027
        """Lay it out once more, when the bots have been made."""

    @abstractmethod
    def step_functions(self) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """How to go on with the game, and how to have it asked what it stopped at.

        The first takes the last answer (NO_ANSWER at first) and returns where the game stops next,
        `over` at its end. The second returns the answer, and raises BotFault for want of one.
        """

    def look_at_end(self) -> None:  # noqa: B027
        """Look how it ended. Raises BotFault where machine code ended it for a bot's fault."""

    @abstractmethod
    def mark_as_deciding(self, seat: int) -> None:
        """Let watchers see that whatever happens now is the doing of the bot in this seat."""

    @abstractmethod
    def mark_game(self, cursor: int, positions: Group) -> None:
        """Let watchers see which game of a block it is, and who sits where."""

    @abstractmethod
    def clear_decision(self) -> None:
        """Let watchers see that nobody is deciding."""

    @abstractmethod
    def attach_memory(self, memory: Any) -> None:
        """Keep what watchers see in this memory, where another process can see it."""

    @abstractmethod
    def change_rules(self, rules: Any, players: int, memory: Any) -> None:
        """Go on under other rules, or with other seats; watchers look into this memory."""

    @abstractmethod
    def forfeit(self, seat: int) -> None:
        """End the game as lost by whoever is in this seat, and won by all others."""

    @abstractmethod
    def events(self) -> Iterator[Event]:
        """Play the game that has been started, and tell what happens. Raises BotFault."""

    @abstractmethod
    def trace(self) -> Iterator[tuple[int, object]]:
        """Play the game that has been started, and tell what can differ when it is played again.

        That is, step by step, the seat whose answer led to it, and something to compare. Raises
        BotFault.
        """

    @abstractmethod
    def ending(self) -> Event:
        """The last line of the record, when the game is over."""

    @abstractmethod
    def abandoned_event(self) -> Event:
        """The last line of the record of a game that somebody has left."""

    @abstractmethod
    def new_tally(self, deals: int) -> BlockTally:
        """Empty books for so many deals, in which games are entered as they end."""

    @abstractmethod
    def key_of_bot(self, seat: int) -> int:
        """The key of the random numbers of whoever sits there in this deal."""

    @property
    @abstractmethod
    def speaker(self) -> int:
        """The bot on turn, by number; also while machine code plays."""

    def is_compiled(self, bots: Iterable[int]) -> bool:
        """Whether all these bots play as machine code."""
        return False

    def play_compiled(
        self, block: Block, start: int, stop: int, tally: BlockTally
    ) -> tuple[int, BotFault | None]:
        """Play and enter compiled bots' games of a block, numbered `start` to `stop`.

        Returns the number of the game that it came to, and by which fault that one ended, if so.
        """
        raise NotImplementedError

    def warm_up(self) -> None:  # noqa: B027
        """Do whatever takes long before anybody is asked."""

    @abstractmethod
    def last_view(self, seat: int) -> Any:
        """What the bot in a seat was shown last in this game; None where it was not asked."""

    @abstractmethod
    def marking_game_over(self, seat: int) -> AbstractContextManager[None]:
        """Let watchers see that the bot in this seat is told how the game ended.

        Where it fails meanwhile, this is the `seat` of the culprit.
        """

    # What all do alike

    def start(self, seats: Group, deal: int) -> None:
        """Seat bots, by number, and begin a deal.

        Raises BotFault, with the culprit's as `seat`, where a bot fails to be made anew.
        """
        self.seats = seats
        self.begin(deal)
        if not self.is_compiled(seats):
            self._seed_python(deal)
            self._seat_players()
            self.begin_again(deal)

    def stops(self) -> Iterator[Any]:
        """Play the game that has been started to its end, asking whoever has to decide.

        Yields where it stops, when that has been answered. Raises BotFault.
        """
        advance, answer_to = self.step_functions()
        answer, over = NO_ANSWER, self.over
        with _bots_to_blame():
            while (stop := advance(answer)) != over:
                answer = answer_to(stop)
                yield stop
        self.look_at_end()

    def play_out(self) -> None:
        """Like `stops`, for whoever does not look on: that takes less time."""
        advance, answer_to = self.step_functions()
        answer, over = NO_ANSWER, self.over
        with _bots_to_blame():
            while (stop := advance(answer)) != over:
                answer = answer_to(stop)
        self.look_at_end()

    def call_game_over(self) -> None:
        """Tell the bots that want to hear it how the game ended. Raises BotFault."""
        players = [
            (seat, item) for seat, item in enumerate(self.sitting) if hasattr(item, GAME_OVER)
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
            if os.getpid() != process:  # the bot has forked: there is one of us too many
                os._exit(0)
            self._interpreter_state.restore_quickly()

    def restore_process(self) -> None:
        """Undo what plain bots may have done to the process, and forget what they have learnt."""
        self._interpreter_state.restore()
        self._taught.clear()

    def _seat_players(self) -> None:
        """Make the plain bots anew, each as if it was deciding, so that a watcher sees whose."""
        self.sitting = []
        for seat, bot in enumerate(self.seats):
            if self.is_compiled((bot,)):
                self.sitting.append(self.seated_bots[bot].player)
                continue
            self.mark_as_deciding(seat)
            self.on_speaker(bot)
            try:
                self.sitting.append(self._sat(bot, seat))
            except BaseException as error:
                raise fault_of(error, self.seated_bots[bot].player) from error

    def _sat(self, bot: int, seat: int) -> Any:
        seated_bot = self.seated_bots[bot]
        if seated_bot.make_player is None:
            return seated_bot.player
        anew = not (seated_bot.learns and bot in self._taught)
        self._taught.add(bot)
        key, players = self.key_of_bot(seat), len(self.seats)
        return seated_bot.make_player(GameStart(seat, players, self.rules, key, anew, self.group))

    def _seed_python(self, deal: int) -> None:
        """Let what plain bots draw from `random` and NumPy depend on the deal alone."""
        data = f"{bits_of(self.seed)}/{deal}".encode()
        digest = hashlib.blake2b(data, digest_size=4).digest()
        random.seed(digest)
        np.random.seed(int.from_bytes(digest))


@contextmanager
def _bots_to_blame() -> Iterator[None]:
    """What comes out of machine code is a bot's doing; no bot's function wraps it there."""
    try:
        yield
    except (BotFault, GameError):
        raise
    except Exception as error:
        raise fault_of(error) from error
