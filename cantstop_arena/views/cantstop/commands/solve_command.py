"""`arena solve`: the exact values of a small board."""

import json
import shlex
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cantstop_arena.processes import shutdown
from cantstop_arena.views.command_options import (
    file_option,
    folder_option,
    key_option,
    seats_option,
)
from cantstop_arena.views.command_progress import command_progress
from cantstop_arena.views.command_tables import json_only_flag

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.exact.solved_tables import SolvedTable, SolvingCost


@click.command(short_help="Solve a small board exactly.")
@click.argument("rules")
@click.argument("changes", nargs=-1, metavar="[KEY=VALUE]...")
@seats_option(2)
@key_option(
    "memory",
    default="1G",
    show_default=True,
    help="Maximal size of the table, such as 500M; a larger board is refused.",
)
@folder_option(
    "--tables",
    "Folder of solved boards. Default: $CANTSTOP_ARENA_TABLES, or the user's data folder.",
)
@file_option("--html", "Also write an HTML page to this file.")
@json_only_flag
@key_option("quiet", help="Print only the value.")
def solve(
    rules: str,
    changes: tuple[str, ...],
    players: int,
    memory: int,
    tables: Path | None,
    html: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compute the exact value of every position of a small board.

    RULES is the name of a rule set, or N,K: dice with N sides and shortest columns of K spaces.
    KEY=VALUE changes a parameter, as in columns_to_win=2 or column_lengths=1,3,5,3,1. Run the
    command again to continue after an interruption; a solved board is loaded from its file.
    """
    from cantstop_arena.atomic_files import check_output_file, write_atomically
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.games.cantstop.exact import solved_tables
    from cantstop_arena.games.cantstop.exact.tables_folder import tables_folder
    from cantstop_arena.views.cantstop.commands.solve_progress import progress_to
    from cantstop_arena.views.rules_argument import rules_from_argument

    if html is not None:
        check_output_file(html)
    board = rules_from_argument(rules, changes, Catalogue(Path("bots")))
    solved_tables.check_solvable(board, players, memory)
    effort = solved_tables.effort_of(board, players)
    if not quiet:
        click.echo(_effort_text(effort), err=True)
    shutdown.announce_resume()
    started = time.process_time()
    folder = tables or tables_folder()
    with closing(command_progress(f"Solving {board.name}", "positions", quiet)) as observer:
        table = solved_tables.solve(
            board, players, folder, progress_to(observer, effort.size.positions)
        )
    spent = time.process_time() - started
    if as_json:
        click.echo(json.dumps(_as_dict(table, effort, spent)))
    else:
        click.echo(_result_text(table, quiet))
    if html is not None:
        from cantstop_arena.views.cantstop.solved_page import solved_page

        command = shlex.join(["arena", "solve", rules, *changes, "--players", str(players)])
        write_atomically(html, solved_page(table, command))


def _effort_text(effort: "SolvingCost") -> str:
    minutes, seconds = divmod(round(effort.seconds), 60)
    about = f"{minutes:,} min {seconds} s" if minutes else f"{max(1, seconds)} s"
    return (
        f"{effort.size.positions:,} positions, {effort.memory / 1e6:,.1f} MB,"
        f" {effort.size.turn_states:,} states of turns: about {about} on one core."
    )


def _result_text(table: "SolvedTable", quiet: bool) -> str:
    if quiet:
        return f"{table.value:.9f}"
    headline = table.headline
    return f"{table.rules.name}: {headline[:1].lower()}{headline[1:]}"


def _as_dict(table: "SolvedTable", effort: "SolvingCost", spent: float) -> dict[str, object]:
    from cantstop_arena.games.cantstop.rules import RULES

    return {
        "headline": table.headline,
        "rules": RULES.as_dict(table.rules),
        "players": table.players,
        "value": table.value,
        "positions": effort.size.positions,
        "memory": effort.memory,
        "cpu_seconds": round(spent, 3),
    }
