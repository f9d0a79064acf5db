"""`arena rate`: the tables of results folders, computed again from their ledgers."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import exit_code_of, print_tables
from cantstop_arena.errors import UsageError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.ratings.labels import MAX_ANCHOR
from cantstop_arena.views.command_options import TableOutput, print_plain_tables, table_options


def _anchor(
    context: click.Context, parameter: click.Parameter, texts: Sequence[str]
) -> dict[str, float]:
    anchor = {}
    for text in texts:
        name, _, points = text.rpartition("=")
        if name in anchor:
            raise click.BadParameter(f"{name!r} has two Elo values; give one")
        try:
            anchor[name] = float(points)
        except ValueError:
            raise click.BadParameter(f"{text!r} is not of the form BOT=ELO") from None
        if not (name and isfinite(anchor[name]) and abs(anchor[name]) <= MAX_ANCHOR):
            raise click.BadParameter(f"{text!r} is not of the form BOT=ELO, as in rule28=1500")
    return anchor


@click.command(short_help="Rate stored results again, also several folders together.")
@click.argument(
    "results",
    type=click.Path(path_type=Path),
    nargs=-1,
    required=True,
    metavar="RESULTS...",
    shell_complete=shell_complete.results,
)
@click.option(
    "--anchor",
    callback=_anchor,
    multiple=True,
    metavar="BOT=ELO",
    help="Fix the Elo of a bot; can be repeated, and then fixes the mean of these bots."
    " Default: who would score half against the field has 1500.",
)
@click.option(
    "--output",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Also write the result files to this folder.",
)
@click.option(
    "--plain", is_flag=True, help="Do not subtract luck, where a tournament has recorded it."
)
@click.option(
    "--people",
    is_flag=True,
    help="Rate the people who have played against these bots in the browser, too; in other forms"
    " than text, only them.",
)
@table_options
def rate(
    results: Sequence[Path],
    anchor: dict[str, float],
    folder: Path | None,
    plain: bool,
    people: bool,
    output: TableOutput,
) -> ExitCode:
    """Rate the stored games of results folders again, several folders as one tournament.

    The ledgers are only read, so the tournament may still be running. The intervals of a
    tournament that was played until they were narrow are confidence sequences here, too.
    Tournaments that are rated together need the same rules and number of players, and bots of the
    same name must be the same bot.
    """
    from cantstop_arena.api.folders import rate as rated
    from cantstop_arena.atomic_files import check_output_folder
    from cantstop_arena.reports import tournament_files

    if people and len(results) != 1:
        raise UsageError("--people needs one folder of results: its bots are those played against")
    if folder:
        check_output_folder(folder)
    results_of_all = rated(*results, anchor=anchor, plain=plain)
    if folder:
        tournament_files.write_reports(results_of_all.analysis, folder)
    if not people or output.is_text:
        print_tables(results_of_all.analysis, output)
    if people:
        from cantstop_arena.extension_registry import needed

        table = needed("people", "--people")(results_of_all.analysis, results[0])
        print_plain_tables([table], output._replace(chosen=("people",)))
    return exit_code_of(results_of_all)
