"""The progress of a league on the terminal: what its run says, and the games of each step."""

from typing import TYPE_CHECKING

from cantstop_arena.cli.terminal.progress_screen import RunScreen

if TYPE_CHECKING:
    from cantstop_arena.tournaments.ledger.cover import QueryPlan


class LeagueScreen(RunScreen):
    """Shows the games of each step; what is played is said by the league itself."""

    def __init__(self, name: str, quiet: bool, aside: bool) -> None:
        super().__init__(name, quiet, aside, standings=False)

    def on_plan(self, plan: "QueryPlan") -> None:
        """Say nothing: the league has said what it plays."""
