"""Who is told how a run goes on. Every method does nothing: subclasses override what they show."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cantstop_arena.processes import shutdown

if TYPE_CHECKING:
    from cantstop_arena.deals.outcomes import TournamentTotals
    from cantstop_arena.tournaments.run import Look

LLR = "LLR"  # the measure of a sequential test: its log-likelihood ratio


class RunObserver:
    """Observes a run. All methods are called in the loop of the process that leads it."""

    def on_compile(self, names: list[str]) -> None:
        """The engine, or bots, are about to be compiled for the first time."""

    def on_start(self, played: int, games: int) -> None:
        """Of all `games`, `played` stand in the ledger already."""

    def on_progress(self, games: int) -> None:
        """So many more games are in the ledger."""

    def on_total(self, played: int, games: int) -> None:
        """A bot was disqualified: of the `games` that remain, `played` stand in the ledger."""

    def on_look(self, look: "Look") -> None:
        """A rule or a test that can end the run was evaluated."""

    def on_tick(self, totals: "Callable[[], TournamentTotals] | None" = None) -> None:
        """Time has passed, with new games or without; called some twenty times a second.

        `totals` adds up what stands in the ledger, which takes time in proportion to the games; it
        raises Interrupted when the user wants to end.
        """

    def on_cluster(self, machines: int, processes: int) -> None:
        """So many machines of a cluster play now, with so many processes in all."""

    def on_notice(self, text: str) -> None:
        """There is something to say about a machine of the cluster."""

    def close(self) -> None:
        """Nothing more will be called."""


@contextmanager
def observed_by(observer: RunObserver) -> Iterator[RunObserver]:
    """Close the observer at the end; in between, Ctrl-C ends the run where nothing is lost."""
    try:
        with shutdown.defer_interrupt():
            yield observer
    finally:
        observer.close()
