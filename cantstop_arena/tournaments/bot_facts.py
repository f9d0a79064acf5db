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

    prepared: Sequence[PreparedBot]
    policy: FaultPolicy
    isolated: frozenset[int]
    logs: BotLogs
    orders: Orders

    def decision_limit(self, bot: int) -> float:
        """The limit; a worker that waits for another process keeps to its limits itself."""
        return self.policy.isolated_limit if bot in self.isolated else self.policy.decision_limit

    def source_line(self, bot: int, question: str) -> str:
        """Where the function begins; where it is when time is up would vary from run to run."""
        if bot in self.isolated:
            return ""
        location = self.prepared[bot].source_lines.get(question)
        return f" ({short_path(location)})" if location else ""

    def suspects(self, group: Group) -> list[int]:
        """The bots that are asked from Python, in the worker itself, as far as can be seen.

        Where there are none, one that says that it is compiled may not be.
        """
        near = [bot for bot in group if bot not in self.isolated]
        plain = [
            bot
            for bot in near
            if not self.prepared[bot].is_compiled or self.prepared[bot].lacks_machine_code
        ]
        return plain or [bot for bot in near if self.prepared[bot].foreign]

    def divisible(self, group: Group) -> bool:
        """What a bot has learnt depends on where its block begins."""
        return not any(self.prepared[bot].learns for bot in group)

    def trim_logs(self) -> None:
        """Cut what bots print while they do it."""
        self.logs.trim()
