"""Exact solutions of small boards, in Python."""

from pathlib import Path
from typing import TYPE_CHECKING

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.extensions.strength.exact import solved_tables
from cantstop_arena.extensions.strength.exact.tables_folder import tables_folder
from cantstop_arena.extensions.strength.solve_progress import progress_to
from cantstop_arena.processes.shutdown import observed_by
from cantstop_arena.views.progress_lines import Progress, observer_for
from cantstop_arena.views.rules_argument import rules_from_argument

if TYPE_CHECKING:
    from cantstop_arena.extensions.strength.solved_board import SolvedBoard

MEMORY = 1 << 30


def solve(
    rules: str,
    *changes: str,
    players: int = 2,
    memory: int = MEMORY,
    tables: Path | str | None = None,
    progress: Progress = False,
    bots_folder: Path | str = "bots",
) -> "SolvedBoard":
    """The exact values of a board, as by `arena solve`: `solve("3,1", players=1).value`.

    `stops` has the rows of where a first turn ends, `losses` those of what built-in bots lose,
    `checksum` the SHA-256 of all values.

    The table of a solved board is loaded from its file. Raises UsageError when the table needs more
    than `memory` bytes, and Interrupted on Ctrl-C; the positions solved by then are stored.
    """
    from cantstop_arena.extensions.strength.solved_board import SolvedBoard

    board = rules_from_argument(rules, changes, Catalogue(Path(bots_folder)))
    solved_tables.check_solvable(board, players, memory)
    folder = tables_folder() if tables is None else Path(tables)
    positions = solved_tables.effort_of(board, players).size.positions
    with observed_by(observer_for(progress, f"Solving {board.name}", "positions")) as observer:
        table = solved_tables.solve(board, players, folder, progress_to(observer, positions))
    return SolvedBoard(table)
