"""How blocks are played again where a bot may have harmed others in the process that they share."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.outcomes import Fault
from cantstop_arena.deals.seatings import Group
from cantstop_arena.errors import GameError
from cantstop_arena.texts import in_a_line
from cantstop_arena.tournaments.pool.block_pool import InterpreterDisturbed
from cantstop_arena.tournaments.pool.suspicions import Bots, WorkerFailure
from cantstop_arena.tournaments.pool.worker_messages import Disturbed

_MAX_ACQUITTALS = 3  # of bots that fail in one part of a block, and only beside others
_MAX_DISTURBANCE_LENGTH = 500  # characters


class Retrial(msgspec.Struct, frozen=True):
    """How a part of a block is played again: with which foreign bots in processes of their own.

    Faults of the `accused` are theirs if they fail so, too; then they are `charged` with what they
    do beside others, else acquitted. `failure` is what has happened.
    """

    separate: Group = ()
    accused: Group = ()
    charged: Group = ()
    acquittals: int = 0
    failure: str = ""

    @property
    def counts(self) -> bool:
        """Whether the result counts, as all bots play where they belong."""
        return not self.separate

    def factory(self, factory: Callable[..., Any]) -> Callable[..., Any]:
        """A factory of players for the worker."""
        return partial(factory, separate=self.separate, charged=self.charged)

    def may_fail(self, bot: int) -> bool:
        """Whether a bot's code runs in the worker in which the part is played."""
        return self.counts or bot in self.accused

    def judged(self, failed: Collection[int]) -> "Retrial":
        """How the part is played for the result, after these bots have failed."""
        charged = tuple(bot for bot in self.accused if bot in failed)
        acquittals = self.acquittals + (not charged)
        return Retrial(charged=(*self.charged, *charged), acquittals=acquittals)


class Retrials:
    """Decides which parts of blocks are played again, and how."""

    def __init__(self, bots: Bots) -> None:
        self._bots = bots
        self._convicted: set[int] = set()  # bots that have failed with no others in their process

    def is_doubted(self, bot: int) -> bool:
        """Whether another bot may be the reason that this one fails."""
        return bot not in self._convicted and not {*self._bots.sharing} <= {bot}

    def convict(self, retrial: Retrial) -> None:
        """The accused have ended the worker in which they were tried."""
        self._convicted.update(retrial.accused)

    def of_game(self, error: GameError) -> Retrial | None:
        """The last try of a part in which the game has failed; None where no foreign bot can."""
        sharing = self._bots.sharing
        failure = f"makes the game fail: {error}"
        return Retrial(separate=sharing, failure=failure) if sharing else None

    def of_bot(
        self, bot: int, group: Group, before: Retrial | None, failure: WorkerFailure
    ) -> Retrial:
        """The retrial of a bot that has failed. Raises InterpreterDisturbed after several."""
        return self._next(before, bot, group, f"makes another fail: {failure.text}")

    def of_disturbed(self, message: Disturbed, group: Group, before: Retrial | None) -> Retrial:
        """The retrial of a block whose result does not count.

        Raises InterpreterDisturbed when nobody is accused whom another may have harmed.
        """
        what = in_a_line(message.what, _MAX_DISTURBANCE_LENGTH)
        if message.bot in group:
            raise InterpreterDisturbed((message.bot,), what)
        if not {*message.accused} <= {*group}:
            raise InterpreterDisturbed(self._possible_disturbers(group), what)
        accused = (bot for bot in message.accused if self._bots.sharing != (bot,))
        return self._next(before, next(accused, None), group, what)

    def verdict(self, retrial: Retrial, group: Group, faults: Sequence[Fault]) -> Retrial:
        """How a part is played for its result, after a retrial with these faults.

        Raises InterpreterDisturbed if it was the game that had failed.
        """
        if not retrial.accused:
            raise InterpreterDisturbed(self._possible_disturbers(group), retrial.failure)
        return retrial.judged({fault.bot for fault in faults})

    def _next(
        self, before: Retrial | None, accused: int | None, group: Group, failure: str
    ) -> Retrial:
        """The next retrial. Raises InterpreterDisturbed after several acquittals, or for nobody."""
        before = before or Retrial()
        if accused is None or before.acquittals == _MAX_ACQUITTALS:
            raise InterpreterDisturbed(self._possible_disturbers(group), failure)
        separate = tuple(bot for bot in self._bots.sharing if bot != accused)
        return replace(before, separate=separate, accused=(accused,), failure=failure)

    def _possible_disturbers(self, group: Group) -> Group:
        """The foreign bots of a group, or if it has none, of all that share the process."""
        sharing = self._bots.sharing
        return tuple(bot for bot in sharing if bot in group) or sharing
