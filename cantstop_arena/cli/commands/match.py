"""`arena match`: two bots, and whether one of two hypotheses about their difference is accepted."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import completing
from cantstop_arena.cli.commands.rules import rules_called, rules_option
from cantstop_arena.cli.numbers import MOST_ELO, FiniteRange
from cantstop_arena.cli.options import (
    bots_option,
    catalogue_for,
    game_option,
    luck_option,
    results_option,
    seed_option,
    terms_of,
    workers_option,
)
from cantstop_arena.cli.results_folder import page_option, write_results
from cantstop_arena.cli.table_options import TEXT, show
from cantstop_arena.cli.terminals.screen import Screen
from cantstop_arena.errors import UsageError
from cantstop_arena.runtime import shutdown

if TYPE_CHECKING:
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.documents.analysis import Analysis
    from cantstop_arena.ratings.sequential.sprt import Sprt

GAMES = 10_000
MOST_GAMES = 10_000_000  # by default, where a test ends the match
AN_ERROR = FiniteRange(1e-6, 0.5, max_open=True)  # that a test may make


@click.command(short_help="Let two bots play each other, also until a test decides.")
@click.argument("a", shell_complete=completing.bots)
@click.argument("b", shell_complete=completing.bots)
@click.option(
    "--sprt",
    "elo",
    type=float,
    nargs=2,
    metavar="ELO0 ELO1",
    help="Stop as soon as it is decided whether A is ELO0 or ELO1 stronger than B.",
)
@click.option(
    "--alpha",
    type=AN_ERROR,
    default=0.05,
    show_default=True,
    help="How often ELO1 may be accepted where ELO0 is true.",
)
@click.option(
    "--beta",
    type=AN_ERROR,
    default=0.05,
    show_default=True,
    help="How often ELO0 may be accepted where ELO1 is true.",
)
@click.option(
    "--games",
    type=click.IntRange(1, 10**12),
    help=f"Games, at most with --sprt. Default: {GAMES:,}, with --sprt {MOST_GAMES:,}.",
)
@rules_option
@game_option
@seed_option("Default: random; printed with the results.")
@workers_option
@luck_option
@results_option
@bots_option
@click.option("--fresh", is_flag=True, help="Forget earlier results of this match.")
@click.option("--quiet", is_flag=True, help="Print only the result.")
@page_option
def match(
    a: str,
    b: str,
    elo: tuple[float, float] | None,
    alpha: float,
    beta: float,
    games: int | None,
    rules_name: str | None,
    game_name: str,
    seed: "Seed | None",
    workers: int | None,
    luck_removed: bool,
    results: Path,
    bots_folder: Path,
    fresh: bool,
    quiet: bool,
    page: bool,
) -> None:
    """Let the bots A and B play each other, every deal in both seatings.

    A bot is a name or a path, with options behind a colon (rule28:threshold=30), or a version of a
    file that has played before (patient@previous, patient@08df1c2).

    With --sprt 0 5 they play until a sequential probability ratio test has decided between "A is
    as strong as B" and "A is 5 Elo stronger". Run it again to continue after an interruption.
    """
    from cantstop_arena.documents.analysis import Analysis
    from cantstop_arena.documents.written import write_whole
    from cantstop_arena.reports.match import finding, match_json, match_text
    from cantstop_arena.tournament.ledgers.archive import MATCH
    from cantstop_arena.tournament.match import Match, pairing

    test = _test(elo, alpha, beta)
    if test and luck_removed:
        raise UsageError(
            "--luck-removed is for a fixed number of games: the test of --sprt counts points"
        )
    catalogue = catalogue_for(bots_folder, game_name, results)
    most = games or (MOST_GAMES if test else GAMES)
    rules = rules_called(rules_name, catalogue)
    tournament = pairing((a, b), catalogue, rules, most, seed, results)
    tournament = tournament.without_luck() if luck_removed else tournament
    contest = Match(tournament, catalogue, results / tournament.name, test)
    aim = "a hypothesis is accepted" if test else ""
    bounds = (test.lower, test.upper) if test else (0.0, 0.0)
    screen = Screen(tournament.name, quiet, aside=False, aim=aim, bounds=bounds)
    shutdown.say_how_to_go_on()
    try:
        outcome = contest.play(terms_of(workers, None, None), screen, fresh)
    finally:
        screen.close()
    found = finding(contest.names, outcome.counts, test)
    path = contest.folder / MATCH
    write_whole(path, match_json(found, rules.name, outcome.seed))
    analysis = Analysis(outcome.results)
    played = replace(tournament, seed=outcome.seed)
    said = partial(_say, match_text(found), analysis)
    paths = write_results(analysis, played, catalogue, contest.folder, screen, page, said)
    screen.written(contest.folder, [path, *paths])


def _say(told: str, analysis: "Analysis") -> None:
    click.echo("\n" + told)
    if analysis.results.luck:
        click.echo()
        show(analysis, TEXT, ["standings"])
    if analysis.results.faults:
        click.echo()
        show(analysis, TEXT, ["faults"])


def _test(elo: tuple[float, float] | None, alpha: float, beta: float) -> "Sprt | None":
    from cantstop_arena.ratings.sequential.sprt import Sprt

    if elo is None:
        return None
    low, high = elo
    if not -MOST_ELO <= low < high <= MOST_ELO:
        raise UsageError(
            f"--sprt needs two numbers from -{MOST_ELO} to {MOST_ELO}, the lower one first,"
            f" not {low:g} {high:g}"
        )
    return Sprt(low, high, alpha, beta)
