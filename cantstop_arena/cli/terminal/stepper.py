"""Stepping through a game with keys on a terminal, for `arena replay --step`."""

import sys
from collections.abc import Sequence
from enum import Enum, auto
from typing import Any

import click

from cantstop_arena.cli.game_source import GameSource
from cantstop_arena.cli.terminal.tty import (
    AGAIN,
    CLEAR,
    raw_keys,
    supports_colours,
    supports_escape_codes,
)
from cantstop_arena.errors import UsageError
from cantstop_arena.views.default_view import GameView


class StepDirection(Enum):
    """The direction of a step."""

    FORTH = auto()
    BACK = auto()
    NEXT_TURN = auto()
    TURN_BEFORE = auto()
    FIRST = auto()
    LAST = auto()


_HELP = "space/right next, left back, down/up turns, home/end, q quit"
_END = b"\x04"  # Ctrl-D
_QUIT = (b"q", b"Q", _END)
_DIRECTIONS = {
    **dict.fromkeys((b" ", b"\n", b"\r", b"l", b"\x1b[C", b"\x1bOC"), StepDirection.FORTH),
    **dict.fromkeys((b"\x7f", b"\b", b"h", b"\x1b[D", b"\x1bOD"), StepDirection.BACK),
    **dict.fromkeys((b"n", b"j", b"\x1b[B", b"\x1bOB", b"\x1b[6~"), StepDirection.NEXT_TURN),
    **dict.fromkeys((b"p", b"k", b"\x1b[A", b"\x1bOA", b"\x1b[5~"), StepDirection.TURN_BEFORE),
    **dict.fromkeys((b"g", b"\x1b[H", b"\x1bOH", b"\x1b[1~"), StepDirection.FIRST),
    **dict.fromkeys((b"G", b"\x1b[F", b"\x1bOF", b"\x1b[4~"), StepDirection.LAST),
}


def step_through(source: GameSource) -> None:
    """Show a game step by step until the user quits. Raises UsageError without a terminal."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("--step needs a terminal; leave it out to print the game")
    complaints: list[str] = []
    view, events = source.view_and_events(complaints.append)
    scenes = view.scenes(events)
    index = 0
    with raw_keys() as keys:
        _show(view, scenes, index, complaints)
        for key in keys:
            if key in _QUIT:
                break
            if key in _DIRECTIONS:
                index = step(scenes, index, _DIRECTIONS[key])
            if key in _DIRECTIONS or key == AGAIN:
                _show(view, scenes, index, complaints)
    click.echo()


def _show(view: GameView, scenes: Sequence[Any], index: int, complaints: list[str]) -> None:
    picture = view.step_text(scenes, index, supports_colours())
    if index == len(scenes) - 1:
        picture = "\n".join([picture, *complaints])
    click.echo(f"{CLEAR if supports_escape_codes() else ''}{picture}\n\n{_HELP}", color=True)


def step(scenes: Sequence[Any], index: int, direction: StepDirection) -> int:
    """The index of the scene that a step leads to, limited to the game."""
    last = len(scenes) - 1
    match direction:
        case StepDirection.FORTH:
            return min(index + 1, last)
        case StepDirection.BACK:
            return max(index - 1, 0)
        case StepDirection.NEXT_TURN:
            return _turn_start(scenes, scenes[index].turn + 1)
        case StepDirection.TURN_BEFORE:  # from within a turn to its own start
            return _turn_start(scenes, scenes[max(index - 1, 0)].turn)
        case StepDirection.FIRST:
            return 0
        case StepDirection.LAST:
            return last


def _turn_start(scenes: Sequence[Any], turn: int) -> int:
    """The index of a turn's first scene, or of the last scene when the game has no such turn."""
    indexes = (index for index, scene in enumerate(scenes) if scene.turn >= turn)
    return next(indexes, len(scenes) - 1)
