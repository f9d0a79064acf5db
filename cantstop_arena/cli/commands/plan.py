"""`arena plan`: how many games a question costs, and how long they take here."""

from math import isfinite
from pathlib import Path

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.commands.rules import rules_option
from cantstop_arena.cli.options import (
    FiniteRange,
    bots_option,
    catalogue_for,
    game_option,
    workers_option,
)
from cantstop_arena.errors import UsageError
from cantstop_arena.ratings.labels import MAX_ELO

MIN_DEALS = 100  # deals of the pilot: with fewer, a variance is hardly known
MIN_DIFFERENCE = 1e-6  # nobody could play what less would cost


@click.command(short_help="Say how many games a question costs.")
@click.argument("names", nargs=-1, metavar="[BOT]...", shell_complete=shell_complete.bots)
@click.option(
    "--difference",
    type=float,
    required=True,
    metavar="D",
    help="What is to be found: a difference of two scores (0.01 is 50.5% to 49.5%), or of Elo.",
)
@click.option("--elo", is_flag=True, help="The difference is one of Elo.")
@click.option(
    "--power",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="With what probability it is to be found.",
)
@click.option(
    "--alpha",
    type=FiniteRange(1e-9, 0.5),
    default=0.05,
    show_default=True,
    help="How often a difference may be found where there is none.",
)
@click.option("--players", type=click.IntRange(2), default=2, show_default=True, help="Seats.")
@rules_option
@game_option
@workers_option
@click.option(
    "--seconds",
    type=FiniteRange(0.1, 600),
    default=1.0,
    show_default=True,
    help="How long the pilot plays.",
)
@bots_option
def plan(
    names: tuple[str, ...],
    difference: float,
    elo: bool,
    power: float,
    alpha: float,
    players: int,
    rules_name: str | None,
    game_name: str,
    workers: int | None,
    seconds: float,
    bots_folder: Path,
) -> None:
    """Say how many deals and games it costs to find a difference between two bots.

    The first two BOTs are compared; with more --players the others sit at the same table. A short
    pilot here tells how much deals vary and how fast they are played.
    """
    from cantstop_arena.reports.plan_report import CostQuestion, plan_of, plan_text
    from cantstop_arena.tournaments.file.yaml_reader import range_text
    from cantstop_arena.tournaments.pool.worker import worker_count
    from cantstop_arena.tournaments.speed import run_speed_trial

    _check(difference, elo, power, alpha)
    catalogue = catalogue_for(bots_folder, game_name)
    if players not in catalogue.game.players:
        raise UsageError(f"--players must be {range_text(catalogue.game.players)}, not {players}")
    seated = names or catalogue.game.usual_bots[:players]
    if len(seated) != players:
        text = f"{players} players need {players} bots, not {len(seated)}"
        raise UsageError(f"{text}; --players says how many sit at a table")
    specs = [catalogue.find(name) for name in seated]
    rules = catalogue.rules_called(rules_name)
    trial = run_speed_trial(catalogue, specs, rules, seconds, MIN_DEALS)
    costs = plan_of(CostQuestion(difference, elo, power, alpha), trial.won, trial.games_per_deal)
    cores = workers or worker_count()
    click.echo(plan_text(costs, seated, rules.name, trial.games_per_second, cores))


def _check(difference: float, elo: bool, value: float, alpha: float) -> None:
    """Refuse what cannot be asked; nan lies between any two numbers to click."""
    maximum = MAX_ELO if elo else 1
    if not MIN_DIFFERENCE <= abs(difference) <= maximum:
        kind = "of Elo" if elo else "of two scores"
        raise UsageError(
            f"--difference {kind} must be from {MIN_DIFFERENCE:g} to {maximum}, not {difference:g}"
            + ("" if elo or not isfinite(difference) else "; --elo makes it one of Elo")
        )
    if not alpha < value:
        raise UsageError(
            f"--power {value:g} must be above --alpha {alpha:g}, which costs no games at all"
        )
