"""Checkpoints of a training, saved beside its file, from which the same command resumes."""

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.training import NetTrial, Training
from cantstop_arena.ratings.estimate import Estimate
from cantstop_arena.ratings.significance import student_quantile
from cantstop_arena.texts import how_many

SUFFIX = ".part"
_HEAD = msgspec.json.Decoder(tuple[str, int])  # the command, and the rounds that are done

Tried = tuple[int, NetTrial]
"""A trial, and the rounds that were done before it."""

_TRIALS = msgspec.json.Decoder(list[Tried])


def part_of(path: Path) -> Path:
    """The checkpoint's path for the file that a training will write."""
    return path.with_name(path.name + SUFFIX)


def save(training: Training, path: Path, command: str, trials: Sequence[Tried] = ()) -> None:
    """Write a checkpoint atomically; `trials` are those so far, with their rounds."""
    head = json.dumps([command, training.rounds_done])
    arrays = {name: np.frombuffer(array, np.uint8) for name, array in training.arrays().items()}
    past = np.frombuffer(msgspec.json.encode([*trials]), np.uint8)
    with draft_of(path) as draft, draft.open("wb") as file:
        np.savez(file, head=np.frombuffer(head.encode(), np.uint8), trials=past, **arrays)  # type: ignore[arg-type]


def resume(training: Training, path: Path, command: str) -> list[Tried]:
    """Load a checkpoint into a training, and return its trials with their rounds.

    Raises UsageError when the file is damaged or belongs to another training.
    """
    try:
        with np.load(path) as archive:
            saved_command, rounds = _HEAD.decode(archive["head"].tobytes())
            parts = {name: archive[name] for name in training.arrays()}
            trials = _TRIALS.decode(archive["trials"].tobytes() if "trials" in archive else b"[]")
            if saved_command != command:
                raise UsageError(
                    f"{path} belongs to another training, {saved_command!r:.200}: finish that one,"
                    " name another file by --out, or start again with --fresh"
                )
            for name, array in training.arrays().items():
                np.frombuffer(array, np.uint8)[:] = parts[name]
            training.rounds_done = rounds
            return trials
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is damaged; start again with --fresh") from error


def training_headline(tried: Sequence[Tried]) -> str:
    """How strong the nets are in the last trial, in a sentence without its full stop."""
    rounds, last = tried[-1]
    if last.rival:
        strength = f"wins {100 * last.score:.1f}% against {last.rival}"
    else:
        strength = f"takes {last.score:.2f} turns a game"
    loss = ""
    if last.lost:
        unit = "percentage points" if last.rival else "turns"
        loss = f"; its decisions lose {last.lost.mean:.2f} {unit} a game to perfect play"
    return f"{last.bot} {strength} after {how_many(rounds, 'round')}{loss}"


def loss_estimate(trial: NetTrial) -> Estimate | None:
    """What the decisions of the nets lose a game, with its 95% interval; None where unknown."""
    if (lost := trial.lost) is None:
        return None
    half = student_quantile(lost.deals - 1) * lost.error
    return Estimate(lost.mean, max(0.0, lost.mean - half), lost.mean + half)


def training_as_dict(tried: Sequence[Tried], file: Path) -> dict[str, Any]:
    """A training for programs: its headline, the file of the nets, and its trials."""
    return {
        "headline": training_headline(tried),
        "file": str(file),
        "trials": [
            {
                "rounds": rounds,
                "bot": trial.bot,
                "against": trial.rival or None,
                "score" if trial.rival else "turns": trial.score,
                "half": trial.half,
                "games": trial.games,
                **_loss_as_dict(trial),
            }
            for rounds, trial in tried
        ],
    }


def _loss_as_dict(trial: NetTrial) -> dict[str, float | None]:
    lost, low, high = loss_estimate(trial) or (None, None, None)
    return {"lost": lost, "lost_low": low, "lost_high": high}
