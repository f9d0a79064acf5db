"""`arena train`: training of nets for grandmaster and champion."""

import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.errors import UsageError
from cantstop_arena.views.command_progress import command_progress

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.rules import RuleSet
    from cantstop_arena.games.cantstop.training.training_loop import TrainingLoop

_INTERVAL = 15.0  # minimal seconds between two checkpoints, and between two trials
_PAUSE_RATIO = 20  # times the duration of a trial is the pause after it


@click.command(short_help="Train nets for grandmaster and champion.")
@click.argument("name", metavar="RULES")
@click.option(
    "--players",
    default=2,
    show_default=True,
    type=click.IntRange(1, 4),
    help="Number of seats.",
)
@click.option(
    "--seed",
    default=1,
    show_default=True,
    type=click.IntRange(0, 2**63 - 1),
    help="Seed of all random numbers.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File for the nets. Default: named after RULES and --players.",
)
@click.option(
    "--workers",
    default=1,
    show_default=True,
    type=click.IntRange(1, 256),
    help="Number of worker processes.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="Number of rounds of exact games. The default is enough for the classic board.",
)
@click.option("--fresh", is_flag=True, help="Discard an interrupted training of this file.")
def train(
    name: str,
    players: int,
    seed: int,
    out: Path | None,
    workers: int,
    rounds: int | None,
    fresh: bool,
) -> None:
    """Train nets for RULES and write them to a file for the bots grandmaster and champion.

    Run the command again to continue after an interruption. The same seed gives the same file for
    any number of workers.
    """
    from cantstop_arena.atomic_files import check_output_file
    from cantstop_arena.games.cantstop.nets.net_files import SUFFIX
    from cantstop_arena.games.cantstop.training.checkpoint import part_of, resume
    from cantstop_arena.games.cantstop.training.training_loop import TrainingLoop, TrainingPlan

    rules = _rules_called(name, players)
    plan = TrainingPlan() if rounds is None else TrainingPlan(exact_rounds=rounds)
    command = f"arena train {name} --players {players} --seed {seed}"
    command += "" if rounds is None else f" --rounds {rounds}"
    out = out or Path(f"{name}-{players}{SUFFIX}")
    check_output_file(out)
    loop = TrainingLoop(_training_task(rules, players, seed), plan, workers)
    part = part_of(out)
    if part.exists() and not fresh:
        resume(loop, part, command)
        click.echo(f"Continuing after {loop.rounds_done} of {loop.rounds} rounds.")
    _train(loop, part, command)
    _write(loop, out, command)
    part.unlink(missing_ok=True)
    click.echo(f"Written to {out}. To play with it: {{bot: champion, nets: {out}}}")


def _rules_called(name: str, players: int) -> "RuleSet":
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.games.cantstop.exact.turn_board import objection

    rules: RuleSet = Catalogue(Path("bots")).rules_called(name)
    if why := objection(rules, players):
        raise UsageError(f"no nets can be trained for rules {name} with {players} seats: {why}")
    return rules


def _training_task(rules: "RuleSet", players: int, seed: int) -> Any:
    from cantstop_arena.games.cantstop.bots.glenn_aloi import CONSTANT
    from cantstop_arena.games.cantstop.bots.rule28 import NUMBERS
    from cantstop_arena.games.cantstop.training.practice_players import family_of
    from cantstop_arena.games.cantstop.training.training_loop import TrainingTask

    return TrainingTask(rules, players, seed, family_of([CONSTANT, CONSTANT, NUMBERS]))


def _train(loop: "TrainingLoop", part: Path, command: str) -> None:
    """Play the remaining rounds, with checkpoints and trials at intervals."""
    from cantstop_arena.games.cantstop.training.checkpoint import save

    saved, trials = time.monotonic(), _Trials(loop)
    with closing(command_progress("Training", "rounds")) as observer:
        observer.on_start(loop.rounds_done, loop.rounds)
        while loop.rounds_done < loop.rounds:
            observer.on_tick()
            loop.advance()
            observer.on_progress(1)
            is_finished = loop.rounds_done == loop.rounds
            if is_finished or time.monotonic() - saved > _INTERVAL:
                save(loop, part, command)
                saved = time.monotonic()
            if is_finished or trials.are_due():
                strength = trials.strength_text()
                observer.on_notice(f"round {loop.rounds_done} of {loop.rounds}: {strength}")


class _Trials:
    """Measures the strength of the nets at intervals, in a small share of the CPU time."""

    def __init__(self, loop: "TrainingLoop") -> None:
        self._loop = loop
        self._next = time.process_time() + _INTERVAL

    def are_due(self) -> bool:
        """Whether the pause since the last trial is over."""
        return time.process_time() > self._next

    def strength_text(self) -> str:
        """Play a trial, and return its result as text."""
        self._loop.strength(1)  # compiles what is needed, so that the time is not measured
        started = time.process_time()
        text = _strength_text(self._loop)
        now = time.process_time()
        self._next = now + max(_INTERVAL, _PAUSE_RATIO * (now - started))
        return text


def _strength_text(loop: "TrainingLoop") -> str:
    """The strength of grandmaster; in the later rounds that of champion, and the error of its
    values of rolling on."""
    alone = loop.subject.players == 1
    strength = loop.strength(loop.plan.test_games)
    bot = "champion" if loop.rolls_are_learned else "grandmaster"
    result = f"takes {strength:.2f} turns" if alone else f"wins {strength:.1%} against glenn-aloi"
    games = f"{bot} {result} ({loop.plan.test_games} games)"
    if not loop.rolls_are_learned:
        return games
    off = f"{loop.error:.2f} turns" if alone else f"{100 * loop.error:.1f} points"
    return f"{games}, knowing what rolling on is worth within {off}"


def _write(loop: "TrainingLoop", out: Path, command: str) -> None:
    from cantstop_arena.atomic_files import write_atomically
    from cantstop_arena.games.cantstop.nets.net_files import Nets, as_bytes

    subject = loop.subject
    ends, rolls = loop.ends.net(), loop.rolls.net()
    nets = Nets(subject.rules, subject.players, command, ends, rolls)
    write_atomically(out, as_bytes(nets))
