"""Observers of a run. Methods do nothing by default; subclasses override those they need."""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from cantstop_arena.deals.outcomes import TournamentTotals
    from cantstop_arena.tournaments.ledger.cover import QueryPlan

LLR = "LLR"  # the measure of a sequential test: its log-likelihood ratio


class Look(NamedTuple):
    """The value that decides whether a run ends, after so many `games` of each group.

    `measure` is that of the tournament's `until` rule; then `bot` is the bot with the widest
    interval, empty if no bot has played. For a sequential test it is `LLR`, the log-likelihood
    ratio.
    """

    games: int
    bot: str
    measure: str
    value: float


class RunObserver:
    """Observes a run. All methods are called in the main loop of the arena's process."""

    def on_compile(self, names: list[str]) -> None:
        """The engine or bots with these names are about to be compiled for the first time."""

    def on_plan(self, plan: "QueryPlan") -> None:
        """Before the first game: what the ledger has, and what will be played."""

    def on_whole(self, games: int) -> None:
        """Before the first of several tournaments: so many games are missing in all."""

    def on_start(self, played: int, games: int) -> None:
        """The run starts; of its `games`, `played` are in the ledger already."""

    def on_progress(self, games: int) -> None:
        """So many games were added to the ledger."""

    def on_total(self, played: int, games: int) -> None:
        """The total has changed: of the `games` that count now, `played` are done."""

    def on_look(self, look: Look) -> None:
        """A rule or a sequential test that can end the run was evaluated."""

    def on_tick(self, totals: "Callable[[], TournamentTotals] | None" = None) -> None:
        """Time has passed, with new games or without; called some twenty times a second.

        `totals` adds up the ledger, which takes time in proportion to the games; it raises
        Interrupted when the user presses Ctrl-C.
        """

    def on_cluster(self, machines: int, processes: int) -> None:
        """The number of other machines that play, or of their processes, has changed."""

    def on_notice(self, text: str) -> None:
        """There is a message for the user: about another machine, a seed, a version."""

    def close(self) -> None:
        """The run has ended; no other method is called."""
