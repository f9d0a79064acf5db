"""A training that was stopped: kept beside its file, and gone on with by the same command."""

import json
import zipfile
from pathlib import Path

import numpy as np

from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.training.course import Course

SUFFIX = ".part"
_KEPT = ("drafts", "means", "positions", "worths")


def part_of(path: Path) -> Path:
    """Where the training of a file is kept until it is complete."""
    return path.with_name(path.name + SUFFIX)


def save(course: Course, path: Path, command: str) -> None:
    """Keep a training, as a whole or not at all."""
    draft = path.with_name(f".{path.name}.draft")
    head = json.dumps([command, course.done, course.averaged, course.seen])
    arrays = {name: np.frombuffer(getattr(course, name), np.uint8) for name in _KEPT}
    with draft.open("wb") as file:
        np.savez(file, head=np.frombuffer(head.encode(), np.uint8), **arrays)  # type: ignore[arg-type]
    draft.replace(path)


def resume(course: Course, path: Path, command: str) -> None:
    """Go on with a training where it was. Raises UsageError where the file is not of this one."""
    try:
        with np.load(path) as told:
            kept, *numbers = json.loads(told["head"].tobytes())
            parts = {name: told[name] for name in _KEPT}
            if kept != command:
                raise UsageError(
                    f"{path} belongs to another training, {kept!r:.200}: finish that one, name"
                    " another file by --out, or start anew with --fresh"
                )
            for name, part in parts.items():
                np.frombuffer(getattr(course, name), np.uint8)[:] = part
            course.done, course.averaged, course.seen = map(int, numbers)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise UsageError(f"{path} is damaged; start anew with --fresh") from error
