"""What is to be judged: bots, their rivals, deals, and the file by which games are replayed."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from cantstop_arena.games.cantstop.exact.evaluator import best_evaluator
from cantstop_arena.games.cantstop.rules import RuleSet
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.views.cantstop.commands.judge_command import BY_NETS, BY_TABLE
from cantstop_arena.views.cantstop.judging.judge_process import JudgePart

PERFECT = "optimal"  # the judge that knows a solved board


class JudgePlan(msgspec.Struct, frozen=True):
    """Who judges: the table of a solved board in a folder, or nets."""

    name: str
    tables: Path

    def deals(self, expected: int | None) -> int:
        """The deals of each bot, unless others are wanted."""
        return expected or (BY_TABLE if self.name == PERFECT else BY_NETS)


def judge_for(rules: RuleSet, players: int, tables: Path | None) -> JudgePlan:
    """Who judges by these rules. Raises BotError where nobody can."""
    from cantstop_arena.games.cantstop.exact.solved_tables import tables_folder

    folder = tables or tables_folder()
    return JudgePlan(best_evaluator(rules, players, folder).name, folder)


class JudgeTask(msgspec.Struct, frozen=True):
    """What is to be judged, on so many `deals` of each bot in all.

    At the table `bots` all of them are prepared. `rival` is whom all of them meet, empty where they
    meet each other; `file` is the tournament whose games they play.
    """

    judge: JudgePlan
    deals: int
    bots: TableSpec
    tasks: Sequence[JudgePart]
    rival: str
    file: Path
    lenient: bool = False
    """Whether others are judged all the same where a bot misbehaves."""
