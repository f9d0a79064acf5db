"""`arena judge`: the loss by each decision of bots."""

import json
import shlex
import shutil
import sys
from contextlib import redirect_stdout
from itertools import chain
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from cantstop_arena.extensions.strength.judging import MAX_BOARDS
from cantstop_arena.views.command_options import (
    changes_option,
    file_option,
    folder_option,
    json_only_flag,
    key_option,
    number_seed_option,
    only_game_option,
    seats_option,
)
from cantstop_arena.views.command_progress import command_progress

BY_TABLE = 1000  # deals
BY_NETS = 100  # deals; fewer, as nets are slower

OF_RUNS = ("names", "deals", "tables", "bots_folder", "as_json")
"""The parameters that are allowed for the folder of a run, which determines the others."""


@click.command(short_help="Rate bots' decisions against perfect play.")
@click.argument("names", nargs=-1, required=True, metavar="BOT...")
@only_game_option("cantstop")
@click.option("--against", metavar="BOT", help="The opponent. Default: the judge itself.")
@click.option(
    "--rules",
    "name",
    default="classic",
    show_default=True,
    help="Rule set, or N,K: dice with N sides, shortest columns of K spaces.",
)
@changes_option
@seats_option(2)
@click.option(
    "--deals",
    type=click.IntRange(2, 10**5),
    help=f"Deals for each bot. Default: {BY_TABLE:,} with a solved board, else {BY_NETS}.",
)
@number_seed_option()
@folder_option("--tables", "Folder of solved boards; see arena solve.")
@key_option("results", help="Folder for the tournament file with which the games can be replayed.")
@key_option("bots_folder")
@key_option("isolate")
@file_option("--html", "Also write an HTML page to this file.")
@click.option(
    "--worst",
    "boards",
    type=click.IntRange(0, MAX_BOARDS),
    default=3,
    show_default=True,
    help="How many of the worst decisions of each bot to draw.",
)
@json_only_flag
def judge(
    names: tuple[str, ...],
    html: Path | None,
    as_json: bool,
    tables: Path | None,
    boards: int,
    **options: Any,
) -> None:
    """Measure what the decisions of each BOT lose, or those of all bots in a results folder.

    \b
    arena judge rule28 glenn-aloi        two bots, each against the judge
    arena judge results/quickstart       all bots of a run, against each other

    The judge uses the table of a solved board, or else the grandmaster's nets.

    A bot is a name or a path, with options after a colon (rule28:threshold=30), or an earlier
    version of a bot file (patient@previous).

    Losses are in percentage points of winning probability, in solo games in turns. All decisions of
    a bot are judged, in every seat. The worst are drawn, each with the command that replays it.
    The results for a run are stored in its folder and shown on its page.
    """
    from cantstop_arena.atomic_files import (
        check_output_file,
        check_output_folder,
        write_atomically,
    )
    from cantstop_arena.extensions.strength.exact.tables_folder import use_tables_folder
    from cantstop_arena.extensions.strength.judging.judge_plan import requested_bots
    from cantstop_arena.extensions.strength.judging.judge_process import judge_task_results
    from cantstop_arena.extensions.strength.judging.judged_runs import is_run, keep, run_in
    from cantstop_arena.extensions.strength.judging.judgement_report import judgements_as_dict, text

    if html is not None:
        check_output_file(html)
    if tables is not None:
        use_tables_folder(tables)
    folder = next((Path(name) for name in names if is_run(name)), None)
    if folder:
        _check_alone(names)
        check_output_folder(folder)
        planned = run_in(folder, options["deals"], options["bots_folder"])
    else:
        planned = requested_bots(names, **options)
    observer = command_progress(f"Judging by {planned.judge.name}", "deals")
    judgements, faults = judge_task_results(planned, observer)
    for fault in faults:
        click.echo(fault, err=True)
    if html is not None:
        from cantstop_arena.extensions.strength.judging.judgement_page import judgements_page

        write_atomically(html, judgements_page(judgements, planned, _command()))
    if as_json:
        click.echo(json.dumps(judgements_as_dict(judgements)))
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        click.echo(text(judgements, planned, boards, width))
    if folder:
        keep(judgements, planned, folder)
        _write_page(folder)


def _command() -> str:
    """The command as it was given, without what only chooses its output."""
    context = click.get_current_context()
    words = ["arena", "judge", *context.params["names"]]
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and name not in ("names", "html", "boards", "as_json"):
            value = context.params[name]
            flags = [value] if not isinstance(value, tuple) else [*value]
            words += chain.from_iterable(_option(parameter.opts[0], each) for each in flags)
    return shlex.join(words)


def _option(flag: str, value: object) -> list[str]:
    return [flag] if value is True else [flag, str(value)]


def _check_alone(names: tuple[str, ...]) -> None:
    """Raise UsageError for arguments that the run determines."""
    context = click.get_current_context()
    given = [
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if len(names) > 1 or not {*given} <= {*OF_RUNS}:
        raise click.UsageError(
            "A results folder cannot be combined with other bots, or with options other than"
            " --deals, --tables, --bots and --json."
        )


def _write_page(folder: Path) -> None:
    """Run `arena report` for the folder of the run."""
    context = click.get_current_context()
    root = context.find_root()
    assert isinstance(root.command, click.Group)
    report = root.command.get_command(root, "report")
    assert report
    with redirect_stdout(sys.stderr):
        context.invoke(report, results=folder)
