"""Attempts to get through a wall of the sandbox, made from inside.

The input is a line of JSON: paths and addresses outside. Prints, as JSON, what each probe achieved,
or "" where a wall has held. It imports the standard library only.
"""

import json
import sys

from . import files, kernel, memory, networks, rights, traces  # noqa: F401 - they add their probes
from .attempts import PROBES, Scene

__all__ = ["PROBES", "Scene", "main", "results"]


def results(scene: Scene, names: list[str]) -> dict[str, str]:
    """What each probe achieved; "" where a wall has held."""
    achieved = {}
    for name in names or [*PROBES]:
        try:
            outcome = PROBES[name](scene)
            achieved[name] = repr(outcome)[:200] if outcome else ""
        except (OSError, MemoryError, RuntimeError, ValueError, AttributeError):
            achieved[name] = ""
    return achieved


def main() -> None:
    """Read the line, make the attempts and print what they achieved."""
    scene = json.loads(sys.stdin.readline())
    sys.stdout.write(json.dumps(results(scene, scene["probes"])) + "\n")
