"""Plays the games of a block in step: bots with `decide(batch)` decide for many of them at once."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from os import _exit
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cantstop_arena.deals.outcomes import DIED, ILLEGAL, TOO_SLOW, Block
from cantstop_arena.deals.seatings import Group
from cantstop_arena.game_api.batches import NO_ACTION, Batch, actions_in, complaint
from cantstop_arena.processes import system
from cantstop_arena.table.batched_bot import BatchedBot
from cantstop_arena.table.bot_faults import BotFault, fault_of

if TYPE_CHECKING:
    from cantstop_arena.table.block_tally import BlockTally
    from cantstop_arena.table.table import GameTable


TRIES = 3  # of a game in which it is doubtful why a bot did not answer
UNSURE = (TOO_SLOW, DIED)
"""Kinds of faults that a batch may have by accident, if none of its rows has them alone."""


class LostGame(NamedTuple):
    """A game that a seat has lost by a fault; its number is that of `batches.row_of`."""

    number: int
    seat: int
    fault: BotFault


class BatchGames(Protocol):
    """The games of a block in step. Each is counted when it ends."""

    def begin(self) -> Iterator[LostGame]:
        """Begin the games, and play until each waits for a batched bot."""

    def waiting(self) -> int | None:
        """The position in the group of the bot that most games wait for; None at the end."""

    def observe(self, position: int) -> tuple[Batch, NDArray[np.int64]]:
        """The batch of a bot, and the number of the game in each row; -1 in rows without one."""

    def answer(
        self, actions: NDArray[np.int64], faults: Mapping[int, BotFault]
    ) -> Iterator[LostGame]:
        """Play on with the actions of that batch, by row; games of rows with a fault are lost."""

    def action_name(self, action: int) -> str:
        """An action as text."""


def are_ready(table: "GameTable", group: Group) -> bool:
    """Have the batched bots of a group get ready; whether all of them are."""
    try:
        for bot in table.batched_among(group):
            table.seated_bots[bot].player.get_ready(group)
    except BotFault:  # each game is lost by it, when games are played one after the other
        return False
    return True


def play_in_step(
    table: "GameTable", block: Block, tally: "BlockTally", lose: Callable[[LostGame], None]
) -> tuple[int, ...]:
    """Play and count all games of a block; `lose` is called for each that is lost by a fault.

    Returns the bots that have failed for a batch, and in none of its rows alone.
    """
    games, process = table.games_in_step(block, tally), system.origin()
    first = block.first * len(table.orders)
    unsteady = set()
    for lost in games.begin():
        lose(lost)
    while (position := games.waiting()) is not None:
        bot = block.group[position]
        batch, numbers = games.observe(position)
        table.on_speaker(bot)
        player = table.seated_bots[bot].player
        call = BatchCall(table, player, batch, games.action_name, process)
        call.decide(partial(table.mark_batch, position=position), numbers - first)
        table.clear_decision()
        if call.is_unsteady:
            unsteady.add(bot)
        for lost in games.answer(call.actions, call.faults):
            lose(lost)
    return tuple(sorted(unsteady))


class BatchCall:
    """One batch and a bot's answer to it: an action for each row with a game, or a fault."""

    def __init__(
        self,
        table: "GameTable",
        bot: BatchedBot,
        batch: Batch,
        name_of: Callable[[int], str],
        process: system.OriginMark,
    ) -> None:
        self._table, self._bot, self._batch, self._name_of = table, bot, batch, name_of
        self._process = process
        self.actions = np.full(batch.rows, NO_ACTION, np.int64)
        self.faults: dict[int, BotFault] = {}
        self.is_unsteady = False
        """Whether the bot has failed for the batch, and in none of its rows alone."""

    def decide(self, mark: Callable[[int], None], cursors: NDArray[np.int64]) -> None:
        """Call the bot; if that fails, call it for each row alone, so that only games are lost in
        which it fails whatever others are in the batch.

        `mark` is called before each call with the game of its first row, one of the `cursors`.
        """
        live = self._batch.live.copy()  # the bot may change what it gets
        mark(int(cursors[live].min()))
        try:
            self._call(self._batch)
            return
        except BotFault as fault:
            together = fault
        rows = np.flatnonzero(live).tolist()
        alone = [self._batch.only(row) for row in rows]
        for row, batch in zip(rows, alone, strict=True):
            mark(int(cursors[row]))
            if (of_row := self._fault_alone(batch)) is not None:
                self.faults[row] = of_row
        if not self.faults and len(rows) > 1 and together.kind not in UNSURE:
            self.is_unsteady = True
            self.faults[rows[0]] = together

    def _fault_alone(self, batch: Batch) -> BotFault | None:
        """The fault for a batch of one row, after several tries if it is doubtful."""
        for tries in range(1, TRIES + 1):
            try:
                self._call(batch)
            except BotFault as fault:
                if not fault.doubtful or tries == TRIES:
                    return fault
            else:
                break
        return None

    def _call(self, batch: Batch) -> None:
        """Enter the actions and the faults of the rows with a game. Raises BotFault."""
        bot = self._bot
        live = batch.live.copy()
        try:
            answer = bot.decide(batch)
            actions, faults = actions_in(answer, batch, bot.temperature)
        except BaseException as error:
            raise fault_of(error, bot) from error
        finally:
            if not self._process[0]:  # the bot has forked, and this is the child process
                _exit(0)
            self._table.restore_after_call()
        np.copyto(self.actions, actions, where=live)
        if not faults.any():
            return
        for row in np.flatnonzero(faults).tolist():
            action = int(actions[row])
            text = complaint(int(faults[row]), action, self._name_of, batch.legal.shape[1])
            self.faults[row] = BotFault(ILLEGAL, text)
