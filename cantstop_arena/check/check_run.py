"""The check of a file's bots, or of one bot: in one process, then repeated in another."""

from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from cantstop_arena.bots.bot_paths import bot_name
from cantstop_arena.bots.catalogue import Catalogue
from cantstop_arena.check.check_process import (
    NAME,
    CheckProcess,
    CheckProcessFailed,
    built_in_bot_name,
    supervised_process,
)
from cantstop_arena.check.findings import NOTE, OK, WRONG, CheckStage, Finding
from cantstop_arena.check.suite import Trace, difference, suite_of
from cantstop_arena.game_api.game import Game
from cantstop_arena.texts import in_a_line


class BotCheck:
    """The check of all bots of a file, or of the bot with a name."""

    def __init__(self, target: Path | str, catalogue: Catalogue, limit: float) -> None:
        """`limit` is in seconds per decision. Raises BotError for an unknown name."""
        self._arguments = [f"--bots={catalogue.folder}", *_target_arguments(target, catalogue)]
        self._name = bot_name(target) if isinstance(target, Path) else target
        self._limit = limit

    def findings(self) -> Generator[Finding, None, None]:
        """The findings about each bot, yielded one by one."""
        first_bot = _CheckedBot(self._arguments, self._name, self._limit)
        yield from first_bot.findings()
        for name in first_bot.names[1:]:
            yield from _CheckedBot(
                [*self._arguments, f"--bot={name}"], name, self._limit
            ).findings()


def _target_arguments(target: Path | str, catalogue: Catalogue) -> list[str]:
    """The command line arguments that name the bot for the process."""
    path = target if isinstance(target, Path) else catalogue.file_of(target)
    if path:
        return [f"--path={path}"]
    bot = catalogue.find(str(target))
    return (
        [f"--package={bot.package}"] if bot.package else [f"{NAME}{bot.name}", f"--game={bot.game}"]
    )


class _CheckedBot:
    """The check of one bot: its findings, and whether another process plays the same games."""

    def __init__(self, arguments: Sequence[str], bot: str, limit: float) -> None:
        self.names: list[str] = []
        self.bot = bot
        self._arguments = arguments
        self._limit = limit
        self._traces: list[Trace] = []
        self._game: Game | None = None

    def findings(self) -> Iterator[Finding]:
        """All findings about the bot, under its name."""
        for finding in self._unnamed_findings():
            yield replace(finding, bot=self.bot)

    def _unnamed_findings(self) -> Iterator[Finding]:
        with supervised_process(self._arguments, self._limit, "0") as process:
            yield from self._findings_of(process)
        if self._traces:
            yield self._reproducibility()
        if process.printed:
            yield _output_finding(process)

    def _findings_of(self, process: CheckProcess) -> Iterator[Finding]:
        try:
            for message in process.messages():
                if "bots" in message:
                    self.names, self.bot = message["bots"], message["this"]
                    self._game = process.game
                elif "finding" in message:
                    yield Finding(*message["finding"])
                elif "traces" in message:
                    self._traces = list(map(Trace.read, message["traces"]))
        except CheckProcessFailed as failure:
            yield _fatal_finding(process.stage, failure)

    def _reproducibility(self) -> Finding:
        """Whether another process, with other hashes of texts, plays the same games."""
        replay = _CheckedBot([*self._arguments, "--only-play"], self.bot, self._limit)
        with supervised_process(replay._arguments, self._limit, "1") as process:
            findings = list(replay._findings_of(process))
        if fault := next((finding for finding in findings if finding.mark == WRONG), None):
            return replace(fault, text=f"{fault.text} (in another process)")
        games = suite_of(self._game, built_in_bot_name(self._arguments)) if self._game else ()
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
    excerpt = in_a_line(process.first_print.decode("utf-8", "replace"), 60)
    text = f"prints {process.printed:,} bytes, which tournaments put in its log: {excerpt!r}"
    return Finding(NOTE, "output", text)
