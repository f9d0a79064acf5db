"""`arena train`: training of nets for the bots that have them."""

import json
import re
import time
from contextlib import closing
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING

import click

from cantstop_arena.errors import UsageError
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

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game
    from cantstop_arena.game_api.training import NetTrial, Training
    from cantstop_arena.views.training_checkpoint import Tried

_INTERVAL = 15.0  # minimal seconds between two checkpoints, and between two trials
_PAUSE_RATIO = 20  # times the duration of a trial is the pause after it


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
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.game_api.net_files import SUFFIX
    from cantstop_arena.games.registry import game_named
    from cantstop_arena.views.rules_argument import rules_from_argument
    from cantstop_arena.views.training_checkpoint import (
        part_of,
        resume,
        training_as_dict,
        training_headline,
    )

    game = game_named(game_name)
    rules = rules_from_argument(name, changes, Catalogue(Path("bots"), game))
    command = _command(game, name, changes, players, seed, rounds)
    stem = "-".join([name, *changes, str(players)])
    # a comma would end the file's name where a bot's options are written
    out = out or Path(re.sub("[/,]", "_", stem) + SUFFIX)
    check_output_file(out)
    if html is not None:
        check_output_file(html)
    training = _start(game, (rules, players, seed, rounds, workers))
    part = part_of(out)
    tried: list[Tried] = []
    if part.exists() and not fresh:
        tried = resume(training, part, command)
        click.echo(
            f"Continuing after {training.rounds_done} of {training.rounds} rounds.", err=as_json
        )
    _train(training, part, command, tried)
    write_atomically(out, training.file(command))
    part.unlink(missing_ok=True)
    if as_json:
        click.echo(json.dumps(training_as_dict(tried, out)))
    else:
        click.echo(f"{training_headline(tried)}.")
    if html is not None:
        from cantstop_arena.views.training_page import training_page

        about = f"{rules.name} rules, {how_many(players, 'player')}"
        write_atomically(html, training_page(f"Nets for {game.title}", about, tried, command))
    if not as_json:
        click.echo(f"Written to {out}. To play with it: {{bot: champion, nets: {out}}}")


def _command(
    game: "Game",
    name: str,
    changes: tuple[str, ...],
    players: int,
    seed: int,
    rounds: int | None,
) -> str:
    """The command that trains the same nets."""
    from cantstop_arena.games.registry import DEFAULT

    command_line = ["arena train", name]
    command_line += [] if game.name == DEFAULT else [f"--game {game.name}"]
    command_line += [f"--change {change}" for change in changes]
    command_line += [f"--players {players} --seed {seed}"]
    command_line += [] if rounds is None else [f"--rounds {rounds}"]
    return " ".join(command_line)


def _start(game: "Game", task: tuple[object, ...]) -> "Training":
    if not game.training:
        raise UsageError(f"nothing can be trained for {game.title}: none of its bots has nets")
    if task[1] not in game.players:
        seats = f"{game.players[0]} to {game.players[-1]}"
        raise UsageError(f"{game.title} is for {seats} players, not {task[1]}")
    training: Training = resolve_name(game.training)(*task)
    return training


def _train(training: "Training", part: Path, command: str, tried: "list[Tried]") -> None:
    """Do the remaining rounds, with checkpoints and trials at intervals, which `tried` gets."""
    from cantstop_arena.views.training_checkpoint import save

    def try_nets() -> None:
        trial, rounds = trials.next_trial(), training.rounds_done
        tried.append((rounds, trial))
        observer.on_notice(f"round {rounds} of {training.rounds}: {trial.text}")

    saved, trials = time.monotonic(), _Trials(training)
    with closing(command_progress("Training", "rounds")) as observer:
        observer.on_start(training.rounds_done, training.rounds)
        while training.rounds_done < training.rounds:
            observer.on_tick()
            training.advance()
            observer.on_progress(1)
            is_finished = training.rounds_done == training.rounds
            if is_finished or time.monotonic() - saved > _INTERVAL:
                save(training, part, command, tried)
                saved = time.monotonic()
            if trials.are_due() and not is_finished:
                try_nets()
        if not tried or tried[-1][0] < training.rounds_done:
            try_nets()


class _Trials:
    """Measures the strength of the nets at intervals, in a small share of the CPU time."""

    def __init__(self, training: "Training") -> None:
        self._training = training
        self._next = time.process_time() + _INTERVAL

    def are_due(self) -> bool:
        """Whether the pause since the last trial is over."""
        return time.process_time() > self._next

    def next_trial(self) -> "NetTrial":
        """Play a trial."""
        self._training.warm_up()  # so that the time of compiling is not measured
        started = time.process_time()
        trial = self._training.trial()
        now = time.process_time()
        self._next = now + max(_INTERVAL, _PAUSE_RATIO * (now - started))
        return trial
