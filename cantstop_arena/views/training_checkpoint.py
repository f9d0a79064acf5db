"""Checkpoints of a training, saved beside its file, from which the same command resumes."""

import json
import zipfile
from pathlib import Path

import msgspec
import numpy as np

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import UsageError
from cantstop_arena.game_api.training import Training

SUFFIX = ".part"
_HEAD = msgspec.json.Decoder(tuple[str, int])  # the command, and the rounds that are done


def part_of(path: Path) -> Path:
    """The checkpoint's path for the file that a training will write."""
    return path.with_name(path.name + SUFFIX)


def save(training: Training, path: Path, command: str) -> None:
    """Write a checkpoint atomically."""
    head = json.dumps([command, training.rounds_done])
    arrays = {name: np.frombuffer(array, np.uint8) for name, array in training.arrays().items()}
    with draft_of(path) as draft, draft.open("wb") as file:
        np.savez(file, head=np.frombuffer(head.encode(), np.uint8), **arrays)  # type: ignore[arg-type]


def resume(training: Training, path: Path, command: str) -> None:
    """Load a checkpoint into a training.

    Raises UsageError when the file is damaged or belongs to another training.
    """
    try:
        with np.load(path) as archive:
            saved_command, rounds = _HEAD.decode(archive["head"].tobytes())
            parts = {name: archive[name] for name in training.arrays()}
            if saved_command != command:
                raise UsageError(
                    f"{path} belongs to another training, {saved_command!r:.200}: finish that one,"
                    " name another file by --out, or start again with --fresh"
                )
            for name, array in training.arrays().items():
                np.frombuffer(array, np.uint8)[:] = parts[name]
            training.rounds_done = rounds
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is damaged; start again with --fresh") from error
