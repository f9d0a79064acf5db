"""`arena play`: a person against bots."""

import json
import os
import shlex
import signal
import sys
from collections.abc import Mapping
from io import BufferedReader, FileIO
from itertools import count
from pathlib import Path
from select import select
from typing import TYPE_CHECKING, Any

import click

from cantstop_arena.cli import shell_complete
from cantstop_arena.cli.game_source import LAST_DEAL, STANDARD
from cantstop_arena.cli.options import (
    bots_option,
    catalogue_for,
    game_option,
    isolate_option,
    rules_option,
    seed_option,
)
from cantstop_arena.cli.terminal.tty import coloured, on_signal, wait_for_keys
from cantstop_arena.errors import UsageError
from cantstop_arena.exit_codes import ExitCode
from cantstop_arena.processes import shutdown
from cantstop_arena.views.command_options import file_option

if TYPE_CHECKING:
    from cantstop_arena.bots.bot_start import Isolation
    from cantstop_arena.deals.seeds import Seed
    from cantstop_arena.game_api.game import Game
    from cantstop_arena.table.recording import Complaint

MAX_LINE_BYTES = 1000  # bytes of an answer; the rest of a line is ignored


@click.command(short_help="Play against bots, or alone.")
@click.argument("bots", nargs=-1, metavar="[BOT]...", shell_complete=shell_complete.bots)
@rules_option
@game_option
@click.option(
    "--seat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Your seat; seat 1 moves first. The bots take the other seats in their order.",
)
@click.option("--name", default="you", show_default=True, help="Your name in the game.")
@seed_option("Default: a random one, which is printed.")
@click.option(
    "--deal",
    type=click.IntRange(0, LAST_DEAL),
    default=0,
    show_default=True,
    help="Deal number, from 0.",
)
@file_option(
    "--save",
    "New file for the record. Default: game-1.jsonl, or the next free number.",
    metavar="FILE",
)
@isolate_option
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
    isolate: "Isolation",
    bots_folder: Path,
) -> ExitCode:
    """Play against BOTs, or alone, by typing your answers.

    \b
    arena play rule28                       you move first
    arena play rule28 random --seat 2       you are the second of three
    arena play ./mybot.py --rules korean    against your own bot

    Each question lists its answers, such as the number of a move. ? shows help, and q, Ctrl-C or
    Ctrl-D leaves the game. When the input ends before the game, the exit code is 1. `arena bots`
    lists the bots.

    The game is recorded while you play, for `arena replay FILE` and `arena draw FILE`.
    """
    from cantstop_arena.atomic_files import check_output_file
    from cantstop_arena.deals.seeds import random_seed
    from cantstop_arena.texts import in_a_line
    from cantstop_arena.tournaments.person_seat import table_with
    from cantstop_arena.views.default_person import PersonLeft, play_with
    from cantstop_arena.views.default_view import MAX_NAME_LENGTH, view_of

    _check_input()
    catalogue = catalogue_for(bots_folder, game_name, isolation=isolate)
    game = catalogue.game
    players = _players_with(game, len(bots))
    if players > game.players[-1]:
        raise UsageError(
            f"{len(bots)} bots are too many; {game.title} has {game.players[-1]} seats, one of them"
            " yours"
        )
    if players not in game.players:
        raise UsageError(f"{game.title} needs {game.players[0]} seats; name more bots")
    if seat > players:
        raise UsageError(f"--seat must be 1 to {players}, not {seat}")
    bots = _by_seat(game, players, seat - 1, bots)
    person_name = in_a_line(name, MAX_NAME_LENGTH)
    if not person_name:
        raise UsageError("--name must not be empty")
    rules = catalogue.rules_called(rules_name)
    chosen_seed = random_seed() if seed is None else seed
    person = view_of(game).person(seat - 1, _read, click.echo, coloured())
    path = _record_path(save)
    check_output_file(path)
    with table_with(
        {seat - 1: person_name},
        bots,
        rules,
        chosen_seed,
        catalogue,
        _echo_compiling,
        hidden=(path,),  # bots must not read the record: it starts with the seed
    ) as table:
        file = _create_record(path)
        quoted_path = in_a_line(shlex.quote(str(path)))
        ending = f"The game is in {quoted_path}; see arena replay {quoted_path}"
        shutdown.set_end_message(f"\nStopped. {ending}")
        try:
            with file:
                for event in play_with(person, table, deal, _echo_complaint):
                    _write_event(event, file)
        except PersonLeft as left:
            if left.__cause__ is not None:
                raise left.__cause__ from None
            click.echo(f"\n{ending}")
            return ExitCode.DONE if left.by_command else ExitCode.FAILED
        click.echo(f"\n{ending}")
    return ExitCode.DONE


