"""`arena compare`: how rule sets change the game."""

from itertools import count
from pathlib import Path

import click

from cantstop_arena.cli.options import SharedOptions, exit_code_of, luck_option, options
from cantstop_arena.cli.terminal.run_screen import RunScreen
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.processes import shutdown
from cantstop_arena.views.command_tables import TableOutput, format_options, print_text


@click.command(short_help="Compare rule sets: report what each one changes.")
@click.argument("file", type=click.Path(path_type=Path))
@options
@luck_option
@format_options
def compare(
    file: Path,
    shared: SharedOptions,
    luck_removed: bool,
    output: TableOutput,
) -> ExitCode:
    """Play the comparison of FILE and report what each rule set changes.

    The same bots play the same deals with every rule set. Run the command again to continue with
    more games, or after an interruption.
    """
    from cantstop_arena.api.comparisons import play_comparison, read_comparison
    from cantstop_arena.reports.comparison_report import as_format, content, write_comparison_page

    comparison, catalogue, folder = read_comparison(
        file,
        games=shared.games,
        seed=shared.seed,
        bots_folder=shared.bots_folder,
        results=shared.results,
    )
    comparison = comparison.without_luck() if luck_removed else comparison
    numbers, parts = count(1), len(comparison.players) * len(comparison.rules)

    def screen_for(name: str) -> RunScreen:
        title = f"{name} ({next(numbers)} of {parts})"
        return RunScreen(name, shared.quiet, aside=not output.is_text, title=title, standings=False)

    shutdown.announce_resume()
    totals = play_comparison(comparison, catalogue, folder, shared.run_options(), screen_for)
    screen = RunScreen(comparison.name, shared.quiet, aside=not output.is_text)
    screen.echo("")
    print_text(as_format(totals, output.form, output.width))
    page = None
    if shared.page:
        with screen.reporting_page_error():
            page = write_comparison_page(content(totals), folder)
    screen.echo_folder(folder, page)
    return exit_code_of(totals)
