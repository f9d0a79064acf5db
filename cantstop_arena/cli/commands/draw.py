"""`arena draw`: the board at a point of a game, as text or as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli.game_source import STANDARD, GameSource, echo_to_stderr, game_options
from cantstop_arena.cli.terminal.tty import coloured
from cantstop_arena.errors import UsageError
from cantstop_arena.views.command_options import file_option

if TYPE_CHECKING:
    from cantstop_arena.views.default_view import Scene


@click.command(short_help="Draw the board of a game, as text or as SVG.")
@game_options
@click.option(
    "--turn",
    type=click.IntRange(0),
    help="Draw the board after this turn; 0 is the start. Default: the end of the game.",
)
@click.option(
    "--roll",
    type=click.IntRange(1),
    help="Draw the board after this roll (or step) of the turn, instead of its end.",
)
@file_option("--svg", "Write an SVG picture to this file; - is the standard output.")
def draw(turn: int | None, roll: int | None, svg: Path | None, **game: Any) -> None:
    """Draw the board of one game of the tournament FILE, with the BOTs in seat order.

    Without a BOT, FILE is a game recorded by `arena play` or `arena replay --json`; - is the
    standard input.
    """
    from cantstop_arena.atomic_files import write_atomically

    if roll is not None and not turn:
        raise click.UsageError("--roll needs a --turn from 1 on.")
    source = GameSource(**game)
    if svg is not None:
        source.check_target(svg)
    view, events = source.view_and_events(echo_to_stderr())
    scene = _requested_scene(view.scenes(events), turn, roll)
    if svg is None:
        click.echo(view.draw(scene, coloured()), color=True)
    elif svg == STANDARD:
        click.echo(view.picture(scene), nl=False)
    else:
        write_atomically(svg, view.picture(scene))
        click.echo(f"Written to {svg}.")


def _requested_scene(scenes: "Sequence[Scene]", turn: int | None, roll: int | None) -> "Scene":
    """The scene at the end of a turn, or after a roll of it."""
    if turn is None:
        return scenes[-1]
    in_turn = [scene for scene in scenes if scene.turn == turn and not scene.is_end]
    if roll is not None:
        in_turn = [scene for scene in in_turn if scene.step][:roll]
    if not in_turn:
        raise UsageError(f"there is no turn {turn}; the game has turns 0 to {scenes[-1].turn}")
    if roll is not None and len(in_turn) < roll:
        raise UsageError(f"there is no roll {roll} in turn {turn}, which has {len(in_turn)}")
    return in_turn[-1]
