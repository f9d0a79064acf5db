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
    TEXT,
    TableOutput,
    file_option,
    folder_option,
    json_only_flag,
    key_option,
    only_game_option,
    print_plain_tables,
    seats_option,
)
from cantstop_arena.views.command_progress import command_progress

if TYPE_CHECKING:
    from cantstop_arena.extensions.strength.exact.solved_tables import SolvingCost
    from cantstop_arena.extensions.strength.solved_board import SolvedBoard


@click.command(short_help="Solve a small board exactly.")
@click.argument("rules")
@click.argument("changes", nargs=-1, metavar="[KEY=VALUE]...")
@only_game_option("cantstop")
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

    The output also says where a first turn should end, and what the decisions of the built-in
    bots lose.

    RULES is the name of a rule set, or N,K: dice with N sides and shortest columns of K spaces.
    KEY=VALUE changes a parameter, as in columns_to_win=2 or column_lengths=1,3,5,3,1. Run the
    command again to continue after an interruption; a solved board is loaded from its file.
    """
    from cantstop_arena.atomic_files import check_output_file, write_atomically
    from cantstop_arena.bots.catalogue import Catalogue
    from cantstop_arena.extensions.strength.exact import solved_tables
    from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
    from cantstop_arena.extensions.strength.solve_progress import progress_to
    from cantstop_arena.extensions.strength.solved_board import SolvedBoard
    from cantstop_arena.views.rules_argument import rules_from_argument

    if html is not None:
        check_output_file(html)
    board = rules_from_argument(rules, changes, Catalogue(Path("bots")))
    solved_tables.check_solvable(board, players, memory)
    effort = solved_tables.effort_of(board, players)
    if not quiet:
        click.echo(f"{board.name}: {_effort_text(effort)}", err=True)
    shutdown.announce_resume()
    started = time.process_time()
    folder = tables or tables_folder()
    with closing(command_progress(f"Solving {board.name}", "positions", quiet)) as observer:
        table = solved_tables.solve(
            board, players, folder, progress_to(observer, effort.size.positions)
        )
    spent = time.process_time() - started
    solved = SolvedBoard(table)
    if as_json:
        click.echo(json.dumps(_as_dict(solved, effort, spent)))
    elif quiet:
        click.echo(f"{solved.value:.9f}")
    else:
        _print_tables(solved)
    if html is not None:
        from cantstop_arena.extensions.strength.solved_page import solved_page

        command = shlex.join(["arena", "solve", rules, *changes, "--players", str(players)])
        write_atomically(html, solved_page(solved, command))


def _effort_text(effort: "SolvingCost") -> str:
    minutes, seconds = divmod(round(effort.seconds), 60)
    about = f"{minutes:,} min {seconds} s" if minutes else f"{max(1, seconds)} s"
    return (
        f"{effort.size.positions:,} positions, {effort.memory / 1e6:,.1f} MB,"
        f" {effort.size.turn_states:,} states of turns: about {about} on one core."
    )


def _print_tables(solved: "SolvedBoard") -> None:
    """Print the value in a line, then each table under its finding."""
    from msgspec.structs import replace

    tables = [
        replace(solved.stops_table(), title=f"{solved.stops_finding()}."),
        replace(solved.losses_table(), title=f"{solved.losses_finding()}."),
    ]
    alone = [table.title for table in tables if not table.rows]
    print_plain_tables(tables, TableOutput(TEXT), *alone, headline=solved.headline)


def _as_dict(solved: "SolvedBoard", effort: "SolvingCost", spent: float) -> dict[str, object]:
    from cantstop_arena.games.cantstop.rules import RULES

    return {
        "headline": solved.headline,
        "rules": RULES.as_dict(solved.rules),
        "players": solved.players,
        "value": solved.value,
        "checksum": solved.checksum,
        "positions": effort.size.positions,
        "memory": effort.memory,
        "stops": solved.stops,
        "losses": solved.losses,
        "cpu_seconds": round(spent, 3),
    }
