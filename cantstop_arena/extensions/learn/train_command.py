"""`arena train`: training of nets for the bots that have them."""

import json
from functools import partial
from pathlib import Path

import click

from cantstop_arena.texts import how_many
from cantstop_arena.views.command_options import (
    changes_option,
    file_option,
    json_only_flag,
    key_option,
    number_seed_option,
    seats_option,
)
from cantstop_arena.views.command_progress import command_progress


@click.command(short_help="Train nets for champion and grandmaster.")
@click.argument("name", metavar="RULES")
@click.option("--game", "game_name", default="cantstop", show_default=True, help="The game.")
@changes_option
@seats_option(100)
@number_seed_option()
@file_option(
    "--out", "File for the nets. Default: named after RULES and --players.", metavar="FILE"
)
@key_option(
    "workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Number of threads, for Can't Stop.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Number of rounds: for Can't Stop of exact games, for Cubus of 1,000 games. The default"
    " is enough for the usual rules.",
)
@click.option("--fresh", is_flag=True, help="Discard an interrupted training of this file.")
@file_option("--html", "Also write an HTML page with the trials to this file.")
@json_only_flag
def train(
    name: str,
    game_name: str,
    changes: tuple[str, ...],
    players: int,
    seed: int,
    out: Path | None,
    workers: int,
    rounds: int | None,
    fresh: bool,
    html: Path | None,
    as_json: bool,
) -> None:
    """Train nets for RULES and write them to a file for the bots champion and grandmaster.

    RULES is a rule set, or N,K for a small board of Can't Stop: dice with N sides, shortest columns
    of K spaces.

    Trials measure the nets against a fixed opponent. On a board that has been solved, or is solved
    in a second, they also measure what the decisions lose to perfect play.

    Run the command again to continue after an interruption. The same seed gives the same file for
    any number of workers.
    """
    from cantstop_arena.atomic_files import check_output_file, write_atomically
    from cantstop_arena.extensions.learn.training_run import planned_training, train_nets

    if html is not None:
        check_output_file(html)
    plan = planned_training(
        name, changes, game_name, players, seed, rounds, workers, out, Path("bots")
    )
    trained = train_nets(
        plan, fresh, command_progress("Training", "rounds"), partial(click.echo, err=as_json)
    )
    if as_json:
        click.echo(json.dumps(trained.as_dict()))
    else:
        click.echo(f"{trained.headline}.")
    if html is not None:
        from cantstop_arena.extensions.learn.training_page import training_page

        about = f"{plan.rules.name} rules, {how_many(players, 'player')}"
        title = f"Nets for {plan.game.title}"
        write_atomically(html, training_page(title, about, trained.tried, plan.command))
    if not as_json:
        file = trained.file
        click.echo(f"Written to {file}. To play with it: {{bot: champion, nets: {file}}}")
