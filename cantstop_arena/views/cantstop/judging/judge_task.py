"""The task of `arena judge`: bots, their opponents, deals, and the tournament file for replays."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from cantstop_arena.games.cantstop.exact.evaluator import best_evaluator
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.views.cantstop.commands.judge_command import BY_NETS, BY_TABLE
from cantstop_arena.views.cantstop.judging.judge_process import JudgePart

PERFECT = "optimal"  # the name of the judge that uses a solved board


class JudgePlan(msgspec.Struct, frozen=True):
    """The judge, by its `name`."""

    name: str

    def deals(self, requested: int | None) -> int:
        """The number of deals for each bot: the requested one, or the judge's default."""
        return requested or (BY_TABLE if self.name == PERFECT else BY_NETS)


def judge_for(rules: RuleSet, players: int) -> JudgePlan:
    """The judge for these rules. Raises BotError when there is none."""
    from cantstop_arena.games.cantstop.exact.tables_folder import tables_folder

    return JudgePlan(best_evaluator(rules, players, tables_folder()).name)


class JudgeTask(msgspec.Struct, frozen=True):
    """The bots to judge, on `deals` deals each.

    `bots` is a table with all bots, for their preparation. `rival` is the common opponent, empty
    when the bots play each other; `file` is the tournament file of their games.
    """

    judge: JudgePlan
    deals: int
    bots: TableSpec
    tasks: Sequence[JudgePart]
    rival: str
    file: Path
