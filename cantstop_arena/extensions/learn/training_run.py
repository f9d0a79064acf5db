"""A training of nets from its arguments to its file, for `arena train` and `train` in Python."""

import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import msgspec

from cantstop_arena.atomic_files import check_output_file, write_atomically
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.errors import UsageError
from cantstop_arena.extensions.learn.training_checkpoint import (
    Tried,
    part_of,
    resume,
    save,
    training_as_dict,
    training_headline,
)
from cantstop_arena.game_api.net_files import SUFFIX
from cantstop_arena.game_api.training import NetTrial, Training
from cantstop_arena.games.registry import DEFAULT, game_named
from cantstop_arena.processes import shutdown
from cantstop_arena.tournaments.run_observer import RunObserver
from cantstop_arena.views.rules_argument import rules_from_argument

if TYPE_CHECKING:
    from cantstop_arena.game_api.game import Game

_INTERVAL = 15.0  # minimal seconds between two checkpoints, and between two trials
_TRAININGS = {DEFAULT: "cantstop_arena.extensions.learn.training.net_training:start_training"}
_PAUSE_RATIO = 20  # times the duration of a trial is the pause after it


class NetTask(msgspec.Struct, frozen=True):
    """Nets to train: for a game, rules and seats, with the command that trains the same ones."""

    game: "Game"
    rules: Any
    players: int
    training: Training
    command: str
    file: Path


class TrainedNets(msgspec.Struct, frozen=True):
    """Trained nets: their file, and their trials with the rounds that were done before each."""

    file: Path
    tried: Sequence[Tried]

    @property
    def headline(self) -> str:
        """How strong the nets are in the last trial, in a sentence without its full stop."""
        return training_headline(self.tried)

    @property
    def trials(self) -> list[dict[str, Any]]:
        """The trials, a row for each, as in the JSON of `arena train`."""
        rows: list[dict[str, Any]] = self.as_dict()["trials"]
        return rows

    def as_dict(self) -> dict[str, Any]:
        """What `arena train --json` prints."""
        return training_as_dict(self.tried, self.file)


def planned_training(
    name: str,
    changes: tuple[str, ...],
    game_name: str,
    players: int,
    seed: int,
    rounds: int | None,
    workers: int,
    out: Path | None,
    bots_folder: Path,
) -> NetTask:
    """The plan of a training. Raises ArenaError, also where the file cannot be written."""
    game = game_named(game_name)
    rules = rules_from_argument(name, changes, Catalogue(bots_folder, game))
    command = _command(game, name, changes, players, seed, rounds)
    stem = "-".join([name, *changes, str(players)])
    # a comma would end the file's name where a bot's options are written
    file = out or Path(re.sub("[/,]", "_", stem) + SUFFIX)
    check_output_file(file)
    training = _start(game, (rules, players, seed, rounds, workers))
    return NetTask(game, rules, players, training, command, file)


def train_nets(
    plan: NetTask, fresh: bool, observer: RunObserver, on_resume: Callable[[str], None]
) -> TrainedNets:
    """Do the rounds of a training that are not done yet, and write its file.

    `on_resume` is called with a message when an interrupted training is continued.
    """
    training, part = plan.training, part_of(plan.file)
    tried: list[Tried] = []
    if part.exists() and not fresh:
        tried = resume(training, part, plan.command)
        on_resume(f"Continuing after {training.rounds_done} of {training.rounds} rounds.")
    _train(plan, part, tried, observer)
    write_atomically(plan.file, training.file(plan.command))
    part.unlink(missing_ok=True)
    return TrainedNets(plan.file, tried)


def _command(
    game: "Game",
    name: str,
    changes: tuple[str, ...],
    players: int,
    seed: int,
    rounds: int | None,
) -> str:
    """The command that trains the same nets."""
    command_line = ["arena train", name]
    command_line += [] if game.name == DEFAULT else [f"--game {game.name}"]
    command_line += [f"--change {change}" for change in changes]
    command_line += [f"--players {players} --seed {seed}"]
    command_line += [] if rounds is None else [f"--rounds {rounds}"]
    return " ".join(command_line)


def _start(game: "Game", task: tuple[object, ...]) -> Training:
    location = game.training or _TRAININGS.get(game.name)
    if not location:
        raise UsageError(f"nothing can be trained for {game.title}: none of its bots has nets")
    if task[1] not in game.players:
        seats = f"{game.players[0]} to {game.players[-1]}"
        raise UsageError(f"{game.title} is for {seats} players, not {task[1]}")
    training: Training = resolve_name(location)(*task)
    return training


def _train(plan: NetTask, part: Path, tried: list[Tried], observer: RunObserver) -> None:
    """Do the remaining rounds, with checkpoints and trials at intervals, which `tried` gets."""
    training = plan.training

    def try_nets() -> None:
        trial, rounds = trials.next_trial(), training.rounds_done
        tried.append((rounds, trial))
        observer.on_notice(f"round {rounds} of {training.rounds}: {trial.text}")

    saved, trials = time.monotonic(), _Trials(training)
    with closing(observer):
        observer.on_start(training.rounds_done, training.rounds)
        while training.rounds_done < training.rounds:
            observer.on_tick()
            shutdown.check()
            training.advance()
            observer.on_progress(1)
            is_finished = training.rounds_done == training.rounds
            if is_finished or time.monotonic() - saved > _INTERVAL:
                save(training, part, plan.command, tried)
                saved = time.monotonic()
            if trials.are_due() and not is_finished:
                try_nets()
        if not tried or tried[-1][0] < training.rounds_done:
            try_nets()


class _Trials:
    """Measures the strength of the nets at intervals, in a small share of the CPU time."""

    def __init__(self, training: Training) -> None:
        self._training = training
        self._next = time.process_time() + _INTERVAL

    def are_due(self) -> bool:
        """Whether the pause since the last trial is over."""
        return time.process_time() > self._next

    def next_trial(self) -> NetTrial:
        """Play a trial."""
        self._training.warm_up()  # so that the time of compiling is not measured
        started = time.process_time()
        trial = self._training.trial()
        now = time.process_time()
        self._next = now + max(_INTERVAL, _PAUSE_RATIO * (now - started))
        return trial
