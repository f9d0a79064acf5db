"""`arena solve`: the exact values of a small board."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.errors import UsageError
from cantstop_arena.processes import shutdown

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.exact.solved_tables import SolvedTable, SolvingCost

EVERY = 5.0  # seconds between two lines of progress


@click.command(short_help="Solve a small board exactly.")
@click.argument("rules")
@click.argument("changes", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--players", type=click.IntRange(1, 2), default=2, show_default=True)
@click.option(
    "--memory",
    default="1G",
    show_default=True,
    help="Refuse a board whose table takes more, like 500M.",
)
@click.option(
    "--tables",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where tables are kept. Default: $CANTSTOP_ARENA_TABLES, or the user's data folder.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--quiet", is_flag=True, help="Print the value and nothing else.")
def solve(
    rules: str,
    changes: tuple[str, ...],
    players: int,
    memory: str,
    tables: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find the value of every position of a board that is small enough.

    RULES is a rule set by name, or N,K: dice with N sides and shortest columns of K spaces.
    KEY=VALUE changes a parameter, like columns_to_win=2 or column_lengths=1,3,5,3,1. Run it again
    to continue after an interruption; a board that has been solved is looked up.
    """
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.games.cantstop.exact import solved_tables
    from cantstop_arena.views.cantstop.commands.board_arguments import rules_from_argument

    board = rules_from_argument(rules, changes, Catalogue(Path("bots")))
    solved_tables.check_solvable(board, players, _bytes(memory))
    effort = solved_tables.effort_of(board, players)
    if not quiet:
        click.echo(_effort_text(effort), err=True)
    shutdown.announce_resume()
    started = time.process_time()
    table = solved_tables.solve(
        board, players, tables or solved_tables.tables_folder(), _Progress(quiet)
    )
    spent = time.process_time() - started
    if as_json:
        click.echo(json.dumps(_as_dict(table, effort, spent)))
    else:
        click.echo(_result_text(table, quiet))


def _bytes(text: str) -> int:
    from cantstop_arena.processes.system import bytes_of

    try:
        return bytes_of(text)
    except ValueError:
        raise UsageError(f"--memory: {text!r} is no amount like 500M or 2G") from None


def _effort_text(effort: "SolvingCost") -> str:
    minutes, seconds = divmod(round(effort.seconds), 60)
    about = f"{minutes:,} min {seconds} s" if minutes else f"{max(1, seconds)} s"
    return (
        f"{effort.size.positions:,} positions, {effort.memory / 1e6:,.1f} MB,"
        f" {effort.size.turn_states:,} states of turns: about {about} on one core."
    )


class _Progress:
    """Prints now and then how far it has come."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.told = time.monotonic()

    def __call__(self, table: "SolvedTable") -> None:
        if not self.quiet and time.monotonic() - self.told > EVERY:
            self.told = time.monotonic()
            click.echo(f"{table.progress:.1%} of the positions solved", err=True)


def _result_text(table: "SolvedTable", quiet: bool) -> str:
    if quiet:
        return f"{table.value:.9f}"
    if table.players == 1:
        return f"{table.rules.name}: {table.value:.9f} turns to the end, with the best play"
    return f"{table.rules.name}: whoever begins wins {table.value:.9f}, with the best play of both"


def _as_dict(table: "SolvedTable", effort: "SolvingCost", spent: float) -> dict[str, object]:
    return {
        "rules": table.rules.as_dict(),
        "players": table.players,
        "value": table.value,
        "positions": effort.size.positions,
        "memory": effort.memory,
        "cpu_seconds": round(spent, 3),
    }
