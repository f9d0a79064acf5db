"""What is known of the bots of a tournament where they play, so as to judge what is seen."""

from collections.abc import Sequence

import msgspec

from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.processes.system import short_path
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.preparation import PreparedBot
from cantstop_arena.tournaments.tournament import FaultPolicy


class BotFacts(msgspec.Struct, frozen=True):
    """What a parent knows of a tournament's bots, to judge what it sees of its workers."""

    parts: Sequence[PreparedBot]
    policy: FaultPolicy
    apart: frozenset[int]
    logs: BotLogs
    orders: Orders

    def patience(self, bot: int) -> float:
        """The limit; a worker that waits for another process keeps to its limits itself."""
        return self.policy.patience_apart if bot in self.apart else self.policy.decision_limit

    def place(self, bot: int, asked: str) -> str:
        """Where the function begins; where it is when time is up would vary from run to run."""
        if bot in self.apart:
            return ""
        place = self.parts[bot].places.get(asked)
        return f" ({short_path(place)})" if place else ""

    def suspects(self, group: Group) -> list[int]:
        """The bots that are asked from Python, in the worker itself, as far as can be seen.

        Where there are none, one that says that it is compiled may not be.
        """
        near = [bot for bot in group if bot not in self.apart]
        plain = [bot for bot in near if not self.parts[bot].native or self.parts[bot].unseen]
        return plain or [bot for bot in near if self.parts[bot].foreign]

    def divisible(self, group: Group) -> bool:
        """What a bot has learnt depends on where its block begins."""
        return not any(self.parts[bot].learns for bot in group)

    def tend(self) -> None:
        """Cut what bots print while they do it."""
        self.logs.trim()
