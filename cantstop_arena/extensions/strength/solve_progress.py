"""The progress of solving a board, for the command and the API."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from cantstop_arena.tournaments.run_observer import RunObserver

if TYPE_CHECKING:
    from cantstop_arena.extensions.strength.exact.solved_tables import SolvedTable


def progress_to(observer: RunObserver, positions: int) -> Callable[["SolvedTable"], None]:
    """A function that shows the progress of a table with so many positions."""
    solved: list[int] = []

    def show(table: "SolvedTable") -> None:
        count = round(table.progress * positions)
        if solved:
            observer.on_progress(count - solved[-1])
        else:  # positions of an interrupted run are no measure of the pace
            observer.on_start(count, positions)
        solved[:] = [count]
        observer.on_tick()

    return show
