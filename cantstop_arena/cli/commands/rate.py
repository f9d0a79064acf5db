"""`arena rate`: the tables of results folders, made from their ledgers again."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.print_tables import print_tables, table_options
from cantstop_arena.ratings.labels import MAX_ANCHOR


def _anchor(
    context: click.Context, parameter: click.Parameter, arguments: Sequence[str]
) -> dict[str, float]:
    anchor = {}
    for word in arguments:
        name, _, points = word.rpartition("=")
        if name in anchor:
            raise click.BadParameter(f"{name!r} is given two Elo")
        try:
            anchor[name] = float(points)
        except ValueError:
            raise click.BadParameter(f"{word!r} is not of the form BOT=ELO") from None
        if not (name and isfinite(anchor[name]) and abs(anchor[name]) <= MAX_ANCHOR):
            raise click.BadParameter(f"{word!r} is not of the form BOT=ELO, as in rule28=1500")
    return anchor


@click.command(short_help="Rate results folders again, also several together.")
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
    help="The Elo of a bot, to which the others relate; several that met have their mean."
    " Default: all have mean 1500.",
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the files of a run there, too.",
)
@click.option(
    "--plain", is_flag=True, help="Leave luck in, where it was scored and would be removed."
)
@table_options
def rate(
    results: Sequence[Path],
    anchor: dict[str, float],
    output: Path | None,
    plain: bool,
    form: str,
    chosen: Sequence[str],
) -> None:
    """Rate again what lies in results folders, several together as one tournament.

    The ledgers are read, and nothing is written to them, so that a run may be going on. Where one
    tournament was played until intervals were narrow, they are confidence sequences here, too.
    Rated together, tournaments need the same rules and number of players; bots of one name must
    be the same bot.
    """
    from cantstop_arena.api.folders import rate as rated
    from cantstop_arena.reports import tournament_files

    analysis = rated(*results, anchor=anchor, plain=plain).analysis
    if output:
        output.mkdir(parents=True, exist_ok=True)
        tournament_files.write_reports(analysis, output)
    print_tables(analysis, form, chosen)
