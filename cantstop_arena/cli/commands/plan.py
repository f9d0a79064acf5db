"""`arena plan`: the games needed to detect a difference, and how long they take here."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.options import (
    bots_option,
    catalogue_for,
    game_option,
    rules_option,
    workers_option,
)
from cantstop_arena.errors import UsageError
from cantstop_arena.ratings.labels import MAX_ELO
from cantstop_arena.views.command_options import (
    FiniteRange,
    TableOutput,
    format_options,
    key_option,
    print_plain_tables,
)

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import LuckRemoved

MIN_DEALS = 100  # deals of the speed trial: with fewer, the estimate of the variance is poor
MIN_LUCK_DEALS = 200  # the coefficients by which luck is removed come from the trial games, too
MAX_PAYOFF = 1e12  # the greatest difference of payoffs
MIN_DIFFERENCE = 1e-6  # a smaller one needs more games than can be played


@click.command(short_help="Estimate the games needed to detect a difference.")
@click.argument("names", nargs=-1, metavar="[BOT]...", shell_complete=shell_complete.bots)
@click.option(
    "--difference",
    type=float,
    required=True,
    metavar="D",
    help="Difference to detect, in scores (0.01 is 50.5% to 49.5%), or in Elo with --elo; by payoff"
    " in its unit, a game.",
)
@click.option("--elo", is_flag=True, help="The difference is in Elo.")
@click.option(
    "--power",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="Probability of detecting the difference.",
)
@click.option(
    "--alpha",
    type=FiniteRange(1e-9, 0.5),
    default=0.05,
    show_default=True,
    help="Probability of detecting a difference when there is none.",
)
@click.option(
    "--players",
    type=click.IntRange(2),
    help="Number of seats. Default: 2, or the fewest that the game has.",
)
@rules_option
@game_option
@workers_option
@click.option(
    "--seconds",
    type=FiniteRange(0.1, 600),
    default=1.0,
    show_default=True,
    help="Duration of the trial games.",
)
@bots_option
@key_option("score", "plan")
@key_option("luck_removed", "plan")
@format_options
def plan(
    names: tuple[str, ...],
    difference: float,
    elo: bool,
    power: float,
    alpha: float,
    players: int | None,
    rules_name: str | None,
    game_name: str,
    workers: int | None,
    seconds: float,
    bots_folder: Path,
    score: str | None,
    luck_removed: "LuckRemoved",
    output: TableOutput,
) -> None:
    """Estimate the deals and games needed to detect a difference between two bots.

    The first two BOTs are compared; with more --players the others take the remaining seats. Short
    trial games on this machine measure the variance of deals and the speed of play.
    """
    from msgspec.structs import replace

    from cantstop_arena.deals.payoff import PAYOFF
    from cantstop_arena.game_api.game import score_of
    from cantstop_arena.processes.system import core_count
    from cantstop_arena.reports.plan_report import CostQuestion, plan_of, plan_table, plan_text
    from cantstop_arena.tournaments.file.bot_references import (
        entrant_from_reference,
        suggesting_game,
    )
    from cantstop_arena.tournaments.file.tournament_file import usual_players
    from cantstop_arena.tournaments.file.yaml_reader import range_text
    from cantstop_arena.tournaments.speed import run_speed_trial
    from cantstop_arena.tournaments.tournament import luck_measure, luck_refusal, score_refusal

    catalogue = catalogue_for(bots_folder, game_name)
    if why := score_refusal(catalogue.game, score):
        raise UsageError(why)
    by_payoff = not elo and (score or score_of(catalogue.game)) == PAYOFF
    payoff = catalogue.game.payoff if by_payoff else None
    _check_question(difference, elo, power, alpha, MAX_PAYOFF if payoff else MAX_ELO if elo else 1)
    players = usual_players(catalogue.game) if players is None else players
    if players not in catalogue.game.players:
        raise UsageError(f"--players must be {range_text(catalogue.game.players)}, not {players}")
    size = catalogue.game.lineup_size(players)
    seated = names or catalogue.game.usual_bots[:size]
    if len(seated) != size:
        message = f"{players} players need {size} bots, not {len(seated)}"
        raise UsageError(f"{message}; set the number of seats with --players")
    with suggesting_game(seated, catalogue):
        bots = [entrant_from_reference(name, catalogue) for name in seated]
    rules = catalogue.rules_called(rules_name)
    if luck_removed and (why := luck_refusal(catalogue.game, [players], luck_removed)):
        raise UsageError(why)
    measure, min_deals = luck_measure(luck_removed), MIN_LUCK_DEALS if luck_removed else MIN_DEALS
    trial = run_speed_trial(
        catalogue, bots, rules, seconds, min_deals, players=players, luck_measure=measure
    )
    question = CostQuestion(difference, elo, power, alpha)
    won, corrections = trial.won, trial.corrections
    if payoff:
        if trial.paid is None:
            raise UsageError("no deal of the trial games has payoffs: a fault ended a game in each")
        question = replace(question, unit=payoff.units, parts=payoff.parts)
        won, corrections = trial.paid, None
    costs = plan_of(question, won, trial.games_per_deal, corrections)
    cores = workers or core_count()
    fault, speed = trial.fault_text(seated), trial.games_per_second
    if output.is_text:
        click.echo(plan_text(costs, seated, rules.name, speed, cores, fault))
    else:
        table = plan_table(costs, seated, rules.name, speed, cores, fault)
        print_plain_tables([table], output)


def _check_question(
    difference: float, elo: bool, power: float, alpha: float, max_difference: float
) -> None:
    """Raise UsageError for values out of range, also nan, which click accepts in every range."""
    if not MIN_DIFFERENCE <= abs(difference) <= max_difference:
        kind = "of Elo" if elo else "of two scores"
        raise UsageError(
            f"--difference {kind} must be from {MIN_DIFFERENCE:g} to {max_difference:.12g},"
            f" not {difference:g}"
            + ("" if elo or not isfinite(difference) else "; add --elo for a difference in Elo")
        )
    if not alpha < power:
        raise UsageError(
            f"--power {power:g} must be above --alpha {alpha:g}, a power reached without any game"
        )
