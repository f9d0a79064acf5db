"""`arena judge`: what a bot's decisions lose."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

BY_TABLE = 1000
BY_NETS = 100  # which think for a while


OF_RUNS = ("names", "deals", "tables", "bots_folder", "as_json")
"""What can be said where the bots of a run are judged: the run says everything else."""


@click.command(short_help="Say what the decisions of bots lose.")
@click.argument("names", nargs=-1, required=True, metavar="BOT...")
@click.option("--against", metavar="BOT", help="The rival. Default: who judges.")
@click.option("--rules", "name", default="classic", show_default=True, help="By name, or N,K.")
@click.option("--change", "changes", multiple=True, metavar="KEY=VALUE", help="Of the rules.")
@click.option("--players", type=click.IntRange(1, 2), default=2, show_default=True)
@click.option(
    "--deals",
    type=click.IntRange(2, 10**5),
    help=f"Default: {BY_TABLE} where a solved board judges, else {BY_NETS}.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True)
@click.option(
    "--tables",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where solved boards are kept; see arena solve.",
)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results"),
    show_default=True,
    metavar="DIR",
    help="Where a tournament file goes by which games are replayed.",
)
@click.option(
    "--bots",
    "bots_folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("bots"),
    show_default=True,
    metavar="DIR",
    help="Folder whose files are bots.",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page to this file, too.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def judge(names: tuple[str, ...], html: Path | None, as_json: bool, **entries: Any) -> None:
    """Say what the decisions of each BOT lose, or of all bots of a run, by its folder.

    \b
    arena judge rule28 glenn-aloi        two bots, against who judges
    arena judge results/quickstart       all bots of a run, against each other

    The judge is the table of a board that has been solved, else the grandmaster's nets.

    Losses are in points of winning probability (percent), alone in turns; all of a bot's decisions
    are looked at, in every seat. The ten worst are drawn, each with the command that replays it.
    What is found of a run is kept in its folder, and becomes a section of its page.
    """
    from cantstop_arena.views.cantstop.judging.judge_plan import requested_bots
    from cantstop_arena.views.cantstop.judging.judge_run import judge_task_results
    from cantstop_arena.views.cantstop.judging.judged_runs import is_run, keep, run_in
    from cantstop_arena.views.cantstop.judging.judgement_report import judgements_json, text

    folder = next((Path(name) for name in names if is_run(name)), None)
    if folder:
        _check_alone(names)
        planned = run_in(folder, entries["deals"], entries["tables"], entries["bots_folder"])
    else:
        planned = requested_bots(names, **entries)
    matches = judge_task_results(planned)
    if html is not None:
        from cantstop_arena.atomic_files import write_atomically
        from cantstop_arena.views.cantstop.judging.judgement_report import judgements_page

        write_atomically(html, judgements_page(matches, planned))
    click.echo(judgements_json(matches) if as_json else text(matches, planned))
    if folder:
        keep(matches, planned, folder)
        _write_page(folder)


def _check_alone(names: tuple[str, ...]) -> None:
    """Refuse what a run says itself."""
    context = click.get_current_context()
    given = [
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if len(names) > 1 or not {*given} <= {*OF_RUNS}:
        raise click.UsageError("A folder with results stands alone, but for --deals and --tables.")


def _write_page(folder: Path) -> None:
    """Have `arena report` write the page of the run."""
    context = click.get_current_context()
    root = context.find_root()
    assert isinstance(root.command, click.Group)
    report = root.command.get_command(root, "report")
    assert report
    with redirect_stdout(sys.stderr):
        context.invoke(report, results=folder)
