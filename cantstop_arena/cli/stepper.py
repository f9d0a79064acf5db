"""A game on the terminal, step by step with keys: for `arena replay --step`."""

import sys

import click

from cantstop_arena.cli.games import Source
from cantstop_arena.cli.terminal import AGAIN, CLEAR, is_clever, raw_keys, takes_colours
from cantstop_arena.errors import UsageError
from cantstop_arena.games.cantstop.scenes import Scene, scenes
from cantstop_arena.games.cantstop.stepping import Way, frame, step

_HELP = "space/right next, left back, down/up turns, home/end, q quit"
_END = b"\x04"  # Ctrl-D
_QUIT = (b"q", b"Q", _END)
_WAYS = {
    **dict.fromkeys((b" ", b"\n", b"\r", b"l", b"\x1b[C", b"\x1bOC"), Way.FORTH),
    **dict.fromkeys((b"\x7f", b"\b", b"h", b"\x1b[D", b"\x1bOD"), Way.BACK),
    **dict.fromkeys((b"n", b"j", b"\x1b[B", b"\x1bOB", b"\x1b[6~"), Way.NEXT_TURN),
    **dict.fromkeys((b"p", b"k", b"\x1b[A", b"\x1bOA", b"\x1b[5~"), Way.TURN_BEFORE),
    **dict.fromkeys((b"g", b"\x1b[H", b"\x1bOH", b"\x1b[1~"), Way.FIRST),
    **dict.fromkeys((b"G", b"\x1b[F", b"\x1bOF", b"\x1b[4~"), Way.LAST),
}


def step_through(source: Source) -> None:
    """Show a game step by step until the user has seen enough."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("--step needs a terminal for its keys; without it the game is printed")
    complaints: list[str] = []
    shown = list(scenes(source.events(complaints.append)))
    place = 0
    with raw_keys() as keys:
        _show(shown, place, complaints)
        for key in keys:
            if key in _QUIT:
                break
            if key in _WAYS:
                place = step(shown, place, _WAYS[key])
            if key in _WAYS or key == AGAIN:
                _show(shown, place, complaints)
    click.echo()


def _show(shown: list[Scene], place: int, complaints: list[str]) -> None:
    picture = frame(shown, place, takes_colours())
    if place == len(shown) - 1:
        picture = "\n".join([picture, *complaints])
    click.echo(f"{CLEAR if is_clever() else ''}{picture}\n\n{_HELP}", color=True)
