"""The check of a file's bots, or of one bot: in one process, then repeated in another."""

import os
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.bot_files import BotSource
from cantstop_arena.bots.bot_paths import bot_name
from cantstop_arena.bots.bot_sandbox import display_folder
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.check.check_process import (
    PLAIN,
    CheckProcess,
    CheckProcessFailed,
    supervised_process,
)
from cantstop_arena.check.findings import (
    NOTE,
    OK,
    WRONG,
    BotsLoaded,
    CheckRequest,
    CheckStage,
    Finding,
    GamesTraced,
)
from cantstop_arena.check.suite import CheckedRules, Trace, difference, suite_of
from cantstop_arena.game_api.game import Game
from cantstop_arena.processes.child_start import Policy
from cantstop_arena.processes.sandbox import TEXTS
from cantstop_arena.texts import in_a_line


class BotCheck:
    """The check of all bots of a file, or of the bot with a name."""

    def __init__(
        self,
        target: Path | str,
        catalogue: Catalogue,
        limit: float,
        rules: CheckedRules | None = None,
    ) -> None:
        """`limit` is in seconds per decision; without `rules` all rule sets are played.

        Raises BotError for an unknown name.
        """
        request, self._policy = _request(target, catalogue, limit)
        self._request = replace(request, rules=rules)
        self._name = bot_name(target) if isinstance(target, Path) else target

    def findings(self) -> Generator[Finding, None, None]:
        """The findings about each bot, yielded one by one."""
        first_bot = _CheckedBot(self._request, self._name, self._policy)
        yield from first_bot.findings()
        for name in first_bot.names[1:]:
            request = replace(self._request, bot=name)
            yield from _CheckedBot(request, name, self._policy).findings()


def _request(target: Path | str, catalogue: Catalogue, limit: float) -> tuple[CheckRequest, Policy]:
    """The request that names the bot for the process, and how that process starts."""
    request = CheckRequest(catalogue.folder, limit, game=catalogue.game.name)
    if path := target if isinstance(target, Path) else catalogue.file_of(target):
        if policy := catalogue.policy_of_file(path):
            source = BotSource.at(path)
            inside = replace(request, folder=TEXTS, path=TEXTS / source.name)
            return replace(inside, display_folder=display_folder(source)), policy
        return replace(request, path=path), PLAIN
    bot = catalogue.find(str(target))
    if bot.package:
        policy = catalogue.policy_of_package(bot.package)
        return replace(request, package=bot.package), policy or PLAIN
    return replace(request, name=bot.name, game=bot.game), PLAIN


class _CheckedBot:
    """The check of one bot: its findings, and whether another process plays the same games."""

    def __init__(self, request: CheckRequest, bot: str, policy: Policy) -> None:
        self.names: Sequence[str] = []
        self._policy = policy
        self.bot = bot
        self._request = request
        self._traces: Sequence[Trace] = []
        self._game: Game | None = None
        self._rules = request.rules

    def findings(self) -> Iterator[Finding]:
        """All findings about the bot, under its name, with the paths of its files here."""
        display_folder = self._request.display_folder
        for finding in self._unnamed_findings():
            text = finding.text
            if display_folder:
                text = text.replace(f"{TEXTS}{os.sep}", display_folder)
            yield replace(finding, bot=self.bot, text=text)

    def _unnamed_findings(self) -> Iterator[Finding]:
        with supervised_process(self._request, "0", self._policy) as process:
            yield from self._findings_of(process)
        if self._traces:
            yield self._reproducibility()
        if process.output.length:
            yield _output_finding(process)

    def _findings_of(self, process: CheckProcess) -> Iterator[Finding]:
        try:
            for message in process.messages():
                if isinstance(message, BotsLoaded):
                    self.names, self.bot, self._game = message.bots, message.bot, process.game
                    self._rules = message.rules
                elif isinstance(message, Finding):
                    yield message
                elif isinstance(message, GamesTraced):
                    self._traces = message.traces
        except CheckProcessFailed as failure:
            yield _fatal_finding(process.stage, failure)

    def _reproducibility(self) -> Finding:
        """Whether another process, with other hashes of texts, plays the same games."""
        replay = _CheckedBot(replace(self._request, only_play=True), self.bot, self._policy)
        with supervised_process(replay._request, "1", self._policy) as process:
            findings = list(replay._findings_of(process))
        if fault := next((finding for finding in findings if finding.mark == WRONG), None):
            return replace(fault, text=f"{fault.text} (in another process)")
        game, name = self._game, self._request.name
        games = suite_of(game, name, self._rules) if game else ()
        if trace_difference := difference(games, self._traces, replay._traces):
            causes = "the order of a set of texts, id(), hash(), or something of the process?"
            text = (
                f"another process, with other hashes of texts, plays otherwise: {trace_difference}"
            )
            return Finding(WRONG, "reproducible", f"{text}; {causes}")
        return Finding(OK, "reproducible", "the same games again, and in another process")


def _fatal_finding(stage: CheckStage, failure: CheckProcessFailed) -> Finding:
    return Finding(stage.mark, stage.subject, f"{failure}, while it {stage.doing}")


def _output_finding(process: CheckProcess) -> Finding:
    excerpt = in_a_line(process.output.head.decode("utf-8", "replace"), 60)
    text = f"prints {process.output.length:,} bytes, which tournaments put in its log: {excerpt!r}"
    return Finding(NOTE, "output", text)
