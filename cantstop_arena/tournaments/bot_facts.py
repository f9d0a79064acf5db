"""Facts about the bots of a tournament that the parent of workers needs to handle failures."""

from collections.abc import Collection, Sequence

import msgspec
from msgspec.structs import replace

from cantstop_arena.deals.seatings import Group, Orders
from cantstop_arena.processes.system import short_path
from cantstop_arena.tournaments.pool.bot_logs import BotLogs
from cantstop_arena.tournaments.preparation import PreparedBot
from cantstop_arena.tournaments.tournament import FaultPolicy


class BotFacts(msgspec.Struct, frozen=True):
    """Facts about a tournament's bots, for the parent of the workers that they play in."""

    prepared: Sequence[PreparedBot]
    policy: FaultPolicy
    isolated: frozenset[int]
    logs: BotLogs
    orders: Orders

    def decision_limit(self, bot: int) -> float:
        """The time limit in seconds, longer for isolated bots: workers time their decisions."""
        return self.policy.isolated_limit if bot in self.isolated else self.policy.decision_limit

    @property
    def game_limit(self) -> float:
        """The time limit of the game's functions, in seconds."""
        return self.policy.game_limit

    def source_line(self, bot: int, decision: str) -> str:
        """The first line of the function; the current line would vary from run to run."""
        if bot in self.isolated:
            return ""
        line = self.prepared[bot].source_lines.get(decision)
        return f" ({short_path(line)})" if line else ""

    def suspects(self, group: Group) -> list[int]:
        """The bots that are plain Python in the worker itself.

        If there are none, the foreign bots: they report to be compiled, which may be wrong.
        """
        near = [bot for bot in group if bot not in self.isolated]
        plain = [
            bot
            for bot in near
            if not self.prepared[bot].is_compiled or self.prepared[bot].lacks_machine_code
        ]
        return plain or [bot for bot in near if self.prepared[bot].foreign]

    @property
    def sharing(self) -> Group:
        """The foreign bots that run in the workers themselves, and can harm each other there."""
        return tuple(
            bot
            for bot, prepared in enumerate(self.prepared)
            if prepared.foreign and bot not in self.isolated
        )

    def with_own_processes(self, bots: Collection[int]) -> "BotFacts":
        """The facts where these bots play in processes of their own."""
        return replace(self, isolated=self.isolated.union(bots))

    def divisible(self, group: Group) -> bool:
        """Whether blocks can be split: what a bot learns depends on the start of its block."""
        return not any(self.prepared[bot].learns for bot in group)

    def trim_logs(self) -> None:
        """Trim the logs while bots are printing."""
        self.logs.trim()
