"""`arena design`: rules that meet targets."""

from pathlib import Path

import click

from cantstop_arena.cli.options import Given, options_of
from cantstop_arena.cli.terminal.progress_screen import ProgressScreen, RunScreen
from cantstop_arena.extensions.design.keys import DESIGN_COMMAND
from cantstop_arena.views.command_options import print_plain_tables, print_text


@click.command(short_help="Search for rules of a game that meet targets.")
@click.argument("file", type=click.Path(path_type=Path))
@options_of(DESIGN_COMMAND)
def design(file: Path, given: Given) -> None:
    """Search for rules that meet the targets of FILE, between its bots.

    All combinations of the parameters that vary play rounds of the same deals; those that surely
    miss a target are dropped. The others are confirmed on fresh deals: they hold, or are open. In
    the results folder, design.csv lists all that were tried; report.html is the page.
    docs/extensions/design.md has an example of FILE.
    """
    from cantstop_arena.extensions.design.api import design as designed
    from cantstop_arena.extensions.design.design_tables import rounds_lines

    results = designed(
        file,
        progress=lambda name: ProgressScreen(name, "games", given.quiet),
        **given.tournament,
        **given.run,
    )
    if given.tables.is_text:
        rounds = "\n".join(rounds_lines(results.totals))
        print_text(f"{results.headline}.\n\n{rounds}\n\n")
    is_data = given.tables.form in ("csv", "json")
    table = results.table.table if is_data else results.table.display
    above = "" if given.tables.is_text else results.headline
    print_plain_tables([table], given.tables, headline=above)
    if not given.quiet:
        path = results.folder / "design.csv"
        click.echo(f"\nAll rules that were tried: {path}", err=not given.tables.is_text)
    screen = RunScreen(results.folder.name, given.quiet, aside=not given.tables.is_text)
    if given.page:
        with screen.reporting_page_error():
            screen.echo(f"Page: {results.write_page()}")
