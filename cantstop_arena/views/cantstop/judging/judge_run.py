"""Judging with a display of the progress."""

from collections.abc import Iterator
from contextlib import closing

import click

from cantstop_arena.errors import BotError
from cantstop_arena.games.cantstop.exact.regret import Judgement, merge_judgements
from cantstop_arena.tournaments.preparation import prepare_bots
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.views.cantstop.judging import MAX_BOARDS
from cantstop_arena.views.cantstop.judging.judge_process import in_pieces, judge_all
from cantstop_arena.views.cantstop.judging.judge_task import JudgeTask
from cantstop_arena.views.cantstop.judging.judgement_report import Judgements
from cantstop_arena.views.command_progress import command_progress


def judge_task_results(planned: JudgeTask) -> Judgements:
    """The judgements of a task, by bot, without the games in which a bot commits a fault.

    The first fault in the games of each bot is printed. Raises BotError when no game is left.
    """
    observer = command_progress(f"Judging by {planned.judge.name}", "deals")
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
    for error in dict.fromkeys(map(str, errors.values())):
        click.echo(error, err=True)
    return {bot: merge_judgements(judgements, MAX_BOARDS) for bot, judgements in parts.items()}


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
