"""The losses by bots' decisions, in Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from cantstop_arena.bots.bot_start import check_sandbox, checked_isolation
from cantstop_arena.extensions.strength.exact.tables_folder import use_tables_folder
from cantstop_arena.extensions.strength.judging.judge_plan import requested_bots
from cantstop_arena.extensions.strength.judging.judge_process import Judgements, judge_task_results
from cantstop_arena.extensions.strength.judging.judgement_report import headline, judgements_as_dict
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.views.progress_lines import Progress, observer_for


class JudgedBots(msgspec.Struct, frozen=True):
    """What the decisions of bots lose, by the `judge` of this name.

    `faults` has the first fault of each bot that committed any; its games are left out.
    """

    judge: str
    faults: Sequence[str]
    _judgements: Judgements

    @property
    def headline(self) -> str:
        """Whose decisions lose most and least, in a sentence without its full stop."""
        return headline(self._judgements)

    @property
    def losses(self) -> dict[str, dict[str, Any]]:
        """The losses of each bot, as in the JSON of `arena judge`."""
        losses: dict[str, dict[str, Any]] = self.as_dict()["bots"]
        return losses

    def as_dict(self) -> dict[str, Any]:
        """What `arena judge --json` prints."""
        return judgements_as_dict(self._judgements)


def judge(
    *bots: str,
    against: str | None = None,
    rules: str = "classic",
    changes: Sequence[str] = (),
    players: int = 2,
    deals: int | None = None,
    seed: int = 1,
    tables: Path | str | None = None,
    results: Path | str = "results",
    isolate: bool | Literal["processes"] = False,
    progress: Progress = False,
    bots_folder: Path | str = "bots",
) -> JudgedBots:
    """What the decisions of bots lose, as by `arena judge`: `judge("rule28").headline`.

    Losses are in percentage points of winning probability, in solo games in turns; `lost` in
    `losses` is the mean a game with half of its 95% interval. The tournament file with which the
    games can be replayed is stored below `results`. `tables` remains the folder of solved boards
    for later calls in this process.

    Raises BotError when there is no judge for the rules, or no game without a fault, and
    Interrupted on Ctrl-C.
    """
    isolation = checked_isolation(isolate)
    check_sandbox(", ".join(bots), isolation)
    if tables is not None:
        use_tables_folder(Path(tables))
    planned = requested_bots(
        bots,
        against,
        rules,
        tuple(changes),
        players,
        deals,
        seed,
        Path(results),
        Path(bots_folder),
        isolation,
    )
    name = f"Judging by {planned.judge.name}"
    with observed_by(observer_for(progress, name, "deals")) as observer:
        judgements, faults = judge_task_results(planned, observer)
    return JudgedBots(planned.judge.name, faults, judgements)
