"""The check of a program in any language: whether it starts, and how it plays."""

from collections.abc import Generator, Iterator

from msgspec.structs import replace

from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.bots.loader import Loader
from cantstop_arena.check.checks import BotChecks
from cantstop_arena.check.findings import OK, WRONG, Finding
from cantstop_arena.check.harness import Harness
from cantstop_arena.check.suite import suite_of
from cantstop_arena.errors import BotError
from cantstop_arena.table.seated_bot import SeatedBot
from cantstop_arena.tournaments.bot_adapters import IsolatedSeating, seat_bot
from cantstop_arena.tournaments.file.entrants import Entrant
from cantstop_arena.tournaments.preparation import check_start
from cantstop_arena.tournaments.table_spec import entrant_start
from cantstop_arena.tournaments.tournament import FaultPolicy


class ProgramCheck(BotChecks):
    """The check of one program, which plays at all seats in processes of its own."""

    def __init__(self, entrant: Entrant, catalogue: Catalogue, limit: float) -> None:
        """`limit` is in seconds per decision."""
        self.start = entrant_start(entrant, catalogue, FaultPolicy(decision_limit=limit))
        self.game, self.loader, self.limit = catalogue.game, Loader(catalogue.folder), limit
        self.games = suite_of(self.game)
        self.report = lambda report: None

    def findings(self) -> Generator[Finding, None, None]:
        """The findings, yielded one by one."""
        for finding in self.everything():
            yield replace(finding, bot=self.start.name)

    def everything(self) -> Iterator[Finding]:
        """The findings of all checks."""
        try:
            seconds = check_start(self.start)
        except BotError as error:
            yield Finding(WRONG, "start", str(error))
            return
        yield Finding(OK, "start", f"ready within {seconds:.2f} s")
        seated_bots = self._seated_bots()
        try:
            harness = Harness(self.game, seated_bots, bytearray(self.game.window.size))
            run = self._run(harness, "legal", "plays against itself")
            yield from self._legality(harness, run)
            if (finding := self._difference(harness, run)) or (finding := self._slowest(run)):
                yield finding
        finally:
            for bot in seated_bots:
                if isinstance(bot.make_player, IsolatedSeating):
                    bot.make_player.close()

    def _seated_bots(self) -> list[SeatedBot]:
        return [seat_bot(self.start, self.loader) for _ in range(self.game.players[-1])]

    def _source_lines(self) -> dict[str, str]:
        return {}