def _players_with(game: "Game", bots: int) -> int:
    """The number of seats where a person plays with so many bots: one for each other seat, or one
    for each other side."""
    if bots + 1 in game.players:
        return bots + 1
    sizes = {game.lineup_size(players): players for players in reversed(game.players)}
    return sizes.get(bots + 1, bots + 1)


def _by_seat(game: "Game", players: int, person: int, bots: tuple[str, ...]) -> tuple[str, ...]:
    """The bots of the other seats; the first of them is also the person's partner, where there are
    fewer than seats."""
    if len(bots) == players - 1:
        return bots
    sides = game.side_by_seat(players)
    of_others = iter(bots)
    bot_of = {side: next(of_others) for side in dict.fromkeys(sides) if side != sides[person]}
    return tuple(bot_of.get(side, bots[0]) for seat, side in enumerate(sides) if seat != person)


def _check_input() -> None:
    """Raise UsageError when the standard input has ended already: nobody can answer."""
    try:
        number = sys.stdin.fileno()
    except OSError:  # a stream of Python's
        return
    # A pipe that is open, but empty, may get its answers later.
    if not os.isatty(number) and select([number], [], [], 0)[0] and not _next_input():
        raise UsageError(
            "there is no terminal, and the standard input has ended: nobody can answer. Run this"
            " command on a terminal, or pipe answers into it"
        )


def _next_input() -> bytes:
    """Input that is there to be read; it stays there."""
    assert isinstance(sys.stdin.buffer, BufferedReader)
    return sys.stdin.buffer.peek(1)


def _record_path(save: Path | None) -> Path:
    """The path of the record: `save`, or one with the next free number."""
    if save is None:
        return next(path for path in map(_numbered_path, count(1)) if not path.exists())
    if save == STANDARD or not save.name:
        raise UsageError("--save needs a file name; a record cannot go to the standard output")
    return save


def _numbered_path(number: int) -> Path:
    return Path(f"game-{number}.jsonl")


def _create_record(path: Path) -> FileIO:
    """Create the file of the record. Raises UsageError when it exists."""
    try:
        return FileIO(path, "x")
    except FileExistsError:
        raise UsageError(f"{path} exists already; choose another file with --save") from None


def _write_event(event: Mapping[str, Any], file: FileIO) -> None:
    """Append an event to the record, unbuffered."""
    line = f"{json.dumps(event)}\n".encode()
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        error.filename = file.name
        raise


def _read(prompt: str) -> str | None:
    """A line of input, None at its end; echoed when the input is not a terminal."""
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
    """Print the prompt again after Ctrl-Z; with os.write, as the stream may be in use."""
    os.write(1, prompt.encode())


def _line() -> bytes:
    """The next line of the input, cut to MAX_LINE_BYTES."""
    line = remaining = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    while remaining and not remaining.endswith(b"\n"):
        remaining = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    return line


def _echo_compiling(names: list[str]) -> None:
    click.echo(f"Compiling {', '.join(names)} (only the first time) ...", err=True)


def _echo_complaint(complaint: "Complaint") -> None:
    """Print a bot's fault, with the letter of its seat as on the board."""
    from cantstop_arena.views.default_view import SEAT_NAMES

    who = f"{SEAT_NAMES[complaint.seat]} {complaint.bot}"
    click.echo(f"Fault of {who} in turn {complaint.turn}: {complaint.fault}", err=True)
