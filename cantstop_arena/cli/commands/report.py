"""`arena report`: the page of a results folder, written again."""

from pathlib import Path

import click

from cantstop_arena.cli import shell_complete


@click.command(short_help="Write the page of a results folder again.")
@click.argument("results", type=click.Path(path_type=Path), shell_complete=shell_complete.results)
def report(results: Path) -> None:
    """Write report.html into the folder RESULTS of a run or a comparison.

    The page needs nothing but itself: it opens without a network. Only what lies in the folder is
    read, and nothing else in it is changed.
    """
    from cantstop_arena.reports.write_page import write_page_of

    path, missing = write_page_of(results)
    click.echo(f"Written: {path}.")
    if missing:
        click.echo(missing)
