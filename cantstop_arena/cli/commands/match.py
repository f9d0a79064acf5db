"""`arena match`: a match of two bots, also with a sequential test of their difference."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import (
    Given,
    announce,
    exit_code_of,
    options,
    play_and_write,
    print_tables,
)
from cantstop_arena.cli.terminal.progress_screen import RunScreen
from cantstop_arena.errors import UsageError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.tables.names import MATCH_TABLE
from cantstop_arena.texts import printable
from cantstop_arena.views.command_options import FiniteRange, TableOutput

if TYPE_CHECKING:
    from cantstop_arena.api.results import Results

AN_ERROR = FiniteRange(1e-6, 0.5, max_open=True)  # the rate of an error of the test


@click.command(short_help="Play a match of two bots, also until a test decides.")
@click.argument("a", shell_complete=shell_complete.bots)
@click.argument("b", shell_complete=shell_complete.bots)
@click.option(
    "--sprt",
    "elo",
    type=float,
    nargs=2,
    metavar="ELO0 ELO1",
    help="Stop when a test has decided whether A is ELO0 or ELO1 stronger than B.",
)
@click.option(
    "--alpha",
    type=AN_ERROR,
    default=0.05,
    show_default=True,
    help="Probability of accepting ELO1 when ELO0 is true.",
)
@click.option(
    "--beta",
    type=AN_ERROR,
    default=0.05,
    show_default=True,
    help="Probability of accepting ELO0 when ELO1 is true.",
)
@click.option(
    "--exit-code",
    "by_verdict",
    is_flag=True,
    help="With --sprt: end with exit code 0 if H1 is accepted, 4 if H0 is, 5 if neither.",
)
@click.option(
    "--in",
    "guest_of",
    type=click.Path(path_type=Path),
    metavar="RESULTS",
    shell_complete=shell_complete.results,
    help="Play with the seed and rules of these results, and add the games to their ledger.",
)
@options("match")
def match(
    a: str,
    b: str,
    elo: tuple[float, float] | None,
    alpha: float,
    beta: float,
    by_verdict: bool,
    guest_of: Path | None,
    given: Given,
) -> ExitCode:
    """Play a match of the bots A and B, every deal in both seatings.

    With more --players B fills the seats that remain, and every deal is played in all orders.

    A bot is a name or a path, with options after a colon (rule28:threshold=30), or an earlier
    version of a bot file (patient@previous, patient@08df1c2).

    With --sprt 0 5 they play until a sequential probability ratio test has decided between "A is
    as strong as B" and "A is 5 Elo stronger". Run the command again to continue after an
    interruption.

    With --in results/NAME the match plays as a guest of that tournament: bots are as its file has
    them, and the next `arena run` need not play these games. The match is only printed: its
    ledger is all that changes in that folder.
    """
    from cantstop_arena.api.matches import check_fresh, planned_match

    if by_verdict and elo is None:
        raise UsageError("--exit-code needs --sprt: it reports the verdict of the test")
    planned = planned_match(
        a, b, sprt=elo, alpha=alpha, beta=beta, guest_of=guest_of, **given.tournament
    )
    check_fresh(planned, given.run["fresh"])
    if planned.note:
        click.echo(printable(planned.note), err=True)
    test = planned.test
    aim = "a hypothesis is accepted" if test else ""
    bounds = (test.lower, test.upper) if test else (0.0, 0.0)
    screen = RunScreen(planned.name, given.quiet, aside=given.aside, aim=aim, bounds=bounds)
    if given.dry_run:
        return announce(planned, given, screen)
    played = play_and_write(
        planned, given, screen, lambda results: _print_results(results, given.tables)
    )
    code = exit_code_of(played)
    return _verdict_code(played) if by_verdict and code is ExitCode.DONE else code


def _verdict_code(results: "Results") -> ExitCode:
    """The exit code that tells which hypothesis is accepted."""
    from cantstop_arena.api.matches import MatchResults

    assert isinstance(results, MatchResults)
    codes = {1: ExitCode.DONE, 0: ExitCode.H0_ACCEPTED, None: ExitCode.UNDECIDED}
    return codes[results.accepted]


def _print_results(results: "Results", output: TableOutput) -> None:
    """Print the chosen tables: by default the match, and what there is to say beyond it."""
    from cantstop_arena.api.matches import MatchResults
    from cantstop_arena.reports.match_report import match_table

    assert isinstance(results, MatchResults)
    standings = ["standings"] if results.analysis.results.with_luck else []
    faults = ["faults"] if len(results.faults) else []
    chosen = list(output.chosen) or [MATCH_TABLE, *standings, *faults]
    if output.is_text and MATCH_TABLE in chosen:
        click.echo(results.verdict)
        chosen.remove(MATCH_TABLE)
        if chosen:
            click.echo()
    if chosen:
        answer = "" if output.is_text or output.chosen else results.headline
        output = output._replace(chosen=chosen)
        print_tables(results.analysis, output, [match_table(results.finding)], answer)
