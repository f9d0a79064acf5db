"""Boards solved exactly, in Python."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cantstop_arena.bot_sources.catalogue import Catalogue
from cantstop_arena.games.cantstop.solving import tables as kept
from cantstop_arena.runtime import shutdown
from cantstop_arena.views.cantstop.board_names import board_called

if TYPE_CHECKING:
    from cantstop_arena.games.cantstop.solving.tables import Table

MEMORY = 1 << 30


def solve(
    rules: str,
    *changes: str,
    players: int = 2,
    memory: int = MEMORY,
    tables: Path | str | None = None,
    progress: bool = False,
    bots_folder: Path | str = "bots",
) -> "Table":
    """The exact values of a board, as `arena solve` finds them: `solve("3,1", players=1).value`.

    A board that has been solved is looked up. Raises UsageError for one whose table takes more
    than so many bytes of memory, and Interrupted by Ctrl-C; what was solved is kept.
    """
    board = board_called(rules, changes, Catalogue(Path(bots_folder)))
    kept.check_solvable(board, players, memory)
    folder = kept.tables_folder() if tables is None else Path(tables)
    with shutdown.noted():
        return kept.solve(board, players, folder, _tell if progress else _say_nothing)


def _tell(table: "Table") -> None:
    sys.stderr.write(f"\r{table.rules.name}: {table.done:.1%} of the positions solved")


def _say_nothing(table: "Table") -> None: ...
