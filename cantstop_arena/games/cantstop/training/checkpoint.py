"""A training that was stopped: kept beside its file, and gone on with by the same command."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cantstop_arena.atomic_files import draft_of
from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.training.learner import ARRAYS
from cantstop_arena.games.cantstop.training.training_loop import TrainingLoop

SUFFIX = ".part"


def part_of(path: Path) -> Path:
    """Where the training of a file is kept until it is complete."""
    return path.with_name(path.name + SUFFIX)


def _arrays(loop: TrainingLoop) -> Iterator[tuple[str, Any]]:
    """All that a training knows, with names."""
    for whose, learner in (("ends", loop.ends), ("rolls", loop.rolls)):
        for name in ARRAYS:
            yield f"{whose}.{name}", getattr(learner, name)


def save(loop: TrainingLoop, path: Path, command: str) -> None:
    """Keep a training, as a whole or not at all."""
    head = json.dumps([command, loop.rounds_done])
    arrays = {name: np.frombuffer(array, np.uint8) for name, array in _arrays(loop)}
    with draft_of(path) as draft, draft.open("wb") as file:
        np.savez(file, head=np.frombuffer(head.encode(), np.uint8), **arrays)  # type: ignore[arg-type]


def resume(loop: TrainingLoop, path: Path, command: str) -> None:
    """Go on with a training where it was. Raises UsageError where the file is not of this one."""
    try:
        with np.load(path) as data:
            stored, result = json.loads(data["head"].tobytes())
            parts = {name: data[name] for name, _ in _arrays(loop)}
            if stored != command:
                raise UsageError(
                    f"{path} belongs to another training, {stored!r:.200}: finish that one, name"
                    " another file by --out, or start anew with --fresh"
                )
            for name, array in _arrays(loop):
                np.frombuffer(array, np.uint8)[:] = parts[name]
            loop.rounds_done = int(result)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is damaged; start anew with --fresh") from error
