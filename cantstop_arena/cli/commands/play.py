"""`arena play`: a person against bots."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Mapping
from io import FileIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.commands.rules import rules_option
from cantstop_arena.cli.game_source import LAST_DEAL, STANDARD
from cantstop_arena.cli.options import bots_option, catalogue_for, game_option, seed_option
from cantstop_arena.cli.terminal.tty import coloured, on_signal, wait_for_keys
from cantstop_arena.errors import UsageError
from cantstop_arena.processes import shutdown

if TYPE_CHECKING:
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.table.recording import Complaint

MAX_LINE_BYTES = 1000  # bytes of an answer that are looked at


@click.command(short_help="Play against bots, or alone.")
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=shell_complete.bots)
@rules_option
@game_option
@click.option(
    "--seat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Where you sit, 1 begins; the bots take the other seats in their order.",
)
@click.option("--name", default="you", show_default=True, help="What you are called.")
@seed_option("Default: random; printed.")
@click.option(
    "--deal",
    type=click.IntRange(0, LAST_DEAL),
    default=0,
    show_default=True,
    help="The deal, counted from 0.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the game is recorded, a new file. Default: game-1.jsonl or the next number.",
)
@bots_option
def play(
    bots: tuple[str, ...],
    rules_name: str | None,
    game_name: str,
    seat: int,
    name: str,
    seed: "Seed | None",
    deal: int,
    save: Path | None,
    bots_folder: Path,
) -> None:
    """Play against BOTs, or alone, and answer line by line.

    \b
    arena play rule28                       you begin
    arena play rule28 random --seat 2       the second of three
    arena play ./mybot.py --rules korean    against a bot of your own

    A question says what it is answered by, such as the number of a move; ? helps, and q leaves
    the game, as Ctrl-C and Ctrl-D do. Where the input ends before the game, the exit
    code is 1. `arena bots` lists the bots.

    The game is recorded as it is played, for `arena replay FILE` and `arena draw FILE`.
    """
    from cantstop_arena.deals.seeds import random_seed
    from cantstop_arena.table.person_table import PersonLeft, with_person
    from cantstop_arena.texts import in_a_line
    from cantstop_arena.tournaments.person_seat import table_with
    from cantstop_arena.views.default_view import MAX_NAME_LENGTH, view_of

    players = len(bots) + 1
    catalogue = catalogue_for(bots_folder, game_name)
    game = catalogue.game
    if players > game.players[-1]:
        raise UsageError(f"{len(bots)} bots are too many; there are {game.players[-1]} seats")
    if players not in game.players:
        raise UsageError(f"{game.title} needs {game.players[0]} seats; name more bots")
    if seat > players:
        raise UsageError(f"--seat {seat} is not there; {players} play")
    called = in_a_line(name, MAX_NAME_LENGTH)
    if not called:
        raise UsageError("--name must not be empty")
    rules = catalogue.rules_called(rules_name)
    chosen = random_seed() if seed is None else seed
    person = view_of(game).person(seat - 1, _read, click.echo, coloured())
    path = _record_path(save)
    with table_with(
        person,
        called,
        seat - 1,
        bots,
        rules,
        chosen,
        catalogue,
        _echo_compiling,
        hidden=(path,),  # it begins with the seed
    ) as table:
        file = _opened(path)
        text = in_a_line(shlex.quote(str(path)))
        ending = f"The game is in {text}; see arena replay {text}"
        shutdown.set_end_message(f"\nStopped. {ending}")
        try:
            with file:
                seats = tuple(range(players))
                for event in with_person(person, table, seats, deal, _echo_complaint):
                    _take_down(event, file)
        except PersonLeft as left:
            if left.__cause__ is not None:
                raise left.__cause__ from None
            click.echo(f"\n{ending}")
            sys.exit(0 if left.was_asked else 1)
        click.echo(f"\n{ending}")


def _record_path(save: Path | None) -> Path:
    """Where the record goes: as given, or to the next number that is free."""
    if save is None:
        return next(path for path in map(_numbered, count(1)) if not path.exists())
    if save == STANDARD or not save.name:
        raise UsageError("--save needs the name of a file")
    return save


def _numbered(number: int) -> Path:
    return Path(f"game-{number}.jsonl")


def _opened(path: Path) -> FileIO:
    """The file of the record, which did not exist before."""
    try:
        return FileIO(path, "x")
    except FileExistsError:
        raise UsageError(f"{path} exists; choose another name to --save the game") from None


def _take_down(event: Mapping[str, Any], file: FileIO) -> None:
    """Write an event into the record at once."""
    line = f"{json.dumps(event)}\n".encode()
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        error.filename = file.name
        raise


def _read(prompt: str) -> str | None:
    """A line of the user's, None at the end of the input; repeated where it cannot be seen."""
    if sys.stdin.isatty():
        with on_signal(signal.SIGCONT, lambda: _repeat(prompt)):
            click.echo(prompt, nl=False)
            wait_for_keys()
            line = _line()
    else:
        click.echo(prompt, nl=False)
        line = _line()
        click.echo(ascii(line.decode(errors="replace").strip())[1:-1])
    return line.decode(errors="replace") if line else None


def _repeat(prompt: str) -> None:
    """Ask again after Ctrl-Z; without a stream, which may be at work already."""
    os.write(1, prompt.encode())


def _line() -> bytes:
    """The next line of the input, the beginning of it where it is very long."""
    line = remaining = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    while remaining and not remaining.endswith(b"\n"):
        remaining = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    return line


def _echo_compiling(names: list[str]) -> None:
    click.echo(f"Compiling {', '.join(names)} (only the first time) ...", err=True)


def _echo_complaint(complaint: "Complaint") -> None:
    """Say who misbehaved; seats are told by their letters, as on the board."""
    from cantstop_arena.views.default_view import SEAT_NAMES

    who = f"{SEAT_NAMES[complaint.seat]} {complaint.bot}"
    click.echo(f"{who} misbehaves in turn {complaint.turn}: {complaint.fault}", err=True)
