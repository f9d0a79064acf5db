"""`arena report`: writes the HTML page of a results folder."""

from pathlib import Path

import click

from cantstop_arena.cli import shell_complete


@click.command(short_help="Rewrite the HTML page of a results folder.")
@click.argument("results", type=click.Path(path_type=Path), shell_complete=shell_complete.results)
def report(results: Path) -> None:
    """Write report.html into RESULTS, the results folder of a run or a comparison.

    The page is self-contained: it opens without a network. It is written from the files in the
    folder alone, and no other file is changed.
    """
    from cantstop_arena.reports.write_page import write_page_of

    path, missing = write_page_of(results)
    click.echo(f"Written: {path}.")
    if missing:
        click.echo(missing)
