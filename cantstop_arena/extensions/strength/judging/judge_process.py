"""Judging of bots in isolated processes: each call judges some deals, several run at once."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

import msgspec

from cantstop_arena.bots.describe import exception_report
from cantstop_arena.bots.loader import Loader
from cantstop_arena.errors import BotError
from cantstop_arena.extensions.strength.exact.evaluator import best_evaluator
from cantstop_arena.extensions.strength.exact.regret import (
    KINDS,
    SIZES,
    Judgement,
    Mistake,
    judge,
    merge_judgements,
)
from cantstop_arena.extensions.strength.exact.situations import KINDS_OF_SITUATION, Situation
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.extensions.strength.judging import MAX_BOARDS
from cantstop_arena.extensions.strength.judging.judge_plan import JudgePart, JudgeTask
from cantstop_arena.processes.isolated_call import (
    CallFailed,
    InvalidResult,
    IsolatedCall,
    Raised,
    result_of,
    run_all,
)
from cantstop_arena.tournaments.bot_adapters import seat_bot
from cantstop_arena.tournaments.preparation import pack_spec, prepare_bots, unpack_spec
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.tournaments.table_spec import TableSpec

_PIECES = 40  # into which all deals are split, so that the progress is visible
_MIN_DEALS = 5  # of a piece
_LIMIT = 3600.0  # seconds for an isolated call
_MAX_MOVE_LENGTH = 20  # characters

Judgements = Mapping[str, Judgement]
"""Judgements by bot."""


class JudgedTask(NamedTuple):
    """The judgements of a task, and the first fault in the games of each bot that committed any."""

    judgements: Judgements
    faults: Sequence[str]


def judge_task_results(planned: JudgeTask, observer: RunObserver) -> JudgedTask:
    """The judgements of a task, by bot, without the games in which a bot commits a fault.

    Raises BotError when no game is left.
    """
    prepare_bots(planned.bots, observer.on_compile)
    parts: dict[str, list[Judgement]] = {}
    errors: dict[str, BotError] = {}
    for bot, result in _piece_results(planned, observer):
        if isinstance(result, Judgement):
            parts.setdefault(bot, []).append(result)
        else:
            errors.setdefault(bot, result)
    if not parts:
        raise next(iter(errors.values()))
    judgements = {bot: merge_judgements(each, MAX_BOARDS) for bot, each in parts.items()}
    return JudgedTask(judgements, [*dict.fromkeys(map(str, errors.values()))])


def _piece_results(
    planned: JudgeTask, observer: RunObserver
) -> Iterator[tuple[str, Judgement | BotError]]:
    """The bot of each piece with its judgement, or the error that prevented it."""
    pieces = in_pieces(planned.tasks)
    observer.on_start(0, sum(len(piece.deals) for piece in pieces))
    with closing(observer):
        for piece, result in zip(pieces, judge_all(pieces, observer.on_tick), strict=True):
            observer.on_progress(len(piece.deals))
            yield piece.bot, result


# Pieces, each judged in a process of its own -----------------------------------------------------


class Judged(msgspec.Struct, tag=True, frozen=True):
    """The judgement of a part."""

    judgement: Judgement


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
            yield _judgement_in(answer, task)
        except BotError as error:
            yield error


def _judge_call(task: JudgePart) -> IsolatedCall:
    deals = task.deals
    bounds = [deals.start, deals.stop, deals.step]
    keywords = {"spec": pack_spec(task.spec), "deals": bounds}
    return IsolatedCall(f"{__name__}:judged_here", keywords, _LIMIT)


def judged_here(spec: bytes, deals: Sequence[int]) -> Judged | Raised:
    """Judge some deals in this process; the target of an isolated call."""
    try:
        return Judged(_judged_here(unpack_spec(spec), range(*deals)))
    except BaseException as error:
        return Raised(exception_report(error))


def _judged_here(spec: TableSpec, deals: range) -> Judgement:
    loader = Loader(spec.folder)
    evaluator = best_evaluator(spec.rules, spec.players, tables_folder())
    seated = [seat_bot(spec.seats[0], loader, as_plain=True)]
    seated += [seat_bot(seat, loader) for seat in spec.seats[1:]]
    return judge(evaluator, seated[0], seated[-1], deals, spec.seed, MAX_BOARDS)


def _judgement_in(answer: Any, task: JudgePart) -> Judgement:
    """The judgement that an isolated call returned. Raises BotError when it returned none."""
    try:
        result = result_of(answer)
        if isinstance(result, Raised):
            raise BotError(result.reason)
        _check_fit(result.judgement, task)
    except CallFailed as error:
        name = task.spec.seats[0].name
        raise BotError(f"{name} cannot be judged: its process {error}") from error
    judgement: Judgement = result.judgement
    return judgement


def _check_fit(judgement: Judgement, task: JudgePart) -> None:
    """Raise InvalidResult for a judgement of other deals, or against somebody else."""
    spec, deals = task.spec, len(task.deals)
    rivals = {"", *(seat.name for seat in spec.seats)}
    if not (is_consistent(judgement, spec.players, rivals) and len(judgement.losses) == deals):
        raise InvalidResult


def is_consistent(judgement: Judgement, players: int, rivals: Collection[str]) -> bool:
    """Whether a judgement of others has all its parts, finite numbers and printable texts."""
    losses, missed, worst = judgement.losses, judgement.missed, judgement.worst
    return (
        judgement.seats == players
        and judgement.decisions >= 0
        and 0 < len(losses) == len(missed)
        and len(judgement.sizes) == len(SIZES)
        and all(len(loss) == len(KINDS) for loss in losses)
        and all(map(isfinite, chain(missed, *losses)))
        and all(_is_consistent_mistake(mistake, rivals) for mistake in worst)
        and all(map(_is_consistent_situation, judgement.situations))
    )


def _is_consistent_situation(situation: Situation) -> bool:
    return (
        situation.kind in KINDS_OF_SITUATION
        and situation.deals > 0
        and situation.decisions > 0
        and all(map(isfinite, (situation.lost, *situation.squares)))
    )


def _is_consistent_mistake(mistake: Mistake, rivals: Collection[str]) -> bool:
    texts = (mistake.taken, mistake.best, *(text for text, _ in mistake.options))
    return (
        isfinite(mistake.loss)
        and all(isfinite(value) for _, value in mistake.options)
        and mistake.kind in KINDS
        and mistake.rival in rivals
        and all(len(text) <= _MAX_MOVE_LENGTH and text.isprintable() for text in texts)
    )
