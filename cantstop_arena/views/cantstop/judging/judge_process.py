"""Judging bots where their code may run: some deals for each errand, several at work at once."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import ERROR, BotError
from cantstop_arena.games.cantstop.exact.evaluator import best_evaluator
from cantstop_arena.games.cantstop.exact.regret import Judgement, judge
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, run_all
from cantstop_arena.tournaments.preparation import pack_spec, unpack_spec
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.views.cantstop.judging.judgement_data import as_data, from_data

WORST = 10
_PIECES = 40  # that all deals are cut into, so that something is seen to go on
_FEWEST = 5  # deals of a piece
_LIMIT = 3600.0  # seconds that an errand may take


class JudgePart(NamedTuple):
    """A bot, which is the first of a table, is judged against the second, or alone, on some deals.

    `bot` is what it is called in what is found.
    """

    bot: str
    spec: TableSpec
    deals: range


def in_pieces(tasks: Sequence[JudgePart]) -> list[JudgePart]:
    """The same tasks, cut so that a report comes now and then."""
    maximum = max(_FEWEST, sum(len(task.deals) for task in tasks) // _PIECES)
    return [
        task._replace(deals=task.deals[first : first + maximum])
        for task in tasks
        for first in range(0, len(task.deals), maximum)
    ]


def judge_all(tasks: Sequence[JudgePart], tables: Path) -> Iterator[Judgement | BotError]:
    """What comes of each task, in their order, or why nothing does."""
    best_evaluator(tasks[0].spec.rules, tasks[0].spec.players, tables).warm_up()
    calls = [_judge_call(task, tables) for task in tasks]
    for task, data in zip(tasks, run_all(calls), strict=True):
        try:
            yield _judgement_from_data(task, data)
        except BotError as error:
            yield error


def _judge_call(task: JudgePart, tables: Path) -> IsolatedCall:
    deals = task.deals
    bounds = [deals.start, deals.stop, deals.step]
    keywords = {"spec": pack_spec(task.spec), "deals": bounds, "tables": str(tables)}
    return IsolatedCall(f"{__name__}:judged_here", keywords, _LIMIT)


def judged_here(spec: str, deals: Sequence[int], tables: str) -> Mapping[str, Any]:
    """Judge some deals in this process: what an errand does."""
    try:
        return as_data(_judged_here(unpack_spec(spec), range(*deals), Path(tables)))
    except BaseException as error:
        return {ERROR: exception_report(error)}


def _judged_here(spec: TableSpec, deals: range, tables: Path) -> Judgement:
    loader = Loader(spec.folder)
    evaluator = best_evaluator(spec.rules, spec.players, tables)
    seated = [seat.seated_bot(loader) for seat in spec.seats]
    return judge(evaluator, seated[0], seated[-1], deals, spec.seed, WORST)


def _judgement_from_data(task: JudgePart, data: Any) -> Judgement:
    """The judgement that an errand told. Raises BotError with the reason where it is none."""
    name = task.spec.seats[0].name
    if isinstance(data, CallFailed):
        raise BotError(f"{name} cannot be judged: its process {data}")
    if isinstance(data, dict) and isinstance(complaint := data.get(ERROR), str):
        raise BotError(complaint)
    try:
        judgement = from_data(data, task.spec.players)
    except (TypeError, KeyError, ValueError) as error:
        raise BotError(f"{name} cannot be judged: its process tells nonsense") from error
    if len(judgement.losses) != len(task.deals):
        raise BotError(f"{name} cannot be judged: its process tells nonsense")
    return judgement
