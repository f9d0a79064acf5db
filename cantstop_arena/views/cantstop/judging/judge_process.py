"""Judging of bots in isolated processes: each call judges some deals, several run at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import ERROR, BotError
from cantstop_arena.games.cantstop.exact.evaluator import best_evaluator
from cantstop_arena.games.cantstop.exact.regret import Judgement, judge
from cantstop_arena.games.cantstop.exact.tables_folder import tables_folder
from cantstop_arena.processes.isolated_call import CallFailed, IsolatedCall, run_all
from cantstop_arena.tournaments.preparation import pack_spec, unpack_spec
from cantstop_arena.tournaments.table_spec import TableSpec
from cantstop_arena.views.cantstop.judging import MAX_BOARDS
from cantstop_arena.views.cantstop.judging.judgement_data import as_data, from_data

_PIECES = 40  # into which all deals are split, so that the progress is visible
_MIN_DEALS = 5  # of a piece
_LIMIT = 3600.0  # seconds for an isolated call
_INVALID = "the process that played its games sent an invalid message"


class JudgePart(NamedTuple):
    """A part of the judging: the first bot of a table against the second, or alone, on some deals.

    `bot` is its name in the results.
    """

    bot: str
    spec: TableSpec
    deals: range


def in_pieces(tasks: Sequence[JudgePart]) -> list[JudgePart]:
    """The tasks split into pieces, so that the progress can be reported."""
    max_deals = max(_MIN_DEALS, sum(len(task.deals) for task in tasks) // _PIECES)
    return [
        task._replace(deals=task.deals[first : first + max_deals])
        for task in tasks
        for first in range(0, len(task.deals), max_deals)
    ]


def judge_all(
    tasks: Sequence[JudgePart], on_tick: Callable[[], None]
) -> Iterator[Judgement | BotError]:
    """The judgement of each task, in their order, or the error that prevented it.

    `on_tick` is called some ten times a second.
    """
    best_evaluator(tasks[0].spec.rules, tasks[0].spec.players, tables_folder()).warm_up()
    calls = [_judge_call(task) for task in tasks]
    for task, answer in zip(tasks, run_all(calls, on_tick), strict=True):
        try:
            yield _judgement_from_data(task, answer)
        except BotError as error:
            yield error


def _judge_call(task: JudgePart) -> IsolatedCall:
    deals = task.deals
    bounds = [deals.start, deals.stop, deals.step]
    keywords = {"spec": pack_spec(task.spec), "deals": bounds}
    return IsolatedCall(f"{__name__}:judged_here", keywords, _LIMIT)


def judged_here(spec: str, deals: Sequence[int]) -> Mapping[str, Any]:
    """Judge some deals in this process; the target of an isolated call."""
    try:
        return as_data(_judged_here(unpack_spec(spec), range(*deals)))
    except BaseException as error:
        return {ERROR: exception_report(error)}


def _judged_here(spec: TableSpec, deals: range) -> Judgement:
    loader = Loader(spec.folder)
    evaluator = best_evaluator(spec.rules, spec.players, tables_folder())
    seated = [spec.seats[0].seated_bot(loader, as_plain=True)]
    seated += [seat.seated_bot(loader) for seat in spec.seats[1:]]
    return judge(evaluator, seated[0], seated[-1], deals, spec.seed, MAX_BOARDS)


def _judgement_from_data(task: JudgePart, answer: Any) -> Judgement:
    """The judgement that an isolated call returned. Raises BotError when it returned none."""
    name = task.spec.seats[0].name
    if isinstance(answer, CallFailed):
        raise BotError(f"{name} cannot be judged: its process {answer}")
    if isinstance(answer, dict) and isinstance(complaint := answer.get(ERROR), str):
        raise BotError(complaint)
    try:
        judgement = from_data(answer, task.spec.players)
    except (TypeError, KeyError, ValueError) as error:
        raise BotError(f"{name} cannot be judged: {_INVALID}") from error
    if len(judgement.losses) != len(task.deals):
        raise BotError(f"{name} cannot be judged: {_INVALID}")
    return judgement
