"""`arena play`: a person against bots."""

import json
import secrets
import sys
from itertools import count
from pathlib import Path
from typing import TextIO

import click

from cantstop_arena import stopping
from cantstop_arena.cli.games import LAST_DEAL
from cantstop_arena.cli.playing import bots_option
from cantstop_arena.cli.rules import rules_called
from cantstop_arena.cli.terminal import coloured
from cantstop_arena.errors import UsageError

MOST_SEATS = 4
SEEDS = 2**31  # to draw from: a seed that can be read aloud


@click.command()
@click.argument("bots", nargs=-1, metavar="[BOT]...")
@click.option("--rules", "rules_name", default="classic", show_default=True, help="By name.")
@click.option(
    "--seat",
    type=click.IntRange(1, MOST_SEATS),
    default=1,
    show_default=True,
    help="Where you sit, 1 begins; the bots take the other seats in their order.",
)
@click.option("--name", default="you", show_default=True, help="What you are called.")
@click.option(
    "--seed", type=click.IntRange(0, LAST_DEAL), help="Of all dice. Default: any, and told."
)
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
    rules_name: str,
    seat: int,
    name: str,
    seed: int | None,
    deal: int,
    save: Path | None,
    bots_folder: Path,
) -> None:
    """Play against one to three BOTs, or alone, and answer line by line.

    A question is answered by the number of a move, or by r (roll) and s (stop); ? shows the odds,
    and q leaves the game. Where the input ends before the game, the exit code is 1. The game is
    recorded as it is played, for `arena replay FILE` and `arena draw FILE`.
    """
    from cantstop_arena.games.cantstop.person import HELP, Left, Person, with_person
    from cantstop_arena.games.cantstop.scenes import LONGEST_NAME
    from cantstop_arena.plugins import Catalogue
    from cantstop_arena.texts import in_a_line
    from cantstop_arena.tournament.playing import table_with

    players = len(bots) + 1
    if players > MOST_SEATS:
        raise UsageError(f"{len(bots)} bots are too many; there are {MOST_SEATS} seats")
    if seat > players:
        raise UsageError(f"--seat {seat} is not there; {players} play")
    called = in_a_line(name, LONGEST_NAME)
    if not called:
        raise UsageError("--name must not be empty")
    catalogue = Catalogue(bots_folder)
    rules = rules_called(rules_name, catalogue)
    person = Person(_read, click.echo, coloured())
    drawn = secrets.randbelow(SEEDS) if seed is None else seed
    with table_with(
        person, called, seat - 1, bots, rules, drawn, catalogue, _say_compiling
    ) as table:
        file = _opened(save)
        ending = f"The game is in {file.name}; see arena replay {file.name}"
        stopping.say_at_the_end(f"\nStopped. {ending}")
        click.echo(HELP)
        try:
            with file:
                seats = tuple(range(players))
                for event in with_person(person, table, seats, deal, _say_complaint):
                    file.write(json.dumps(event) + "\n")
                    file.flush()
        except Left as left:
            click.echo(f"\n{ending}")
            sys.exit(0 if left.asked else 1)
        click.echo(f"\n{ending}")


def _opened(save: Path | None) -> TextIO:
    """The file of the record, which did not exist before."""
    if save is not None:
        try:
            return save.open("x", encoding="utf-8")
        except FileExistsError:
            raise UsageError(f"{save} exists; choose another name to --save the game") from None
    for number in count(1):
        path = Path(f"game-{number}.jsonl")
        if not path.exists():
            return path.open("x", encoding="utf-8")
    raise AssertionError("numbers have no end")


def _read(prompt: str) -> str | None:
    """A line of the user's, None at the end of the input; repeated where it cannot be seen."""
    click.echo(prompt, nl=False)
    sys.stdout.flush()
    line = sys.stdin.buffer.readline()
    if not sys.stdin.isatty():
        click.echo(ascii(line.decode(errors="replace").strip())[1:-1])
    return line.decode(errors="replace") if line else None


def _say_compiling(names: list[str]) -> None:
    click.echo(f"Compiling {', '.join(names)} (only the first time) ...", err=True)


def _say_complaint(complaint: object) -> None:
    click.echo(str(complaint), err=True)
