"""`arena compare`: how rule sets change the game."""

from itertools import count
from pathlib import Path

import click

from cantstop_arena.cli.options import Given, exit_code_of, options
from cantstop_arena.cli.terminal.progress_screen import RunScreen
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.processes import shutdown
from cantstop_arena.views.command_options import print_text


@click.command(short_help="Compare rule sets: report what each one changes.")
@click.argument("file", type=click.Path(path_type=Path))
@options("compare")
def compare(file: Path, given: Given) -> ExitCode:
    """Play the comparison of FILE and report what each rule set changes.

    The same bots play the same deals with every rule set. Run the command again to continue with
    more games, or after an interruption.
    """
    from cantstop_arena.api.comparisons import play_comparison, read_comparison
    from cantstop_arena.comparisons.comparison_run import plan_comparison
    from cantstop_arena.reports.comparison_report import as_format, content, write_comparison_page
    from cantstop_arena.tournaments.duration import duration_text

    comparison, catalogue, folder = read_comparison(file, **given.tournament)
    aside = given.aside
    numbers, parts = count(1), len(comparison.players) * len(comparison.rules)
    screen = RunScreen(comparison.name, given.quiet, aside=aside, standings=False)

    def screen_for(name: str) -> RunScreen:
        screen.begin_part(name, f"{next(numbers)} of {parts}")
        return screen

    if given.dry_run:
        missing = plan_comparison(comparison, catalogue, folder, screen_for, given.run["fresh"])
        if text := duration_text(missing, catalogue, given.run_options.pool_options, screen):
            screen.echo(text)
        return ExitCode.DONE
    shutdown.announce_resume()
    totals = play_comparison(comparison, catalogue, folder, given.run_options, screen_for)
    screen.echo("")
    print_text(as_format(totals, given.tables.form, given.tables.width))
    page = None
    if given.page:
        with screen.reporting_page_error():
            page = write_comparison_page(content(totals), folder)
    screen.echo_folder(folder, page)
    return exit_code_of(totals)
